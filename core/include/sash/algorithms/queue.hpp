//! The chunked-array queue that the in-order algorithms stand on: a doubly linked list of arrays.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "sash/algorithms/chunk_index.hpp"

namespace sash {

//! Counts every element since the queue was made: the first one ever pushed is at 0, and an element keeps its position
//! until it is popped.
using QueuePosition = std::uint64_t;

//! A link of the list. The older chunk owns the newer one.
template <class T>
struct Chunk {
    //! About 8 KiB, and never fewer than 8 elements.
    static constexpr std::size_t kSize = std::bit_ceil(sizeof(T) >= 1024 ? std::size_t{8} : 8192 / sizeof(T) / 2 + 1);

    std::unique_ptr<Chunk> newer;
    Chunk* older = nullptr;
    //! Where slots[0] is; a multiple of kSize.
    QueuePosition first = 0;
    std::array<T, kSize> slots;

    T* begin() { return slots.data(); }
    T* end() { return slots.data() + kSize; }
};

//! An element of a queue, as the paper has it: a chunk and a place in it. It steps either way in O(1), and stays good
//! until its element is popped.
template <class T>
class Cursor {
public:
    Cursor() = default;
    Cursor(Chunk<T>* chunk, T* at) : chunk_(chunk), at_(at) {}

    T& operator*() const { return *at_; }
    T* operator->() const { return at_; }
    bool operator==(const Cursor& other) const { return at_ == other.at_; }

    //! Behind the youngest element a cursor may only be compared.
    [[gnu::always_inline]] Cursor& operator++() {
        if (++at_ == chunk_->end()) [[unlikely]]
            enter_newer();
        return *this;
    }
    [[gnu::always_inline]] Cursor& operator--() {
        if (at_ == chunk_->begin()) [[unlikely]]
            enter_older();
        --at_;
        return *this;
    }
    Cursor before() const { return --Cursor(*this); }
    Cursor after() const { return ++Cursor(*this); }
    QueuePosition position() const { return chunk_->first + static_cast<QueuePosition>(at_ - chunk_->begin()); }

private:
    void enter_newer() {
        if (chunk_->newer) {
            chunk_ = chunk_->newer.get();
            at_ = chunk_->begin();
        }
    }
    void enter_older() {
        chunk_ = chunk_->older;
        at_ = chunk_->end();
    }

    Chunk<T>* chunk_ = nullptr;
    T* at_ = nullptr;
};

//! A first-in first-out queue. Nothing is ever moved to another address, and no call takes longer for a longer queue:
//! push and pop link or unlink one chunk at most, and drop_before unlinks all of its chunks as one chain. Chunks that
//! are out of use wait in that chain. A push takes its next chunk from there; whatever opens or closes a chunk frees
//! two more at most, until one is left, so that a window that slides steadily never calls the allocator.
//!
//! An element that owns memory is released when it is popped. Dropped ones are released with their chunk, or when a
//! push takes their slot.
//!
//! A queue that was cleared or moved from is empty and goes on at its old end. A push that throws leaves the queue as
//! it was. With ChunkIndex, elements can be read by their positions.
template <class T, template <class> class Index = NoIndex>
class ChunkedQueue {
    // A push assigns over a slot after all else is done, and what throws there would be lost.
    static_assert(std::is_nothrow_move_assignable_v<T> && std::is_nothrow_move_constructible_v<T>);

public:
    using Position = QueuePosition;
    using Cursor = sash::Cursor<T>;
    static constexpr std::size_t kChunk = Chunk<T>::kSize;
    static constexpr bool kIndexed = requires(const Index<Chunk<T>>& index, Position p) { index[p]; };

    ChunkedQueue() = default;
    ChunkedQueue(const ChunkedQueue& other) : begin_(other.begin_) {
        other.for_each([this](const T& element) { push_back(element); });
    }
    ChunkedQueue(ChunkedQueue&& other) noexcept {
        swap(other);
        other.begin_ = end();
    }
    ChunkedQueue& operator=(ChunkedQueue other) noexcept {
        swap(other);
        return *this;
    }
    ~ChunkedQueue() {
        free_chain(oldest_);
        free_chain(idle_);
    }

    void swap(ChunkedQueue& other) noexcept {
        std::swap(oldest_, other.oldest_);
        std::swap(newest_, other.newest_);
        std::swap(idle_, other.idle_);
        std::swap(idle_chunks_, other.idle_chunks_);
        std::swap(begin_, other.begin_);
        std::swap(head_, other.head_);
        std::swap(tail_, other.tail_);
        std::swap(limit_, other.limit_);
        std::swap(index_, other.index_);
    }

    Position begin() const { return begin_; }
    //! Not kept: a round of a few nanoseconds takes as long as its stores, and this would be one of ten.
    Position end() const { return newest_ ? Cursor(newest_, tail_).position() : begin_; }
    std::size_t size() const { return static_cast<std::size_t>(end() - begin_); }
    bool empty() const { return head_ == tail_; }
    //! Whether there is one element: asked in every round, where the size would take longer.
    bool has_one() const { return !empty() && head_ + 1 == tail_; }

    //! By position, in O(1): for queues with an index.
    T& operator[](Position p)
        requires kIndexed
    {
        return index_[p / kChunk]->slots[p % kChunk];
    }
    const T& operator[](Position p) const
        requires kIndexed
    {
        return index_[p / kChunk]->slots[p % kChunk];
    }

    T& front() { return *head_; }
    const T& front() const { return *head_; }
    T& back() { return tail_[-1]; }
    const T& back() const { return tail_[-1]; }

    //! The two ends of a queue that is not empty, and the element at a position of it, which is looked for from the
    //! front. Like pointers, cursors of a queue that is const give access to its elements.
    Cursor oldest() const { return {oldest_.get(), head_}; }
    Cursor youngest() const { return {newest_, tail_ - 1}; }
    Cursor at(Position p) const {
        Chunk<T>* const chunk = chunk_of(p);
        return {chunk, chunk->begin() + p % kChunk};
    }

    //! The first position whose element does not meet `meets`, which a prefix does. O(chunks before it + log chunk).
    template <class Meets>
    Position partition(Meets meets) const {
        if (empty()) return begin_;
        Chunk<T>* chunk = oldest_.get();
        while (chunk->newer && meets(*chunk->newer->begin())) chunk = chunk->newer.get();
        T* const first = chunk == oldest_.get() ? head_ : chunk->begin();
        T* const last = chunk == newest_ ? tail_ : chunk->end();
        return Cursor(chunk, std::partition_point(first, last, meets)).position();
    }

    //! Oldest first.
    template <class F>
    void for_each(F f) const {
        if (empty()) return;
        Cursor cursor = oldest();
        for (std::size_t left = size(); left > 0; --left, ++cursor) f(std::as_const(*cursor));
    }

    //! Of every chunk, in use or not.
    template <class F>
    void for_each_slot(F f) const {
        for (const Chunk<T>* chunk : {oldest_.get(), idle_.get()})
            for (; chunk; chunk = chunk->newer.get())
                for (const T& slot : chunk->slots) f(slot);
    }

    // The two calls of every round, inlined even where a large file has used up the compiler's patience; what they
    // do once a chunk stays out of the way.
    [[gnu::always_inline]] void push_back(T value) {
        if (tail_ == limit_) [[unlikely]]
            open_chunk();
        *tail_ = std::move(value);
        ++tail_;
    }

    [[gnu::always_inline]] void pop_front() {
        release(head_, head_ + 1);
        ++begin_;
        ++head_;
        if (begin_ % kChunk == 0) [[unlikely]]
            drop_chunks(oldest_->newer.get());
    }

    void pop_back() {
        --tail_;
        release(tail_, tail_ + 1);
        if (tail_ == newest_->begin()) [[unlikely]]
            close_newest();
    }

    //! Drops everything before `p`. O(1) where there is an index or p is the end; else O(chunks dropped), to find p.
    void drop_before(Position p) {
        if (p == begin_) return;
        Chunk<T>* const first = p != end() ? chunk_of(p) : p % kChunk == 0 ? nullptr : newest_;
        if (first) release(first == oldest_.get() ? head_ : first->begin(), first->begin() + p % kChunk);
        begin_ = p;
        if (first == oldest_.get()) {
            head_ = first->begin() + p % kChunk;
        } else {
            drop_chunks(first);
        }
    }

    //! Frees two chunks at most that are out of use, so that nobody waits for many; one is kept. Returns whether more
    //! wait.
    bool free_some() noexcept {
        for (int i = 0; i < 2 && idle_chunks_ > 1; ++i) take_idle();
        return idle_chunks_ > 1;
    }
    //! Gives the memory back that is out of use. O(chunks).
    void shrink_to_fit() noexcept {
        free_chain(idle_);
        idle_chunks_ = 0;
    }
    //! Drops everything and gives the memory back.
    void clear() noexcept { ChunkedQueue dropped(std::move(*this)); }

    //! What the queue holds from the allocator, for memory reports. O(1).
    std::size_t bytes() const {
        const std::size_t used = oldest_ ? static_cast<std::size_t>((newest_->first - oldest_->first) / kChunk + 1) : 0;
        return (used + idle_chunks_) * sizeof(Chunk<T>) + index_.bytes();
    }

private:
    using Owner = std::unique_ptr<Chunk<T>>;

    //! The chunk of a position inside the queue.
    Chunk<T>* chunk_of(Position p) const {
        if constexpr (kIndexed) {
            return index_[p / kChunk];
        } else {
            Chunk<T>* chunk = oldest_.get();
            while (chunk->first + kChunk <= p) chunk = chunk->newer.get();
            return chunk;
        }
    }

    static void release([[maybe_unused]] T* from, [[maybe_unused]] T* to) {
        if constexpr (!std::is_trivially_destructible_v<T>)
            for (; from != to; ++from) *from = T{};
    }

    //! Makes the chunk of the end ready. Nothing is changed before all that can throw is done.
    [[gnu::noinline, gnu::cold]] void open_chunk() {
        Owner fresh = idle_ ? nullptr : std::make_unique_for_overwrite<Chunk<T>>();
        Chunk<T>* const chunk = idle_ ? idle_.get() : fresh.get();
        const Position end = this->end();
        const Position number = end / kChunk;
        index_.add(oldest_ ? oldest_->first / kChunk : number, number, chunk);
        if (idle_) fresh = take_idle();
        chunk->older = newest_;
        chunk->first = number * kChunk;
        (newest_ ? newest_->newer : oldest_) = std::move(fresh);
        newest_ = chunk;
        tail_ = chunk->begin() + end % kChunk;
        limit_ = chunk->end();
        if (!chunk->older) head_ = tail_;
        free_some();
    }

    Owner take_idle() noexcept {
        Owner taken = std::move(idle_);
        idle_ = std::move(taken->newer);
        --idle_chunks_;
        return taken;
    }

    //! Every chunk before `first`, which is the one of begin_, goes out of use: all of them if it is null.
    [[gnu::noinline, gnu::cold]] void drop_chunks(Chunk<T>* first) {
        Chunk<T>* const last = first ? first->older : newest_;
        idle_chunks_ += static_cast<std::size_t>((last->first - oldest_->first) / kChunk) + 1;
        Owner rest = std::move(last->newer);
        last->newer = std::move(idle_);
        idle_ = std::move(oldest_);
        oldest_ = std::move(rest);
        if (first) {
            first->older = nullptr;
            head_ = first->begin() + begin_ % kChunk;
        } else {
            newest_ = nullptr;
            head_ = tail_ = limit_ = nullptr;
        }
        free_some();
    }

    //! The newest chunk has lost its last element.
    [[gnu::noinline, gnu::cold]] void close_newest() {
        if (newest_ == oldest_.get()) return drop_chunks(nullptr);
        Chunk<T>* const left = newest_->older;
        newest_->newer = std::move(idle_);
        idle_ = std::move(left->newer);
        ++idle_chunks_;
        newest_ = left;
        tail_ = limit_ = left->end();
        free_some();
    }

    //! One after another: a chunk that frees the next would take a stack as long as the queue.
    static void free_chain(Owner& chunk) noexcept {
        while (chunk) chunk = std::move(chunk->newer);
    }

    //! The chunks in use, and those that are not.
    Owner oldest_;
    Chunk<T>* newest_ = nullptr;
    Owner idle_;
    std::size_t idle_chunks_ = 0;
    Position begin_ = 0;
    //! Addresses of the front element, of one past the back element, and of one past the back element's chunk. All
    //! null while no chunk is in use.
    T* head_ = nullptr;
    T* tail_ = nullptr;
    T* limit_ = nullptr;
    [[no_unique_address]] Index<Chunk<T>> index_;
};

//! For algorithms that read anywhere.
template <class T>
using IndexedQueue = ChunkedQueue<T, ChunkIndex>;

}  // namespace sash
