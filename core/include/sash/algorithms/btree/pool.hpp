//! Where the nodes of the B-tree live: fixed-size nodes in chunks, named by 32-bit ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/time.hpp"

namespace sash::btree {

using Id = std::uint32_t;
inline constexpr Id kNone = ~Id{0};

//! What a node keeps beside its entries and children.
template <class Partial>
struct Head {
    //! The aggregate of the subtree, unless `stale`. A query on a const tree may refresh both.
    mutable Partial aggregate{};
    //! Entries held. A node that is no leaf has one child more.
    std::uint32_t count = 0;
    //! The next node of the free list.
    Id next_free = kNone;
    bool leaf = true;
    mutable bool stale = true;

    auto owned() const { return std::tie(aggregate); }
};

//! Nodes side by side: one allocation for the times, one for the partials, one for the children of all of them.
template <class Partial>
struct Chunk {
    static constexpr std::size_t kNodes = 16;

    explicit Chunk(std::size_t width)
        : heads(kNodes), times(kNodes * width), partials(kNodes * width), children(kNodes * (width + 1), kNone) {}

    std::vector<Head<Partial>> heads;
    std::vector<Time> times;
    std::vector<Partial> partials;
    std::vector<Id> children;

    auto owned() const { return std::tie(heads, partials); }
};

//! A look at one node; it lives shorter than the next change of the pool. `C` is a Chunk or a const Chunk.
template <class C>
class NodeRef {
public:
    NodeRef(C& chunk, std::size_t slot, std::size_t width) : chunk_(&chunk), slot_(slot), width_(width) {}

    auto& head() const { return chunk_->heads[slot_]; }
    auto& time(std::size_t i) const { return chunk_->times[slot_ * width_ + i]; }
    auto& partial(std::size_t i) const { return chunk_->partials[slot_ * width_ + i]; }
    auto& child(std::size_t i) const { return chunk_->children[slot_ * (width_ + 1) + i]; }

    std::uint32_t count() const { return head().count; }
    bool leaf() const { return head().leaf; }

    //! The first entry at or after `time`; count() when there is none.
    std::uint32_t lower(Time time) const {
        const Time* begin = times();
        return static_cast<std::uint32_t>(std::lower_bound(begin, begin + count(), time) - begin);
    }

    //! The first entry after `time`; count() when there is none.
    std::uint32_t upper(Time time) const {
        const Time* begin = times();
        return static_cast<std::uint32_t>(std::upper_bound(begin, begin + count(), time) - begin);
    }

    //! Makes an entry the i-th, with `right` as the child after it (kNone in a leaf).
    template <class Partial>
    void insert(std::size_t i, Time at, Partial partial_in, Id right) const {
        const std::size_t n = head().count++;
        std::move_backward(&time(0) + i, &time(0) + n, &time(0) + n + 1);
        std::move_backward(&partial(0) + i, &partial(0) + n, &partial(0) + n + 1);
        time(i) = at;
        partial(i) = std::move(partial_in);
        if (leaf()) return;
        std::move_backward(&child(0) + i + 1, &child(0) + n + 1, &child(0) + n + 2);
        child(i + 1) = right;
    }

    //! Removes the i-th entry and the child after it.
    void erase(std::size_t i) const {
        const std::size_t n = head().count;
        std::move(&time(0) + i + 1, &time(0) + n, &time(0) + i);
        std::move(&partial(0) + i + 1, &partial(0) + n, &partial(0) + i);
        if (!leaf()) std::move(&child(0) + i + 2, &child(0) + n + 1, &child(0) + i + 1);
        truncate(n - 1);
    }

    //! Takes over the entries of `from` from the i-th on, each with the child after it.
    void take_tail(const NodeRef& from, std::size_t i) const {
        for (std::size_t j = i; j != from.count(); ++j)
            insert(count(), from.time(j), std::move(from.partial(j)), from.leaf() ? kNone : from.child(j + 1));
        from.truncate(i);
    }

    //! Forgets the entries from the n-th on. Partials that own memory give it back now.
    void truncate(std::size_t n) const {
        for (std::size_t i = n; i != count(); ++i) release(partial(i));
        head().count = static_cast<std::uint32_t>(n);
    }

    template <class T>
    static void release([[maybe_unused]] T& value) {
        if constexpr (!std::is_trivially_destructible_v<T>) value = T{};
    }

private:
    const Time* times() const { return chunk_->times.data() + slot_ * width_; }

    C* chunk_;
    std::size_t slot_;
    std::size_t width_;
};

//! Hands out nodes by id. A node that was given back is the next to be taken.
//!
//! Only reserve() allocates, so a change of the tree that reserves first cannot fail in its middle. A node never
//! moves to another address.
template <class Partial>
class NodePool {
public:
    using Ref = NodeRef<Chunk<Partial>>;
    using ConstRef = NodeRef<const Chunk<Partial>>;

    //! `width` is the most entries that a node ever holds.
    explicit NodePool(std::size_t width) noexcept : width_(width) {}

    Ref operator[](Id id) { return Ref(chunks_[id / kNodes], id % kNodes, width_); }
    ConstRef operator[](Id id) const { return ConstRef(chunks_[id / kNodes], id % kNodes, width_); }

    //! Makes sure that the next `nodes` calls of take() find a node.
    void reserve(std::size_t nodes) {
        while (spare_ < nodes) add_chunk();
    }

    //! An empty node, stale until its aggregate is computed.
    Id take(bool leaf) {
        const Id id = free_;
        auto& head = (*this)[id].head();
        free_ = head.next_free;
        --spare_;
        head.leaf = leaf;
        head.stale = true;
        return id;
    }

    void give_back(Id id) {
        const Ref node = (*this)[id];
        node.truncate(0);
        Ref::release(node.head().aggregate);
        node.head().next_free = free_;
        free_ = id;
        ++spare_;
    }

    //! Nodes that are taken.
    std::size_t taken() const { return chunks_.size() * kNodes - spare_; }

    //! The length of the free list, by walking it; stops beyond the number of all nodes.
    std::size_t count_free() const {
        std::size_t n = 0;
        for (Id id = free_; id != kNone && n <= chunks_.size() * kNodes; id = (*this)[id].head().next_free) ++n;
        return n;
    }
    std::size_t spare() const { return spare_; }
    auto owned() const { return std::tie(chunks_); }

    std::size_t bytes() const {
        const std::size_t entries = width_ * (sizeof(Time) + sizeof(Partial));
        const std::size_t node = sizeof(Head<Partial>) + entries + (width_ + 1) * sizeof(Id);
        return chunks_.size() * kNodes * node + chunks_.capacity() * sizeof(Chunk<Partial>);
    }

private:
    static constexpr std::size_t kNodes = Chunk<Partial>::kNodes;

    void add_chunk() {
        const std::size_t first = chunks_.size() * kNodes;
        if (first + kNodes > kNone)
            throw std::length_error("a B-tree has at most 2**32 - 16 nodes; with a larger min_arity they hold more");
        chunks_.emplace_back(width_);
        for (std::size_t slot = kNodes; slot-- > 0;) {
            chunks_.back().heads[slot].next_free = free_;
            free_ = static_cast<Id>(first + slot);
        }
        spare_ += kNodes;
    }

    std::size_t width_;
    std::vector<Chunk<Partial>> chunks_;
    //! Head and length of the list of free nodes.
    Id free_ = kNone;
    std::size_t spare_ = 0;
};

}  // namespace sash::btree
