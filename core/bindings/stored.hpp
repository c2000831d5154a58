//! A store whose pages are kept by a Python object, the pager of src/sash/stored.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "sash/paged/store.hpp"

namespace sash::face {

std::shared_ptr<paged::Store> store_of(nanobind::handle pager);

}  // namespace sash::face
