//! The built-in aggregations over a batch.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "batch.hpp"

namespace sash::rolling {

namespace {

//! The results by row, and in a batch of arrivals how many values each window had.
struct Answer {
    std::optional<Buffer<std::int64_t>> integers;
    std::optional<Buffer<double>> reals;
    std::optional<Buffer<std::uint32_t>> counts;

    nb::object values() && {
        return reals ? nb::cast(std::move(*reals).array()) : nb::cast(std::move(*integers).array());
    }
    nb::object tally() && { return counts ? nb::cast(std::move(*counts).array()) : nb::none(); }
};

void positions_to_rows(const Order& order, std::span<std::int64_t> found) {
    if (order.as_given()) return;
    for (std::int64_t& position : found)
        if (position != kNoRow) position = order.row_at(static_cast<Position>(position));
}

void run(const KernelName& kernel, const Order& order, const Bounds& bounds, const Column& column, bool known,
         Answer& answer) {
    const bool real = gives_reals(kernel.name, column.real);
    Buffer<double> reals(real ? order.size() : 0);
    Buffer<std::int64_t> integers(real ? 0 : order.size());
    const Results out{integers.span(), reals.span()};
    if (known) {
        Buffer<std::uint32_t> counts(order.size());
        run_known(kernel, {order, bounds, column.presence, counts.span()}, column, out);
        answer.counts.emplace(by_row(order, std::move(counts)));
    } else {
        run_kernel(kernel, Final{order, bounds, column.presence}, column, out);
    }
    if (gives_rows(kernel.name)) positions_to_rows(order, integers.span());
    if (real) {
        answer.reals.emplace(by_row(order, std::move(reals)));
    } else {
        answer.integers.emplace(by_row(order, std::move(integers)));
    }
}

std::pair<nb::object, nb::object> aggregate(const std::string& name, const Order& order, const Bounds& bounds,
                                            const HeldColumn& column, bool known, bool geometric, bool root, int ddof) {
    Answer answer;
    const KernelName kernel{name, geometric, root, ddof, column.nans};
    try {
        const nb::gil_scoped_release release;
        // Where all came in order the bounds already leave out what came later.
        run(kernel, order, bounds, column.column, known && !order.in_order(), answer);
    } catch (const DoesNotFit& error) {
        raise_does_not_fit(order, error);
    }
    nb::object counts = std::move(answer).tally();
    return {std::move(answer).values(), counts};
}

Array<std::int64_t> distinct(const Order& order, const Bounds& bounds, const HeldColumn& column,
                             const Input<std::uint32_t>& codes, std::size_t count) {
    Buffer<std::int64_t> result(0);
    {
        const nb::gil_scoped_release release;
        Buffer<std::int64_t> out(order.size());
        std::vector<std::uint32_t> sorted(order.size());
        order.gather(std::span<const std::uint32_t>(codes.data(), codes.size()), std::span(sorted));
        exact_distinct(sorted, count, column.column.presence, bounds, out.span());
        result = by_row(order, std::move(out));
    }
    return std::move(result).array();
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
               nb::arg("known"), nb::arg("geometric") = false, nb::arg("root") = false, nb::arg("ddof") = 1);
    module.def("distinct", &distinct, nb::arg("order"), nb::arg("bounds"), nb::arg("column"), nb::arg("codes"),
               nb::arg("count"));
}

}  // namespace sash::rolling
