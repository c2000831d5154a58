//! Bulk insertion: one walk down to all the places, one shared pass up.
#pragma once

#include <algorithm>

#include "sash/algorithms/fiba/insert.hpp"
#include "sash/stamps.hpp"

namespace sash {

//! Entries with their times.
template <Monoid M>
struct Fiba<M>::Batch {
    std::span<const Time> times;
    std::span<Partial> partials;
    //! The end of the batch that this is a part of, and the node below which all of it goes.
    const Time* beyond = nullptr;
    fiba::Subtree top = {};

    std::size_t size() const { return times.size(); }
    Batch part(std::size_t from, std::size_t to) const {
        return {times.subspan(from, to - from), partials.subspan(from, to - from), beyond, top};
    }
};

//! A sprout and the place of its elder among the children.
template <Monoid M>
struct Fiba<M>::Growing {
    std::uint32_t index;
    Sprout sprout;
};

//! What a part of a batch did below a node.
template <Monoid M>
struct Fiba<M>::Change {
    //! The batch's own aggregate, unless regrown: what a commutative aggregate above just takes in.
    Partial delta;
    std::uint64_t added = 0;
    //! Whether a leaf below may have been split, so that aggregates are folded anew.
    bool regrown = false;
};

template <Monoid M>
void Fiba<M>::bulk_insert(std::span<const Time> times, std::span<Partial> partials) {
    if (times.empty()) return;
    const bool rising = std::adjacent_find(times.begin(), times.end(), std::greater_equal<>{}) == times.end();
    if (rising) return insert_all({times, partials});
    std::vector<Stamp> order(times.size()), spare;
    for (std::size_t i = 0; i < times.size(); ++i) order[i] = {times[i], static_cast<std::uint32_t>(i)};
    sort_stamps(order, spare);
    std::vector<Time> sorted;
    std::vector<Partial> joined;
    sorted.reserve(order.size());
    joined.reserve(order.size());
    for (const auto& [time, i] : order) {
        if (!sorted.empty() && sorted.back() == time) {
            append(monoid_, joined.back(), partials[i]);
        } else {
            sorted.push_back(time);
            joined.push_back(std::move(partials[i]));
        }
    }
    insert_all({sorted, joined});
}

template <Monoid M>
void Fiba<M>::insert_all(Batch batch) {
    if constexpr (M::fallible) {
        attempt([&] { insert_sorted(batch); });
    } else {
        insert_sorted(batch);
    }
}

//! Times rise strictly. What is late goes among the entries, the rest behind them.
template <Monoid M>
void Fiba<M>::insert_sorted(Batch batch) {
    std::size_t late = 0;
    if (size_ > 0) {
        const auto first = std::upper_bound(batch.times.begin(), batch.times.end(), youngest_);
        late = static_cast<std::size_t>(first - batch.times.begin());
    }
    if (late > 0) insert_among(batch.part(0, late));
    if (late < batch.size()) append_sorted(batch.part(late, batch.size()));
}

//! Fills leaf after leaf.
template <Monoid M>
void Fiba<M>::append_sorted(Batch batch) {
    std::size_t next = 0;
    if (size_ == 0) {
        start(batch.times[0], std::move(batch.partials[0]));
        next = 1;
    }
    keep_leaf(right_[0]);
    while (next < batch.size()) {
        const std::size_t room = leaf_max() - right_leaf_.end();
        if (room == 0) {
            grow_right(batch.times[next], std::move(batch.partials[next]));
            ++next;
            continue;
        }
        const std::size_t taken = std::min(room, batch.size() - next);
        const std::uint32_t end = right_leaf_.end();
        for (std::size_t i = 0; i < taken; ++i) append_to(back_, batch.partials[next + i]);
        std::copy_n(batch.times.begin() + next, taken, right_leaf_.times + end);
        std::move(batch.partials.begin() + next, batch.partials.begin() + next + taken, right_leaf_.partials + end);
        right_leaf_.extent->end += static_cast<std::uint32_t>(taken);
        size_ += taken;
        next += taken;
        youngest_ = batch.times[next - 1];
    }
}

//! The lowest node on a spine, or the root, that covers all times between two that are in the window's range.
template <Monoid M>
auto Fiba<M>::common_path(Time first, Time last) const -> Path {
    Path path{};
    for (std::uint32_t level = 0; level < height_; ++level) {
        const Inner right = inner(right_[level + 1]);
        const Inner left = inner(left_[level + 1]);
        path.join = level;
        if (first >= right.keys[right.last()]) {
            path.side = Side::right;
            path.id[level] = right_[level];
            return path;
        }
        if (last < left.keys[1]) {
            path.side = Side::left;
            path.id[level] = left_[level];
            return path;
        }
    }
    path.join = height_;
    path.side = Side::root;
    path.id[height_] = left_[height_];
    return path;
}

//! All times are at or before the youngest.
template <Monoid M>
void Fiba<M>::insert_among(Batch batch) {
    if (batch.size() < kWorthABatch) {
        for (std::size_t i = 0; i < batch.size(); ++i) insert_late(batch.times[i], std::move(batch.partials[i]));
        return;
    }
    forget_last();
    note_changed();
    Path path = common_path(batch.times.front(), batch.times.back());
    const std::uint32_t old_height = height_;
    std::vector<Sprout> sprouts;
    batch.beyond = batch.times.data() + batch.size();
    batch.top = {path.id[path.join], path.join};
    const Change change = insert_below(path.id[path.join], path.join, batch, sprouts);
    size_ += change.added;
    const std::uint32_t top = plant(path, sprouts);
    set_right_leaf();
    note_changes(path, top, old_height);
}

//! Hangs what the topmost node could not hold into its parents; gives the highest level changed.
template <Monoid M>
std::uint32_t Fiba<M>::plant(Path& path, std::vector<Sprout>& sprouts) {
    std::uint32_t level = path.join;
    while (!sprouts.empty()) {
        if (level == height_) {
            const Id old_root = path.id[level];
            const Id last = right_[level];
            raise_root(old_root, sprouts.front(), level);
            right_[level] = last;
            path.id[level + 1] = left_[level + 1];
            path.index[level] = 0;
            refresh_slot(path.id[level + 1], level + 1, 1);
            sprouts.erase(sprouts.begin());
            std::vector<Growing> growing;
            for (const Sprout& sprout : sprouts) growing.push_back({1, sprout});
            sprouts.clear();
            if (!growing.empty()) regrow(path.id[level + 1], level + 1, growing, sprouts);
        } else {
            extend(path, level);
            refresh_slot(path.id[level + 1], level + 1, path.index[level]);
            std::vector<Growing> growing;
            for (const Sprout& sprout : sprouts) growing.push_back({path.index[level], sprout});
            sprouts.clear();
            regrow(path.id[level + 1], level + 1, growing, sprouts);
        }
        ++level;
    }
    return level;
}

//! Repairs fingers and spines after a batch below the end of `path`, whose structure changed up to level `top`.
template <Monoid M>
void Fiba<M>::note_changes(const Path& path, std::uint32_t top, std::uint32_t old_height) {
    const bool raised = height_ != old_height;
    if (height_ == 0 || right_touched_) refresh_right_leaf();
    if (height_ > 0 && (left_touched_ || old_height == 0)) refresh_left_leaf();
    left_touched_ = right_touched_ = false;
    if (height_ == 0) return;
    if (raised || top >= height_) return repair_all();
    path.side == Side::left ? repair_left(top) : repair_right(top);
    refresh_middle();
}

//! Hands each child its part of the batch, then makes room for what grew out of them.
template <Monoid M>
auto Fiba<M>::insert_below(Id id, std::uint32_t level, Batch batch, std::vector<Sprout>& sprouts) -> Change {
    if (level == 0) return insert_into_leaf(id, batch, sprouts);
    Change change{monoid_.identity(), 0, false};
    std::vector<Growing> growing;
    std::vector<Sprout> below;
    keep_inner(id);
    const Inner node = inner(id);
    for (std::size_t next = 0; next < batch.size();) {
        const std::uint32_t index = node.child_of(batch.times[next]);
        const auto rest = batch.times.subspan(next);
        const auto stop =
            index < node.last() ? std::lower_bound(rest.begin(), rest.end(), node.keys[index + 1]) : rest.end();
        const std::size_t end = next + static_cast<std::size_t>(stop - rest.begin());
        below.clear();
        const Change child = insert_below(node.ids[index], level - 1, batch.part(next, end), below);
        for (const Sprout& sprout : below) growing.push_back({index, sprout});
        note_below(id, level, index, child);
        change.added += child.added;
        change.regrown |= child.regrown;
        if (M::commutative && !change.regrown) {
            if (next == 0) {
                change.delta = child.delta;
            } else {
                append_to(change.delta, child.delta);
            }
        }
        next = end;
    }
    if (!growing.empty()) regrow(id, level, growing, sprouts);
    return change;
}

//! What a parent keeps for a child after its part of a batch. A commutative aggregate just takes the part in.
template <Monoid M>
void Fiba<M>::note_below(Id id, std::uint32_t level, std::uint32_t index, const Change& change) {
    const Inner node = inner(id);
    if (!M::commutative || change.regrown) return refresh_slot(id, level, index);
    if (on_spine(node.ids[index], level - 1)) return;
    append_to(node.aggregates[index], change.delta);
    node.counts[index] += change.added;
}

template <Monoid M>
auto Fiba<M>::insert_into_leaf(Id id, Batch batch, std::vector<Sprout>& sprouts) -> Change {
    look_ahead(batch);
    keep_leaf(id);
    left_touched_ |= id == left_[0];
    right_touched_ |= id == right_[0];
    Change change{monoid_.identity(), 0, leaf(id).size() + batch.size() > leaf_max()};
    if (M::commutative && !change.regrown) {
        change.delta = batch.partials[0];
        for (std::size_t i = 1; i < batch.size(); ++i) append_to(change.delta, batch.partials[i]);
    }
    if (!change.regrown && batch.size() <= kFewInALeaf) {
        change.added = put_in_place(leaf(id), batch);
        return change;
    }
    change.added = merge_leaf(leaf(id), batch);
    if (merged_times_.size() <= leaf_max()) {
        refill_leaf(id, 0, merged_times_.size());
    } else {
        refill_leaves(id, sprouts);
    }
    return change;
}

//! Asks for the leaves that the batch comes to some entries later: their cache misses then overlap. Noting the leaf is
//! what keeps a compiler from leaving the walk out, which has no other effect that it knows of.
template <Monoid M>
void Fiba<M>::look_ahead(const Batch& batch) {
    for (const Time& time : batch.times) {
        if (batch.beyond - &time <= kAhead) return;
        Id id = batch.top.id;
        for (std::uint32_t level = batch.top.level; level > 0; --level) {
            const Inner node = inner(id);
            id = node.ids[node.child_of(*(&time + kAhead))];
        }
        pool_.prefetch_leaf(id);
        asked_for_ = id;
    }
}

//! Entry by entry into a leaf that has room; gives the number of new times.
template <Monoid M>
std::uint64_t Fiba<M>::put_in_place(Leaf node, Batch batch) {
    const std::uint32_t before = node.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::uint32_t at = node.lower_bound(batch.times[i]);
        if (at < node.end() && node.times[at] == batch.times[i]) {
            append_to(node.partials[at], batch.partials[i]);
        } else {
            node.insert(at, leaf_max(), batch.times[i], std::move(batch.partials[i]));
        }
    }
    return node.size() - before;
}

//! Merges a leaf and its part of the batch into the scratch arrays; gives the number of new times.
template <Monoid M>
std::uint64_t Fiba<M>::merge_leaf(const Leaf& node, Batch batch) {
    merged_times_.clear();
    merged_partials_.clear();
    std::uint32_t at = node.begin();
    const auto take_before = [&](Time time) {
        const std::uint32_t from = at;
        while (at < node.end() && node.times[at] < time) ++at;
        merged_times_.insert(merged_times_.end(), node.times + from, node.times + at);
        merged_partials_.insert(merged_partials_.end(), std::make_move_iterator(node.partials + from),
                                std::make_move_iterator(node.partials + at));
    };
    std::uint64_t added = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        take_before(batch.times[i]);
        const bool equal = at < node.end() && node.times[at] == batch.times[i];
        merged_times_.push_back(batch.times[i]);
        merged_partials_.push_back(equal ? combine(node.partials[at], batch.partials[i])
                                         : std::move(batch.partials[i]));
        at += equal ? 1 : 0;
        added += equal ? 0 : 1;
    }
    merged_times_.insert(merged_times_.end(), node.times + at, node.times + node.end());
    merged_partials_.insert(merged_partials_.end(), std::make_move_iterator(node.partials + at),
                            std::make_move_iterator(node.partials + node.end()));
    return added;
}

//! Spreads the scratch arrays evenly over as few leaves as can hold them.
template <Monoid M>
void Fiba<M>::refill_leaves(Id id, std::vector<Sprout>& sprouts) {
    const std::size_t total = merged_times_.size();
    const std::size_t leaves = (total + leaf_max() - 1) / leaf_max();
    const bool was_right = id == right_[0];
    for (std::size_t k = 0; k < leaves; ++k) {
        const std::size_t from = total * k / leaves;
        const Id target = k == 0 ? id : new_leaf();
        refill_leaf(target, from, total * (k + 1) / leaves);
        if (k > 0) sprouts.push_back({merged_times_[from], target});
    }
    if (was_right) right_[0] = sprouts.back().id;
}

template <Monoid M>
void Fiba<M>::refill_leaf(Id id, std::size_t from, std::size_t to) {
    Leaf node = leaf(id);
    node.release(node.begin(), node.end());
    std::copy(merged_times_.begin() + static_cast<std::ptrdiff_t>(from),
              merged_times_.begin() + static_cast<std::ptrdiff_t>(to), node.times);
    std::move(merged_partials_.begin() + static_cast<std::ptrdiff_t>(from),
              merged_partials_.begin() + static_cast<std::ptrdiff_t>(to), node.partials);
    *node.extent = {0, static_cast<std::uint32_t>(to - from)};
}

//! Hangs sprouts behind their elders. A node that cannot hold them spreads its children evenly over as few nodes as
//! can; the new ones are sprouts in their turn.
template <Monoid M>
void Fiba<M>::regrow(Id id, std::uint32_t level, const std::vector<Growing>& growing, std::vector<Sprout>& sprouts) {
    Inner node = inner(id);
    std::vector<Sprout> children;
    std::vector<std::pair<Partial, std::uint64_t>> kept;
    children.reserve(node.arity() + growing.size());
    kept.reserve(node.arity() + growing.size());
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < node.arity(); ++i) {
        children.push_back({node.keys[i], node.ids[i]});
        kept.emplace_back(std::move(node.aggregates[i]), node.counts[i]);
        for (; next < growing.size() && growing[next].index == i; ++next) {
            const Id fresh = growing[next].sprout.id;
            children.push_back(growing[next].sprout);
            const bool spine = on_spine(fresh, level - 1);
            kept.emplace_back(spine ? monoid_.identity() : fold_node(fresh, level - 1),
                              spine ? 0 : count_node(fresh, level - 1));
        }
    }
    const std::size_t total = children.size();
    const std::size_t nodes = (total + max_arity() - 1) / max_arity();
    const bool was_right = id == right_[level];
    for (std::size_t k = 0; k < nodes; ++k) {
        const std::size_t from = total * k / nodes;
        const Id target = k == 0 ? id : new_inner();
        Inner filled = inner(target);
        filled.resize(0);
        for (std::size_t i = from; i < total * (k + 1) / nodes; ++i)
            filled.insert(filled.arity(), children[i].key, children[i].id, std::move(kept[i].first), kept[i].second);
        if (k > 0) sprouts.push_back({children[from].key, target});
    }
    if (was_right && nodes > 1) right_[level] = sprouts.back().id;
}

}  // namespace sash
