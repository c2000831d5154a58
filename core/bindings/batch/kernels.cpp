//! The built-in aggregations over a batch.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "batch/batch.hpp"
#include "sash/batch/occurrences.hpp"

namespace sash::batch {

namespace {

//! The results by row, and in a batch of arrivals how many values each window had.
struct KernelResult {
    Room<std::int64_t> integers;
    Room<double> reals;
    Room<std::uint32_t> counts;
    bool real = false;
    bool counted = false;
};

//! Of the rows from `asked` on: nothing was found for the others.
void positions_to_rows(const Order& order, std::span<std::int64_t> found, std::size_t asked = 0) {
    if (order.as_given()) return;
    for (std::int64_t& position : found.subspan(asked))
        if (position != kNoRow) position = order.row_at(static_cast<Position>(position));
}

//! Nobody asks about the rows before `asked`.
void run(const KernelName& kernel, const Order& order, const Bounds& bounds, const Column& column, bool late,
         std::size_t asked, KernelResult& result) {
    result.real = gives_reals(kernel.name, column.real);
    result.counted = late;
    if (result.real) {
        result.reals = Room<double>(order.size());
    } else {
        result.integers = Room<std::int64_t>(order.size());
    }
    const Results out{{result.integers.span(), order.rows(), asked}, {result.reals.span(), order.rows(), asked}};
    if (late) {
        result.counts = Room<std::uint32_t>(order.size());
        const Slots counts(result.counts.span(), order.rows());
        run_known(kernel, {order, bounds, column.presence, counts}, column, out);
    } else {
        run_kernel(kernel, Final{order, bounds, column.presence}, column, out);
    }
    if (gives_rows(kernel.name)) positions_to_rows(order, result.integers.span(), asked);
}

std::pair<nb::object, nb::object> aggregate(const std::string& name, const Order& order, Bounds& bounds,
                                            const HeldColumn& column, bool known, bool geometric, bool root, int ddof,
                                            std::size_t behind, bool all) {
    KernelResult result;
    const KernelName kernel{name, geometric, root, ddof, behind, column.nans};
    try {
        const nb::gil_scoped_release release;
        // Where all came in order the bounds already leave out what came later.
        const bool late = known && !order.in_order();
        // Which windows have enough values is asked later where some are missing.
        if (late || !column.column.presence.all() || !reads_bounds_once(name, column.column.real))
            bounds.find_all(order.threads());
        run(kernel, order, bounds, column.column, late, all ? 0 : order.asked(), result);
    } catch (const DoesNotFit& error) {
        raise_does_not_fit(order, error);
    }
    const nb::object counts = result.counted ? nb::cast(array_of(std::move(result.counts))) : nb::none();
    if (result.real) return {nb::cast(array_of(std::move(result.reals))), counts};
    return {nb::cast(array_of(std::move(result.integers))), counts};
}

template <class Window>
Room<std::int64_t> of_codes(const Order& order, const Bounds& bounds, const HeldColumn& column,
                            const Input<std::uint32_t>& codes, std::size_t count) {
    Room<std::int64_t> result(order.size());
    Room<std::uint32_t> sorted(order.size());
    order.gather(std::span<const std::uint32_t>(codes.data(), codes.size()), sorted.span());
    const Slots out(result.span(), order.rows());
    slide_codes<Window>(order, {sorted.span(), count, column.column.presence}, bounds, order.threads(),
                        [&](std::size_t i, const Window& window) { out[i] = window.result(); });
    return result;
}

Array<std::int64_t> distinct(const Order& order, const Bounds& bounds, const HeldColumn& column,
                             const Input<std::uint32_t>& codes, std::size_t count) {
    Room<std::int64_t> result;
    {
        const nb::gil_scoped_release release;
        result = of_codes<DistinctWindow>(order, bounds, column, codes, count);
    }
    return array_of(std::move(result));
}

//! The row at which the most frequent value of each window appears first, or -1.
Array<std::int64_t> modes(const Order& order, const Bounds& bounds, const HeldColumn& column,
                          const Input<std::uint32_t>& codes, std::size_t count) {
    Room<std::int64_t> result;
    {
        const nb::gil_scoped_release release;
        result = of_codes<ModeWindow>(order, bounds, column, codes, count);
        positions_to_rows(order, result.span());
    }
    return array_of(std::move(result));
}

}  // namespace

void raise_does_not_fit(const Order& order, const DoesNotFit& error) {
    const auto row = static_cast<unsigned long long>(order.row_at(static_cast<Position>(error.position)));
    PyErr_Format(PyExc_OverflowError,
                 "the result of row %llu does not fit in 64 bits; pass floats, or scale the values down", row);
    throw nb::python_error();
}

void bind_kernels(nb::module_& module) {
    module.def("aggregate", &aggregate, nb::arg("kernel"), nb::arg("order"), nb::arg("bounds"), nb::arg("column"),
               nb::arg("known"), nb::arg("geometric") = false, nb::arg("root") = false, nb::arg("ddof") = 1,
               nb::arg("behind") = 0, nb::arg("all") = false);
    module.def("distinct", &distinct, nb::arg("order"), nb::arg("bounds"), nb::arg("column"), nb::arg("codes"),
               nb::arg("count"));
    module.def("modes", &modes, nb::arg("order"), nb::arg("bounds"), nb::arg("column"), nb::arg("codes"),
               nb::arg("count"));
}

}  // namespace sash::batch
