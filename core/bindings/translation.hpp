//! Exceptions of the standard library by names that Python knows.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <typeinfo>

namespace sash::face {

//! What reaches the caller from the depths of the library says nothing about C++. Exceptions of the core with a text of
//! their own are left to nanobind.
inline void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::bad_cast&) {
        PyErr_SetString(PyExc_TypeError,
                        "a value is of a type or a size that the core does not take: give one of another type, or a "
                        "smaller number");
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, "there is not enough memory: make the window or its options smaller");
    } catch (const std::length_error&) {
        PyErr_SetString(PyExc_MemoryError, "more room is asked for than there can be: make the options smaller");
    } catch (const std::out_of_range&) {
        PyErr_SetString(PyExc_IndexError, "there is nothing at that place");
    }
}

//! Called once by each module.
inline void translate_exceptions() {
    nanobind::register_exception_translator(translate);
}

}  // namespace sash::face
