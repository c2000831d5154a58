//! Bulk eviction: cut along one path, put the left part off for freeing, mend the new left spine from below.
#pragma once

#include <limits>

#include "sash/algorithms/fiba/evict.hpp"
#include "sash/algorithms/fiba/search.hpp"
#include "sash/algorithms/fiba/spines.hpp"

namespace sash {

//! O(log m): the search climbs from the nearer finger to the cut, and each level of the cut costs O(1).
template <Monoid M>
void Fiba<M>::bulk_evict(Time time) {
    if (size_ == 0 || time < oldest()) return;
    if (time >= youngest_) return clear();
    forget_last();
    Path path = search(time);
    prefetch_next(path);
    Leaf cut = leaf(path.id[0]);
    const std::uint32_t at = cut.lower_bound(time + 1);
    const bool from_right = path.side == Side::right;
    if (from_right) keep_right(path);
    if (height_ == 0) {
        cut_single(at);
    } else if (path.join == 0 && at < cut.end()) {
        size_ -= at - cut.begin();
        cut.release(cut.begin(), at);
        cut.extent->begin = at;
    } else {
        if (!from_right) size_ -= count_before(path, at);
        cut_tree(path, at);
        if (from_right) size_ = count_all();
    }
    settle_failure();
}

template <Monoid M>
template <class Keep>
auto Fiba<M>::bulk_evict_held(Time time, Keep keep) -> Held {
    Held held;
    if (size_ == 0 || time < oldest()) return held;
    if (time < youngest_) {
        const Leaf cut = leaf(search(time).id[0]);
        for (std::uint32_t i = cut.begin(); i < cut.end() && cut.times[i] <= time; ++i)
            keep(cut.times[i], std::as_const(cut.partials[i]));
    }
    pool_.hold(&held);
    bulk_evict(time);
    pool_.hold(nullptr);
    return held;
}

template <Monoid M>
template <class F>
void Fiba<M>::for_each_held(const Held& held, F f) const {
    std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const fiba::Subtree& tree : held) walk_from(tree.id, tree.level, kEarliest, most, f);
}

template <Monoid M>
void Fiba<M>::release(const Held& held) {
    for (const fiba::Subtree& tree : held) pool_.defer(tree.id, tree.level);
}

//! Cuts before position `at` of the leaf at the end of `path`, which joins the left spine or the root.
template <Monoid M>
void Fiba<M>::cut_tree(const Path& path, std::uint32_t at) {
    drop_before(path);
    for (std::uint32_t level = 0; level <= path.join; ++level) left_[level] = fiba::kNone;
    Leaf cut = leaf(path.id[0]);
    cut.release(cut.begin(), at);
    cut.extent->begin = at;
    Carry carry{path.id[0], 0};
    if (cut.size() == 0) {
        pool_.free_leaf(path.id[0]);
        carry = Carry{};
    }
    const std::uint32_t old_height = height_;
    const std::uint32_t top = mend_left(path, carry);
    if (height_ == 0) return settle_as_single();
    walk_left_spine(std::min(top, height_));
    refresh_left_leaf();
    Path spine{};
    spine.side = Side::left;
    finish(spine, top, old_height);
}

//! Where the cut falls on a leaf's end, the next leaf becomes the finger.
template <Monoid M>
void Fiba<M>::prefetch_next(const Path& path) const {
    if (path.join == 0) return;
    const Inner parent = inner(path.id[1]);
    if (path.index[0] < parent.last()) pool_.prefetch_leaf(parent.ids[path.index[0] + 1]);
}

template <Monoid M>
void Fiba<M>::cut_single(std::uint32_t at) {
    left_leaf_.release(left_leaf_.begin(), at);
    left_leaf_.extent->begin = at;
    size_ = left_leaf_.size();
    if (at >= split_) refresh_right_leaf();
}

//! The cut lies below a node of the right spine: that node becomes the root, all to its left is put off.
template <Monoid M>
void Fiba<M>::keep_right(Path& path) {
    for (std::uint32_t level = height_; level > path.join; --level) {
        const Inner node = inner(right_[level]);
        for (std::uint32_t i = 0; i < node.last(); ++i) pool_.defer(node.ids[i], level - 1);
        pool_.free_inner(right_[level]);
    }
    const Id root = right_[path.join];
    make_root(root, path.join);
    walk_left_spine(path.join);
    path.side = Side::root;
    if (height_ > 0) return;
    split_ = right_leaf_.begin();
    inner_ = middle_ = monoid_.identity();
}

//! Entries below the first child of the left spine's node at `level`.
template <Monoid M>
std::uint64_t Fiba<M>::count_left_spine(std::uint32_t level) const {
    std::uint64_t total = left_leaf_.size();
    for (std::uint32_t k = 1; k < level; ++k) total += inner(left_[k]).count(1, inner(left_[k]).arity());
    return total;
}

//! All entries, counted along the spines: for a cut that kept less than it dropped.
template <Monoid M>
std::uint64_t Fiba<M>::count_all() const {
    if (height_ == 0) return left_leaf_.size();
    const Inner root = inner(left_[height_]);
    std::uint64_t total = count_left_spine(height_) + root.count(1, root.last()) + right_leaf_.size();
    for (std::uint32_t k = 1; k < height_; ++k) total += inner(right_[k]).count(0, inner(right_[k]).last());
    return total;
}

//! Entries before position `at` of the leaf at the end of `path`, which joins the left spine or the root.
template <Monoid M>
std::uint64_t Fiba<M>::count_before(const Path& path, std::uint32_t at) const {
    std::uint64_t total = at - leaf(path.id[0]).begin();
    if (path.join == 0) return total;
    for (std::uint32_t level = 1; level < path.join; ++level)
        total += inner(path.id[level]).count(0, path.index[level - 1]);
    return total + count_left_spine(path.join) + inner(path.id[path.join]).count(1, path.index[path.join - 1]);
}

//! Puts every subtree to the left of the path off.
template <Monoid M>
void Fiba<M>::drop_before(const Path& path) {
    for (std::uint32_t level = path.join; level > 0; --level) {
        const Inner node = inner(path.id[level]);
        for (std::uint32_t i = 0; i < path.index[level - 1]; ++i) pool_.defer(node.ids[i], level - 1);
    }
}

//! Mends the cut from the leaf upward. What stays at a level is kept as a node if it has at least two children;
//! otherwise its one child is carried up and hung into the nearest node to its right. Gives the highest level changed.
template <Monoid M>
std::uint32_t Fiba<M>::mend_left(const Path& path, Carry carry) {
    std::uint32_t level = 1;
    for (; level <= height_; ++level) {
        const bool beyond = level > path.join;
        const Id id = beyond ? left_[level] : path.id[level];
        if (beyond && carry.any() && carry.level == level - 1) {
            inner(id).ids[0] = carry.id;
            left_[level - 1] = carry.id;
            return level;
        }
        // A freed id may come back within this call: it must not be taken for the old spine's.
        left_[level] = fiba::kNone;
        carry = mend_level(id, level, beyond ? 0 : path.index[level - 1], carry);
        if (carry.any() && carry.level == level) left_[level] = carry.id;
    }
    make_root(carry.id, carry.level);
    return level;
}

//! Replaces the children up to `index` of a node by what is carried.
template <Monoid M>
auto Fiba<M>::mend_level(Id id, std::uint32_t level, std::uint32_t index, Carry carry) -> Carry {
    Inner node = inner(id);
    const bool fits = carry.any() && carry.level == level - 1;
    node.erase(0, fits ? index : index + 1);
    if (fits) node.ids[0] = carry.id;
    if (node.arity() == 0) {
        pool_.free_inner(id);
        return carry;
    }
    if (!fits && carry.any()) {
        attach(id, level, carry);
        node = inner(id);
    }
    if (node.arity() > 1) return {id, level};
    const Carry only{node.ids[0], level - 1};
    pool_.free_inner(id);
    return only;
}

//! Hangs a lower subtree in front of everything below a node, whose first child is higher than the subtree.
template <Monoid M>
void Fiba<M>::attach(Id id, std::uint32_t level, Carry carry) {
    std::array<Id, kMaxHeight> way;
    way[level] = id;
    for (std::uint32_t k = level; k > carry.level + 1; --k) way[k - 1] = inner(way[k]).ids[0];
    const Time key = inner(id).keys[0];
    Inner host = inner(way[carry.level + 1]);
    host.keys[0] = key;
    host.insert(0, kEarliest, carry.id, monoid_.identity(), 0);
    for (std::uint32_t k = carry.level + 1; k < level && inner(way[k]).arity() > max_arity(); ++k) {
        const Sprout sprout = split_inner(way[k], k, min_arity_);
        Inner parent = inner(way[k + 1]);
        parent.insert(1, sprout.key, sprout.id, monoid_.identity(), 0);
        refresh_slot(way[k + 1], k + 1, 1);
    }
}

}  // namespace sash
