//! The private module sash._rolling: a table of contents.
#include "batch.hpp"

NB_MODULE(_rolling, module) {
    nanobind::set_leak_warnings(false);
    sash::rolling::bind_orders(module);
    sash::rolling::bind_columns(module);
    sash::rolling::bind_kernels(module);
    sash::rolling::bind_records(module);
    sash::rolling::bind_objects(module);
}
