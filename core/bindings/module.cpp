//! The private module sash._core: a table of contents.
#include <nanobind/nanobind.h>

#include "translation.hpp"
#include "window/face.hpp"

NB_MODULE(_core, module) {
    // A window that is still held when the interpreter exits is nothing to warn about.
    nanobind::set_leak_warnings(false);
    sash::face::translate_exceptions();
    sash::face::bind_window(module);
    sash::face::bind_algorithms(module);
    sash::face::bind_snapshots(module);
    sash::face::bind_running(module);
    sash::face::bind_operator(module);
    sash::face::bind_arrival_rows(module);
    sash::face::bind_distinct_counts(module);
    sash::face::bind_key_slots(module);
}
