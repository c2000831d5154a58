//! Columns by position, and which results have enough values.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "batch/batch.hpp"

namespace sash::batch {

namespace {

//! Of some rows at a time, without a branch at each, and in pairs: a comparison of two tells of both.
bool any_nan(std::span<const double> reals, std::size_t threads) {
    constexpr std::size_t kSome = 4096;
    std::atomic<bool> found = false;
    in_stretches(reals.size(), threads, [&](Stretch stretch) {
        for (std::size_t from = stretch.begin; from < stretch.end && !found; from += kSome) {
            const std::size_t to = std::min(stretch.end, from + kSome);
            bool nan = std::isnan(reals[to - 1]);
            for (std::size_t i = from; i + 1 < to; i += 2) nan |= std::isunordered(reals[i], reals[i + 1]);
            if (nan) found = true;
        }
    });
    return found;
}

//! Marks of what is there, by row: neither null nor a NaN that counts as null. Empty if all are.
std::vector<std::uint8_t> marks_of(std::span<const double> reals, std::span<const std::uint8_t> nulls, bool skip_nan,
                                   std::size_t size, std::size_t threads) {
    std::vector<std::uint8_t> marks;
    bool missing = std::any_of(nulls.begin(), nulls.end(), [](std::uint8_t null) { return null != 0; });
    const bool nan = skip_nan && any_nan(reals, threads);
    missing |= nan;
    if (!missing) return marks;
    marks.assign(size, 1);
    for (std::size_t i = 0; i < nulls.size(); ++i) marks[i] = nulls[i] == 0;
    if (nan)
        for (std::size_t i = 0; i < size; ++i) marks[i] &= reals[i] == reals[i];
    return marks;
}

template <class T>
void place(const Order& order, std::span<const T> given, Room<T>& own, std::span<const T>& column) {
    if (order.as_given()) {
        column = given;
        return;
    }
    own = Room<T>(given.size());
    order.gather(given, own.span());
    column = own.span();
}

std::unique_ptr<HeldColumn> make_column(const Order& order, nb::handle values,
                                        const std::optional<Input<std::uint8_t>>& nulls, bool skip_nan) {
    auto held = std::make_unique<HeldColumn>();
    std::optional<Input<double>> reals;
    std::optional<Input<std::int64_t>> integers;
    held->column.real = nb::isinstance<Input<double>>(values);
    if (held->column.real) {
        reals = nb::cast<Input<double>>(values);
    } else if (!values.is_none()) {
        integers = nb::cast<Input<std::int64_t>>(values);
    }
    held->nans = held->column.real && !skip_nan;
    if (order.as_given()) held->source = nb::borrow(values);
    const nb::gil_scoped_release release;
    std::vector<std::uint8_t> marks = marks_of(view(reals), view(nulls), skip_nan, order.size(), order.threads());
    if (!marks.empty()) {
        std::vector<std::uint8_t> sorted(marks.size());
        order.gather(std::span<const std::uint8_t>(marks), std::span(sorted));
        held->column.presence.assign(std::move(sorted));
    }
    if (reals) place(order, view(reals), held->reals, held->column.reals);
    if (integers) place(order, view(integers), held->integers, held->column.integers);
    return held;
}

//! Which rows' windows have at least so many values; None if all have.
nb::object enough_values(const Order& order, const Bounds& bounds, const HeldColumn& column, std::size_t least) {
    Room<std::uint8_t> marks;
    bool all = true;
    {
        const nb::gil_scoped_release release;
        if (!always_enough(bounds, column.column.presence, least)) {
            marks = Room<std::uint8_t>(order.size());
            all = mark_enough(order, bounds, column.column.presence, least,
                              Slots(marks.span(), order.rows(), order.asked()));
        }
    }
    return all ? nb::none() : nb::cast(array_of(std::move(marks)));
}

}  // namespace

void bind_columns(nb::module_& module) {
    nb::class_<HeldColumn>(module, "Column")
        .def(nb::new_(&make_column), nb::arg("order"), nb::arg("values").none(), nb::arg("nulls").none(),
             nb::arg("skip_nan"))
        .def_prop_ro("real", [](const HeldColumn& held) { return held.column.real; });
    module.def("enough", &enough_values, nb::arg("order"), nb::arg("bounds"), nb::arg("column"), nb::arg("least"));
}

}  // namespace sash::batch
