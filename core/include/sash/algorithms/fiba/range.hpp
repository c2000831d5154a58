//! Range queries: down from the lowest node that covers the range, along its two edges.
#pragma once

#include <algorithm>
#include <optional>

#include "sash/algorithms/fiba/bulk_insert.hpp"

namespace sash {

namespace fiba {

//! Combines what it is shown, oldest first.
template <class M>
struct Combiner {
    const M& monoid;
    std::optional<typename M::Partial> total;

    void add(const typename M::Partial& partial, std::uint64_t) {
        if (total) {
            append(monoid, *total, partial);
        } else {
            total = partial;
        }
    }
};

//! Counts the entries it is shown.
struct Counter {
    std::uint64_t total = 0;
    template <class Partial>
    void add(const Partial&, std::uint64_t entries) {
        total += entries;
    }
};

}  // namespace fiba

template <Monoid M>
auto Fiba<M>::query(Time from, Time to) const -> Partial {
    ensure_fresh();
    if (const std::optional<Partial> suffix = near_suffix(from, to)) return *suffix;
    fiba::Combiner<M> combiner{monoid_, {}};
    visit_range(from, to, combiner);
    return combiner.total ? std::move(*combiner.total) : monoid_.identity();
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
void Fiba<M>::visit_range(Time from, Time to, Visitor& visitor) const {
    if (size_ == 0 || from > to || from > youngest_ || to < oldest()) return;
    from = std::max(from, oldest());
    to = std::min(to, youngest_);
    const Path path = common_path(from, to);
    const bool all_before = path.side != Side::right && from == oldest();
    const bool all_after = path.side != Side::left && to == youngest_;
    visit_below(path.id[path.join], path.join, {from, to, all_before, all_after}, visitor);
}

template <Monoid M>
template <class Visitor>
void Fiba<M>::visit_below(Id id, std::uint32_t level, Range range, Visitor& visitor) const {
    if (level == 0) return visit_leaf(id, range, visitor);
    const Inner node = inner(id);
    const std::uint32_t first = range.from_open ? 0 : node.child_of(range.from);
    const std::uint32_t last = range.to_open ? node.last() : node.child_of(range.to);
    for (std::uint32_t i = first; i <= last; ++i) {
        const Range part{range.from, range.to, range.from_open || i > first, range.to_open || i < last};
        if (part.from_open && part.to_open && !on_spine(node.ids[i], level - 1)) {
            visitor.add(node.aggregates[i], node.counts[i]);
        } else {
            visit_below(node.ids[i], level - 1, part, visitor);
        }
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
    for (std::uint32_t i = first; i < last; ++i) visitor.add(node.partials[i], 1);
}

}  // namespace sash
