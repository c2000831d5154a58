//! Bit arrays that are recycled: taking and giving back one costs a few instructions, not a trip to the allocator.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "sash/monoids/wide_or.hpp"

namespace sash {

namespace detail {

//! The arrays that this thread gave back, by size class: class c holds arrays of 2^c lines. Plain data, so that an
//! array given back after the thread's destructors have run still finds it.
struct IdleArrays {
    //! An idle array's first bytes point to the next idle one.
    struct Link {
        BitLine* next;
    };
    static constexpr std::size_t kClasses = 16;
    //! The most that a thread keeps idle, over all classes. Beyond it arrays go back to the allocator.
    static constexpr std::size_t kMostLines = (std::size_t{8} << 20) / sizeof(BitLine);

    std::array<BitLine*, kClasses> first;
    std::size_t lines;
    //! Nothing is kept before the thread's end is prepared for, nor after it.
    enum class Stage : std::uint8_t { fresh, open, closed } stage;

    static IdleArrays& of_this_thread() {
        static thread_local constinit IdleArrays idle{};
        return idle;
    }

    BitLine* take(unsigned size_class) {
        BitLine* array = first[size_class];
        if (array == nullptr) [[unlikely]]
            return std::allocator<BitLine>().allocate(std::size_t{1} << size_class);
        Link link;
        std::memcpy(&link, array, sizeof link);
        first[size_class] = link.next;
        lines -= std::size_t{1} << size_class;
        return array;
    }

    void give_back(BitLine* array, unsigned size_class) noexcept {
        const std::size_t count = std::size_t{1} << size_class;
        if (lines + count > kMostLines || (stage != Stage::open && !open())) [[unlikely]]
            return std::allocator<BitLine>().deallocate(array, count);
        const Link link{first[size_class]};
        std::memcpy(static_cast<void*>(array), &link, sizeof link);
        first[size_class] = array;
        lines += count;
    }

private:
    //! Sees to it that the idle arrays are freed when the thread ends; false when it has ended.
    bool open() noexcept {
        struct Closer {
            ~Closer() { of_this_thread().close(); }
        };
        if (stage == Stage::closed) return false;
        static thread_local Closer closer;
        static_cast<void>(closer);
        stage = Stage::open;
        return true;
    }

    void close() noexcept {
        for (unsigned c = 0; c < kClasses; ++c)
            while (first[c] != nullptr) std::allocator<BitLine>().deallocate(take(c), std::size_t{1} << c);
        stage = Stage::closed;
    }
};

}  // namespace detail

//! An owned array of 2^c cache lines of bits, or none at all. A copy copies the bits; a move takes the array.
//!
//! An array may be given back by another thread than the one that took it.
class BitArray {
public:
    static constexpr unsigned kLargestClass = detail::IdleArrays::kClasses - 1;

    BitArray() = default;
    //! Bits of any value: write all of them before reading.
    explicit BitArray(unsigned size_class)
        : lines_(detail::IdleArrays::of_this_thread().take(size_class)), size_class_(size_class) {}
    BitArray(const BitArray& other) { *this = other; }
    BitArray(BitArray&& other) noexcept
        : lines_(std::exchange(other.lines_, nullptr)), size_class_(other.size_class_) {}
    BitArray& operator=(const BitArray& other) {
        if (this == &other) return *this;
        if (!other) {
            reset();
        } else {
            if (!*this || size_class_ != other.size_class_) *this = BitArray(other.size_class_);
            std::memcpy(lines_, other.lines_, other.size() * sizeof(BitLine));
        }
        return *this;
    }
    BitArray& operator=(BitArray&& other) noexcept {
        std::swap(lines_, other.lines_);
        std::swap(size_class_, other.size_class_);
        other.reset();
        return *this;
    }
    ~BitArray() { reset(); }

    void reset() noexcept {
        if (lines_ != nullptr) detail::IdleArrays::of_this_thread().give_back(lines_, size_class_);
        lines_ = nullptr;
    }

    explicit operator bool() const { return lines_ != nullptr; }
    //! In lines; not of an absent array.
    std::size_t size() const { return std::size_t{1} << size_class_; }
    BitLine* lines() { return lines_; }
    const BitLine* lines() const { return lines_; }

    void clear_bits() { std::memset(static_cast<void*>(lines_), 0, size() * sizeof(BitLine)); }
    void set(std::size_t bit) { lines_[bit / 512].words[bit / 64 % 8] |= std::uint64_t{1} << bit % 64; }
    bool test(std::size_t bit) const { return (lines_[bit / 512].words[bit / 64 % 8] >> bit % 64 & 1) != 0; }
    std::uint64_t word(std::size_t index) const { return lines_[index / 8].words[index % 8]; }
    void set_word(std::size_t index, std::uint64_t word) { lines_[index / 8].words[index % 8] = word; }

private:
    BitLine* lines_ = nullptr;
    unsigned size_class_ = 0;
};

}  // namespace sash
