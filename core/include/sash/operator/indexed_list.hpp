//! A list with access by place, where there are very many such lists and most are short.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "sash/algorithms/small_vector.hpp"
#include "sash/operator/chunked_list.hpp"

namespace sash {

//! Places count from the first value that is left; `dropped` values were there before it. Three words and its values
//! while they are few and none was dropped; see ChunkedList for the rest.
template <class T>
class IndexedList {
public:
    std::size_t size() const { return many_ ? many_->size() : few_.size(); }
    bool empty() const { return size() == 0; }
    std::size_t dropped() const { return many_ ? many_->dropped() : 0; }
    std::size_t bytes() const { return many_ ? many_->bytes() : few_.bytes(); }

    const T& operator[](std::size_t place) const { return many_ ? (*many_)[place] : few_[place]; }
    const T& front() const { return (*this)[0]; }
    const T& back() const { return many_ ? many_->back() : few_[few_.size() - 1]; }

    //! How many values are earlier; they lie in front of all others.
    template <class Earlier>
    std::size_t before(Earlier earlier) const {
        if (many_) return many_->before(earlier);
        return static_cast<std::size_t>(std::partition_point(few_.begin(), few_.end(), earlier) - few_.begin());
    }

    void insert(std::size_t place, const T& value) {
        if (!many_ && few_.size() == kFew) grow_up(0);
        if (many_) {
            many_->insert(place, value);
        } else {
            few_.insert(place, value);
        }
    }

    void erase(std::size_t place) {
        if (many_) {
            many_->erase(place);
        } else {
            few_.erase(place, place + 1);
        }
    }

    //! The first values go; places count from the next one on.
    void drop(std::size_t count) {
        if (!many_) grow_up(0);
        many_->drop(count);
    }

    //! Every value in its order; f may change them.
    template <class F>
    void for_each(F f) {
        if (many_) return many_->for_each(f);
        std::for_each(few_.begin(), few_.end(), f);
    }
    template <class F>
    void for_each(F f) const {
        if (many_) return std::as_const(*many_).for_each(f);
        std::for_each(few_.begin(), few_.end(), f);
    }

    //! That so many values were there before; for an empty list.
    void start_at(std::size_t dropped) {
        if (dropped != 0) grow_up(dropped);
    }

private:
    static constexpr std::uint32_t kFew = 32;

    void grow_up(std::size_t dropped) {
        many_ = std::make_unique<ChunkedList<T>>(dropped);
        for (const T& value : few_) many_->insert(many_->size(), value);
        few_ = {};
    }

    SmallVector<T> few_;
    std::unique_ptr<ChunkedList<T>> many_;
};

}  // namespace sash
