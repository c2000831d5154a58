//! Arrays that are written before they are read.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "sash/batch/position.hpp"
#include "sash/large_pages.hpp"

namespace sash::batch {

//! Memory for `size` plain values, not set to anything: whoever makes it fills it. A vector would fill it first.
template <class T>
    requires std::is_trivial_v<T>
class Room {
public:
    Room() = default;
    explicit Room(std::size_t size) : Room(size, allocate_block(size * sizeof(T))) {}
    //! For what is written from the first to the last, in small pages: large ones pay where memory is jumped about in,
    //! and a virtual machine may take longer to find one than to write it. Beyond what malloc uses again, each call has
    //! its pages found anew: there they are large.
    static Room walked(std::size_t size) {
        constexpr std::size_t kUsedAgain = std::size_t{32} << 20, kLine = 64;
        const std::size_t bytes = (size * sizeof(T) + kLine - 1) / kLine * kLine;
        if (bytes == 0 || bytes >= kUsedAgain) return Room(size);
        std::unique_ptr<void, Free> block(std::aligned_alloc(kLine, bytes));
        if (block == nullptr) throw std::bad_alloc();
        return Room(size, std::move(block));
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() const { return data_.get(); }
    T& operator[](std::size_t i) const { return data_[i]; }
    std::span<T> span() const { return {data_.get(), size_}; }
    //! Gives the memory to whoever frees it, by `Free`.
    T* release() {
        size_ = 0;
        return data_.release();
    }

private:
    Room(std::size_t size, std::unique_ptr<void, Free> block) : size_(size), data_(static_cast<T*>(block.release())) {}

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
