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

template <class T>
void place(const Order& order, std::span<const T> given, Room<T>& own, std::span<const T>& column) {
    if (order.as_given() && given.size() == order.size()) {
        column = given;
        return;
    }
    own = Room<T>(order.size());
    order.gather(given, own.span());
    column = own.span();
}

//! Marks of what is there: among the `given` rows, neither null nor a NaN that counts as null.
void mark_present(const Order& order, std::size_t given, std::span<const std::uint8_t> nulls, bool skip_nan,
                  Column& column) {
    const bool nan = skip_nan && any_nan(column.reals, order.threads());
    if (given == order.size() && nulls.empty() && !nan) return;
    Room<std::uint8_t> marks = Presence::marks_for(order.size());
    in_stretches(order.size(), order.threads(), [&](Stretch stretch) {
        for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
            const Row row = order.row_at(static_cast<Position>(i));
            marks[i] = row < given && (nulls.empty() || nulls[row] == 0);
        }
        if (!nan) return;
        for (std::size_t i = stretch.begin; i < stretch.end; ++i) marks[i] &= !std::isnan(column.reals[i]);
    });
    column.presence.assign(std::move(marks), order.threads());
}

//! The values may end before the rows do: what lies behind them is not there.
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
    if (reals) place(order, view(reals), held->reals, held->column.reals);
    if (integers) place(order, view(integers), held->integers, held->column.integers);
    const std::size_t given = reals ? reals->size() : integers ? integers->size() : order.size();
    mark_present(order, given, view(nulls), skip_nan, held->column);
    return held;
}

//! Which rows' windows have at least so many values; None if all have.
nb::object enough_values(const Order& order, Bounds& bounds, const HeldColumn& column, std::size_t least) {
    Room<std::uint8_t> marks;
    bool all = true;
    {
        const nb::gil_scoped_release release;
        if (!always_enough(bounds, column.column.presence, least)) {
            bounds.find_all(order.threads());
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
