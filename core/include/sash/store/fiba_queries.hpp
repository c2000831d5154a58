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
    if (!pages_.empty()) add(total, tree_.query());
    if (hot_.size() > 0) add(total, hot_.query());
    return *total;
}

template <Monoid M>
auto PagedFiba<M>::query(Time from, Time to) const -> Partial {
    Maybe total;
    add_run(total, head_, begin_, from, to);
    add_pages(total, from, to);
    if (hot_.size() > 0 && from <= hot_.youngest() && to >= hot_.oldest()) add(total, hot_.query(from, to));
    return total ? *total : monoid_.identity();
}

template <Monoid M>
void PagedFiba<M>::add_run(Maybe& total, const Entries& run, std::size_t begin, Time from, Time to) const {
    const std::size_t first = std::max(begin, run.lower_bound(from));
    const std::size_t last = run.upper_bound(to);
    if (first < last) add(total, run.fold(monoid_, first, last));
}

template <Monoid M>
void PagedFiba<M>::add_page(Maybe& total, const Info& info, Time from, Time to) const {
    if (from > info.last || to < info.first) return;
    if (from <= info.first && to >= info.last) return add(total, info.aggregate);
    add_run(total, held(info).entries, 0, from, to);
}

//! The pages at the two ends by themselves, those between by the tree.
template <Monoid M>
void PagedFiba<M>::add_pages(Maybe& total, Time from, Time to) const {
    if (pages_.empty() || to < pages_.front().key || from > pages_.back().last) return;
    const std::size_t first = from <= pages_.front().key ? 0 : pages_.rank(pages_.find(from));
    const std::size_t last = pages_.rank(pages_.find(to));
    add_page(total, pages_.at(pages_.nth(first)), from, to);
    if (last > first + 1)
        add(total, tree_.query(pages_.at(pages_.nth(first + 1)).key, pages_.at(pages_.nth(last - 1)).key));
    if (last > first) add_page(total, pages_.at(pages_.nth(last)), from, to);
}

template <Monoid M>
std::size_t PagedFiba<M>::count(Time from, Time to) const {
    const auto within = [&](const Entries& run, std::size_t begin) {
        const std::size_t first = std::max(begin, run.lower_bound(from));
        return std::max(first, run.upper_bound(to)) - first;
    };
    std::size_t total = within(head_, begin_);
    pages_.for_each([&](const Info& info) {
        if (from > info.last || to < info.first) return;
        total += from <= info.first && to >= info.last ? info.count : within(held(info).entries, 0);
    });
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
    const std::size_t pages = condemned_pages(prefix, condemns);
    prefix = with_pages(prefix, pages);
    if (pages < pages_.size()) {
        const Entries& entries = held(pages_.at(pages_.nth(pages))).entries;
        set_head(entries, condemned_entries(entries, 0, prefix, condemns));
        return drop_pages(pages + 1);
    }
    if (hot_.size() > 0)
        hot_.evict_while([&](const Partial&, const Partial& part) {
            return condemns(prefix ? monoid_.combine(*prefix, part) : part);
        });
    clear_head();
    drop_pages(pages);
}

//! A prefix, and the oldest pages after it.
template <Monoid M>
auto PagedFiba<M>::with_pages(const Maybe& prefix, std::size_t pages) const -> Maybe {
    Maybe longer = prefix;
    if (pages > 0) add(longer, tree_.query(pages_.front().key, pages_.at(pages_.nth(pages - 1)).key));
    return longer;
}

//! How many of the oldest pages go as a whole: steps that double, then halves.
template <Monoid M>
template <class Condemns>
std::size_t PagedFiba<M>::condemned_pages(const Maybe& prefix, Condemns& condemns) const {
    std::size_t known = 0;
    std::size_t refused = pages_.size() + 1;
    for (std::size_t step = 1; known < pages_.size() && refused > pages_.size(); step *= 2) {
        const std::size_t next = std::min(known + step, pages_.size());
        (condemns(*with_pages(prefix, next)) ? known : refused) = next;
    }
    while (refused - known > 1 && known < pages_.size()) {
        const std::size_t middle = known + (refused - known) / 2;
        (condemns(*with_pages(prefix, middle)) ? known : refused) = middle;
    }
    return known;
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
    const std::size_t first = pages_.empty() || from <= pages_.front().key ? 0 : pages_.rank(pages_.find(from));
    for (std::size_t page = first; page < pages_.size() && most > 0; ++page)
        walk(held(pages_.at(pages_.nth(page))).entries, 0);
    if (most > 0) hot_.for_each_from(from, most, f);
}

template <Monoid M>
void PagedFiba<M>::check_invariants() const {
    constexpr bool exact = mta::exact<M>;
    // Every page has its aggregate in the tree, under its key.
    tree_.check_invariants();
    hot_.check_invariants();
    invariant(tree_.size() == pages_.size(), "the tree has an entry for each page");
    // Suffixes are those of the head.
    invariant(suffix_.size() == head_.size(), "each entry of the head has a suffix");
    for (std::size_t i = begin_; i < head_.size(); ++i) {
        invariant(i == begin_ || head_.time(i - 1) < head_.time(i), "times of the head rise");
        if constexpr (exact) invariant(suffix_[i] == head_.fold(monoid_, i, head_.size()), "suffixes are right");
    }
    // Pages follow the head, one another, and the hot part follows them; what is known of them is right.
    bool any = head_size() > 0;
    Time last = any ? head_.last() : kEarliest;
    for (std::size_t rank = 0; rank != pages_.size(); ++rank) {
        const Info info = pages_.at(pages_.nth(rank));
        const Entries& entries = held(info).entries;
        invariant(!any || last < info.key, "a page follows what is before it");
        invariant(info.key <= entries.first() && info.first == entries.first(), "a page starts at its key or later");
        invariant(info.last == entries.last() && info.count == entries.size(), "a page is what is known of it");
        if constexpr (exact) {
            invariant(info.aggregate == entries.fold(monoid_, 0, entries.size()), "aggregates of pages are right");
            invariant(info.aggregate == tree_.query(info.key, info.key), "the tree has the aggregates of pages");
        }
        any = true;
        last = info.last;
    }
    invariant(!any || hot_.size() == 0 || last < hot_.oldest(), "the hot part is the youngest");
}

}  // namespace sash::store
