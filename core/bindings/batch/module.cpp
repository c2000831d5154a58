//! The private module sash._batch: a table of contents.
#include "batch/batch.hpp"
#include "translation.hpp"

NB_MODULE(_batch, module) {
    nanobind::set_leak_warnings(false);
    sash::face::translate_exceptions();
    sash::batch::bind_orders(module);
    sash::batch::bind_columns(module);
    sash::batch::bind_kernels(module);
    sash::batch::bind_statistics(module);
    sash::batch::bind_joint(module);
    sash::batch::bind_records(module);
    sash::batch::bind_objects(module);
}
