//! How Python's garbage collector sees what an object of the core refers to.
#pragma once

#include <nanobind/nanobind.h>

#include "monoids/object.hpp"

namespace sash::face {

//! What users give may refer back to what holds it: a cycle that the collector has to see. T shows its references by
//! visit_references() and lets go of them by drop_references().
template <class T>
struct Collected {
    static int traverse(PyObject* self, visitproc visit, void* arg) {
        Py_VISIT(Py_TYPE(self));
        int stop = 0;
        if (nanobind::inst_ready(self))
            nanobind::inst_ptr<T>(self)->visit_references([&](PyObject* held) {
                if (held != nullptr && stop == 0) stop = visit(held, arg);
            });
        return stop;
    }

    static int drop(PyObject* self) {
        if (nanobind::inst_ready(self)) nanobind::inst_ptr<T>(self)->drop_references();
        return 0;
    }

    static inline PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                                         {Py_tp_clear, reinterpret_cast<void*>(drop)},
                                         {0, nullptr}};
};

}  // namespace sash::face
