//! First, Last, ArgMin and ArgMax among members in Python: their partials are tuples that end with the value of one
//! event, so that no method of theirs need be called for values of the plain types.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <string_view>

#include "monoids/alike.hpp"
#include "monoids/object.hpp"
#include "monoids/rules.hpp"

namespace sash::face {

//! Which of two events an aggregation takes its result from.
enum class Pick : unsigned char { none, first, last, least, greatest };

//! By the name of its compiled twin: whoever derives from one of them and does otherwise has none.
inline Pick pick_named(std::string_view kernel) {
    if (kernel == "first") return Pick::first;
    if (kernel == "last") return Pick::last;
    if (kernel == "arg_min") return Pick::least;
    return kernel == "arg_max" ? Pick::greatest : Pick::none;
}

//! What a partial holds as it is: anything that is neither a number of NumPy nor NaN.
inline bool is_plain(PyObject* value) {
    const PyTypeObject* const type = Py_TYPE(value);
    if (type == &PyFloat_Type) return !std::isnan(PyFloat_AS_DOUBLE(value));
    return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBool_Type;
}

//! A key that needs no check of its range.
inline bool is_plain_key(PyObject* key) {
    if (PyUnicode_CheckExact(key)) return true;
    if (!PyLong_CheckExact(key)) return PyFloat_CheckExact(key) && is_plain(key);
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(key, &overflow);
    return overflow == 0;
}

inline Object lifted(Pick pick, PyObject* value) {
    if (pick == Pick::first || pick == Pick::last)
        return is_plain(value) ? Object::stolen(PyTuple_Pack(1, value)) : Object();
    const bool pair = PyTuple_CheckExact(value) && PyTuple_GET_SIZE(value) == 2;
    const bool plain = pair && is_plain_key(PyTuple_GET_ITEM(value, 0)) && is_plain(PyTuple_GET_ITEM(value, 1));
    return plain ? Object::borrowed(value) : Object();
}

//! No event is the empty tuple at an end of the window, and None beside an extreme key.
inline bool holds_event(const Object& partial) {
    return PyTuple_Check(partial.get()) && PyTuple_GET_SIZE(partial.get()) != 0;
}

inline bool is_nan(PyObject* number) {
    return PyFloat_Check(number) && std::isnan(PyFloat_AS_DOUBLE(number));
}

//! NaN beats every number, and the older one stays on ties. Throws for keys of two kinds, which have no order.
inline bool beats(PyObject* newer, PyObject* older, int comparison) {
    if (!plainly_alike(newer, older)) {
        const nanobind::object beats = rule_of("sash.aggregations.extrema", "beats");
        return nanobind::cast<bool>(beats(nanobind::handle(newer), nanobind::handle(older), comparison == Py_GT));
    }
    if (is_nan(older)) return false;
    if (is_nan(newer)) return true;
    const int found = PyObject_RichCompareBool(newer, older, comparison);
    if (found < 0) throw nanobind::python_error();
    return found == 1;
}

inline const Object& picked(Pick pick, const Object& older, const Object& newer) {
    if (!holds_event(older)) return newer;
    if (!holds_event(newer) || pick == Pick::first) return older;
    if (pick == Pick::last) return newer;
    PyObject* const keys[] = {PyTuple_GET_ITEM(newer.get(), 0), PyTuple_GET_ITEM(older.get(), 0)};
    return beats(keys[0], keys[1], pick == Pick::greatest ? Py_GT : Py_LT) ? newer : older;
}

inline Object lowered(const Object& partial) {
    if (!holds_event(partial)) return Object::borrowed(Py_None);
    return Object::borrowed(PyTuple_GET_ITEM(partial.get(), PyTuple_GET_SIZE(partial.get()) - 1));
}

}  // namespace sash::face
