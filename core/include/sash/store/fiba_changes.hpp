//! How a paged FiBA changes: entries come and go in the head, in a page, or in the hot part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sash/store/fiba.hpp"

namespace sash::store {

//! Runs a change whose reads are done. Where a combine may throw there is a way back.
template <Monoid M>
template <class F>
void PagedFiba<M>::changing(F f) {
    if (!may_fail(monoid_)) return f();
    PagedFiba before = *this;
    try {
        f();
    } catch (...) {
        *this = std::move(before);
        throw;
    }
}

template <Monoid M>
void PagedFiba<M>::insert(Time time, Partial partial) {
    make_room();
    if (!has_cold() || time > edge()) return hot_.insert(time, std::move(partial));
    read_pages_of({&time, 1});
    changing([&] { insert_before_edge(time, partial); });
}

template <Monoid M>
void PagedFiba<M>::bulk_insert(std::span<const Time> times, std::span<Partial> partials) {
    if (times.empty()) return;
    make_room();
    const bool late = has_cold() && std::any_of(times.begin(), times.end(), [&](Time time) { return time <= edge(); });
    if (!late) {
        hot_.bulk_insert(times, partials);
        return make_room_soon();
    }
    read_pages_of(times);
    const Time last = edge();
    std::vector<Time> hot_times;
    std::vector<Partial> hot_partials;
    for (std::size_t i = 0; i != times.size(); ++i) {
        if (times[i] <= last) {
            insert_before_edge(times[i], partials[i]);
        } else {
            hot_times.push_back(times[i]);
            hot_partials.push_back(std::move(partials[i]));
        }
    }
    if (!hot_times.empty()) hot_.bulk_insert(hot_times, hot_partials);
    make_room_soon();
}

//! Brings the pages here that these times belong to, so that nothing has to be read in the middle of a change.
template <Monoid M>
void PagedFiba<M>::read_pages_of(std::span<const Time> times) {
    if (pages_.empty()) return;
    for (const Time time : times)
        if (time >= pages_.front().key && time <= edge()) held(pages_.at(pages_.find(time)), times.size() == 1);
}

template <Monoid M>
void PagedFiba<M>::insert_before_edge(Time time, const Partial& partial) {
    if (pages_.empty() || time < pages_.front().key) {
        insert_into_head(time, partial);
    } else {
        insert_into_page(pages_.find(time), time, partial);
    }
}

template <Monoid M>
void PagedFiba<M>::insert_into_head(Time time, const Partial& partial) {
    compact_head();
    const std::size_t at = head_.lower_bound(time);
    if (head_.holds(at, time)) {
        head_.set(at, monoid_.combine(head_.partial(at), partial));
    } else {
        head_.insert(at, time, partial);
        suffix_.insert(suffix_.begin() + static_cast<std::ptrdiff_t>(at), partial);
    }
    fill_suffix(at + 1);
    if (head_.size() > 2 * page()) split_head();
}

//! The younger half of the head becomes a page.
template <Monoid M>
void PagedFiba<M>::split_head() {
    Entries rest = head_.split(head_.size() / 2);
    suffix_.resize(head_.size(), monoid_.identity());
    fill_suffix(head_.size());
    Info info = describe(rest.first(), rest, kNowhere);
    tree_.insert(info.key, info.aggregate);
    cache_.push_back({info.key, std::move(rest), true});
    pages_.push_front(std::move(info));
}

template <Monoid M>
void PagedFiba<M>::insert_into_page(Cursor cursor, Time time, const Partial& partial) {
    Held& page = held(pages_.at(cursor), false);
    const std::size_t at = page.entries.lower_bound(time);
    if (page.entries.holds(at, time)) {
        page.entries.set(at, monoid_.combine(page.entries.partial(at), partial));
    } else {
        page.entries.insert(at, time, partial);
    }
    if (page.entries.size() > 2 * this->page()) {
        split_page(cursor, page);
    } else {
        refresh(cursor, page);
    }
}

template <Monoid M>
void PagedFiba<M>::split_page(Cursor cursor, Held& held) {
    Entries rest = held.entries.split(held.entries.size() / 2);
    refresh(cursor, held);
    Info info = describe(rest.first(), rest, kNowhere);
    tree_.insert(info.key, info.aggregate);
    cache_.push_back({info.key, std::move(rest), true});
    pages_.insert_after(cursor, std::move(info));
}

//! The entries of a page have changed: so have its aggregate and its number.
template <Monoid M>
void PagedFiba<M>::refresh(Cursor cursor, const Held& changed) {
    const Info& old = pages_.at(cursor);
    if (old.id != kNowhere) dead_.push_back(old.id);
    Info info = describe(old.key, changed.entries, kNowhere);
    set_tree(info.key, info.aggregate);
    pages_.set(cursor, std::move(info));
    const_cast<Held&>(changed).changed = true;
}

template <Monoid M>
auto PagedFiba<M>::describe(Time key, const Entries& entries, std::uint64_t id) const -> Info {
    return {key, entries.first(), entries.last(), entries.size(), id, entries.fold(monoid_, 0, entries.size())};
}

template <Monoid M>
void PagedFiba<M>::set_tree(Time key, const Partial& aggregate) {
    tree_.evict(key);
    tree_.insert(key, aggregate);
}

template <Monoid M>
void PagedFiba<M>::set_head(Entries entries, std::size_t begin) {
    entries.erase(0, begin);
    std::vector<Partial> suffix(entries.size(), monoid_.identity());
    for (std::size_t i = entries.size(); i-- > 0;)
        suffix[i] = i + 1 == entries.size() ? entries.partial(i) : monoid_.combine(entries.partial(i), suffix[i + 1]);
    head_ = std::move(entries);
    suffix_ = std::move(suffix);
    begin_ = 0;
}

template <Monoid M>
void PagedFiba<M>::clear_head() {
    head_ = {};
    suffix_.clear();
    begin_ = 0;
}

template <Monoid M>
void PagedFiba<M>::compact_head() {
    head_.erase(0, begin_);
    suffix_.erase(suffix_.begin(), suffix_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
}

//! The suffixes before `upto`, which are no longer right.
template <Monoid M>
void PagedFiba<M>::fill_suffix(std::size_t upto) {
    for (std::size_t i = upto; i-- > 0;)
        suffix_[i] = i + 1 == head_.size() ? head_.partial(i) : monoid_.combine(head_.partial(i), suffix_[i + 1]);
}

template <Monoid M>
void PagedFiba<M>::evict() {
    if (head_size() == 0 && !pages_.empty()) take_head();
    if (head_size() == 0) return hot_.evict();
    ++begin_;
    if (begin_ == head_.size()) clear_head();
}

//! The oldest page becomes the head.
template <Monoid M>
void PagedFiba<M>::take_head() {
    bury();
    set_head(held(pages_.front()).entries, 0);
    drop_pages(1);
    look_ahead();
}

//! The oldest pages leave.
template <Monoid M>
void PagedFiba<M>::drop_pages(std::size_t pages) {
    if (pages == 0) return;
    const Time last = pages_.at(pages_.nth(pages - 1)).key;
    tree_.bulk_evict(last);
    pages_.pop_front(pages, [&](const Info& info) {
        if (info.id != kNowhere) dead_.push_back(info.id);
    });
    cache_.remove_if([&](const Held& held) { return held.key <= last; });
    count_pages();
}

template <Monoid M>
bool PagedFiba<M>::evict(Time time) {
    if (!has_cold() || time > edge()) return hot_.size() > 0 && hot_.evict(time);
    make_room();
    return pages_.empty() || time < pages_.front().key ? evict_from_head(time) : evict_from_page(time);
}

template <Monoid M>
bool PagedFiba<M>::evict_from_head(Time time) {
    const std::size_t at = std::max(head_.lower_bound(time), begin_);
    if (!head_.holds(at, time)) return false;
    changing([&] {
        const std::size_t place = at - begin_;
        compact_head();
        head_.erase(place, place + 1);
        suffix_.erase(suffix_.begin() + static_cast<std::ptrdiff_t>(place));
        fill_suffix(place);
    });
    if (head_size() == 0) clear_head();
    return true;
}

template <Monoid M>
bool PagedFiba<M>::evict_from_page(Time time) {
    const Entries& entries = held(pages_.at(pages_.find(time))).entries;
    if (!entries.holds(entries.lower_bound(time), time)) return false;
    changing([&] { erase_from_page(time); });
    return true;
}

template <Monoid M>
void PagedFiba<M>::erase_from_page(Time time) {
    const Cursor cursor = pages_.find(time);
    Held& page = held(pages_.at(cursor));
    const std::size_t at = page.entries.lower_bound(time);
    page.entries.erase(at, at + 1);
    if (!page.entries.empty()) return refresh(cursor, page);
    const Info& info = pages_.at(cursor);
    if (info.id != kNowhere) dead_.push_back(info.id);
    tree_.evict(info.key);
    cache_.pop_back();
    pages_.erase(cursor);
}

template <Monoid M>
void PagedFiba<M>::bulk_evict(Time time) {
    bury();
    if (has_cold() && time < edge()) {
        if (pages_.empty() || time < pages_.front().key) {
            begin_ = std::max(begin_, head_.upper_bound(time));
            if (head_size() == 0) clear_head();
            return;
        }
        const Cursor cursor = pages_.find(time);
        const std::size_t before = pages_.rank(cursor);
        if (pages_.at(cursor).last <= time) {
            clear_head();
        } else {
            const Entries& entries = held(pages_.at(cursor)).entries;
            set_head(entries, entries.upper_bound(time));
        }
        return drop_pages(before + 1);
    }
    if (hot_.size() > 0 && hot_.oldest() <= time) hot_.bulk_evict(time);
    clear_head();
    drop_pages(pages_.size());
}

template <Monoid M>
void PagedFiba<M>::clear() {
    bury();
    hot_.clear();
    clear_head();
    drop_pages(pages_.size());
}

}  // namespace sash::store
