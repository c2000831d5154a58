//! A combination of Python partials that is put off until somebody asks for it.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "monoids/object.hpp"

namespace sash::face {

namespace nb = nanobind;

//! What the first item of a deferred combination is, and no other object.
inline PyObject* deferred_mark() {
    static PyObject* const mark = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
    return mark;
}

inline bool is_deferred(PyObject* partial) {
    return PyTuple_CheckExact(partial) && PyTuple_GET_SIZE(partial) == 3 &&
           PyTuple_GET_ITEM(partial, 0) == deferred_mark();
}

//! Both of them, the older first. A tuple, since Python frees long chains of tuples without going deep.
inline Object deferred(const Object& older, const Object& newer) {
    PyObject* const both = PyTuple_Pack(3, deferred_mark(), older.get(), newer.get());
    if (both == nullptr) throw nb::python_error();
    return Object::stolen(both);
}

//! The youngest partial of a combination. Borrowed.
inline PyObject* youngest_of(const Object& partial) {
    PyObject* youngest = partial.get();
    while (is_deferred(youngest)) youngest = PyTuple_GET_ITEM(youngest, 2);
    return youngest;
}

//! Calls f for each partial of a combination, oldest first.
template <class F>
void for_each_deferred(const Object& partial, F f) {
    std::vector<PyObject*> waiting{partial.get()};
    while (!waiting.empty()) {
        PyObject* const next = waiting.back();
        waiting.pop_back();
        if (is_deferred(next)) {
            waiting.push_back(PyTuple_GET_ITEM(next, 2));
            waiting.push_back(PyTuple_GET_ITEM(next, 1));
        } else {
            f(next);
        }
    }
}

}  // namespace sash::face
