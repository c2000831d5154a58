//! A list by dense numbers, in slabs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace sash {

//! Grows at its end and never shrinks. Values stay where they are while others come, and finding one is a shift, where
//! std::deque divides.
template <class T>
class SlabList {
public:
    std::size_t size() const { return size_; }

    T& operator[](std::size_t place) { return slabs_[place / kSlab][place % kSlab]; }
    const T& operator[](std::size_t place) const { return slabs_[place / kSlab][place % kSlab]; }

    //! New values behind all, until there are so many; nothing where there are.
    void grow(std::size_t size) {
        if (size <= size_) return;
        while (slabs_.size() * kSlab < size) slabs_.push_back(std::make_unique<T[]>(kSlab));
        size_ = size;
    }

    //! Calls f on every value.
    template <class F>
    void for_each_slot(F f) const {
        for (std::size_t place = 0; place < size_; ++place) f((*this)[place]);
    }

private:
    static constexpr std::size_t kSlab = 32;

    std::vector<std::unique_ptr<T[]>> slabs_;
    std::size_t size_ = 0;
};

}  // namespace sash
