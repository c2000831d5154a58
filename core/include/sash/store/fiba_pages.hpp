//! The pages of a paged FiBA: how they are read, written and dropped, and how the whole is put down and taken up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "sash/store/fiba.hpp"

namespace sash::store {

template <Monoid M>
template <class In>
PagedFiba<M>::PagedFiba(M monoid, std::shared_ptr<Space> space, const In& in)
    : PagedFiba(std::move(monoid), std::move(space)) {
    load_state(in);
}

//! Everything that a change may need the store for, but for reading. Throws with nothing changed.
template <Monoid M>
void PagedFiba<M>::make_room() {
    if (hot_.size() < (most_held() + 1) * page() && cache_.size() <= most_held() && dead_.size() < 64) [[likely]]
        return;
    bury();
    trim();
    while (hot_.size() >= (most_held() + 1) * page()) spill();
    count_pages();
}

//! After a change, what the next one would have to do first. If the store fails now, that one will raise it.
template <Monoid M>
void PagedFiba<M>::make_room_soon() noexcept {
    try {
        make_room();
    } catch (...) {
        return;
    }
}

//! The oldest entries of hot_ become a page.
template <Monoid M>
void PagedFiba<M>::spill() {
    Entries oldest;
    hot_.for_each_from(kEarliest, page(), [&](Time time, const Partial& partial) { oldest.push_back(time, partial); });
    Info info = describe(oldest.first(), oldest, kNowhere);
    Writer body;
    oldest.write(body, monoid_);
    info.id = put(kEntries, body.bytes());
    try {
        tree_.insert(info.key, info.aggregate);
    } catch (...) {
        dead_.push_back(info.id);
        throw;
    }
    pages_.push_back(std::move(info));
    hot_.bulk_evict(oldest.last());
}

template <Monoid M>
void PagedFiba<M>::trim() {
    while (cache_.size() > most_held()) {
        if (cache_.front().changed) write(cache_.front());
        cache_.pop_front();
    }
}

template <Monoid M>
void PagedFiba<M>::write(Held& held) {
    Writer body;
    held.entries.write(body, monoid_);
    const std::uint64_t id = put(kEntries, body.bytes());
    pages_.place(pages_.find(held.key), id);
    held.changed = false;
}

template <Monoid M>
void PagedFiba<M>::write_changes() {
    for (Held& held : cache_)
        if (held.changed) write(held);
    for (std::size_t group = 0; group != pages_.groups().size(); ++group)
        if (pages_.groups()[group].id == kNowhere) write_group(group);
    bury();
}

template <Monoid M>
void PagedFiba<M>::write_group(std::size_t group) {
    const std::vector<Info>& pages = pages_.groups()[group].pages;
    Writer body;
    body.u64(pages.size());
    for (const Info& info : pages) {
        body.i64(info.key);
        body.i64(info.first);
        body.i64(info.last);
        body.u64(info.count);
        body.u64(info.id);
        Codec<M>::write(body, monoid_, info.aggregate);
    }
    pages_.place_group(group, put(kGroups, body.bytes()));
}

template <Monoid M>
std::uint64_t PagedFiba<M>::put(std::uint32_t level, const std::string& body) {
    const PageKey key = key_of(level, next_[level]);
    space_->store().put(key, seal_page(space_->store().tag(), key, body));
    return next_[level]++;
}

template <Monoid M>
std::string PagedFiba<M>::get(std::uint32_t level, std::uint64_t id) const {
    const PageKey key = key_of(level, id);
    const std::string bytes = space_->store().get(key);
    return std::string(open_page(space_->store().tag(), key, bytes));
}

//! Drops what is not needed any more: whoever had a copy of the time before has let go of it.
template <Monoid M>
void PagedFiba<M>::bury() noexcept {
    for (const std::uint64_t id : pages_.take_dead_groups()) dead_groups_.push_back(id);
    drop_all(kEntries, dead_);
    drop_all(kGroups, dead_groups_);
}

template <Monoid M>
void PagedFiba<M>::drop_all(std::uint32_t level, std::vector<std::uint64_t>& ids) noexcept {
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0; i != ids.size();) {
        std::size_t next = i + 1;
        while (next != ids.size() && ids[next] == ids[next - 1] + 1) ++next;
        space_->store().drop(key_of(level, ids[i]), ids[next - 1] + 1);
        i = next;
    }
    ids.clear();
}

//! A page, from the store if it is not here. Pages that were only read make place for it.
template <Monoid M>
auto PagedFiba<M>::held(const Info& info, bool make_place) const -> Held& {
    const auto here = std::find_if(cache_.begin(), cache_.end(), [&](const Held& h) { return h.key == info.key; });
    if (here != cache_.end()) {
        cache_.splice(cache_.end(), cache_, here);
        return cache_.back();
    }
    const std::string body = get(kEntries, info.id);
    Reader reader(body);
    Entries entries = Entries::read(reader, monoid_);
    if (reader.left() != 0 || entries.size() != info.count || entries.empty())
        throw DamagedSnapshot("a page is not the one that its window has written");
    if (make_place && cache_.size() >= most_held()) {
        const auto clean = std::find_if(cache_.begin(), cache_.end(), [](const Held& h) { return !h.changed; });
        if (clean != cache_.end()) cache_.erase(clean);
    }
    cache_.push_back({info.key, std::move(entries), false});
    count_pages();
    return cache_.back();
}

//! The pages that follow the head will be wanted: asks for a cache of them once half of it is used up. Pages that were
//! spilled one after another have numbers in a row.
template <Monoid M>
void PagedFiba<M>::look_ahead() {
    const std::size_t most = std::min(space_->shape().cache, pages_.size());
    if (most == 0 || space_->shape().cache < 2 || pages_.front().id == kNowhere) return;
    const std::uint64_t first = pages_.front().id;
    std::uint64_t last = first + 1;
    while (last - first < most && pages_.at(pages_.nth(static_cast<std::size_t>(last - first))).id == last) ++last;
    const bool some_asked = asked_ != kNowhere && first <= asked_ && asked_ < last;
    const std::uint64_t next = some_asked ? asked_ + 1 : first;
    if (last - next < (space_->shape().cache + 1) / 2) return;
    asked_ = last - 1;
    space_->store().want(key_of(kEntries, next), last);
}

template <Monoid M>
template <class Out>
void PagedFiba<M>::save_state(Out& out) const {
    out.number(next_[kEntries]);
    out.number(next_[kGroups]);
    out.number(pages_.groups().size());
    for (const auto& group : pages_.groups()) out.number(group.id);
    out.number(head_size());
    for (std::size_t i = begin_; i != head_.size(); ++i) out.element(Entry<Partial>{head_.time(i), head_.partial(i)});
    out.number(hot_.size());
    hot_.for_each([&](Time time, const Partial& partial) { out.element(Entry<Partial>{time, partial}); });
}

template <Monoid M>
template <class In>
void PagedFiba<M>::load_state(const In& in) {
    next_[kEntries] = in.number();
    next_[kGroups] = in.number();
    for (std::size_t left = in.count(); left > 0; --left) {
        const std::uint64_t id = in.number();
        const std::string body = get(kGroups, id);
        Reader reader(body);
        std::vector<Info> pages;
        for (std::size_t count = reader.count(1); count > 0; --count) {
            Info info{reader.i64(), reader.i64(), reader.i64(), reader.u64(), reader.u64(), monoid_.identity()};
            info.aggregate = Codec<M>::read(reader, monoid_);
            in.check(tree_.size() == 0 || tree_.youngest() < info.key, "order of pages");
            tree_.insert(info.key, info.aggregate);
            pages.push_back(std::move(info));
        }
        in.check(!pages.empty() && reader.left() == 0, "group of pages");
        pages_.load_group(std::move(pages), id);
    }
    Entries head;
    const auto read_into = [&](auto take) {
        for (std::size_t left = in.count(); left > 0; --left) {
            auto entry = in.template element<Entry<Partial>>();
            take(entry.time, std::move(entry.partial));
        }
    };
    read_into([&](Time time, Partial partial) {
        in.check(head.empty() || head.last() < time, "order of times");
        head.push_back(time, std::move(partial));
    });
    if (!head.empty()) set_head(std::move(head), 0);
    read_into([&](Time time, Partial partial) { hot_.insert(time, std::move(partial)); });
}

}  // namespace sash::store
