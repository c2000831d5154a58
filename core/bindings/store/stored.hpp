//! A store whose pages are kept by a Python object, the pager of src/sash/store.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "sash/store/store.hpp"

namespace sash::face {

std::shared_ptr<store::Store> store_of(nanobind::handle pager);

}  // namespace sash::face
