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
//! popped. So an algorithm's pointers into the queue are plain integers that no push or pop disturbs. A queue that
//! was cleared or moved from is empty and goes on at its old end, so that such integers never point beyond it.
//!
//! push_back, pop_front, pop_back and operator[] are O(1); nothing is ever moved to another address. A push that
//! fills the directory doubles it, which copies one pointer a chunk. One spare chunk is kept, so that a window that
//! slides steadily never calls the allocator. A push that throws leaves the queue as it was.
template <class T>
class ChunkedQueue {
    // A push assigns over a slot after all else is done, and what throws there would be lost.
    static_assert(std::is_nothrow_move_assignable_v<T> && std::is_nothrow_move_constructible_v<T>);

public:
    using Position = std::uint64_t;

    //! About 8 KiB a chunk, and never fewer than 8 elements.
    static constexpr std::size_t kChunk = std::bit_ceil(sizeof(T) >= 1024 ? std::size_t{8} : 8192 / sizeof(T) / 2 + 1);

    ChunkedQueue() = default;
    ChunkedQueue(const ChunkedQueue& other) : begin_(other.begin_), end_(other.begin_) {
        for (Position p = other.begin(); p != other.end(); ++p) push_back(other[p]);
    }
    ChunkedQueue(ChunkedQueue&& other) noexcept {
        swap(other);
        other.begin_ = other.end_ = end_;
    }
    ChunkedQueue& operator=(ChunkedQueue other) noexcept {
        swap(other);
        return *this;
    }
    ~ChunkedQueue() = default;

    void swap(ChunkedQueue& other) noexcept {
        directory_.swap(other.directory_);
        spare_.swap(other.spare_);
        std::swap(mask_, other.mask_);
        std::swap(begin_, other.begin_);
        std::swap(end_, other.end_);
        std::swap(head_, other.head_);
        std::swap(tail_, other.tail_);
        std::swap(limit_, other.limit_);
    }

    Position begin() const { return begin_; }
    Position end() const { return end_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    bool empty() const { return begin_ == end_; }

    T& operator[](Position p) { return directory_[(p / kChunk) & mask_][p % kChunk]; }
    const T& operator[](Position p) const { return directory_[(p / kChunk) & mask_][p % kChunk]; }
    //! The element after `element`, which is at `p`: mostly its neighbour in the chunk.
    T& after(T& element, Position p) { return (p + 1) % kChunk != 0 ? (&element)[1] : (*this)[p + 1]; }
    T& front() { return *head_; }
    const T& front() const { return *head_; }
    T& back() { return tail_[-1]; }
    const T& back() const { return tail_[-1]; }

    // The two calls of every round, inlined even where a large file has used up the compiler's patience; what they
    // do once a chunk stays out of the way.
    [[gnu::always_inline]] void push_back(T value) {
        if (tail_ == limit_) [[unlikely]]
            open_chunk();
        *tail_ = std::move(value);
        ++tail_;
        ++end_;
    }

    [[gnu::always_inline]] void pop_front() {
        release(*head_);
        ++begin_;
        ++head_;
        if (begin_ % kChunk == 0) [[unlikely]] {
            close_chunk(begin_ - 1);
            find_ends();
        }
    }

    void pop_back() {
        --end_;
        --tail_;
        release(*tail_);
        if (end_ % kChunk == 0) [[unlikely]] {
            close_chunk(end_);
            find_ends();
        }
    }

    //! Drops everything before `p`. O(chunks dropped), or O(elements dropped) where an element owns memory.
    void drop_before(Position p) {
        if constexpr (std::is_trivially_destructible_v<T>) {
            for (Position chunk = begin_ / kChunk; chunk < p / kChunk; ++chunk) close_chunk(chunk * kChunk);
            begin_ = p;
            find_ends();
        } else {
            while (begin_ != p) pop_front();
        }
    }

    //! Drops `p` and everything after it, at the same cost.
    void drop_from(Position p) {
        if constexpr (std::is_trivially_destructible_v<T>) {
            for (Position q = (p + kChunk - 1) / kChunk * kChunk; q < end_; q += kChunk) close_chunk(q);
            end_ = p;
            find_ends();
        } else {
            while (end_ != p) pop_back();
        }
    }

    //! Drops everything and gives the memory back.
    void clear() noexcept { ChunkedQueue dropped(std::move(*this)); }

    //! What the queue holds from the allocator, for memory reports. O(chunks).
    std::size_t bytes() const {
        std::size_t chunks = spare_ ? 1 : 0;
        for (const auto& chunk : directory_) chunks += chunk ? 1 : 0;
        return chunks * kChunk * sizeof(T) + directory_.capacity() * sizeof(Chunk);
    }

private:
    using Chunk = std::unique_ptr<T[]>;

    Chunk& chunk_at(Position p) { return directory_[(p / kChunk) & mask_]; }

    static void release([[maybe_unused]] T& slot) {
        if constexpr (!std::is_trivially_destructible_v<T>) slot = T{};
    }

    //! Makes the chunk of end_ ready. The last statements cannot throw.
    [[gnu::noinline, gnu::cold]] void open_chunk() {
        const auto live = static_cast<std::size_t>(end_ / kChunk - begin_ / kChunk);
        if (live >= directory_.size()) grow_directory();
        Chunk& chunk = chunk_at(end_);
        if (!chunk) chunk = spare_ ? std::move(spare_) : std::make_unique<T[]>(kChunk);
        tail_ = chunk.get() + end_ % kChunk;
        limit_ = chunk.get() + kChunk;
        if (empty()) head_ = tail_;
    }

    void close_chunk(Position p) { spare_ = std::move(chunk_at(p)); }

    //! Sets the cached addresses again after begin_ or end_ has crossed chunks.
    [[gnu::noinline, gnu::cold]] void find_ends() {
        if (empty()) {
            // The next push finds its chunk by itself, be it still open or not.
            head_ = tail_ = limit_ = nullptr;
        } else {
            head_ = &(*this)[begin_];
            tail_ = &(*this)[end_ - 1] + 1;
            limit_ = chunk_at(end_ - 1).get() + kChunk;
        }
    }

    void grow_directory() {
        std::vector<Chunk> larger(directory_.empty() ? 1 : directory_.size() * 2);
        const std::size_t mask = larger.size() - 1;
        const Position chunks = begin_ / kChunk + directory_.size();
        for (Position chunk = begin_ / kChunk; chunk != chunks; ++chunk)
            larger[chunk & mask] = std::move(directory_[chunk & mask_]);
        directory_ = std::move(larger);
        mask_ = mask;
    }

    //! A ring of chunks whose size is a power of two; mask_ is that size less one.
    std::vector<Chunk> directory_;
    std::size_t mask_ = 0;
    //! The chunk that was closed last.
    Chunk spare_;
    Position begin_ = 0;
    Position end_ = 0;
    //! Addresses of the front element, of one past the back element, and of one past the back element's chunk.
    //! The queue spares itself the directory at both ends by them. All null while no chunk is known to be open.
    T* head_ = nullptr;
    T* tail_ = nullptr;
    T* limit_ = nullptr;
};

}  // namespace sash
