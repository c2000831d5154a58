//! Single evictions: the oldest is an index bump; any other time a search, an erase and the repair of one path.
#pragma once

#include "sash/algorithms/fiba/search.hpp"
#include "sash/algorithms/fiba/spines.hpp"
#include "sash/algorithms/fiba/split.hpp"

namespace sash {

template <Monoid M>
void Fiba<M>::evict() {
    if (size_ == 1) return clear();
    if (height_ == 0) {
        evict_from_single();
    } else {
        const std::uint32_t at = left_leaf_.extent->begin++;
        left_leaf_.release(at, at + 1);
        --size_;
        if (left_leaf_.size() == 0) [[unlikely]]
            advance_left();
    }
    settle_failure();
}

//! A Two-Stacks in one leaf: an empty front part takes over the whole leaf.
template <Monoid M>
void Fiba<M>::evict_from_single() {
    if (left_leaf_.begin() == split_) {
        refresh_left_leaf();
        back_ = monoid_.identity();
    }
    const std::uint32_t at = left_leaf_.extent->begin++;
    left_leaf_.release(at, at + 1);
    --size_;
    if (left_leaf_.begin() == split_ && split_ == left_leaf_.end()) refresh_right_leaf();
}

//! The left leaf is used up: the next one becomes the finger.
template <Monoid M>
void Fiba<M>::advance_left() {
    forget_last();
    Path path;
    path.side = Side::left;
    path.join = 0;
    path.id[0] = left_[0];
    extend(path, 0);
    const std::uint32_t old_height = height_;
    const std::uint32_t top = drop_leaf(path);
    if (height_ == 0) return settle_as_single();
    walk_left_spine(std::min(top, height_));
    pool_.prefetch_leaf(inner(left_[1]).ids[1]);
    refresh_left_leaf();
    finish(path, top, old_height);
}

//! What is left is one leaf, the right finger's: its total is the whole result.
template <Monoid M>
void Fiba<M>::settle_as_single() {
    left_[0] = right_[0];
    set_left_leaf();
    set_right_leaf();
    refresh_right_leaf();
    inner_ = middle_ = monoid_.identity();
}

template <Monoid M>
bool Fiba<M>::evict(Time time) {
    if (size_ == 0 || time < oldest() || time > youngest_) return false;
    if (time == oldest()) {
        evict();
        return true;
    }
    Path path = search(time);
    const Leaf node = leaf(path.id[0]);
    const std::uint32_t at = node.lower_bound(time);
    if (at == node.end() || node.times[at] != time) return false;
    erase_entry(path, at);
    settle_failure();
    return true;
}

template <Monoid M>
void Fiba<M>::erase_entry(Path& path, std::uint32_t at) {
    note_changed();
    leaf(path.id[0]).erase(at);
    --size_;
    if (height_ == 0) {
        youngest_ = right_leaf_.times[right_leaf_.end() - 1];
        return refresh_right_leaf();
    }
    const std::uint32_t old_height = height_;
    const std::uint32_t top = fix_leaf(path);
    if (height_ == 0) {
        settle_as_single();
    } else if (top == 0) {
        if (path.id[0] == left_[0]) refresh_left_leaf();
        if (path.id[0] == right_[0]) refresh_right_leaf();
        if (path.join > 0) finish(path, 0, old_height);
    } else {
        walk_left_spine(height_);
        walk_right_spine(height_);
        refresh_left_leaf();
        refresh_right_leaf();
        finish(path, top, old_height);
    }
    youngest_ = right_leaf_.times[right_leaf_.end() - 1];
}

//! Restores the least size of the leaf at the end of `path`; gives the highest level that was changed.
template <Monoid M>
std::uint32_t Fiba<M>::fix_leaf(Path& path) {
    const Leaf node = leaf(path.id[0]);
    if (node.size() > 0 && (on_spine(path.id[0], 0) || node.size() >= leaf_min())) return 0;
    forget_last();
    extend(path, 0);
    if (node.size() == 0) return drop_leaf(path);
    return join_or_share_leaves(path.id[1], path.index[0]) ? fix_inner(path, 1) : 1;
}

//! Frees the empty leaf at the end of `path`; a finger that stood on it moves to its neighbour.
template <Monoid M>
std::uint32_t Fiba<M>::drop_leaf(Path& path) {
    Inner parent = inner(path.id[1]);
    const bool was_right = path.id[0] == right_[0];
    pool_.free_leaf(path.id[0]);
    parent.erase(path.index[0]);
    if (was_right) right_[0] = parent.ids[parent.last()];
    return fix_inner(path, 1);
}

//! A node has lost a child: joins or shares with a sibling, level by level; gives the highest level that was changed.
template <Monoid M>
std::uint32_t Fiba<M>::fix_inner(Path& path, std::uint32_t level) {
    for (;; ++level) {
        const Id id = path.id[level];
        const Inner node = inner(id);
        if (level == height_) {
            if (node.arity() > 1) return level;
            const Id child = node.ids[0];
            pool_.free_inner(id);
            make_root(child, level - 1);
            return level;
        }
        if (node.arity() >= least_arity(id, level)) return level;
        extend(path, level);
        if (!join_or_share(path.id[level + 1], level, path.index[level])) return level + 1;
    }
}

//! Joins the child at `index` with a sibling (true: the parent has one child less) or evens them out.
template <Monoid M>
bool Fiba<M>::join_or_share(Id parent_id, std::uint32_t level, std::uint32_t index) {
    Inner parent = inner(parent_id);
    const std::uint32_t at = index + 1 < parent.arity() ? index : index - 1;
    const Id left_id = parent.ids[at];
    const Id right_id = parent.ids[at + 1];
    Inner left = inner(left_id);
    Inner right = inner(right_id);
    right.keys[0] = parent.keys[at + 1];
    const std::uint32_t total = left.arity() + right.arity();
    const bool join = total <= max_arity();
    if (join) {
        left.take(right, 0, right.arity(), left.arity());
        parent.erase(at + 1);
        if (right_[level] == right_id) right_[level] = left_id;
        pool_.free_inner(right_id);
    } else {
        const std::uint32_t share = total / 2;
        if (left.arity() < share) {
            left.take(right, 0, share - left.arity(), left.arity());
        } else {
            right.take(left, share, left.arity() - share, 0);
        }
        parent.keys[at + 1] = right.keys[0];
        refresh_slot(parent_id, level + 1, at + 1);
    }
    refresh_slot(parent_id, level + 1, at);
    return join;
}

template <Monoid M>
bool Fiba<M>::join_or_share_leaves(Id parent_id, std::uint32_t index) {
    Inner parent = inner(parent_id);
    const std::uint32_t at = index + 1 < parent.arity() ? index : index - 1;
    const Id right_id = parent.ids[at + 1];
    Leaf left = leaf(parent.ids[at]);
    Leaf right = leaf(right_id);
    const bool join = left.size() + right.size() <= leaf_max();
    if (join) {
        left.compact();
        left.take(right, right.begin(), right.size());
        parent.erase(at + 1);
        if (right_[0] == right_id) right_[0] = parent.ids[at];
        pool_.free_leaf(right_id);
    } else {
        share_leaves(left, right);
        parent.keys[at + 1] = right.times[right.begin()];
        refresh_slot(parent_id, 1, at + 1);
    }
    refresh_slot(parent_id, 1, at);
    return join;
}

//! Evens out two neighbours.
template <Monoid M>
void Fiba<M>::share_leaves(const Leaf& first, const Leaf& second) {
    Leaf left = first;
    Leaf right = second;
    const std::uint32_t share = (left.size() + right.size()) / 2;
    if (left.size() < share) {
        const std::uint32_t moved = share - left.size();
        left.compact();
        left.take(right, right.begin(), moved);
        right.release(right.begin(), right.begin() + moved);
        right.extent->begin += moved;
        return right.compact();
    }
    const std::uint32_t moved = left.size() - share;
    right.compact();
    std::copy_backward(right.times, right.times + right.size(), right.times + right.size() + moved);
    std::move_backward(right.partials, right.partials + right.size(), right.partials + right.size() + moved);
    std::copy(left.times + left.end() - moved, left.times + left.end(), right.times);
    std::move(left.partials + left.end() - moved, left.partials + left.end(), right.partials);
    right.extent->end += moved;
    right.open_groups();
    left.cut(left.end() - moved);
}

}  // namespace sash
