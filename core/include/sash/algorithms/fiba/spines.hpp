//! Construction, combining, and the repair of what the spines keep.
#pragma once

#include "sash/algorithms/fiba/groups.hpp"
#include "sash/algorithms/fiba/tree.hpp"

namespace sash {

namespace fiba {

//! Wide leaves and nodes where combining is cheap; narrow ones where a partial owns memory or calls back.
template <class M>
constexpr FibaOptions complete(FibaOptions options) {
    constexpr bool cheap =
        !M::fallible && std::is_trivially_copyable_v<typename M::Partial> && sizeof(typename M::Partial) <= 64;
    if (options.leaf == 0) {
        const std::size_t chosen = !cheap ? 16 : sizeof(typename M::Partial) <= 16 ? 64 : 32;
        options.leaf = options.min_arity == 0 ? chosen : 2 * options.min_arity;
    }
    if (options.min_arity == 0) options.min_arity = cheap ? 8 : 4;
    if (options.min_arity < 2 || options.min_arity > 1024)
        throw std::invalid_argument("min_arity must be between 2 and 1024");
    if (options.leaf < 2 || options.leaf > 65536) throw std::invalid_argument("leaf must be between 2 and 65536");
    return options;
}

}  // namespace fiba

namespace fiba {

//! How many groups a leaf has: only where it is so wide that a scan of it counts, combining cannot fail, and a partial
//! that is left behind owns nothing.
template <class M>
constexpr std::uint32_t groups_of(std::size_t leaf) {
    constexpr bool plain = !M::fallible && std::is_trivially_copyable_v<typename M::Partial>;
    return plain && leaf > kMostInGroup && leaf <= kGroups * kGroup ? kGroups : 0;
}

}  // namespace fiba

template <Monoid M>
Fiba<M>::Fiba(M monoid, FibaOptions options)
    : monoid_(std::move(monoid)),
      min_arity_(static_cast<std::uint32_t>(fiba::complete<M>(options).min_arity)),
      pool_(static_cast<std::uint32_t>(fiba::complete<M>(options).leaf),
            fiba::groups_of<M>(fiba::complete<M>(options).leaf), 2 * min_arity_),
      back_(monoid_.identity()),
      middle_(monoid_.identity()),
      inner_(monoid_.identity()) {}

template <Monoid M>
Fiba<M>::Fiba(const Fiba& other) : Fiba(other.monoid_, {other.min_arity_, other.pool_.leaf_capacity()}) {
    pool_ = other.pool_;
    state() = const_cast<Fiba&>(other).state();
    stale_ = other.stale_;
    find_finger_leaves();
}

template <Monoid M>
Fiba<M>::Fiba(Fiba&& other) noexcept : Fiba(other.monoid_, {other.min_arity_, other.pool_.leaf_capacity()}) {
    swap(other);
}

template <Monoid M>
void Fiba<M>::swap(Fiba& other) noexcept {
    std::swap(monoid_, other.monoid_);
    std::swap(min_arity_, other.min_arity_);
    pool_.swap(other.pool_);
    auto mine = state();
    auto its = other.state();
    mine.swap(its);
    std::swap(left_leaf_, other.left_leaf_);
    std::swap(right_leaf_, other.right_leaf_);
    std::swap(last_, other.last_);
    std::swap(last_low_, other.last_low_);
    std::swap(last_high_, other.last_high_);
    std::swap(last_at_, other.last_at_);
    std::swap(failure_, other.failure_);
    std::swap(stale_, other.stale_);
    std::swap(changes_, other.changes_);
    std::swap(right_changes_, other.right_changes_);
    std::swap(queries_, other.queries_);
    hands_.swap(other.hands_);
    std::swap(last_hand_, other.last_hand_);
}

template <Monoid M>
auto Fiba<M>::combine(const Partial& older, const Partial& newer) const -> Partial {
    if constexpr (!M::fallible) {
        return monoid_.combine(older, newer);
    } else {
        if (stale_) return Partial{};
        try {
            return monoid_.combine(older, newer);
        } catch (...) {
            failure_ = std::current_exception();
            stale_ = true;
            return Partial{};
        }
    }
}

template <Monoid M>
void Fiba<M>::append_to(Partial& older, const Partial& newer) const {
    if constexpr (M::fallible) {
        older = combine(older, newer);
    } else {
        append(monoid_, older, newer);
    }
}

//! After a call that may stand although a combine failed: the aggregates are stale, nothing is thrown.
template <Monoid M>
void Fiba<M>::settle_failure() {
    if constexpr (M::fallible) failure_ = nullptr;
}

template <Monoid M>
void Fiba<M>::ensure_fresh() const {
    if constexpr (M::fallible) {
        if (!stale_) return;
        const_cast<Fiba*>(this)->rebuild_aggregates();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

template <Monoid M>
auto Fiba<M>::query() const -> Partial {
    ensure_fresh();
    return size_ == 0 || left_leaf_.begin() == split_ ? back_ : query_from(left_leaf_.begin());
}

template <Monoid M>
auto Fiba<M>::query_from(std::uint32_t first) const -> Partial {
    const Partial& front = suffix_[first];
    if (height_ == 0) return split_ == left_leaf_.end() ? front : monoid_.combine(front, back_);
    return monoid_.combine(monoid_.combine(front, middle_), back_);
}

template <Monoid M>
auto Fiba<M>::fold_run(const Partial* first, const Partial* last) const -> Partial {
    Partial total = *first;
    const auto others = static_cast<std::size_t>(last - first);
    for (std::size_t i = 1; i < others; ++i) append_to(total, first[i]);
    return total;
}

template <Monoid M>
auto Fiba<M>::fold(const Leaf& node, std::uint32_t from, std::uint32_t to) const -> Partial {
    if (from == to) return monoid_.identity();
    std::optional<Partial> total;
    for_each_run(node, from, to, [&](const Partial* first, const Partial* last) {
        if (!total) total = *first++;
        for (; first != last; ++first) append_to(*total, *first);
    });
    return std::move(*total);
}

template <Monoid M>
auto Fiba<M>::fold(const Inner& node, std::uint32_t from, std::uint32_t to) const -> Partial {
    if (from >= to) return monoid_.identity();
    std::optional<Partial> total;
    node.for_each_run(from, to, [&](const Partial* first, const Partial* last) {
        if (!total) total = *first++;
        for (; first != last; ++first) append_to(*total, *first);
    });
    return std::move(*total);
}

//! Of a node that is not on a spine.
template <Monoid M>
auto Fiba<M>::fold_node(Id id, std::uint32_t level) -> Partial {
    if (level == 0) {
        settle(leaf(id), Fill::done);
        return fold(leaf(id), leaf(id).begin(), leaf(id).end());
    }
    settle(inner(id), level);
    return fold(inner(id), 0, inner(id).arity());
}

template <Monoid M>
std::uint64_t Fiba<M>::count_node(Id id, std::uint32_t level) const {
    return level == 0 ? leaf(id).size() : inner(id).count(0, inner(id).arity());
}

//! Aggregate and count that a parent keeps for a child, unless the child is on a spine.
template <Monoid M>
void Fiba<M>::refresh_slot(Id parent, std::uint32_t parent_level, std::uint32_t index) {
    const Inner node = inner(parent);
    const Id child = node.ids[index];
    if (on_spine(child, parent_level - 1)) return;
    node.aggregates[index] = fold_node(child, parent_level - 1);
    node.counts[index] = count_node(child, parent_level - 1);
    node.touch(index);
}

template <Monoid M>
void Fiba<M>::set_left_leaf() {
    left_leaf_ = leaf(left_[0]);
}

template <Monoid M>
void Fiba<M>::set_right_leaf() {
    right_leaf_ = leaf(right_[0]);
}

//! A window without entries has no leaves.
template <Monoid M>
void Fiba<M>::find_finger_leaves() {
    left_leaf_ = size_ == 0 ? Leaf{} : leaf(left_[0]);
    right_leaf_ = size_ == 0 ? Leaf{} : leaf(right_[0]);
}

//! Turns the whole left leaf into a stack of suffixes.
template <Monoid M>
void Fiba<M>::refresh_left_leaf() {
    settle(left_leaf_, height_ == 0 ? Fill::going_on : Fill::done);
    if (suffix_.size() < leaf_max()) suffix_.resize(leaf_max());
    split_ = left_leaf_.end();
    suffix_[split_ - 1] = left_leaf_.partials[split_ - 1];
    for (std::uint32_t i = split_ - 1; i-- > left_leaf_.begin();)
        suffix_[i] = combine(left_leaf_.partials[i], suffix_[i + 1]);
}

template <Monoid M>
void Fiba<M>::refresh_right_leaf() {
    settle(right_leaf_, Fill::going_on);
    if (height_ == 0) split_ = right_leaf_.begin();
    back_ = fold(right_leaf_, right_leaf_.begin(), right_leaf_.end());
}

template <Monoid M>
void Fiba<M>::refresh_middle() {
    if (height_ == 0) {
        middle_ = monoid_.identity();
    } else if (height_ == 1) {
        middle_ = inner_;
    } else {
        middle_ = combine(combine(left_aggregate_[1], inner_), right_aggregate_[1]);
    }
}

//! Recomputes what the left spine keeps, from level `from` down to the leaf's parent. The middle is left to the caller.
template <Monoid M>
void Fiba<M>::repair_left(std::uint32_t from) {
    for (std::uint32_t level = from; level > 0; --level) {
        const Inner node = inner(left_[level]);
        settle(node, level);
        if (level == height_) {
            inner_ = fold(node, 1, node.last());
            continue;
        }
        left_aggregate_[level] = fold(node, 1, node.arity());
        if (level + 1 < height_) append_to(left_aggregate_[level], left_aggregate_[level + 1]);
    }
}

template <Monoid M>
void Fiba<M>::repair_right(std::uint32_t from) {
    for (std::uint32_t level = from; level > 0; --level) {
        const Inner node = inner(right_[level]);
        settle(node, level);
        if (level == height_) {
            inner_ = fold(node, 1, node.last());
            continue;
        }
        Partial own = fold(node, 0, node.last());
        right_aggregate_[level] = level + 1 < height_ ? combine(right_aggregate_[level + 1], own) : std::move(own);
    }
}

template <Monoid M>
void Fiba<M>::repair_all() {
    repair_left(height_);
    if (height_ > 0) repair_right(height_ - 1);
    refresh_middle();
}

//! Takes the first child of each node for the left spine below level `from`.
template <Monoid M>
void Fiba<M>::walk_left_spine(std::uint32_t from) {
    for (std::uint32_t level = from; level > 0; --level) left_[level - 1] = inner(left_[level]).ids[0];
    set_left_leaf();
}

template <Monoid M>
void Fiba<M>::walk_right_spine(std::uint32_t from) {
    for (std::uint32_t level = from; level > 0; --level) {
        const Inner node = inner(right_[level]);
        right_[level - 1] = node.ids[node.last()];
    }
    set_right_leaf();
}

template <Monoid M>
void Fiba<M>::make_root(Id id, std::uint32_t level) {
    height_ = level;
    left_[level] = right_[level] = id;
    if (left_aggregate_.size() <= level) {
        left_aggregate_.resize(level + 1, monoid_.identity());
        right_aggregate_.resize(level + 1, monoid_.identity());
    }
}

template <Monoid M>
void Fiba<M>::clear() {
    if (size_ > 0) pool_.defer(left_[height_], height_);
    size_ = 0;
    height_ = 0;
    split_ = 0;
    left_leaf_ = right_leaf_ = Leaf{};
    back_ = middle_ = inner_ = monoid_.identity();
    forget_last();
    note_changed();
    hands_.clear();
    last_hand_ = 0;
    stale_ = false;
}

//! Every aggregate from the entries up: after a combine has failed.
template <Monoid M>
void Fiba<M>::rebuild_aggregates() {
    stale_ = false;
    if (size_ == 0) return;
    rebuild_below(left_[height_], height_);
    repair_all();
    if (height_ > 0) refresh_left_leaf();
    refresh_right_leaf();
}

template <Monoid M>
void Fiba<M>::rebuild_below(Id id, std::uint32_t level) {
    if (level == 0) return;
    const Inner node = inner(id);
    node.touch_from(0);
    for (std::uint32_t i = 0; i < node.arity(); ++i) {
        rebuild_below(node.ids[i], level - 1);
        refresh_slot(id, level, i);
    }
}

template <Monoid M>
void Fiba<M>::shrink_to_fit() {
    ensure_fresh();
    Fiba smaller(monoid_, {min_arity_, leaf_max()});
    for_each([&](Time time, const Partial& partial) { smaller.insert(time, partial); });
    swap(smaller);
}

}  // namespace sash
