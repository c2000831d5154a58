//! Order statistics of all windows: exact, from the ranks of their values.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "batch/batch.hpp"
#include "sash/batch/quantiles.hpp"
#include "sash/batch/row_ranks.hpp"
#include "sash/batch/tops.hpp"

namespace sash::batch {

namespace {

//! Calls emit(row, window) with the window of every row. Gives the counts of a batch of arrivals.
template <class Window, class Options, class Emit>
Room<std::uint32_t> slide_all(const Order& order, const Bounds& bounds, const Column& column, bool late,
                              const Options& options, Emit emit) {
    Room<std::uint32_t> counts(late ? order.size() : 0);
    if (!late) {
        slide<Window>(order, bounds, column, options,
                      [&](std::size_t i, Window& window) { emit(order.row_at(static_cast<Position>(i)), window); });
        return counts;
    }
    slide_known<Window>(order, bounds, column, options, [&](std::size_t i, Window& window) {
        const Row row = order.row_at(static_cast<Position>(i));
        counts[row] = window.count();
        emit(row, window);
    });
    return counts;
}

//! The quantiles of each row, one after another, and the counts of a batch of arrivals.
std::pair<Array<double>, nb::object> quantiles(const Order& order, const Bounds& bounds, const HeldColumn& column,
                                               bool known, std::vector<double> at, const std::string& interpolation) {
    const Wanted wanted{std::move(at), interpolation_named(interpolation)};
    const bool late = known && !order.in_order();
    Room<double> results(order.size() * wanted.at.size());
    Room<std::uint32_t> counts;
    {
        const nb::gil_scoped_release release;
        counts =
            slide_all<QuantileWindow>(order, bounds, column.column, late, wanted, [&](Row row, QuantileWindow& window) {
                window.result(results.data() + std::size_t{row} * wanted.at.size());
            });
    }
    return {array_of(std::move(results)), late ? nb::cast(array_of(std::move(counts))) : nb::none()};
}

Ties ties_named(std::string_view name) {
    if (name == "average") return Ties::average;
    if (name == "min") return Ties::least;
    if (name == "max") return Ties::greatest;
    if (name == "dense") return Ties::dense;
    throw std::invalid_argument("no rank of equal values is called " + std::string(name));
}

//! The rank of the youngest value of each row's window.
Array<double> row_ranks(const Order& order, const Bounds& bounds, const HeldColumn& column, const std::string& method,
                        bool share) {
    const RankOptions options{ties_named(method), share};
    Room<double> results(order.size());
    {
        const nb::gil_scoped_release release;
        const Slots out(results.span(), order.rows());
        slide<RankWindow>(order, bounds, column.column, options,
                          [&](std::size_t i, const RankWindow& window) { out[i] = window.result(); });
    }
    return array_of(std::move(results));
}

//! The rows of the k most extreme values of each row's window, side by side; 2**32 - 1 where there are fewer.
Array<std::uint32_t> tops(const Order& order, const Bounds& bounds, const HeldColumn& column, std::size_t k,
                          bool greatest) {
    const TopOptions options{k, greatest};
    Room<std::uint32_t> rows(order.size() * k);
    {
        const nb::gil_scoped_release release;
        std::fill_n(rows.data(), rows.size(), RankedPositions::kAbsent);
        slide<TopWindow>(order, bounds, column.column, options, [&](std::size_t i, TopWindow& window) {
            std::uint32_t* const out = rows.data() + std::size_t{order.row_at(static_cast<Position>(i))} * k;
            window.result([&](std::size_t place, std::size_t position) {
                out[place] = order.row_at(static_cast<Position>(position));
            });
        });
    }
    return array_of(std::move(rows));
}

}  // namespace

void bind_statistics(nb::module_& module) {
    module.def("quantiles", &quantiles, nb::arg("order"), nb::arg("bounds"), nb::arg("column"), nb::arg("known"),
               nb::arg("at"), nb::arg("interpolation"));
    module.def("row_ranks", &row_ranks, nb::arg("order"), nb::arg("bounds"), nb::arg("column"), nb::arg("method"),
               nb::arg("share"));
    module.def("tops", &tops, nb::arg("order"), nb::arg("bounds"), nb::arg("column"), nb::arg("k"),
               nb::arg("greatest"));
}

}  // namespace sash::batch
