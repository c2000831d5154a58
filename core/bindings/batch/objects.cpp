//! Aggregations whose partials are Python objects: the same passes, with calls of their methods.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "batch/batch.hpp"
#include "monoids/object.hpp"
#include "sash/batch/occurrences.hpp"

namespace sash::batch {

namespace {

using face::call;
using face::Object;

Object attribute(nb::handle owner, const char* name) {
    return Object::stolen(owner.attr(name).inc_ref().ptr());
}

//! Whatever a method raises passes through, and nothing has changed: the results are new.
class ObjectMonoid {
public:
    using Partial = Object;
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;

    explicit ObjectMonoid(nb::handle aggregation)
        : identity_(attribute(aggregation, "identity")), combine_(attribute(aggregation, "combine")) {}

    Partial identity() const { return identity_; }
    //! The identity is neutral, so nobody need be asked.
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.get() == identity_.get()) return newer;
        if (newer.get() == identity_.get()) return older;
        return call(combine_, older.get(), newer.get());
    }

private:
    Object identity_;
    Object combine_;
};

//! Values and times by position, borrowed from lists by row. Times are empty where `lift` takes none.
struct Values {
    const Order& order;
    PyObject* values;
    PyObject* times;

    PyObject* value(std::size_t position) const { return at(values, position); }
    PyObject* time(std::size_t position) const { return at(times, position); }

private:
    PyObject* at(PyObject* list, std::size_t position) const {
        return PyList_GET_ITEM(list, order.row_at(static_cast<Position>(position)));
    }
};

std::vector<Object> lift_all(nb::handle aggregation, const Values& values, const Presence& presence) {
    const Object lift = attribute(aggregation, "lift");
    std::vector<Object> partials(values.order.size());
    for (std::size_t i = 0; i < partials.size(); ++i) {
        if (!presence[i]) continue;
        partials[i] =
            values.times == nullptr ? call(lift, values.value(i)) : call(lift, values.value(i), values.time(i));
    }
    return partials;
}

nb::list listed(const Order& order, std::vector<Object>& results) {
    const nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(results.size())));
    if (!list.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < results.size(); ++i)
        PyList_SET_ITEM(list.ptr(), order.row_at(static_cast<Position>(i)), results[i].release());
    return nb::borrow<nb::list>(list);
}

//! Calls `skips` of the aggregation on each value by row.
Array<std::uint8_t> skipped(nb::handle aggregation, const nb::list& values) {
    const Object skips = attribute(aggregation, "skips");
    Room<std::uint8_t> marks(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Object skipped = call(skips, PyList_GET_ITEM(values.ptr(), i));
        const int truth = PyObject_IsTrue(skipped.get());
        if (truth < 0) throw nb::python_error();
        marks[i] = static_cast<std::uint8_t>(truth);
    }
    return array_of(std::move(marks));
}

//! The results by row, and the counts of a batch of arrivals. `column` says which values are there.
std::pair<nb::list, nb::object> aggregate_objects(nb::handle aggregation, const Order& order, const Bounds& bounds,
                                                  const HeldColumn& column, const nb::list& values,
                                                  const std::optional<nb::list>& times, bool known) {
    if (values.size() != order.size() || (times && times->size() != order.size()))
        throw std::invalid_argument("one value a row is needed");
    const ObjectMonoid monoid(aggregation);
    const Object lower = attribute(aggregation, "lower");
    const Presence& presence = column.column.presence;
    const std::vector<Object> partials =
        lift_all(aggregation, {order, values.ptr(), times ? times->ptr() : nullptr}, presence);
    std::vector<Object> results(order.size());
    const auto lift = [&](std::size_t i) { return partials[i]; };
    const auto emit = [&](std::size_t i, const Object& partial) { results[i] = call(lower, partial.get()); };
    if (!known || order.in_order()) {
        Final{order, bounds, presence, 1}(monoid, lift, emit);
        return {listed(order, results), nb::none()};
    }
    Room<std::uint32_t> counts(order.size());
    Known{order, bounds, presence, {counts.span(), order.rows()}, 1}(monoid, lift, emit);
    return {listed(order, results), nb::cast(array_of(std::move(counts)))};
}

//! The present values of each window, oldest first, in a list: nothing is combined, since the lists are slices.
nb::list collect(const Order& order, const Bounds& bounds, const HeldColumn& column, const nb::list& values) {
    const Values sorted{order, values.ptr(), nullptr};
    const Presence& presence = column.column.presence;
    std::vector<Object> results(order.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Position first = bounds.first[i], end = bounds.end(i);
        results[i] = Object::stolen(PyList_New(presence.count(first, end)));
        if (!results[i]) throw nb::python_error();
        Py_ssize_t at = 0;
        for (Position k = first; k < end; ++k)
            if (presence[k]) PyList_SET_ITEM(results[i].get(), at++, Py_NewRef(sorted.value(k)));
    }
    return listed(order, results);
}

//! The different values of each window in a list, each where it appears first. `codes` are equal where values are.
nb::list collect_distinct(const Order& order, const Bounds& bounds, const HeldColumn& column, const nb::list& values,
                          const Input<std::uint32_t>& codes, std::size_t count) {
    if (values.size() != order.size() || codes.size() != order.size())
        throw std::invalid_argument("one value a row is needed");
    const Values by_position{order, values.ptr(), nullptr};
    Room<std::uint32_t> sorted(order.size());
    order.gather(std::span<const std::uint32_t>(codes.data(), codes.size()), sorted.span());
    std::vector<Object> results(order.size());
    // Python's objects are made by one thread.
    slide_codes<FirstPlaces>(order, {sorted.span(), count, column.column.presence}, bounds, 1,
                             [&](std::size_t i, const FirstPlaces& window) {
                                 results[i] = Object::stolen(PyList_New(0));
                                 if (!results[i]) throw nb::python_error();
                                 window.each([&](std::size_t position) {
                                     if (PyList_Append(results[i].get(), by_position.value(position)) != 0)
                                         throw nb::python_error();
                                 });
                             });
    return listed(order, results);
}

}  // namespace

void bind_objects(nb::module_& module) {
    module.def("skipped", &skipped, nb::arg("aggregation"), nb::arg("values"));
    module.def("aggregate_objects", &aggregate_objects, nb::arg("aggregation"), nb::arg("order"), nb::arg("bounds"),
               nb::arg("column"), nb::arg("values"), nb::arg("times").none(), nb::arg("known"));
    module.def("collect_distinct", &collect_distinct, nb::arg("order"), nb::arg("bounds"), nb::arg("column"),
               nb::arg("values"), nb::arg("codes"), nb::arg("count"));
    module.def("collect", &collect, nb::arg("order"), nb::arg("bounds"), nb::arg("column"), nb::arg("values"));
}

}  // namespace sash::batch
