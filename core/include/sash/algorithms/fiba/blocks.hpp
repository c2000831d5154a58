//! Nodes as blocks: all that a node keeps lies side by side, so that a visit to a cold node is a visit to one page.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/large_pages.hpp"

namespace sash::fiba {

using Id = std::uint32_t;
inline constexpr Id kNone = ~Id{0};

//! Slabs of 1, 1, 2, 4, 8, 16, then 32 nodes each: a small window stays small, a large one allocates seldom, and no
//! node ever moves.
struct Place {
    std::uint32_t slab;
    std::uint32_t offset;
};

inline constexpr std::uint32_t kSlab = 32;

constexpr Place place_of(Id id) {
    if (id >= kSlab) return {id / kSlab + 5, id % kSlab};
    const auto width = static_cast<std::uint32_t>(std::bit_width(id));
    return {width, width == 0 ? 0 : id - (1U << (width - 1))};
}

constexpr std::uint32_t slab_size(std::size_t slab) {
    if (slab == 0) return 1;
    return slab <= 5 ? 1U << (slab - 1) : kSlab;
}

//! Blocks of one shape: a head of plain values, then as many partials as there are slots, all of them constructed.
template <class Partial>
class Blocks {
public:
    Blocks(std::size_t head, std::size_t slots)
        : partials_(rounded(head, alignof(Partial))),
          slots_(slots),
          stride_(rounded(partials_ + slots * sizeof(Partial), kAlignment)) {}
    Blocks(const Blocks& other) : partials_(other.partials_), slots_(other.slots_), stride_(other.stride_) {
        for (std::size_t slab = 0; slab < other.slabs_.size(); ++slab) copy_slab(other, slab);
        made_ = other.made_;
    }
    Blocks(Blocks&& other) noexcept : partials_(other.partials_), slots_(other.slots_), stride_(other.stride_) {
        swap(other);
    }
    Blocks& operator=(Blocks other) noexcept {
        swap(other);
        return *this;
    }
    ~Blocks() {
        for (std::size_t slab = 0; slab < slabs_.size(); ++slab)
            for_each_block(slab, [&](std::byte* block) { std::destroy_n(partials(block), slots_); });
    }

    void swap(Blocks& other) noexcept {
        std::swap(partials_, other.partials_);
        std::swap(slots_, other.slots_);
        std::swap(stride_, other.stride_);
        slabs_.swap(other.slabs_);
        owned_.swap(other.owned_);
        std::swap(free_, other.free_);
        std::swap(left_, other.left_);
        std::swap(made_, other.made_);
    }

    [[gnu::always_inline]] std::byte* operator[](Id id) const {
        const Place place = place_of(id);
        return slabs_[place.slab] + place.offset * stride_;
    }
    Partial* partials(std::byte* block) const { return reinterpret_cast<Partial*>(block + partials_); }

    //! Of the cache.
    static constexpr std::size_t kLine = 64;

    //! How many blocks were made ever; the next one has that id.
    Id made() const { return made_; }
    Id make() {
        const Place place = place_of(made_);
        if (place.offset == 0) add_slab(place.slab);
        return made_++;
    }

    //! Asks for bytes before they are looked at: cache misses then overlap instead of following one another. Always
    //! inlined: g++ takes a function that does nothing but this for one without an effect, and drops the call.
    [[gnu::always_inline]] static void prefetch(const void* first, std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(static_cast<const std::byte*>(first) + at);
    }
    std::size_t stride() const { return stride_; }

    //! Of every block, in use or not.
    template <class F>
    void for_each_slot(F f) const {
        for (std::size_t slab = 0; slab < slabs_.size(); ++slab)
            for_each_block(slab, [&](std::byte* block) { std::for_each_n(partials(block), slots_, std::ref(f)); });
    }

    std::size_t bytes() const {
        std::size_t nodes = 0;
        for (std::size_t slab = 0; slab < slabs_.size(); ++slab) nodes += slab_size(slab);
        return nodes * stride_ + left_ + slabs_.capacity() * sizeof(slabs_[0]) + owned_.capacity() * sizeof(owned_[0]);
    }

private:
    static constexpr std::size_t kAlignment = 16;
    static_assert(alignof(Partial) <= kAlignment);
    //! From so many bytes on slabs are parts of large pages: a search would else wait for the address of a cold node,
    //! not only for the node. What is not used yet is at most a quarter.
    static constexpr std::size_t kLargePages = std::size_t{4} << 20;
    static constexpr std::size_t kManySlabs = 4 * kLargePages;

    static constexpr std::size_t rounded(std::size_t bytes, std::size_t unit) {
        return (bytes + unit - 1) / unit * unit;
    }

    template <class F>
    void for_each_block(std::size_t slab, F f) const {
        for (std::size_t i = 0; i < slab_size(slab); ++i) f(slabs_[slab] + i * stride_);
    }

    void add_slab(std::size_t slab) {
        slabs_.push_back(room_for(slab_size(slab) * stride_));
        for_each_block(slab,
                       [&](std::byte* block) { std::uninitialized_default_construct_n(partials(block), slots_); });
    }

    std::byte* room_for(std::size_t bytes) {
        const bool many = slabs_.size() * bytes >= kManySlabs;
        if (left_ < bytes) {
            left_ = many ? std::max(bytes, kLargePages) : bytes;
            owned_.push_back(allocate_block(left_));
            free_ = static_cast<std::byte*>(owned_.back().get());
        }
        left_ -= bytes;
        return std::exchange(free_, free_ + bytes);
    }

    void copy_slab(const Blocks& other, std::size_t slab) {
        add_slab(slab);
        for (std::size_t i = 0; i < slab_size(slab); ++i) {
            std::byte* const from = other.slabs_[slab] + i * stride_;
            std::byte* const to = slabs_[slab] + i * stride_;
            std::memcpy(to, from, partials_);
            std::copy_n(partials(from), slots_, partials(to));
        }
    }

    std::size_t partials_;
    std::size_t slots_;
    std::size_t stride_;
    //! The first block of each slab.
    std::vector<std::byte*> slabs_;
    std::vector<std::unique_ptr<void, Free>> owned_;
    //! Room for further slabs.
    std::byte* free_ = nullptr;
    std::size_t left_ = 0;
    Id made_ = 0;
};

}  // namespace sash::fiba
