//! Finds the chunks of a queue by their numbers, without ever copying more than a few of them at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace sash {

//! Chunks in use have successive numbers, `oldest` to `number`. They lie in a ring whose size is a power of two. When
//! it is half full, a ring of twice the size is begun; each chunk that is added takes along a few from the old ring, so
//! that all are there before the old one is full.
template <class Chunk>
class ChunkIndex {
public:
    using Number = std::uint64_t;

    Chunk* operator[](Number number) const { return ring_[number & (size_ - 1)]; }

    //! Chunks [oldest, number) are here. Throws for lack of memory, and has then changed nothing.
    void add(Number oldest, Number number, Chunk* chunk) {
        const Number held = number - oldest;
        if (!larger_ && 2 * held >= size_) begin_larger(oldest);
        if (larger_) take_along(oldest, number);
        if (held == size_) {
            ring_ = std::move(larger_);
            size_ = larger_size();
        }
        ring_[number & (size_ - 1)] = chunk;
    }

    std::size_t bytes() const { return (size_ + (larger_ ? larger_size() : 0)) * sizeof(Chunk*); }

private:
    static constexpr int kTaken = 4;

    std::size_t larger_size() const { return std::max<std::size_t>(2 * size_, 4); }

    void begin_larger(Number oldest) {
        larger_ = std::make_unique_for_overwrite<Chunk*[]>(larger_size());
        taken_ = oldest;
    }

    void take_along(Number oldest, Number number) {
        // A chunk that was taken back, and is added again, is another one.
        taken_ = std::clamp(taken_, oldest, number);
        for (int i = 0; i < kTaken && taken_ != number; ++i, ++taken_)
            larger_[taken_ & (larger_size() - 1)] = (*this)[taken_];
    }

    std::unique_ptr<Chunk*[]> ring_;
    std::unique_ptr<Chunk*[]> larger_;
    std::size_t size_ = 0;
    //! Where `larger_` lacks the first chunk.
    Number taken_ = 0;
};

//! For queues that are read from their ends and by cursors alone.
template <class Chunk>
struct NoIndex {
    void add(std::uint64_t, std::uint64_t, Chunk*) {}
    std::size_t bytes() const { return 0; }
};

}  // namespace sash
