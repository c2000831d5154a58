//! The queries of a paged FiBA: totals, ranges, prefixes for a slide policy, walks, and whether it is sound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sash/algorithms/mta/level.hpp"
#include "sash/store/fiba.hpp"

namespace sash::store {

template <Monoid M>
void PagedFiba<M>::add(Maybe& total, const Partial& newer) const {
    total = total ? monoid_.combine(*total, newer) : newer;
}

template <Monoid M>
auto PagedFiba<M>::query() const -> Partial {
    if (!has_cold()) return hot_.query();
    Maybe total;
    if (head_size() > 0) total = suffix_[begin_];
    if (!pages_.empty()) add(total, pages_.total());
    if (hot_.size() > 0) add(total, hot_.query());
    return *total;
}

template <Monoid M>
auto PagedFiba<M>::query(Time from, Time to) const -> Partial {
    Maybe total;
    add_run(total, head_, begin_, from, to);
    const auto whole = [&](const Info& info) { add(total, info.aggregate); };
    pages_.walk_by_digits(among(from, to, whole),
                          [&](const Info& leaf) { add_run(total, held(leaf).content, 0, from, to); });
    if (hot_.size() > 0 && from <= hot_.youngest() && to >= hot_.oldest()) add(total, hot_.query(from, to));
    return total ? *total : monoid_.identity();
}

template <Monoid M>
void PagedFiba<M>::add_run(Maybe& total, const Entries& run, std::size_t begin, Time from, Time to) const {
    const std::size_t first = std::max(begin, run.lower_bound(from));
    const std::size_t last = run.upper_bound(to);
    if (first < last) add(total, run.fold(monoid_, first, last));
}

//! How to go through pages: past those without a time in a range, into those that it cuts, and whole(info) for others.
template <Monoid M>
template <class Whole>
auto PagedFiba<M>::among(Time from, Time to, Whole whole) {
    return [=](const Info& info) {
        if (from > info.last || to < info.first) return false;
        const bool cut = from > info.first || to < info.last;
        if (!cut) whole(info);
        return cut;
    };
}

template <Monoid M>
std::size_t PagedFiba<M>::count(Time from, Time to) const {
    const auto within = [&](const Entries& run, std::size_t begin) {
        const std::size_t first = std::max(begin, run.lower_bound(from));
        return std::max(first, run.upper_bound(to)) - first;
    };
    std::size_t total = within(head_, begin_);
    pages_.walk(among(from, to, [&](const Info& info) { total += info.count; }),
                [&](const Info& leaf) { total += within(held(leaf).content, 0); });
    return total + (hot_.size() > 0 ? hot_.count(from, to) : 0);
}

//! How far the policy goes is found before anything is changed.
template <Monoid M>
template <class Policy>
void PagedFiba<M>::evict_while(Policy policy) {
    bury();
    const Partial total = query();
    const auto condemns = [&](const Partial& prefix) { return policy(total, prefix); };
    Maybe prefix;
    if (head_size() > 0 && !condemns(suffix_[begin_])) {
        begin_ += condemned_entries(head_, begin_, prefix, condemns);
        return;
    }
    if (head_size() > 0) prefix = suffix_[begin_];
    if (const Info* const cut = pages_.refused(prefix, condemns)) {
        const Time key = cut->key;
        const Entries& entries = held(*cut).content;
        set_head(entries, condemned_entries(entries, 0, prefix, condemns));
        return drop_through(key);
    }
    if (hot_.size() > 0)
        hot_.evict_while([&](const Partial&, const Partial& part) {
            return condemns(prefix ? monoid_.combine(*prefix, part) : part);
        });
    clear_head();
    drop_pages();
}

//! How many entries of a run go, of which not all go.
template <Monoid M>
template <class Condemns>
std::size_t PagedFiba<M>::condemned_entries(const Entries& run, std::size_t begin, const Maybe& prefix,
                                            Condemns& condemns) const {
    std::vector<Partial> prefixes;
    Maybe longer = prefix;
    for (std::size_t i = begin; i != run.size(); ++i) {
        add(longer, run.partial(i));
        prefixes.push_back(*longer);
    }
    const auto end = std::partition_point(prefixes.begin(), prefixes.end(), condemns);
    return static_cast<std::size_t>(end - prefixes.begin());
}

template <Monoid M>
template <class F>
void PagedFiba<M>::for_each_from(Time from, std::size_t most, F f) const {
    const auto walk = [&](const Entries& run, std::size_t begin) {
        for (std::size_t i = std::max(begin, run.lower_bound(from)); i < run.size() && most > 0; ++i, --most)
            f(run.time(i), run.partial(i));
    };
    walk(head_, begin_);
    pages_.walk([&](const Info& info) { return most > 0 && info.last >= from; },
                [&](const Info& leaf) { walk(held(leaf).content, 0); });
    if (most > 0) hot_.for_each_from(from, most, f);
}

template <Monoid M>
void PagedFiba<M>::check_invariants() const {
    constexpr bool exact = mta::exact<M>;
    hot_.check_invariants();
    // Suffixes are those of the head.
    invariant(suffix_.size() == head_.size(), "each entry of the head has a suffix");
    for (std::size_t i = begin_; i < head_.size(); ++i) {
        invariant(i == begin_ || head_.time(i - 1) < head_.time(i), "times of the head rise");
        if constexpr (exact) invariant(suffix_[i] == head_.fold(monoid_, i, head_.size()), "suffixes are right");
    }
    // Pages follow the head, one another, and the hot part follows them; what is known of them is right.
    bool any = head_size() > 0;
    Time last = any ? head_.last() : kEarliest;
    pages_.check_invariants([&](const Info& info) {
        const Entries& entries = held(info).content;
        invariant(!any || last < info.key, "a page follows what is before it");
        invariant(info.key <= entries.first() && info.first == entries.first(), "a page starts at its key or later");
        invariant(info.last == entries.last() && info.count == entries.size(), "a page is what is known of it");
        invariant(info.id == kNowhere || info.least_leaf <= info.id, "numbers of pages have a bound");
        if constexpr (exact)
            invariant(info.aggregate == entries.fold(monoid_, 0, entries.size()), "aggregates of pages are right");
        any = true;
        last = info.last;
    });
    invariant(!any || hot_.size() == 0 || last < hot_.oldest(), "the hot part is the youngest");
}

}  // namespace sash::store
