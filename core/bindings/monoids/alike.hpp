//! Values that are compared or added are of one kind; of most it shows at once.
#pragma once

#include <nanobind/nanobind.h>

namespace sash::face {

//! Whether both are texts, or both are numbers: these have an order. Others ask sash.aggregations.amounts.
inline bool plainly_alike(PyObject* one, PyObject* other) {
    const auto is_number = [](PyObject* value) { return PyLong_CheckExact(value) || PyFloat_CheckExact(value); };
    if (PyUnicode_CheckExact(one)) return PyUnicode_CheckExact(other);
    return is_number(one) && is_number(other);
}

}  // namespace sash::face
