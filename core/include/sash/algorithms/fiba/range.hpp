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

    void add(const typename M::Partial& partial, std::uint64_t) { append_run(monoid, total, &partial, &partial + 1); }
    //! Those in [first, last), which is not empty.
    void add_run(const typename M::Partial* first, const typename M::Partial* last) {
        append_run(monoid, total, first, last);
    }
    void add_children(const Inner<typename M::Partial>& node, std::uint32_t from, std::uint32_t to) {
        node.for_each_run(from, to, [&](const auto* first, const auto* last) { add_run(first, last); });
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
    template <class Partial>
    void add_children(const Inner<Partial>& node, std::uint32_t from, std::uint32_t to) {
        total += node.count(from, to);
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

//! A few entries of the right leaf; or a window that slides a little ahead of its evictions, all but some of the left
//! leaf.
template <Monoid M>
auto Fiba<M>::near_suffix(Time from, Time to) const -> std::optional<Partial> {
    constexpr std::uint32_t kFew = 5;
    if (size_ == 0 || to < youngest_ || from > youngest_) return std::nullopt;
    if (const std::uint32_t end = right_leaf_.end();
        right_leaf_.size() > kFew && right_leaf_.times[end - kFew - 1] < from) {
        std::uint32_t at = end - kFew;
        while (right_leaf_.times[at] < from) ++at;
        std::optional<Partial> total;
        // Not by fold(), which keeps what a combine throws for later.
        fiba::append_run(monoid_, total, right_leaf_.partials + at, right_leaf_.partials + end);
        return total;
    }
    if (left_leaf_.begin() == split_) return std::nullopt;
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

//! Only the first and the last child in the range can be cut by it or lie on a spine. A range that begins or ends where
//! a child does cuts nothing there.
template <Monoid M>
template <class Visitor>
void Fiba<M>::visit_below(Id id, std::uint32_t level, Range range, Visitor& visitor) const {
    if (level == 0) return visit_leaf(id, range, visitor);
    const Inner node = inner(id);
    const std::uint32_t first = range.from_open ? 0 : node.child_of(range.from);
    const std::uint32_t last = range.to_open ? node.last() : node.child_of(range.to);
    range.from_open |= first > 0 && node.keys[first] == range.from;
    range.to_open |= last < node.last() && node.keys[last + 1] - 1 == range.to;
    const auto whole = [&](std::uint32_t child) {
        return (child > first || range.from_open) && (child < last || range.to_open) &&
               !on_spine(node.ids[child], level - 1);
    };
    const std::uint32_t from = whole(first) ? first : first + 1;
    const std::uint32_t to = whole(last) ? last + 1 : last;
    if (from > first)
        visit_below(node.ids[first], level - 1, {range.from, range.to, range.from_open, range.to_open || first < last},
                    visitor);
    if (from < to) visitor.add_children(node, from, to);
    if (to == last && last > first)
        visit_below(node.ids[last], level - 1, {range.from, range.to, true, range.to_open}, visitor);
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
    if constexpr (Visitor::combines) {
        for_each_run(node, first, last, [&](const auto* from, const auto* to) { visitor.add_run(from, to); });
    } else {
        visitor.add(node.partials[first], last - first);
    }
}

}  // namespace sash
