//! Nodes of the finger tree, in pools, named by 32-bit ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "sash/algorithms/fiba/blocks.hpp"
#include "sash/time.hpp"

namespace sash::fiba {

//! A node with all below it; leaves are at level 0.
struct Subtree {
    Id id;
    std::uint32_t level;
};

//! The live entries of a leaf are [begin, end): a dead front is an offset, not a move.
struct Extent {
    std::uint32_t begin;
    std::uint32_t end;
};

//! So many neighbours in a leaf are a group, from the first place on. A range query that passes over a whole group
//! keeps its aggregate, so that the leaves that ranges cut are folded once and not again.
inline constexpr std::uint32_t kGroup = 8;

//! What a leaf begins with: its extent, and a bit for each group whose aggregate is kept.
struct LeafHead {
    Extent extent;
    std::uint64_t known;
};

//! A leaf: two parallel arrays in one block. A view is three pointers; it stays valid as long as the node does.
template <class Partial>
struct Leaf {
    Time* times = nullptr;
    Partial* partials = nullptr;
    Extent* extent = nullptr;

    std::uint64_t& known() const { return reinterpret_cast<LeafHead*>(extent)->known; }
    //! Entries from a place on have moved or changed: so have their groups.
    void touch(std::uint32_t at) const { known() &= (std::uint64_t{1} << std::min(at / kGroup, 63U)) - 1; }

    std::uint32_t begin() const { return extent->begin; }
    std::uint32_t end() const { return extent->end; }
    std::uint32_t size() const { return extent->end - extent->begin; }

    //! The first position whose time is not before `time`. A mask in place of a branch, which would be mispredicted at
    //! every second step.
    std::uint32_t lower_bound(Time time) const {
        const Time* first = times + begin();
        std::size_t length = size();
        while (length > 0) {
            const std::size_t half = (length + 1) / 2;
            first += half & (std::size_t{0} - static_cast<std::size_t>(first[half - 1] < time));
            length -= half;
        }
        return static_cast<std::uint32_t>(first - times);
    }

    //! The same, looked for at one place first: events that come in runs go behind one another, and are predicted.
    std::uint32_t lower_bound_near(Time time, std::uint32_t at) const {
        const bool here = at > begin() && at <= end() && times[at - 1] < time && (at == end() || time <= times[at]);
        return here ? at : lower_bound(time);
    }

    //! Moves the live entries to the front of the arrays.
    void compact() {
        if (begin() == 0) return;
        std::copy(times + begin(), times + end(), times);
        std::move(partials + begin(), partials + end(), partials);
        *extent = {0, size()};
        touch(0);
    }

    //! Opens position `at` in [begin, end] and fills it; there is room behind the end or before the begin.
    std::uint32_t insert(std::uint32_t at, std::uint32_t capacity, Time time, Partial partial) {
        const bool backward = end() == capacity || (begin() > 0 && at - begin() < end() - at);
        if (backward) {
            std::copy(times + begin(), times + at, times + begin() - 1);
            std::move(partials + begin(), partials + at, partials + begin() - 1);
            --extent->begin;
            --at;
            touch(0);
        } else {
            std::copy_backward(times + at, times + end(), times + end() + 1);
            std::move_backward(partials + at, partials + end(), partials + end() + 1);
            ++extent->end;
            touch(at);
        }
        times[at] = time;
        partials[at] = std::move(partial);
        return at;
    }

    void erase(std::uint32_t at) {
        std::copy(times + at + 1, times + end(), times + at);
        std::move(partials + at + 1, partials + end(), partials + at);
        --extent->end;
        touch(at);
        release(end(), end() + 1);
    }

    //! Appends [from, from + count) of another leaf.
    void take(const Leaf& other, std::uint32_t from, std::uint32_t count) {
        std::copy(other.times + from, other.times + from + count, times + end());
        std::move(other.partials + from, other.partials + from + count, partials + end());
        extent->end += count;
    }

    //! Gives the entries from a place on away.
    void cut(std::uint32_t end) {
        touch(end);
        release(end, extent->end);
        extent->end = end;
    }

    //! Lets go of what dead slots own.
    void release([[maybe_unused]] std::uint32_t from, [[maybe_unused]] std::uint32_t to) {
        if constexpr (!std::is_trivially_destructible_v<Partial>) {
            for (std::uint32_t i = from; i != to; ++i) partials[i] = Partial{};
        }
    }
};

//! An inner node: its children's ids, and beside each the first time that may lie below it, the child's up-aggregate
//! and its number of entries. keys[0] is never read. Aggregate and count of a child that lies on a spine are not kept.
template <class Partial>
struct Inner {
    Time* keys = nullptr;
    Id* ids = nullptr;
    Partial* aggregates = nullptr;
    std::uint64_t* counts = nullptr;
    std::uint32_t* arity_ = nullptr;

    std::uint32_t arity() const { return *arity_; }
    std::uint32_t last() const { return *arity_ - 1; }

    //! The child below which `time` belongs: the last one whose key is not after it.
    std::uint32_t child_of(Time time) const {
        std::uint32_t first = 0;
        std::uint32_t length = arity();
        while (length > 1) {
            const std::uint32_t half = length / 2;
            first = keys[first + half] <= time ? first + half : first;
            length -= half;
        }
        return first;
    }

    void insert(std::uint32_t at, Time key, Id id, Partial aggregate, std::uint64_t count) {
        shift_right(at, 1);
        set(at, key, id, std::move(aggregate), count);
    }

    void set(std::uint32_t at, Time key, Id id, Partial aggregate, std::uint64_t count) {
        keys[at] = key;
        ids[at] = id;
        aggregates[at] = std::move(aggregate);
        counts[at] = count;
    }

    //! Removes [from, from + count).
    void erase(std::uint32_t from, std::uint32_t count = 1) {
        if (count == 0) return;
        const std::uint32_t after = from + count;
        std::copy(keys + after, keys + arity(), keys + from);
        std::copy(ids + after, ids + arity(), ids + from);
        std::move(aggregates + after, aggregates + arity(), aggregates + from);
        std::copy(counts + after, counts + arity(), counts + from);
        resize(arity() - count);
    }

    //! Moves `count` children of `other`, from `from` on, to position `at` of this node.
    void take(Inner& other, std::uint32_t from, std::uint32_t count, std::uint32_t at) {
        shift_right(at, count);
        std::copy(other.keys + from, other.keys + from + count, keys + at);
        std::copy(other.ids + from, other.ids + from + count, ids + at);
        std::move(other.aggregates + from, other.aggregates + from + count, aggregates + at);
        std::copy(other.counts + from, other.counts + from + count, counts + at);
        other.erase(from, count);
    }

    std::uint64_t count(std::uint32_t from, std::uint32_t to) const {
        std::uint64_t total = 0;
        for (std::uint32_t i = from; i < to; ++i) total += counts[i];
        return total;
    }

    void resize(std::uint32_t arity) {
        if constexpr (!std::is_trivially_destructible_v<Partial>) {
            for (std::uint32_t i = arity; i < *arity_; ++i) aggregates[i] = Partial{};
        }
        *arity_ = arity;
    }

private:
    void shift_right(std::uint32_t at, std::uint32_t count) {
        std::copy_backward(keys + at, keys + arity(), keys + arity() + count);
        std::copy_backward(ids + at, ids + arity(), ids + arity() + count);
        std::move_backward(aggregates + at, aggregates + arity(), aggregates + arity() + count);
        std::copy_backward(counts + at, counts + arity(), counts + arity() + count);
        *arity_ += count;
    }
};

}  // namespace sash::fiba
