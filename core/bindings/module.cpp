//! The private module sash._core: a table of contents.
#include <nanobind/nanobind.h>

#include "face.hpp"

NB_MODULE(_core, module) {
    sash::face::bind_window(module);
    sash::face::bind_algorithms(module);
    sash::face::bind_snapshots(module);
}
