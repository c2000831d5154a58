//! Single inserts: at the end one combine, elsewhere a search, a shift in one leaf and the repair of one path.
#pragma once

#include "sash/algorithms/fiba/search.hpp"
#include "sash/algorithms/fiba/spines.hpp"
#include "sash/algorithms/fiba/split.hpp"

namespace sash {

template <Monoid M>
void Fiba<M>::insert(Time time, Partial partial) {
    if constexpr (M::fallible) {
        insert_fallible(time, std::move(partial));
    } else {
        insert_infallible(time, std::move(partial));
    }
}

template <Monoid M>
void Fiba<M>::insert_infallible(Time time, Partial partial) {
    if (size_ == 0) return start(time, std::move(partial));
    if (time > youngest_) return append_entry(time, std::move(partial));
    insert_late(time, std::move(partial));
}

//! Behind all others the only combine comes first, so that there is nothing to undo.
template <Monoid M>
void Fiba<M>::insert_fallible(Time time, Partial partial) {
    ensure_fresh();
    if (size_ == 0 || time <= youngest_ || right_leaf_.end() == leaf_max())
        return attempt([&] { insert_infallible(time, std::move(partial)); });
    back_ = monoid_.combine(back_, partial);
    put_behind(time, std::move(partial));
}

template <Monoid M>
void Fiba<M>::load_uncombined(Time time, Partial partial) {
    if constexpr (M::fallible) stale_ = size_ > 0;
    insert_infallible(time, std::move(partial));
}

template <Monoid M>
void Fiba<M>::start(Time time, Partial partial) {
    const Id id = new_leaf();
    make_root(id, 0);
    set_left_leaf();
    set_right_leaf();
    *left_leaf_.extent = {0, 1};
    left_leaf_.times[0] = youngest_ = time;
    left_leaf_.partials[0] = partial;
    split_ = 0;
    back_ = std::move(partial);
    size_ = 1;
}

template <Monoid M>
void Fiba<M>::append_entry(Time time, Partial partial) {
    if ((right_leaf_.end() & pool_.pause()) == 0) [[unlikely]] {
        if (right_leaf_.end() == leaf_max()) return grow_right(time, std::move(partial));
        settle(right_leaf_, Fill::done);
    }
    keep_leaf(right_[0]);
    append_to(back_, partial);
    put_behind(time, std::move(partial));
}

//! Into the right leaf, which has room; its total knows the entry.
template <Monoid M>
void Fiba<M>::put_behind(Time time, Partial partial) {
    const std::uint32_t at = right_leaf_.extent->end++;
    right_leaf_.times[at] = youngest_ = time;
    right_leaf_.partials[at] = std::move(partial);
    ++size_;
}

//! The right leaf is full: a single leaf with a long dead front moves up, otherwise the next leaf begins.
template <Monoid M>
void Fiba<M>::grow_right(Time time, Partial partial) {
    if (height_ == 0 && 2 * left_leaf_.begin() >= leaf_max()) {
        const std::uint32_t dead = left_leaf_.begin();
        keep_leaf(left_[0]);
        if (split_ > dead) std::move(suffix_.begin() + dead, suffix_.begin() + split_, suffix_.begin());
        split_ -= dead;
        left_leaf_.compact();
        regroup(left_leaf_, Fill::going_on);
        note_changed();
        return append_entry(time, std::move(partial));
    }
    open_right_leaf(time);
    *right_leaf_.extent = {0, 1};
    right_leaf_.times[0] = youngest_ = time;
    right_leaf_.partials[0] = partial;
    back_ = std::move(partial);
    ++size_;
}

//! Closes the right leaf, whose total is back_, and hangs an empty one behind it.
template <Monoid M>
void Fiba<M>::open_right_leaf(Time time) {
    forget_last();
    settle(right_leaf_, Fill::done);
    const Id fresh = new_leaf();
    if (height_ == 0) {
        if (split_ != left_leaf_.end()) refresh_left_leaf();
        raise_root(left_[0], {time, fresh}, 0);
        inner_ = middle_ = monoid_.identity();
        return set_right_leaf();
    }
    keep_inner(right_[1]);
    Inner node = inner(right_[1]);
    node.aggregates[node.last()] = back_;
    node.counts[node.last()] = right_leaf_.size();
    node.touch(node.last());
    node.insert(node.arity(), time, fresh, monoid_.identity(), 0);
    append_to(height_ == 1 ? inner_ : right_aggregate_[1], back_);
    append_to(middle_, back_);
    right_[0] = fresh;
    set_right_leaf();
    if (node.arity() <= max_arity()) return settle(node, 1);
    Path path;
    path.side = Side::right;
    path.id[1] = right_[1];
    path.join = 1;
    const std::uint32_t old_height = height_;
    finish(path, overflow(path, 1, Growth::back), old_height);
}

template <Monoid M>
void Fiba<M>::insert_late(Time time, Partial partial) {
    if (time == youngest_) return combine_into_youngest(partial);
    if (height_ == 0) return insert_into_single(time, std::move(partial));
    const Path& path = search_from_last(time);
    path.join == 0 && path.side == Side::right ? note_right_changed() : note_changed();
    for (std::uint32_t level = 1; level <= path.join; ++level) keep_inner(path.id[level]);
    keep_leaf(path.id[0]);
    Leaf node = leaf(path.id[0]);
    const std::uint32_t at = node.lower_bound_near(time, last_at_);
    if (at < node.end() && node.times[at] == time) {
        Partial joined = combine(node.partials[at], partial);
        if (stale_) return;
        node.partials[at] = std::move(joined);
        note_in_group(node, at, partial, fill_of(path.id[0]));
        return note_change(path, partial, 0);
    }
    ++size_;
    if (node.size() == leaf_max()) {
        Path way = path;
        return split_leaf(way, at, time, std::move(partial));
    }
    last_at_ = node.insert(at, leaf_max(), time, partial) + 1;
    note_in_group(node, last_at_ - 1, partial, fill_of(path.id[0]));
    note_change(path, partial, 1);
}

template <Monoid M>
void Fiba<M>::combine_into_youngest(const Partial& partial) {
    keep_leaf(right_[0]);
    note_right_changed();
    Partial& entry = right_leaf_.partials[right_leaf_.end() - 1];
    Partial joined = combine(entry, partial);
    if (stale_) return;
    entry = std::move(joined);
    note_in_group(right_leaf_, right_leaf_.end() - 1, partial, Fill::going_on);
    const bool in_front = height_ == 0 && split_ == right_leaf_.end();
    in_front ? refresh_right_leaf() : append_to(back_, partial);
}

template <Monoid M>
void Fiba<M>::insert_into_single(Time time, Partial partial) {
    keep_leaf(left_[0]);
    // It may become the oldest, at or before one that a hand knew and that has left.
    note_changed();
    const std::uint32_t at = left_leaf_.lower_bound(time);
    const bool equal = at < left_leaf_.end() && left_leaf_.times[at] == time;
    if (!equal && left_leaf_.size() == leaf_max()) {
        Path path = search(time);
        ++size_;
        return split_leaf(path, at, time, std::move(partial));
    }
    const bool in_back = at >= split_;
    std::uint32_t now = at;
    if (equal) {
        Partial joined = combine(left_leaf_.partials[at], partial);
        if (stale_) return;
        left_leaf_.partials[at] = std::move(joined);
    } else {
        now = left_leaf_.insert(at, leaf_max(), time, partial);
        ++size_;
    }
    note_in_group(left_leaf_, now, partial, Fill::going_on);
    if (!in_back || now != at) return refresh_right_leaf();
    if (M::commutative) return append_to(back_, partial);
    back_ = fold(left_leaf_, split_, left_leaf_.end());
}

//! One entry of the leaf at the end of `path` is new (entries = 1) or has `partial` combined into it (0).
template <Monoid M>
void Fiba<M>::note_change(const Path& path, const Partial& partial, std::uint64_t entries) {
    if (path.join == 0) {
        if (path.side == Side::left) return refresh_left_leaf();
        if (M::commutative) return append_to(back_, partial);
        return refresh_right_leaf();
    }
    if (M::commutative && !M::fallible) return note_commutative(path, partial, entries);
    refresh_path(path, 1, path.join);
    if (path.side == Side::root) return refresh_root();
    path.side == Side::left ? repair_left(path.join) : repair_right(path.join);
    refresh_middle();
}

//! Order does not matter, so every aggregate above the entry just takes the newcomer: one combine each.
template <Monoid M>
void Fiba<M>::note_commutative(const Path& path, const Partial& partial, std::uint64_t entries) {
    for (std::uint32_t level = 1; level <= path.join; ++level) {
        add_to_slot(inner(path.id[level]), path.index[level - 1], partial, entries);
    }
    if (path.side == Side::root) {
        append_to(inner_, partial);
    } else {
        std::vector<Partial>& spine = path.side == Side::left ? left_aggregate_ : right_aggregate_;
        for (std::uint32_t level = path.join; level > 0; --level) append_to(spine[level], partial);
    }
    append_to(middle_, partial);
}

template <Monoid M>
void Fiba<M>::add_to_slot(const Inner& node, std::uint32_t index, const Partial& partial, std::uint64_t entries) {
    append_to(node.aggregates[index], partial);
    node.counts[index] += entries;
    if (node.knows(node.group_of(index))) append_to(node.groups[node.group_of(index)], partial);
}

template <Monoid M>
void Fiba<M>::refresh_path(const Path& path, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t level = from; level <= to; ++level) refresh_slot(path.id[level], level, path.index[level - 1]);
}

template <Monoid M>
void Fiba<M>::refresh_root() {
    const Inner root = inner(left_[height_]);
    settle(root, height_);
    inner_ = fold(root, 1, root.last());
    refresh_middle();
}

}  // namespace sash
