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
    const bool one = times.size() == 1;
    for (const Time time : times)
        if (time >= pages_.front().key && time <= edge()) held(pages_.leaf(time, one), one);
}

template <Monoid M>
void PagedFiba<M>::insert_before_edge(Time time, const Partial& partial) {
    if (pages_.empty() || time < pages_.front().key) {
        insert_into_head(time, partial);
    } else {
        pages_.change(time, [&](Infos& infos, std::size_t at) { insert_into_page(infos, at, time, partial); });
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
    Info rest = cut(head_);
    suffix_.resize(head_.size(), monoid_.identity());
    fill_suffix(head_.size());
    pages_.push_front(std::move(rest));
}

//! Makes a page of the younger half.
template <Monoid M>
auto PagedFiba<M>::cut(Entries& entries) -> Info {
    Entries rest = entries.split(entries.size() / 2);
    Info info = describe(rest.first(), rest);
    cache_.add(info.key, std::move(rest), true);
    return info;
}

template <Monoid M>
void PagedFiba<M>::insert_into_page(Infos& infos, std::size_t at, Time time, const Partial& partial) {
    Held& page = held(infos[at], false);
    Entries& entries = page.content;
    const std::size_t place = entries.lower_bound(time);
    if (entries.holds(place, time)) {
        entries.set(place, monoid_.combine(entries.partial(place), partial));
    } else {
        entries.insert(place, time, partial);
    }
    if (entries.size() <= 2 * this->page()) return refresh(infos[at], page);
    Info rest = cut(entries);
    refresh(infos[at], page);
    infos.insert(infos.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(rest));
}

//! The entries of a page have changed: so have its aggregate and its number.
template <Monoid M>
void PagedFiba<M>::refresh(Info& info, Held& changed) {
    leaves_.kill(info.id);
    info = describe(info.key, changed.content);
    changed.changed = true;
}

//! A page that is not in the store. Its number will be no less than the next one.
template <Monoid M>
auto PagedFiba<M>::describe(Time key, const Entries& entries) const -> Info {
    return {key,      entries.first(), entries.last(), entries.size(),
            kNowhere, leaves_.next(),  kNowhere,       entries.fold(monoid_, 0, entries.size())};
}

template <Monoid M>
void PagedFiba<M>::set_head(const Entries& run, std::size_t begin) {
    Entries entries = run.from(begin);
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
    const Info& oldest = pages_.leaf(pages_.front().key);
    const Time key = oldest.key;
    set_head(held(oldest).content, 0);
    drop_through(key);
    look_ahead();
}

//! The pages up to the one of that key leave.
template <Monoid M>
void PagedFiba<M>::drop_through(Time last) {
    pages_.drop_through(last, [&](const Info& info) { leaves_.kill(info.id); });
    cache_.drop_through(last);
    count_pages();
}

template <Monoid M>
void PagedFiba<M>::drop_pages() {
    pages_.clear([&](const Info& info) { leaves_.kill(info.id); });
    cache_ = {};
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
    const Entries& entries = held(pages_.leaf(time)).content;
    if (!entries.holds(entries.lower_bound(time), time)) return false;
    changing([&] { pages_.change(time, [&](Infos& infos, std::size_t at) { erase_from_page(infos, at, time); }); });
    return true;
}

template <Monoid M>
void PagedFiba<M>::erase_from_page(Infos& infos, std::size_t at, Time time) {
    Held& page = held(infos[at], false);
    const std::size_t place = page.content.lower_bound(time);
    page.content.erase(place, place + 1);
    if (!page.content.empty()) return refresh(infos[at], page);
    leaves_.kill(infos[at].id);
    cache_.erase(infos[at].key);
    infos.erase(infos.begin() + static_cast<std::ptrdiff_t>(at));
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
        const Info& cut = pages_.leaf(time);
        const Time key = cut.key;
        if (cut.last <= time) {
            clear_head();
        } else {
            const Entries& entries = held(cut).content;
            set_head(entries, entries.upper_bound(time));
        }
        return drop_through(key);
    }
    if (hot_.size() > 0 && hot_.oldest() <= time) hot_.bulk_evict(time);
    clear_head();
    drop_pages();
}

template <Monoid M>
void PagedFiba<M>::clear() {
    bury();
    hot_.clear();
    clear_head();
    drop_pages();
}

}  // namespace sash::store
