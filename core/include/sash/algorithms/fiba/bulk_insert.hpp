//! Bulk insertion: one walk down to all the places, one shared pass up.
#pragma once

#include <algorithm>

#include "sash/algorithms/fiba/bulk_leaves.hpp"
#include "sash/stamps.hpp"

namespace sash {

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
    settle(right_leaf_, Fill::going_on);
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
    size_ += insert_below(path.id[path.join], path.join, batch, sprouts);
    const std::uint32_t top = plant(path, sprouts);
    set_right_leaf();
    note_changes(path, top, old_height);
}

//! Hangs what the topmost node could not hold into its parents; gives the highest level changed.
template <Monoid M>
std::uint32_t Fiba<M>::plant(Path& path, std::vector<Sprout>& sprouts) {
    std::uint32_t level = path.join;
    for (; !sprouts.empty(); ++level) {
        const bool raise = level == height_;
        if (raise) {
            const Id last = right_[level];
            raise_root(path.id[level], sprouts.front(), level);
            right_[level] = last;
            path.id[level + 1] = left_[level + 1];
            path.index[level] = 0;
        } else {
            extend(path, level);
        }
        const std::uint32_t elder = raise ? 1 : path.index[level];
        refresh_slot(path.id[level + 1], level + 1, elder);
        std::vector<Growing> growing;
        for (std::size_t i = raise ? 1 : 0; i < sprouts.size(); ++i) growing.push_back({elder, sprouts[i]});
        sprouts.clear();
        regrow(path.id[level + 1], level + 1, growing, sprouts);
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

//! Level by level: down to the leaves, then back up, so that the cache misses of a level overlap. Gives the number of
//! new times.
template <Monoid M>
std::uint64_t Fiba<M>::insert_below(Id id, std::uint32_t level, Batch batch, std::vector<Sprout>& sprouts) {
    std::vector<Visit> visits;
    visits.reserve(2 * batch.size());
    std::byte* const block = level == 0 ? pool_.leaf_block(id) : pool_.inner_block(id);
    visits.push_back({.block = block, .id = id, .index = 0, .from = 0, .to = batch.size()});
    std::array<std::size_t, kMaxHeight> begin{};
    for (std::uint32_t k = level; k > 0; --k) {
        begin[k - 1] = visits.size();
        for (std::size_t i = begin[k]; i < begin[k - 1]; ++i) visit_children(visits, i, k, batch);
    }
    std::vector<Growing> growing;
    const std::span leaves = std::span(visits).subspan(begin[0]);
    for (std::size_t i = 0; i < std::min(kAhead, leaves.size()); ++i) find_place(leaves[i], batch);
    if (level == 0) insert_into_leaf(leaves[0], 0, batch, growing);
    for (std::uint32_t k = 1; k <= level; ++k) {
        const std::span nodes = std::span(visits).subspan(begin[k], begin[k - 1] - begin[k]);
        note_below(nodes, k, std::span(visits).subspan(begin[k - 1]), batch, growing);
    }
    for (const Growing& grown : growing) sprouts.push_back(grown.sprout);
    return visits.front().added;
}

//! Hands each child its part of what goes to a node, and asks for what the way on and back will read.
template <Monoid M>
void Fiba<M>::visit_children(std::vector<Visit>& visits, std::size_t at, std::uint32_t level, Batch batch) {
    const Inner node = pool_.inner(visits[at].block);
    keep_inner(visits[at].id);
    const std::size_t to = visits[at].to;
    for (std::size_t next = visits[at].from; next < to; ++visits[at].children) {
        const std::uint32_t index = node.child_of(batch.times[next]);
        const std::size_t from = next++;
        if (index == node.last()) {
            next = to;
        } else if (next < to && batch.times[next] < node.keys[index + 1]) {
            const auto rest = batch.times.subspan(next, to - next);
            next += static_cast<std::size_t>(std::ranges::lower_bound(rest, node.keys[index + 1]) - rest.begin());
        }
        const Id id = node.ids[index];
        std::byte* const block = level > 1 ? pool_.inner_block(id) : pool_.leaf_block(id);
        visits.push_back({.block = block, .id = id, .index = index, .from = from, .to = next});
        if (level > 1) pool_.prefetch_inner(block);
        __builtin_prefetch(node.aggregates + index);
        __builtin_prefetch(node.counts + index);
        __builtin_prefetch(node.groups + node.group_of(index));
    }
}

//! Notes in the nodes of a level what happened to their children, then makes room for what grew out of these. Leaves
//! take their entries now, when their parents are at hand.
template <Monoid M>
void Fiba<M>::note_below(std::span<Visit> nodes, std::uint32_t level, std::span<Visit> children, Batch batch,
                         std::vector<Growing>& growing) {
    std::vector<Growing> grown, own;
    std::vector<Sprout> sprouts;
    std::uint32_t number = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Visit& visit = nodes[i];
        const Inner node = pool_.inner(visit.block);
        bool touched = false;
        for (std::uint32_t k = 0; k < visit.children; ++k, ++number) {
            Visit& child = children[number];
            if (level == 1) {
                if (number + 2 * kAhead < children.size()) pool_.prefetch_times(children[number + 2 * kAhead].block);
                if (number + kAhead < children.size()) find_place(children[number + kAhead], batch);
                insert_into_leaf(child, number, batch, growing);
            }
            note_child(visit, node, level, child, k == 0);
            touched |= child.regrown;
            for (; next < growing.size() && growing[next].index == number; ++next)
                own.push_back({child.index, growing[next].sprout});
        }
        if (!touched) continue;
        regrow(visit.id, level, own, sprouts);
        visit.regrown = !sprouts.empty();
        if (!visit.regrown) settle(inner(visit.id), level);
        own.clear();
        for (const Sprout& sprout : sprouts) grown.push_back({static_cast<std::uint32_t>(i), sprout});
        sprouts.clear();
    }
    growing.swap(grown);
}

//! What a parent keeps for a child after its part of a batch. A commutative aggregate just takes the part in.
template <Monoid M>
void Fiba<M>::note_child(Visit& parent, const Inner& node, std::uint32_t level, const Visit& child, bool first) {
    parent.added += child.added;
    if (!M::commutative) return refresh_slot(parent.id, level, child.index);
    if (first) {
        parent.delta = child.delta;
    } else {
        append_to(parent.delta, child.delta);
    }
    if (child.regrown) return refresh_slot(parent.id, level, child.index);
    if (on_spine(child.id, level - 1)) return;
    add_to_slot(node, child.index, child.delta, child.added);
}

//! Hangs sprouts behind their elders. A node that cannot hold them is spread.
template <Monoid M>
[[gnu::cold]] void Fiba<M>::regrow(Id id, std::uint32_t level, const std::vector<Growing>& growing,
                                   std::vector<Sprout>& sprouts) {
    Inner node = inner(id);
    if (node.arity() + growing.size() > max_arity()) return spread(id, level, growing, sprouts);
    std::uint32_t at = 0;
    for (const auto& [index, sprout] : growing) {
        node.insert(index + ++at, sprout.key, sprout.id, monoid_.identity(), 0);
        refresh_slot(id, level, index + at);
    }
}

//! Spreads the children of a node and the sprouts behind them evenly over as few nodes as can hold them; the new ones
//! are sprouts in their turn.
template <Monoid M>
void Fiba<M>::spread(Id id, std::uint32_t level, const std::vector<Growing>& growing, std::vector<Sprout>& sprouts) {
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
        filled.clear();
        for (std::size_t i = from; i < total * (k + 1) / nodes; ++i)
            filled.insert(filled.arity(), children[i].key, children[i].id, std::move(kept[i].first), kept[i].second);
        if (k > 0) sprouts.push_back({children[from].key, target});
    }
    if (was_right && nodes > 1) right_[level] = sprouts.back().id;
}

}  // namespace sash
