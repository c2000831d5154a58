//! Every invariant of the tree, a clause each.
#pragma once

#include "sash/algorithms/fiba/hands.hpp"
#include "sash/algorithms/fiba/walk.hpp"

namespace sash {

template <Monoid M>
void Fiba<M>::check_invariants() const {
    std::vector<char> leaves(pool_.leaves_made(), 0);
    std::vector<char> inners(pool_.inners_made(), 0);
    if (size_ > 0) {
        check_spines();
        check_node(left_[height_], height_, kEarliest, kLatest, leaves, inners);
        check_fingers();
        for (const Hand& hand : hands_)
            if (is_current(hand)) check_hand(hand);
        std::size_t entries = 0;
        for_each([&](Time, const Partial&) { ++entries; });
        // The size is kept, also by bulk operations.
        invariant(entries == size_, "size equals the number of entries");
        invariant(height_ == 0 || count_all() == size_, "counts along the spines add up to the size");
    }
    check_ids(leaves, inners);
}

template <Monoid M>
void Fiba<M>::check_spines() const {
    // The spines begin at one root and follow first and last children down to the fingers.
    invariant(left_[height_] == right_[height_], "both spines start at the root");
    for (std::uint32_t level = height_; level > 0; --level) {
        const Inner left = inner(left_[level]);
        const Inner right = inner(right_[level]);
        invariant(left.ids[0] == left_[level - 1], "the left spine follows first children");
        invariant(right.ids[right.last()] == right_[level - 1], "the right spine follows last children");
        invariant(left_[level - 1] != right_[level - 1], "the spines part below the root");
    }
    invariant(left_leaf_.times == leaf(left_[0]).times, "the left finger points to the first leaf");
    invariant(right_leaf_.times == leaf(right_[0]).times, "the right finger points to the last leaf");
    invariant(youngest_ == right_leaf_.times[right_leaf_.end() - 1], "youngest is the last time");
}

//! Times of the subtree lie in [low, high). All leaves are at level 0 by construction: the level counts down.
template <Monoid M>
void Fiba<M>::check_node(Id id, std::uint32_t level, Time low, Time high, std::vector<char>& leaves,
                         std::vector<char>& inners) const {
    std::vector<char>& seen = level == 0 ? leaves : inners;
    // No node is in the tree twice.
    invariant(id < seen.size() && seen[id] == 0, "each node is reached once");
    seen[id] = 1;
    if (level == 0) {
        const Leaf node = leaf(id);
        // Only fingers may be nearly empty, and none is empty.
        invariant(node.size() >= (on_spine(id, 0) ? 1 : leaf_min()), "a leaf is full enough");
        invariant(node.end() <= leaf_max(), "a leaf keeps within its capacity");
        for (std::uint32_t i = node.begin(); i < node.end(); ++i) {
            invariant(node.times[i] >= low && (node.times[i] < high || high == kLatest), "times lie between the keys");
            invariant(i == node.begin() || node.times[i - 1] < node.times[i], "times rise");
        }
        return check_groups(id);
    }
    const Inner node = inner(id);
    // Spine nodes and the root have at least two children, others min_arity; all at most twice that.
    invariant(node.arity() >= least_arity(id, level), "a node has enough children");
    invariant(node.arity() <= max_arity(), "a node has not too many children");
    for (std::uint32_t i = 0; i < node.arity(); ++i) {
        const Time from = i == 0 ? low : node.keys[i];
        const Time to = i == node.last() ? high : node.keys[i + 1];
        invariant(i < 2 || node.keys[i - 1] < node.keys[i], "keys rise");
        check_node(node.ids[i], level - 1, from, to, leaves, inners);
        if (!on_spine(node.ids[i], level - 1)) check_slot(node, level, i);
    }
    check_groups(node, level);
}

template <class Partial>
concept Comparable = requires(const Partial& a) {
    { a == a } -> std::convertible_to<bool>;
};

//! Aggregates are compared where the partial can be, and where combining is exact.
template <Monoid M>
bool same_partial(const typename M::Partial& a, const typename M::Partial& b) {
    using Partial = typename M::Partial;
    if constexpr (Comparable<Partial> && !std::is_floating_point_v<Partial> && !Rounded<M>) {
        return a == b;
    } else {
        return true;
    }
}

//! Of a node that is not on a spine, without its groups.
template <Monoid M>
auto Fiba<M>::fold_items(Id id, std::uint32_t level) const -> Partial {
    if (level > 0) return fold_run(inner(id).aggregates, inner(id).aggregates + inner(id).arity());
    return fold_run(leaf(id).partials + leaf(id).begin(), leaf(id).partials + leaf(id).end());
}

template <Monoid M>
void Fiba<M>::check_slot(const Inner& node, std::uint32_t level, std::uint32_t index) const {
    const Id child = node.ids[index];
    invariant(node.counts[index] == count_node(child, level - 1), "a kept count is the child's");
    if (!stale_)
        invariant(same_partial<M>(node.aggregates[index], fold_items(child, level - 1)),
                  "a kept aggregate is the child's");
}

template <Monoid M>
void Fiba<M>::check_fingers() const {
    if (stale_) return;
    const auto same = [](const Partial& a, const Partial& b, const char* clause) {
        invariant(same_partial<M>(a, b), clause);
    };
    if (height_ == 0) {
        invariant(split_ >= left_leaf_.begin() && split_ <= left_leaf_.end(), "the split lies within the leaf");
        same(back_, fold(left_leaf_, split_, left_leaf_.end()), "back is the aggregate behind the split");
    } else {
        invariant(split_ == left_leaf_.end(), "the whole left leaf is a stack of suffixes");
        same(back_, fold(right_leaf_, right_leaf_.begin(), right_leaf_.end()), "back is the right leaf's aggregate");
        for (std::uint32_t level = height_ - 1; level > 0; --level) {
            const Inner left = inner(left_[level]);
            const Inner right = inner(right_[level]);
            const bool below_root = level + 1 == height_;
            const Partial above_left = below_root ? monoid_.identity() : left_aggregate_[level + 1];
            const Partial above_right = below_root ? monoid_.identity() : right_aggregate_[level + 1];
            same(left_aggregate_[level], combine(fold(left, 1, left.arity()), above_left), "left aggregate");
            same(right_aggregate_[level], combine(above_right, fold(right, 0, right.last())), "right aggregate");
        }
        const Inner root = inner(left_[height_]);
        same(inner_, fold(root, 1, root.last()), "the root's inner aggregate");
        const Partial between =
            height_ == 1 ? inner_ : combine(combine(left_aggregate_[1], inner_), right_aggregate_[1]);
        same(middle_, between, "middle is everything between the fingers");
    }
    for (std::uint32_t i = left_leaf_.begin(); i < split_; ++i)
        same(suffix_[i], fold(left_leaf_, i, split_), "each suffix of the left leaf");
}

//! Groups of a leaf are closed as soon as they can be, not too large, and what their entries say.
template <Monoid M>
void Fiba<M>::check_groups(Id id) const {
    const Leaf node = leaf(id);
    if (!pool_.grouped()) return;
    const std::uint32_t loose = node.end() - node.loose_from();
    invariant(loose <= (id == right_[0] ? fiba::kGroup : 0), "entries are in groups");
    for (std::uint32_t i = 0; i < node.closed(); ++i) {
        const std::uint32_t from = node.group_begin(i);
        const std::uint32_t to = node.group_end(i);
        if (from < node.begin() || (i == 0 && from > 0) || to <= node.begin()) continue;
        invariant(from < to && to <= node.end() && to - from <= fiba::kMostInGroup, "a group's size");
        invariant(same_partial<M>(pool_.groups(node)[i], fold_run(node.partials + from, node.partials + to)),
                  "a group's aggregate");
    }
}

//! Every group is known, and what its children say, unless one of them is on a spine.
template <Monoid M>
void Fiba<M>::check_groups(const Inner& node, std::uint32_t level) const {
    if (stale_ || node.arity() > Inner::kMostGroups) return;
    for (std::uint32_t group = node.group_of(fiba::kFan - 1); group * fiba::kFan < node.head->begin + node.arity();
         ++group) {
        const std::uint32_t from = group * fiba::kFan - node.head->begin;
        const std::uint32_t to = std::min(from + fiba::kFan, node.arity());
        if (on_spine(node.ids[from], level - 1) || on_spine(node.ids[to - 1], level - 1)) continue;
        invariant(node.knows(group), "a group is known");
        invariant(same_partial<M>(node.groups[group], fold_run(node.aggregates + from, node.aggregates + to)),
                  "a group's aggregate");
    }
}

//! Whatever a hand keeps that may serve a query is the entries'.
template <Monoid M>
void Fiba<M>::check_hand(const Hand& hand) const {
    const Leaf first = leaf(hand.first_leaf);
    for (std::uint32_t i = std::max(hand.first, first.begin()); i < hand.split; ++i)
        invariant(same_partial<M>(hand.suffix[i], fold(first, i, hand.split)), "each suffix of a hand's first leaf");
    if (hand.rest && hand.split >= first.begin())
        invariant(same_partial<M>(*hand.rest, fold(first, hand.split, hand.stop)), "a hand's rest of its first leaf");
    const Leaf last = leaf(hand.last_leaf);
    const std::uint32_t begin = hand.in_one_leaf() ? hand.stop : last.begin();
    // A tail whose first entries were evicted serves no range that is left.
    if (hand.tail && begin >= last.begin())
        invariant(same_partial<M>(*hand.tail, fold(last, begin, hand.end)), "a hand's tail");
    if (hand.in_one_leaf()) return;
    invariant(hand.stop == first.end(), "a hand's suffixes are of the rest of its leaf");
    const std::optional<Partial> between = fold_range(hand.high, hand.last_low - 1);
    invariant(hand.middle.has_value() == between.has_value(), "a hand has a middle where entries are between");
    if (between) invariant(same_partial<M>(*hand.middle, *between), "a hand's middle");
}

//! Every id is in the tree, free, or below a subtree whose freeing was put off: exactly one of them.
template <Monoid M>
void Fiba<M>::check_ids(std::vector<char>& leaves, std::vector<char>& inners) const {
    fiba::Pool<Partial> settled(pool_);
    settled.settle();
    for (const Id id : settled.free_leaves()) {
        invariant(leaves[id] == 0, "a free leaf is not in use and free once");
        leaves[id] = 1;
    }
    for (const Id id : settled.free_inners()) {
        invariant(inners[id] == 0, "a free node is not in use and free once");
        inners[id] = 1;
    }
    for (const char seen : leaves) invariant(seen == 1, "no leaf is lost");
    for (const char seen : inners) invariant(seen == 1, "no inner node is lost");
}

}  // namespace sash
