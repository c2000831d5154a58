//! Nodes of the finger tree, in pools, named by 32-bit ids.
#pragma once

#include <algorithm>
#include <bit>
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

//! What a leaf begins with: its extent, and where its groups end, a byte each. A group that is not closed ends behind
//! all entries: its byte is kOpen, give or take the entries that came and went since.
struct LeafHead {
    static constexpr std::uint32_t kOpen = 0xBFBFBFBF;
    Extent extent;
    std::uint32_t ends;
};

//! The groups of a leaf, so that a range that cuts it takes whole groups, and entries of one. They are made of so many
//! entries, and of all anew when one has grown too large: an entry that comes changes its own group alone.
inline constexpr std::uint32_t kGroups = 4;
inline constexpr std::uint32_t kGroup = 16;
inline constexpr std::uint32_t kMostInGroup = 20;

//! A leaf: two parallel arrays in one block. A view is three pointers; it stays valid as long as the node does.
template <class Partial>
struct Leaf {
    Time* times = nullptr;
    Partial* partials = nullptr;
    Extent* extent = nullptr;

    std::uint32_t& ends() const { return reinterpret_cast<LeafHead*>(extent)->ends; }
    std::uint32_t group_end(std::uint32_t group) const { return ends() >> 8 * group & 0xFF; }
    std::uint32_t group_begin(std::uint32_t group) const { return group == 0 ? begin() : group_end(group - 1); }
    void open_groups() const { ends() = LeafHead::kOpen; }
    void close_group(std::uint32_t group, std::uint32_t end) const {
        ends() = (ends() & ~(0xFFU << 8 * group)) | end << 8 * group;
    }
    //! How many groups are closed.
    std::uint32_t closed() const { return first_of(ends()); }
    //! The group that an entry at a place goes to: the first that does not end before it.
    std::uint32_t group_of(std::uint32_t at) const { return first_of(((ends() | kHigh) - at * kOnes) | ends()); }
    //! Entries of groups that are closed are before this place.
    std::uint32_t loose_from() const {
        const std::uint32_t groups = closed();
        return groups == 0 ? begin() : std::max(begin(), group_end(groups - 1));
    }

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
        open_groups();
    }

    //! Opens position `at` in [begin, end] and fills it; there is room behind the end or before the begin.
    std::uint32_t insert(std::uint32_t at, std::uint32_t capacity, Time time, Partial partial) {
        const bool backward = end() == capacity || (begin() > 0 && at - begin() < end() - at);
        if (backward) {
            open_groups();
            std::copy(times + begin(), times + at, times + begin() - 1);
            std::move(partials + begin(), partials + at, partials + begin() - 1);
            --extent->begin;
            --at;
        } else {
            ends() += static_cast<std::uint32_t>(std::uint64_t{kOnes} << 8 * group_of(at));
            std::copy_backward(times + at, times + end(), times + end() + 1);
            std::move_backward(partials + at, partials + end(), partials + end() + 1);
            ++extent->end;
        }
        times[at] = time;
        partials[at] = std::move(partial);
        return at;
    }

    void erase(std::uint32_t at) {
        std::copy(times + at + 1, times + end(), times + at);
        std::move(partials + at + 1, partials + end(), partials + at);
        --extent->end;
        open_groups();
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
        open_groups();
        release(end, extent->end);
        extent->end = end;
    }

    //! Lets go of what dead slots own.
    void release([[maybe_unused]] std::uint32_t from, [[maybe_unused]] std::uint32_t to) {
        if constexpr (!std::is_trivially_destructible_v<Partial>) {
            for (std::uint32_t i = from; i != to; ++i) partials[i] = Partial{};
        }
    }

private:
    static constexpr std::uint32_t kOnes = 0x01010101;
    static constexpr std::uint32_t kHigh = 0x80808080;
    //! The first byte whose highest bit is set.
    static std::uint32_t first_of(std::uint32_t bytes) {
        return static_cast<std::uint32_t>(std::countr_zero((bytes & kHigh) | std::uint64_t{1} << 32)) / 8;
    }
};

//! So many places for children, from the first on, are a group.
inline constexpr std::uint32_t kFan = 4;

//! What an inner node begins with: how many children it has and where the first of them is, since a dead front is an
//! offset here, too; and a bit for each group whose aggregate is known.
struct InnerHead {
    std::uint16_t arity;
    std::uint16_t begin;
    std::uint32_t known;
};

//! An inner node: its children's ids, and beside each the first time that may lie below it, the child's up-aggregate
//! and its number of entries. keys[0] is never read. Aggregate and count of a child that lies on a spine are not kept.
//! A view begins with the first child; once the children are moved by another view it is of no use.
//!
//! The places for children are grouped, so that a range that cuts a node takes whole groups, and less than kFan
//! children at either of its ends. The last group may be short. A group with a child on a spine is never used.
template <class Partial>
struct Inner {
    Time* keys = nullptr;
    Id* ids = nullptr;
    Partial* aggregates = nullptr;
    std::uint64_t* counts = nullptr;
    InnerHead* head = nullptr;
    //! Of groups. They lie behind the room for children.
    Partial* groups = nullptr;

    std::uint32_t arity() const { return head->arity; }
    std::uint32_t last() const { return head->arity - 1U; }

    //! Nodes with more groups than there are bits know none.
    static constexpr std::uint32_t kMostGroups = 32;
    std::uint32_t group_of(std::uint32_t child) const { return (head->begin + child) / kFan; }
    bool knows(std::uint32_t group) const { return group < kMostGroups && (head->known >> group & 1) != 0; }
    //! A child has changed: so has its group.
    void touch(std::uint32_t child) const { head->known &= ~(1U << std::min(group_of(child), kMostGroups - 1)); }
    //! Children from one on have moved: so have their groups.
    void touch_from(std::uint32_t child) const {
        head->known &= (1U << std::min(group_of(child), kMostGroups - 1)) - 1;
    }

    //! The children [from, to), of which none is on a spine, as runs of partials: add(first, last), oldest first.
    template <class Add>
    void for_each_run(std::uint32_t from, std::uint32_t to, Add add) const {
        while (from < to) {
            const std::uint32_t group = group_of(from);
            const std::uint32_t end = std::min((group + 1) * kFan - head->begin, arity());
            const bool whole = (head->begin + from) % kFan == 0 && end <= to && knows(group);
            const std::uint32_t stop = std::min(end, to);
            whole ? add(groups + group, groups + group + 1) : add(aggregates + from, aggregates + stop);
            from = stop;
        }
    }

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
        make_room(at, 1);
        set(at, key, id, std::move(aggregate), count);
    }

    void set(std::uint32_t at, Time key, Id id, Partial aggregate, std::uint64_t count) {
        keys[at] = key;
        ids[at] = id;
        aggregates[at] = std::move(aggregate);
        counts[at] = count;
    }

    //! Removes [from, from + count).
    [[gnu::noinline]] void erase(std::uint32_t from, std::uint32_t count = 1) {
        if (count == 0) return;
        if (from == 0 && count < arity()) return drop_front(count);
        touch_from(from);
        const std::uint32_t end = arity();
        for_each_array([=](auto* items) { std::move(items + from + count, items + end, items + from); });
        resize(arity() - count);
    }

    //! Moves `count` children of `other`, from `from` on, to position `at` of this node.
    void take(Inner& other, std::uint32_t from, std::uint32_t count, std::uint32_t at) {
        make_room(at, count);
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
        touch_from(arity);
        release(arity, head->arity);
        head->arity = static_cast<std::uint16_t>(arity);
    }

    //! Without children; the first one will be at a place.
    void clear(std::uint32_t begin = 0) {
        resize(0);
        step(static_cast<std::int32_t>(begin) - head->begin);
        head->known = 0;
    }

private:
    //! Moves where the view begins.
    void step(std::int32_t places) {
        for_each_array([=](auto*& items) { items += places; });
        head->begin = static_cast<std::uint16_t>(head->begin + places);
    }

    //! Lets go of what the places of children and their groups own.
    void release([[maybe_unused]] std::uint32_t from, [[maybe_unused]] std::uint32_t to) {
        if constexpr (!std::is_trivially_destructible_v<Partial>) {
            for (std::uint32_t i = from; i < to; ++i) {
                aggregates[i] = Partial{};
                if (!knows(group_of(i))) groups[std::min(group_of(i), kMostGroups - 1)] = Partial{};
            }
        }
    }

    void drop_front(std::uint32_t count) {
        if constexpr (!std::is_trivially_destructible_v<Partial>)
            for (std::uint32_t i = 0; i < count; ++i) touch(i);
        release(0, count);
        step(static_cast<std::int32_t>(count));
        head->arity = static_cast<std::uint16_t>(head->arity - count);
    }

    template <class F>
    void for_each_array(F f) {
        f(keys);
        f(ids);
        f(aggregates);
        f(counts);
    }

    //! Opens places for `count` children: before the first ones where there are places, else behind.
    [[gnu::noinline]] void make_room(std::uint32_t at, std::uint32_t count) {
        if (at == 0 && head->begin >= count) {
            step(-static_cast<std::int32_t>(count));
            for (std::uint32_t i = 0; i < count; ++i) touch(i);
        } else {
            if (arity() + count > static_cast<std::size_t>(groups - aggregates)) move_to_front();
            touch_from(at);
            const std::uint32_t end = arity();
            for_each_array([=](auto* items) { std::move_backward(items + at, items + end, items + end + count); });
        }
        head->arity = static_cast<std::uint16_t>(head->arity + count);
    }

    void move_to_front() {
        const std::uint32_t begin = head->begin;
        step(-static_cast<std::int32_t>(begin));
        touch_from(0);
        const std::uint32_t end = begin + arity();
        for_each_array([=](auto* items) { std::move(items + begin, items + end, items); });
    }
};

}  // namespace sash::fiba
