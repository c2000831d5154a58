//! A vector of few values, where there are very many such vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace sash {

//! Two words and its values. Grows by half, so that little room is idle; whoever uses it keeps it short.
template <class T>
class SmallVector {
public:
    SmallVector() = default;
    SmallVector(SmallVector&& other) noexcept { *this = std::move(other); }
    SmallVector& operator=(SmallVector&& other) noexcept {
        values_ = std::move(other.values_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }

    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }

    T* begin() { return values_.get(); }
    T* end() { return values_.get() + size_; }
    const T* begin() const { return values_.get(); }
    const T* end() const { return values_.get() + size_; }
    T& operator[](std::size_t place) { return values_[place]; }
    const T& operator[](std::size_t place) const { return values_[place]; }

    //! Before the value at the place, or behind all.
    void insert(std::size_t place, T value) {
        if (size_ == capacity_) grow();
        std::move_backward(begin() + place, end(), end() + 1);
        values_[place] = std::move(value);
        ++size_;
    }
    //! The values in [first, last) go.
    void erase(std::size_t first, std::size_t last) {
        std::move(begin() + last, end(), begin() + first);
        size_ -= static_cast<std::uint32_t>(last - first);
    }

private:
    void grow() {
        const std::uint32_t capacity = std::max(capacity_ + 1, capacity_ + capacity_ / 2);
        auto values = std::make_unique<T[]>(capacity);
        std::move(begin(), end(), values.get());
        values_ = std::move(values);
        capacity_ = capacity;
    }

    std::unique_ptr<T[]> values_;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = 0;
};

}  // namespace sash
