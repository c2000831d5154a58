//! The engine of a whole batch as Python sees it: orders, bounds and columns, and the passes over them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "sash/batch/column.hpp"
#include "sash/batch/kernels.hpp"
#include "sash/batch/order.hpp"

namespace sash::batch {

namespace nb = nanobind;

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> view(const std::optional<Input<T>>& array) {
    return array ? std::span<const T>(array->data(), array->size()) : std::span<const T>();
}

//! The memory given to NumPy.
template <class T>
Array<T> array_of(Room<T> room) {
    const std::size_t size = room.size();
    T* const data = room.release();
    nb::capsule owner(data, [](void* pointer) noexcept { Free{}(pointer); });
    return Array<T>(data, {size}, owner);
}

//! A column with the memory that its spans lie in.
struct HeldColumn {
    Column column;
    Room<double> reals;
    Room<std::int64_t> integers;
    //! The array as it was given, where its rows are in order already.
    nb::object source;
    bool nans = false;
};

//! Python holds on to the arrays that an order borrows.
void bind_orders(nb::module_& module);
void bind_columns(nb::module_& module);
void bind_kernels(nb::module_& module);
void bind_statistics(nb::module_& module);
void bind_joint(nb::module_& module);
void bind_objects(nb::module_& module);
void bind_records(nb::module_& module);

//! The kernels by the pass of arrivals, in a file of their own: they take long to compile.
void run_known(const KernelName& kernel, const Known& pass, const Column& column, Results out);

//! OverflowError with the row whose result does not fit.
[[noreturn]] void raise_does_not_fit(const Order& order, const DoesNotFit& error);

}  // namespace sash::batch
