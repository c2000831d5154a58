//! The chunked-array queue that every in-order algorithm stands on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sash {

//! A first-in first-out queue of fixed-size chunks, addressed by position.
//!
//! Positions are absolute: the first element ever pushed is at 0, and an element keeps its position until it is
//! popped. So an algorithm's pointers into the queue are plain integers that no push or pop disturbs.
//!
//! push_back, pop_front and operator[] are O(1); nothing is ever moved to another address. A push that fills the
//! directory doubles it, which copies one pointer a chunk. One spare chunk is kept, so that a window that slides
//! steadily never calls the allocator.
template <class T>
class ChunkedQueue {
public:
    using Position = std::uint64_t;

    //! About 8 KiB a chunk, and never fewer than 8 elements.
    static constexpr std::size_t kChunk = std::bit_ceil(sizeof(T) >= 1024 ? std::size_t{8} : 8192 / sizeof(T) / 2 + 1);

    ChunkedQueue() = default;
    ChunkedQueue(const ChunkedQueue& other) : begin_(other.begin_), end_(other.begin_) {
        for (Position p = other.begin(); p != other.end(); ++p) push_back(other[p]);
    }
    ChunkedQueue(ChunkedQueue&& other) noexcept { swap(other); }
    ChunkedQueue& operator=(ChunkedQueue other) noexcept {
        swap(other);
        return *this;
    }
    ~ChunkedQueue() = default;

    void swap(ChunkedQueue& other) noexcept {
        directory_.swap(other.directory_);
        spare_.swap(other.spare_);
        std::swap(begin_, other.begin_);
        std::swap(end_, other.end_);
    }

    Position begin() const { return begin_; }
    Position end() const { return end_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    bool empty() const { return begin_ == end_; }

    T& operator[](Position p) { return directory_[chunk_of(p)][p % kChunk]; }
    const T& operator[](Position p) const { return directory_[chunk_of(p)][p % kChunk]; }
    T& front() { return (*this)[begin_]; }
    const T& front() const { return (*this)[begin_]; }
    T& back() { return (*this)[end_ - 1]; }
    const T& back() const { return (*this)[end_ - 1]; }

    void push_back(T value) {
        if (end_ % kChunk == 0 || directory_.empty()) [[unlikely]]
            open_chunk();
        (*this)[end_] = std::move(value);
        ++end_;
    }

    void pop_front() {
        release((*this)[begin_]);
        ++begin_;
        if (begin_ % kChunk == 0) [[unlikely]]
            close_chunk(begin_ - 1);
    }

    //! Removes the youngest: the way back for a push that must be undone.
    void pop_back() {
        --end_;
        release((*this)[end_]);
        if (end_ % kChunk == 0) [[unlikely]]
            close_chunk(end_);
    }

    //! Drops everything before `p`. O(chunks dropped), or O(elements dropped) where an element owns memory.
    void drop_before(Position p) {
        if constexpr (std::is_trivially_destructible_v<T>) {
            const Position chunks = p / kChunk;
            for (Position c = begin_ / kChunk; c < chunks; ++c) close_chunk(c * kChunk);
            begin_ = p;
        } else {
            while (begin_ != p) pop_front();
        }
    }

    void clear() { ChunkedQueue().swap(*this); }

    //! What the queue holds from the allocator, for memory reports.
    std::size_t bytes() const {
        std::size_t chunks = spare_ ? 1 : 0;
        for (const auto& chunk : directory_) chunks += chunk ? 1 : 0;
        return chunks * kChunk * sizeof(T) + directory_.capacity() * sizeof(Chunk);
    }

private:
    using Chunk = std::unique_ptr<T[]>;

    //! The directory is a ring whose size is a power of two.
    std::size_t chunk_of(Position p) const { return (p / kChunk) & (directory_.size() - 1); }

    static void release([[maybe_unused]] T& slot) {
        if constexpr (!std::is_trivially_destructible_v<T>) slot = T{};
    }

    void open_chunk() {
        const std::size_t live = static_cast<std::size_t>(end_ / kChunk - begin_ / kChunk);
        if (live >= directory_.size()) grow_directory();
        Chunk& slot = directory_[chunk_of(end_)];
        if (!slot) slot = spare_ ? std::move(spare_) : std::make_unique<T[]>(kChunk);
    }

    void close_chunk(Position p) { spare_ = std::move(directory_[chunk_of(p)]); }

    void grow_directory() {
        std::vector<Chunk> larger(directory_.empty() ? 1 : directory_.size() * 2);
        for (Position c = begin_ / kChunk; c * kChunk < end_; ++c)
            larger[c & (larger.size() - 1)] = std::move(directory_[c & (directory_.size() - 1)]);
        directory_ = std::move(larger);
    }

    std::vector<Chunk> directory_;
    Chunk spare_;
    Position begin_ = 0;
    Position end_ = 0;
};

}  // namespace sash
