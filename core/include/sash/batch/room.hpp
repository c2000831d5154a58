//! Arrays that are written before they are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "sash/batch/block.hpp"
#include "sash/batch/parallel.hpp"
#include "sash/batch/position.hpp"

namespace sash::batch {

//! Memory for `size` plain values, not set to anything: whoever makes it fills it. A vector would fill it first.
template <class T>
    requires std::is_trivial_v<T>
class Room {
public:
    Room() = default;
    explicit Room(std::size_t size)
        : size_(size), data_(static_cast<T*>(allocate_column(size * sizeof(T)).release())) {}
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() const { return data_.get(); }
    T& operator[](std::size_t i) const { return data_[i]; }
    std::span<T> span() const { return {data_.get(), size_}; }
    std::span<T> span(Stretch stretch) const { return span().subspan(stretch.begin, stretch.end - stretch.begin); }
    //! Gives the memory to whoever frees it, by `Free`.
    T* release() {
        size_ = 0;
        return data_.release();
    }

private:
    std::size_t size_ = 0;
    std::unique_ptr<T[], Free> data_;
};

//! Results by position that lie by row: each is written once, to where it belongs. Those of rows that nobody asks about
//! are not written.
template <class T>
class Slots {
public:
    Slots() = default;
    //! `rows` has the row of each position, or is empty where that is the position itself.
    //! Nobody asks about the rows before `asked`, where rows have moved.
    Slots(std::span<T> data, std::span<const Row> rows, std::size_t asked = 0)
        : data_(data), rows_(rows.empty() ? nullptr : rows.data()), asked_(asked) {}

    std::size_t size() const { return data_.size(); }
    void fill(T value) const { std::fill(data_.begin(), data_.end(), value); }
    T& operator[](std::size_t position) const { return data_[rows_ == nullptr ? position : rows_[position]]; }
    bool wants(std::size_t position) const { return rows_ == nullptr || rows_[position] >= asked_; }
    void put(std::size_t position, T value) const {
        if (wants(position)) (*this)[position] = value;
    }

private:
    std::span<T> data_;
    const Row* rows_ = nullptr;
    std::size_t asked_ = 0;
};

}  // namespace sash::batch
