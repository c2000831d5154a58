//! The class _core.Window: what sash.Window inherits from.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <new>
#include <string>
#include <utility>

#include "collector.hpp"
#include "monoids/row.hpp"
#include "store/stored.hpp"
#include "window/face.hpp"

namespace sash::face {

namespace {

using Times = nb::ndarray<const Time, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
    return std::span(array.data(), array.size());
}

template <class T>
T option(const nb::dict& options, const char* name, T otherwise) {
    return options.contains(name) ? nb::cast<T>(options[name]) : otherwise;
}

AlgorithmOptions algorithm_options(std::string name, const nb::dict& options) {
    return {std::move(name), option(options, "min_arity", 0u), option(options, "leaf", 0u),
            options.contains("pager") ? store_of(options["pager"]) : nullptr};
}

//! `native` is the aggregation's Native, or None.
void construct(Window* place, nb::object aggregation, nb::object native, std::string algorithm, nb::dict options,
               nb::object skips, nb::object find) {
    const bool compiled = !native.is_none();
    const nb::dict parameters = compiled ? nb::dict(native.attr("options")) : nb::dict();
    const nb::object row = compiled ? nb::object(native.attr("row")) : nb::none();
    const std::string kernel = compiled ? nb::cast<std::string>(native.attr("kernel")) : "object";
    const std::string inputs = compiled ? nb::cast<std::string>(native.attr("inputs")) : "object";
    const std::string nan = nb::cast<std::string>(aggregation.attr("nan"));
    Spec spec{aggregation,
              kernel,
              kernel_options(parameters),
              algorithm_options(std::move(algorithm), options),
              nb::cast<bool>(aggregation.attr("timed")),
              std::move(find)};
    // Native parts read the ticks themselves.
    if (!row.is_none() && nb::len(nb::object(row.attr("objects"))) == 0) spec.timed = false;
    ValueReader reader = row.is_none() ? ValueReader(kernel, inputs, nan, spec.options.geometric, std::move(skips))
                                       : ValueReader(std::make_shared<const RowReader>(row));
    new (place) Window(std::move(spec), std::move(reader));
}

using Class = nb::class_<Window>;

//! What users call.
void bind_operations(Class& window) {
    using namespace nb::literals;
    window.def("__len__", &Window::length)
        .def("insert", &Window::insert, "time"_a.none(), "value"_a.none(), "Insert one event.")
        .def("evict", &Window::evict, "time"_a = nb::none(),
             "Evict the oldest event, or the one of exactly that time; then say whether it was there.")
        .def("bulk_evict", &Window::bulk_evict, "time"_a.none(), "Evict every event at or before the time.")
        .def("evict_while", &Window::evict_while, "policy"_a,
             "Evict the longest run of oldest events for which policy(total, prefix) holds.")
        .def("query", &Window::query, "start"_a = nb::none(), "end"_a = nb::none(),
             "The aggregate of all events, or of those from start to end, both ends in.")
        .def("clear", &Window::clear, "Evict every event.")
        .def("shrink_to_fit", &Window::shrink_to_fit, "Give back memory that is not needed now. Cost: O(n).")
        .def("check_invariants", &Window::check_invariants, "Raise an error if the structure is broken. Cost: O(n).")
        .def("memory", &Window::memory, "The memory that the window holds, in bytes.")
        .def_prop_ro("oldest", &Window::oldest, "The time of the oldest event.")
        .def_prop_ro("youngest", &Window::youngest, "The time of the youngest event.")
        .def_prop_ro("aggregation", &Window::aggregation, "What the window aggregates.")
        .def_prop_ro("algorithm", &Window::algorithm, "The name of the algorithm that runs it.");
}

//! What sash.Window builds the rest from.
void bind_parts(Class& window) {
    using namespace nb::literals;
    window
        .def("_bulk_insert",
             [](Window& self, nb::object kind, const Times& times, const Times& values) {
                 self.bulk_insert(std::move(kind), span_of(times), span_of(values));
             })
        .def("_bulk_insert",
             [](Window& self, nb::object kind, const Times& times, const Reals& values) {
                 self.bulk_insert(std::move(kind), span_of(times), span_of(values));
             })
        .def("_bulk_insert",
             [](Window& self, nb::object kind, const Times& times, nb::tuple values) {
                 self.bulk_insert(std::move(kind), span_of(times), std::move(values));
             })
        .def("_bulk_insert_rows",
             [](Window& self, nb::object kind, const Times& times, const nb::list& columns) {
                 self.bulk_insert_rows(std::move(kind), span_of(times), columns);
             })
        .def("_merge", &Window::merge)
        .def("_entries", &Window::entries, "after"_a.none())
        .def("_describe", &Window::describe, "brief"_a)
        .def("_assign", &Window::assign)
        .def_prop_ro("_time_kind", [](const Window& self) { return self.clock().label(); })
        .def("_save", &Window::save)
        .def("_restore", [](Window& self, std::string_view mode, nb::object kind, const nb::bytes& body) {
            self.restore(mode, std::move(kind), {body.c_str(), body.size()});
        });
}

}  // namespace

void bind_window(nb::module_& module) {
    using namespace nb::literals;
    Class window(module, "Window", nb::type_slots(Collected<Window>::slots));
    window.def("__init__", &construct, "aggregation"_a, "native"_a.none(), "algorithm"_a, "options"_a, "skips"_a.none(),
               "find"_a.none());
    bind_operations(window);
    bind_parts(window);
}

}  // namespace sash::face
