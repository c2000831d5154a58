//! Range queries: down from the lowest node that covers the range, along its two edges.
#pragma once

#include <algorithm>
#include <optional>

#include "sash/algorithms/fiba/bulk_insert.hpp"

namespace sash {

namespace fiba {

//! The total, if there is one, and what lies in [first, last), which is not empty. Whether there is a total is asked
//! once, before the loop, and not for the sake of speed: g++ 12 at -O3 splits a loop that asks in every round
//! (-fsplit-loops), then keeps the total in registers, and yet reads it from memory where a combine returns one of its
//! operands by `a > b ? a : b`. Well defined, and compiled wrongly; see fiba_optimized_test.cpp.
template <class M>
void append_run(const M& monoid, std::optional<typename M::Partial>& total, const typename M::Partial* first,
                const typename M::Partial* last) {
    if (!total) total = *first++;
    for (; first != last; ++first) append(monoid, *total, *first);
}

//! Combines what it is shown, oldest first.
template <class M>
struct Combiner {
    static constexpr bool combines = true;
    const M& monoid;
    std::optional<typename M::Partial> total;

    void add(const typename M::Partial& partial, std::uint64_t) {
        if (total) {
            append(monoid, *total, partial);
        } else {
            total = partial;
        }
    }

    //! Those in [first, last), which is not empty.
    template <class Entries>
    void add_run(const typename M::Partial* first, const typename M::Partial* last, Entries) {
        append_run(monoid, total, first, last);
    }
};

//! Counts the entries it is shown.
struct Counter {
    static constexpr bool combines = false;
    std::uint64_t total = 0;
    template <class Partial>
    void add(const Partial&, std::uint64_t entries) {
        total += entries;
    }
    //! `entries()` is how many there are below all of them.
    template <class Partial, class Entries>
    void add_run(const Partial*, const Partial*, Entries entries) {
        total += entries();
    }
};

}  // namespace fiba

//! The combination of [from, to], or nothing where there is nothing between.
template <Monoid M>
auto Fiba<M>::fold_range(Time from, Time to) const -> std::optional<Partial> {
    fiba::Combiner<M> combiner{monoid_, {}};
    visit_range(from, to, combiner);
    return std::move(combiner.total);
}

//! A window that slides a little ahead of its evictions: all but some of the left leaf.
template <Monoid M>
auto Fiba<M>::near_suffix(Time from, Time to) const -> std::optional<Partial> {
    if (size_ == 0 || to < youngest_ || left_leaf_.begin() == split_) return std::nullopt;
    if (from <= left_leaf_.times[split_ - 1])
        return query_from(std::max(left_leaf_.begin(), left_leaf_.lower_bound(from)));
    if (height_ == 0 || from > inner(left_[1]).keys[1]) return std::nullopt;
    return monoid_.combine(middle_, back_);
}

template <Monoid M>
std::size_t Fiba<M>::count(Time from, Time to) const {
    fiba::Counter counter;
    visit_range(from, to, counter);
    return counter.total;
}

template <Monoid M>
template <class Visitor>
void Fiba<M>::visit(Time from, Time to, Visitor& visitor) const {
    ensure_fresh();
    visit_range(from, to, visitor);
}

template <Monoid M>
template <class Visitor>
void Fiba<M>::visit_range(Time from, Time to, Visitor& visitor) const {
    if (size_ == 0 || from > to || from > youngest_ || to < oldest()) return;
    from = std::max(from, oldest());
    to = std::min(to, youngest_);
    const Path path = common_path(from, to);
    const bool all_before = path.side != Side::right && from == oldest();
    const bool all_after = path.side != Side::left && to == youngest_;
    visit_below(path.id[path.join], path.join, {from, to, all_before, all_after}, visitor);
}

//! Only the first and the last child in the range can be cut by it or lie on a spine; those between are one run. A
//! range that begins or ends where a child does cuts nothing there.
template <Monoid M>
template <class Visitor>
void Fiba<M>::visit_below(Id id, std::uint32_t level, Range range, Visitor& visitor) const {
    if (level == 0) return visit_leaf(id, range, visitor);
    const Inner node = inner(id);
    const std::uint32_t first = range.from_open ? 0 : node.child_of(range.from);
    const std::uint32_t last = range.to_open ? node.last() : node.child_of(range.to);
    range.from_open |= first > 0 && node.keys[first] == range.from;
    range.to_open |= last < node.last() && node.keys[last + 1] - 1 == range.to;
    visit_child(node, first, level, {range.from, range.to, range.from_open, range.to_open || first < last}, visitor);
    if (last > first + 1)
        visitor.add_run(node.aggregates + first + 1, node.aggregates + last,
                        [&] { return node.count(first + 1, last); });
    if (last > first) visit_child(node, last, level, {range.from, range.to, true, range.to_open}, visitor);
}

template <Monoid M>
template <class Visitor>
void Fiba<M>::visit_child(const Inner& node, std::uint32_t child, std::uint32_t level, Range range,
                          Visitor& visitor) const {
    if (range.from_open && range.to_open && !on_spine(node.ids[child], level - 1)) {
        visitor.add(node.aggregates[child], node.counts[child]);
    } else {
        visit_below(node.ids[child], level - 1, range, visitor);
    }
}

//! A finger's whole leaf is answered by what the finger keeps.
template <Monoid M>
template <class Visitor>
void Fiba<M>::visit_leaf(Id id, Range range, Visitor& visitor) const {
    const Leaf node = leaf(id);
    const std::uint32_t first = range.from_open ? node.begin() : node.lower_bound(range.from);
    std::uint32_t last = node.end();
    if (!range.to_open && range.to != kLatest) last = node.lower_bound(range.to + 1);
    if (first >= last) return;
    if (height_ > 0 && id == left_[0] && last == node.end()) return visitor.add(suffix_[first], last - first);
    if (height_ > 0 && id == right_[0] && first == node.begin() && last == node.end())
        return visitor.add(back_, last - first);
    visit_run(node, first, last, visitor);
}

//! Entries [first, last) of a leaf, whole groups of them at once.
template <Monoid M>
template <class Visitor>
void Fiba<M>::visit_run(const Leaf& node, std::uint32_t first, std::uint32_t last, Visitor& visitor) const {
    const auto add = [&](const Partial* partials, std::uint32_t from, std::uint32_t to) {
        if (from < to) visitor.add_run(partials + from, partials + to, [&] { return to - from; });
    };
    const std::uint32_t from = (first + fiba::kGroup - 1) / fiba::kGroup;
    const std::uint32_t to = last / fiba::kGroup;
    if (!Visitor::combines || !pool_.grouped() || from >= to) return add(node.partials, first, last);
    add(node.partials, first, from * fiba::kGroup);
    add(known_groups(node, from, to), from, to);
    add(node.partials, to * fiba::kGroup, last);
}

//! The aggregates of a leaf's groups, those in [from, to) made if they were not.
template <Monoid M>
auto Fiba<M>::known_groups(const Leaf& node, std::uint32_t from, std::uint32_t to) const -> const Partial* {
    Partial* const groups = pool_.groups(node);
    for (std::uint32_t i = from; i < to; ++i) {
        if ((node.known() >> i & 1) != 0) continue;
        groups[i] = fold(node, i * fiba::kGroup, (i + 1) * fiba::kGroup);
        node.known() |= std::uint64_t{1} << i;
    }
    return groups;
}

}  // namespace sash
