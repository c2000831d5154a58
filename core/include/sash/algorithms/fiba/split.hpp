//! Splits: a full leaf or node makes room for its neighbours, level by level, up to a new root.
#pragma once

#include "sash/algorithms/fiba/search.hpp"
#include "sash/algorithms/fiba/spines.hpp"

namespace sash {

//! Splits the full leaf at the end of `path` and puts the new entry into the half where it belongs.
template <Monoid M>
void Fiba<M>::split_leaf(Path& path, std::uint32_t at, Time time, Partial partial) {
    forget_last();
    note_changed();
    const Id id = path.id[0];
    if (id == left_[0] && at == leaf(id).begin()) return prepend_leaf(path, time, std::move(partial));
    const Id fresh = new_leaf();
    share_out(id, fresh, at, time, std::move(partial));
    const Sprout sprout{leaf(fresh).times[0], fresh};
    const std::uint32_t old_height = height_;
    const bool was_left = id == left_[0];
    const bool was_right = id == right_[0];
    std::uint32_t top = 1;
    if (height_ == 0) {
        raise_root(id, sprout, 0);
    } else {
        extend(path, 0);
        if (was_right) right_[0] = fresh;
        Inner parent = inner(path.id[1]);
        parent.insert(path.index[0] + 1, sprout.key, fresh, monoid_.identity(), 0);
        refresh_slot(path.id[1], 1, path.index[0]);
        refresh_slot(path.id[1], 1, path.index[0] + 1);
        top = overflow(path, 1, Growth::inside);
    }
    if (was_left) {
        set_left_leaf();
        refresh_left_leaf();
    }
    if (was_right) {
        set_right_leaf();
        refresh_right_leaf();
    }
    finish(path, top, old_height);
}

//! An entry older than all before a full left leaf begins a leaf of its own, filled from the back.
template <Monoid M>
void Fiba<M>::prepend_leaf(Path& path, Time time, Partial partial) {
    const Id fresh = new_leaf();
    const Id second = left_[0];
    const Time key = leaf(second).times[leaf(second).begin()];
    const std::uint32_t old_height = height_;
    const std::uint32_t at = leaf_max() - 1;
    *leaf(fresh).extent = {at, at + 1};
    leaf(fresh).times[at] = time;
    leaf(fresh).partials[at] = std::move(partial);
    left_[0] = fresh;
    set_left_leaf();
    std::uint32_t top = 1;
    if (height_ == 0) {
        raise_root(fresh, {key, second}, 0);
        set_right_leaf();
        refresh_right_leaf();
    } else {
        extend(path, 0);
        Inner parent = inner(path.id[1]);
        parent.keys[0] = key;
        parent.insert(0, kEarliest, fresh, monoid_.identity(), 0);
        refresh_slot(path.id[1], 1, 1);
        top = overflow(path, 1, Growth::front);
    }
    refresh_left_leaf();
    finish(path, top, old_height);
}

//! Moves the younger part of leaf `from` to the empty leaf `to` and inserts the entry. Appending at the end leaves the
//! elder three quarters full; so inserts at one hot place fill their leaves.
template <Monoid M>
void Fiba<M>::share_out(Id from, Id to, std::uint32_t at, Time time, Partial partial) {
    Leaf elder = leaf(from);
    Leaf younger = leaf(to);
    const std::uint32_t keep = at == leaf_max() ? leaf_max() - leaf_min() : leaf_max() / 2;
    younger.take(elder, keep, leaf_max() - keep);
    elder.cut(keep);
    if (at <= keep) {
        elder.insert(at, leaf_max(), time, std::move(partial));
    } else {
        younger.insert(at - keep, leaf_max(), time, std::move(partial));
    }
}

//! Moves the children from `keep` on into a node of their own.
template <Monoid M>
auto Fiba<M>::split_inner(Id id, std::uint32_t level, std::uint32_t keep) -> Sprout {
    const Id fresh = new_inner();
    Inner elder = inner(id);
    Inner younger = inner(fresh);
    younger.take(elder, keep, elder.arity() - keep, 0);
    if (right_[level] == id) right_[level] = fresh;
    return {younger.keys[0], fresh};
}

//! A node that grows at the end of a spine leaves a nearly full one behind; elsewhere both halves are alike.
template <Monoid M>
std::uint32_t Fiba<M>::kept_by_split(Growth growth) const {
    if (growth == Growth::front) return 2;
    return growth == Growth::back ? max_arity() - 1 : min_arity_;
}

//! A new root above the old one and its sprout; `level` is theirs.
template <Monoid M>
void Fiba<M>::raise_root(Id first, Sprout second, std::uint32_t level) {
    const Id root = new_inner();
    Inner node = inner(root);
    node.insert(0, kEarliest, first, monoid_.identity(), 0);
    node.insert(1, second.key, second.id, monoid_.identity(), 0);
    left_[level] = first;
    right_[level] = second.id;
    make_root(root, level + 1);
}

//! Splits upward from `level` as long as a node has too many children; gives the level where it ended.
template <Monoid M>
std::uint32_t Fiba<M>::overflow(Path& path, std::uint32_t level, Growth growth) {
    while (inner(path.id[level]).arity() > max_arity()) {
        const Id id = path.id[level];
        const Sprout sprout = split_inner(id, level, kept_by_split(growth));
        if (level == height_) {
            raise_root(id, sprout, level);
            return level + 1;
        }
        extend(path, level);
        Inner parent = inner(path.id[level + 1]);
        parent.insert(path.index[level] + 1, sprout.key, sprout.id, monoid_.identity(), 0);
        refresh_slot(path.id[level + 1], level + 1, path.index[level]);
        refresh_slot(path.id[level + 1], level + 1, path.index[level] + 1);
        ++level;
    }
    return level;
}

//! Repairs what lies above a change of structure that ended at level `top`.
template <Monoid M>
void Fiba<M>::finish(const Path& path, std::uint32_t top, std::uint32_t old_height) {
    if (height_ != old_height || top >= height_) return repair_all();
    if (top < path.join) refresh_path(path, top + 1, path.join);
    if (path.side == Side::root) return refresh_root();
    const std::uint32_t from = std::max(top, path.join);
    path.side == Side::left ? repair_left(from) : repair_right(from);
    refresh_middle();
}

}  // namespace sash
