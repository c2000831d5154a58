//! Search from the nearer finger: up both spines in step, then down.
#pragma once

#include "sash/algorithms/fiba/undo.hpp"

namespace sash {

//! The way to the leaf where `time` belongs. O(log d): a spine node at level k has a sibling subtree of height k - 1
//! between itself and the end, so k grows with the logarithm of the distance to the nearer end.
template <Monoid M>
void Fiba<M>::search(Time time, Path& path) const {
    path.low = kEarliest;
    path.high = kLatest;
    for (std::uint32_t level = 0; level < height_; ++level) {
        const Inner right = inner(right_[level + 1]);
        if (time >= right.keys[right.last()]) {
            path.side = Side::right;
            path.low = right.keys[right.last()];
            path.id[level] = right_[level];
            return descend(path, level, time);
        }
        const Inner left = inner(left_[level + 1]);
        if (time < left.keys[1]) {
            path.side = Side::left;
            path.high = left.keys[1];
            path.id[level] = left_[level];
            return descend(path, level, time);
        }
    }
    path.side = Side::root;
    path.id[height_] = left_[height_];
    descend(path, height_, time);
}

template <Monoid M>
auto Fiba<M>::search(Time time) const -> Path {
    Path path;
    search(time, path);
    return path;
}

template <Monoid M>
auto Fiba<M>::find(Time time) const -> const Partial* {
    if (size_ == 0 || time < oldest() || time > youngest_) return nullptr;
    const Leaf node = leaf(search(time).id[0]);
    const std::uint32_t at = node.lower_bound(time);
    return at < node.end() && node.times[at] == time ? node.partials + at : nullptr;
}

template <Monoid M>
auto Fiba<M>::search_from_last(Time time) -> const Path& {
    if (time < last_low_ || time >= last_high_) {
        search(time, last_);
        last_at_ = 0;
        last_low_ = last_.low;
        last_high_ = last_.high;
    }
    return last_;
}

template <Monoid M>
void Fiba<M>::descend(Path& path, std::uint32_t from, Time time) const {
    path.join = from;
    for (std::uint32_t level = from; level > 0; --level) {
        const Inner node = inner(path.id[level]);
        const std::uint32_t index = node.child_of(time);
        if (index > 0) path.low = node.keys[index];
        if (index < node.last()) path.high = node.keys[index + 1];
        path.index[level - 1] = index;
        path.id[level - 1] = node.ids[index];
        // What the search will read and the way back up will change: asked for now, it comes while the search goes on.
        level == 1 ? pool_.prefetch_leaf(node.ids[index]) : pool_.prefetch_inner(node.ids[index]);
        __builtin_prefetch(node.aggregates + index);
        __builtin_prefetch(node.counts + index);
        __builtin_prefetch(node.groups + node.group_of(index));
    }
}

//! Lengthens the way by one step along its spine: to the parent of id[level], which is on the spine. The parent is
//! about to be changed.
template <Monoid M>
void Fiba<M>::extend(Path& path, std::uint32_t level) {
    if (level < path.join) return;
    const bool left = path.side == Side::left;
    path.id[level + 1] = left ? left_[level + 1] : right_[level + 1];
    path.index[level] = left ? 0 : inner(path.id[level + 1]).last();
    keep_inner(path.id[level + 1]);
}

}  // namespace sash
