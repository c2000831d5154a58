//! Groups: aggregates of neighbours in a node, kept up with every change, so that no range has to scan a node.
//!
//! What a range takes at each of its two ends, where leaves have 64 entries and nodes 8 to 16 children: at most 19
//! entries and 3 groups of the leaf that it cuts, 3 children and 3 groups of each node above; and 8 parts of the node
//! where the ends meet. With h levels that is 12 h + 39 combines. The entries between are then at least 224 * 8^(h -
//! 1), and 3 log2 of them and 40 at least 9 h + 54. So any range of 2^20 entries takes at most 3 log2 and 40 combines,
//! whatever has happened to the tree; a range of 8 times as many 3 more, if each node at its ends were the worst. Where
//! leaves have 16 entries and nodes 4 to 8 children, the same holds for 2^22 entries: 8 h + 27 beside 6 h + 47.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sash/algorithms/fiba/tree.hpp"

namespace sash {

//! Entries [from, to) of a leaf as runs of partials, the oldest first: add(first, last). The first group of a leaf with
//! a dead front may know of entries that have left.
template <Monoid M>
template <class Add>
void Fiba<M>::for_each_run(const Leaf& node, std::uint32_t from, std::uint32_t to, Add add) const {
    const std::uint32_t closed = pool_.grouped() ? node.closed() : 0;
    for (std::uint32_t group = 0; group < closed && from < to; ++group) {
        const std::uint32_t end = node.group_end(group);
        if (end <= from) continue;
        const bool known = group > 0 || node.begin() == 0;
        const bool whole = known && from == node.group_begin(group) && end <= to;
        const std::uint32_t stop = std::min(end, to);
        whole ? add(pool_.groups(node) + group, pool_.groups(node) + group + 1)
              : add(node.partials + from, node.partials + stop);
        from = stop;
    }
    if (from < to) add(node.partials + from, node.partials + to);
}

//! Closes a group of the entries that are in none. Where entries still come behind the others, those behind the last
//! multiple of kGroup wait for them.
template <Monoid M>
void Fiba<M>::settle(const Leaf& node, Fill fill) {
    if (!pool_.grouped()) return;
    const std::uint32_t from = node.loose_from();
    const std::uint32_t to = fill == Fill::done ? node.end() : (node.end() - 1) / fiba::kGroup * fiba::kGroup;
    if (from >= to) return;
    if (node.closed() == fiba::kGroups || to - from > fiba::kMostInGroup) return regroup(node, fill);
    close_group(node, node.closed(), from, to);
}

template <Monoid M>
void Fiba<M>::close_group(const Leaf& node, std::uint32_t group, std::uint32_t from, std::uint32_t to) {
    pool_.groups(node)[group] = fold_run(node.partials + from, node.partials + to);
    node.close_group(group, to);
}

//! All groups anew, of like sizes. Where entries still come they end at multiples of kGroup, as those do that entries
//! which come make.
template <Monoid M>
void Fiba<M>::regroup(const Leaf& node, Fill fill) {
    node.open_groups();
    if (!pool_.grouped()) return;
    if (fill == Fill::going_on) {
        std::uint32_t from = node.begin();
        for (std::uint32_t i = 0; (from / fiba::kGroup + 1) * fiba::kGroup < node.end(); ++i) {
            const std::uint32_t to = (from / fiba::kGroup + 1) * fiba::kGroup;
            close_group(node, i, from, to);
            from = to;
        }
        return;
    }
    const std::uint32_t groups = (node.size() + fiba::kGroup - 1) / fiba::kGroup;
    for (std::uint32_t i = 0; i < groups; ++i)
        close_group(node, i, node.begin() + node.size() * i / groups, node.begin() + node.size() * (i + 1) / groups);
}

//! Where the group of an entry ends, or the leaf where it is in none.
template <Monoid M>
std::uint32_t Fiba<M>::end_of_group(const Leaf& node, std::uint32_t at) const {
    const std::uint32_t group = pool_.grouped() ? node.group_of(at + 1) : 0;
    return pool_.grouped() && group < node.closed() ? node.group_end(group) : node.end();
}

//! The last entry is one too many for its group: the next one begins with it.
template <Monoid M>
void Fiba<M>::begin_group(const Leaf& node, std::uint32_t group, std::uint32_t at) {
    if (group + 1 == fiba::kGroups) return regroup(node, Fill::done);
    node.close_group(group, at);
    close_group(node, group + 1, at, at + 1);
}

//! The entry at a place is new, or has the partial combined into it. Where the first group has lost entries, or order
//! matters, the group is folded. A new entry may have moved the end past a multiple of kGroup: those before it close.
template <Monoid M>
void Fiba<M>::note_in_group(const Leaf& node, std::uint32_t at, const Partial& partial, Fill fill) {
    if (!pool_.grouped()) return;
    const std::uint32_t group = node.group_of(at + 1);
    if (group >= node.closed()) return settle(node, fill);
    const std::uint32_t from = node.group_begin(group);
    const std::uint32_t to = node.group_end(group);
    if (to - from > fiba::kMostInGroup)
        return at + 1 == node.end() ? begin_group(node, group, at) : regroup(node, fill);
    const bool known = group > 0 || node.begin() == 0;
    if (known && (M::commutative || at + 1 == to)) {
        append_to(pool_.groups(node)[group], partial);
    } else {
        close_group(node, group, from, to);
    }
    if (fill == Fill::going_on) settle(node, fill);
}

//! Makes the groups of an inner node that are not known, but for those with a child on a spine.
template <Monoid M>
void Fiba<M>::settle(const Inner& node, std::uint32_t level) {
    if (node.arity() > Inner::kMostGroups) return;
    const std::uint32_t first = on_spine(node.ids[0], level - 1) ? 1 : 0;
    const std::uint32_t stop = on_spine(node.ids[node.last()], level - 1) ? node.last() : node.arity();
    const std::uint32_t begin = node.head->begin;
    for (std::uint32_t group = (begin + first + fiba::kFan - 1) / fiba::kFan;; ++group) {
        group += static_cast<std::uint32_t>(std::countr_one(node.head->known >> group));
        const std::uint32_t from = group * fiba::kFan - begin;
        const std::uint32_t to = std::min(from + fiba::kFan, node.arity());
        if (from >= stop || to > stop) return;
        node.groups[group] = fold_run(node.aggregates + from, node.aggregates + to);
        if (!stale_) node.head->known |= 1U << group;
    }
}

}  // namespace sash
