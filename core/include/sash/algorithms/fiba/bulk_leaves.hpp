//! Bulk insertion: what a batch does to a leaf.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "sash/algorithms/fiba/insert.hpp"

namespace sash {

//! Entries with their times.
template <Monoid M>
struct Fiba<M>::Batch {
    std::span<const Time> times;
    std::span<Partial> partials;

    std::size_t size() const { return times.size(); }
    Batch part(std::size_t from, std::size_t to) const {
        return {times.subspan(from, to - from), partials.subspan(from, to - from)};
    }
    //! The first place in [from, size) whose time is not before one, searched in steps that double.
    std::size_t first_from(Time time, std::size_t from) const {
        std::size_t step = 1;
        for (; size() - from > step && times[from + step - 1] < time; step *= 2) from += step;
        const auto near = times.subspan(from, std::min(step, size() - from));
        return from + static_cast<std::size_t>(std::ranges::lower_bound(near, time) - near.begin());
    }
};

//! A node that entries [from, to) of a batch go to, and what they did below it.
template <Monoid M>
struct Fiba<M>::Visit {
    std::byte* block;
    Id id;
    //! Its place among the children of its parent.
    std::uint32_t index;
    std::size_t from;
    std::size_t to;
    //! How many visits to its children there are; they follow one another.
    std::uint32_t children = 0;
    //! The place of the first entry in a leaf.
    std::uint32_t at = 0;
    //! Whether the node itself may have been split, so that its aggregate is folded anew.
    bool regrown = false;
    std::uint64_t added = 0;
    //! The entries' own aggregate: what a commutative aggregate above just takes in.
    Partial delta = {};
};

//! A sprout and the place of its elder: among the visits of a level, or among the children of a node.
template <Monoid M>
struct Fiba<M>::Growing {
    std::uint32_t index;
    Sprout sprout;
};

//! Looks for the first place in a leaf and asks for what moves there: its other partials are left where they are.
template <Monoid M>
void Fiba<M>::find_place(Visit& visit, Batch batch) const {
    const Leaf node = pool_.leaf(visit.block);
    visit.at = node.lower_bound(batch.times[visit.from]);
    pool_.prefetch_partials(node, visit.at);
}

template <Monoid M>
void Fiba<M>::insert_into_leaf(Visit& visit, std::uint32_t number, Batch all, std::vector<Growing>& growing) {
    const Batch batch = all.part(visit.from, visit.to);
    const Id id = visit.id;
    const Leaf node = pool_.leaf(visit.block);
    keep_leaf(id);
    left_touched_ |= id == left_[0];
    right_touched_ |= id == right_[0];
    visit.regrown = node.size() + batch.size() > leaf_max();
    if (M::commutative) {
        visit.delta = batch.partials[0];
        for (std::size_t i = 1; i < batch.size(); ++i) append_to(visit.delta, batch.partials[i]);
    }
    if (!visit.regrown && batch.size() <= kFewInALeaf) {
        visit.added = put_in_place(node, visit.at, fill_of(id), batch);
        return;
    }
    visit.added = merge_leaf(node, batch);
    if (merged_times_.size() > leaf_max()) return refill_leaves(id, number, growing);
    refill_leaf(id, 0, merged_times_.size());
    settle(node, fill_of(id));
}

//! Entry by entry into a leaf that has room, the first of them at `first`; gives the number of new times.
template <Monoid M>
std::uint64_t Fiba<M>::put_in_place(Leaf node, std::uint32_t first, Fill fill, Batch batch) {
    const std::uint32_t before = node.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::uint32_t at = i == 0 ? first : node.lower_bound(batch.times[i]);
        if (at < node.end() && node.times[at] == batch.times[i]) {
            append_to(node.partials[at], batch.partials[i]);
            note_in_group(node, at, batch.partials[i], fill);
        } else {
            const std::uint32_t now = node.insert(at, leaf_max(), batch.times[i], batch.partials[i]);
            note_in_group(node, now, batch.partials[i], fill);
        }
    }
    return node.size() - before;
}

//! Merges a leaf and its part of the batch, run by run, into the scratch arrays; gives the number of new times.
template <Monoid M>
std::uint64_t Fiba<M>::merge_leaf(const Leaf& node, Batch batch) {
    merged_times_.resize(node.size() + batch.size());
    merged_partials_.resize(node.size() + batch.size());
    std::size_t filled = 0;
    const auto take = [&](const Time* times, Partial* partials, std::size_t count) {
        std::copy_n(times, count, merged_times_.data() + filled);
        std::move(partials, partials + count, merged_partials_.data() + filled);
        filled += count;
    };
    std::uint32_t at = node.begin();
    std::uint64_t added = 0;
    for (std::size_t i = 0; i < batch.size();) {
        const std::uint32_t from = at;
        while (at < node.end() && node.times[at] < batch.times[i]) ++at;
        take(node.times + from, node.partials + from, at - from);
        const std::size_t first = i;
        i = at == node.end() ? batch.size() : batch.first_from(node.times[at], i);
        take(batch.times.data() + first, batch.partials.data() + first, i - first);
        added += i - first;
        if (i == batch.size() || batch.times[i] != node.times[at]) continue;
        Partial joined = combine(node.partials[at++], batch.partials[i]);
        take(batch.times.data() + i++, &joined, 1);
    }
    take(node.times + at, node.partials + at, node.end() - at);
    merged_times_.resize(filled);
    merged_partials_.resize(filled);
    return added;
}

//! Spreads the scratch arrays evenly over as few leaves as can hold them.
template <Monoid M>
void Fiba<M>::refill_leaves(Id id, std::uint32_t number, std::vector<Growing>& growing) {
    const std::size_t total = merged_times_.size();
    const std::size_t leaves = (total + leaf_max() - 1) / leaf_max();
    const bool was_right = id == right_[0];
    for (std::size_t k = 0; k < leaves; ++k) {
        const std::size_t from = total * k / leaves;
        const Id target = k == 0 ? id : new_leaf();
        refill_leaf(target, from, total * (k + 1) / leaves);
        if (k > 0) growing.push_back({number, {merged_times_[from], target}});
    }
    if (was_right) right_[0] = growing.back().sprout.id;
}

template <Monoid M>
void Fiba<M>::refill_leaf(Id id, std::size_t from, std::size_t to) {
    Leaf node = leaf(id);
    node.release(node.begin(), node.end());
    node.open_groups();
    std::copy(merged_times_.begin() + static_cast<std::ptrdiff_t>(from),
              merged_times_.begin() + static_cast<std::ptrdiff_t>(to), node.times);
    std::move(merged_partials_.begin() + static_cast<std::ptrdiff_t>(from),
              merged_partials_.begin() + static_cast<std::ptrdiff_t>(to), node.partials);
    *node.extent = {0, static_cast<std::uint32_t>(to - from)};
}

}  // namespace sash
