//! The errors of sash.errors, raised from here.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "window/face.hpp"

namespace sash::face {

[[noreturn]] void raise(const char* error, nb::handle message);
[[noreturn]] void raise(const char* error, const std::string& message);
[[noreturn]] void raise_inexact(std::int64_t number);

//! A new reference, or the Python error that there is instead.
inline nb::object checked_steal(PyObject* pointer) {
    if (pointer == nullptr) throw nb::python_error();
    return nb::steal(pointer);
}

//! The names of the algorithms that can do something, for the way out of an error.
template <class Predicate>
nb::str able(Predicate predicate) {
    std::string names;
    for (const std::string_view name : algorithm_names())
        if (predicate(abilities_of(name))) names.append(names.empty() ? "" : ", ").append(name);
    return nb::str(names.data(), names.size());
}

//! The result of Bloom as a sash.BloomFilter.
nb::object filter_of(const BloomFilter& filter);

}  // namespace sash::face
