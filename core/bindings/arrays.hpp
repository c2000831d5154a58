//! Vectors out, as arrays that own them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sash/time.hpp"

namespace sash::face {

namespace nb = nanobind;

//! Times, or integers, that came in as an array of int64.
using Times = nb::ndarray<const Time, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object array_of(std::vector<T> values) {
    auto* const kept = std::make_unique<std::vector<T>>(std::move(values)).release();
    const nb::capsule owner(kept, [](void* pointer) noexcept {
        const std::unique_ptr<std::vector<T>> kept(static_cast<std::vector<T>*>(pointer));
    });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace sash::face
