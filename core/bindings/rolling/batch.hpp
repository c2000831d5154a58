//! The engine of a whole batch as Python sees it: orders, bounds and columns, and the passes over them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sash/rolling/column.hpp"
#include "sash/rolling/kernels.hpp"
#include "sash/rolling/order.hpp"

namespace sash::rolling {

namespace nb = nanobind;

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> view(const std::optional<Input<T>>& array) {
    return array ? std::span<const T>(array->data(), array->size()) : std::span<const T>();
}

//! Memory that is written before it is read, and then given to NumPy.
template <class T>
class Buffer {
public:
    explicit Buffer(std::size_t size) : size_(size), data_(std::make_unique_for_overwrite<T[]>(size)) {}
    std::span<T> span() { return {data_.get(), size_}; }
    std::span<const T> span() const { return {data_.get(), size_}; }

    //! Hands the memory over.
    Array<T> array() && {
        T* const data = data_.release();
        nb::capsule owner(data, [](void* pointer) noexcept { std::unique_ptr<T[]>(static_cast<T*>(pointer)); });
        return Array<T>(data, {size_}, owner);
    }

private:
    std::size_t size_;
    std::unique_ptr<T[]> data_;
};

//! Results by position as an array by row.
template <class T>
Buffer<T> by_row(const Order& order, Buffer<T> by_position) {
    if (order.as_given()) return by_position;
    Buffer<T> rows(order.size());
    order.scatter(std::span<const T>(by_position.span()), rows.span());
    return rows;
}

//! A column with the memory that its spans lie in.
struct HeldColumn {
    Column column;
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    //! The array as it was given, where its rows are in order already.
    nb::object source;
    bool nans = false;
};

//! Python holds on to the arrays that an order borrows.
void bind_orders(nb::module_& module);
void bind_columns(nb::module_& module);
void bind_kernels(nb::module_& module);
void bind_objects(nb::module_& module);
void bind_records(nb::module_& module);

//! The kernels by the pass of arrivals, in a file of their own: they take long to compile.
void run_known(const KernelName& kernel, const Known& pass, const Column& column, Results out);

//! OverflowError with the row whose result does not fit.
[[noreturn]] void raise_does_not_fit(const Order& order, const DoesNotFit& error);

}  // namespace sash::rolling
