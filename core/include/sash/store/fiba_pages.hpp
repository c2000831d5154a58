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

template <Monoid M>
std::size_t PagedFiba<M>::bytes() const {
    std::size_t total = sizeof(*this) + pages_.bytes() + hot_.bytes() + head_.bytes();
    for (const Held& held : cache_) total += held.content.bytes();
    return total + suffix_.capacity() * sizeof(Partial);
}

//! Everything that a change may need the store for, but for reading. Throws with nothing changed.
template <Monoid M>
void PagedFiba<M>::make_room() {
    if (hot_.size() < (most_held() + 1) * page() && cache_.size() <= most_held() && leaves_.dead() < 64 &&
        !pages_.crowded()) [[likely]]
        return;
    bury();
    const auto write_leaf = [&](Info& info) { write(info); };
    cache_.trim(most_held(), [&](const Held& held) { write(pages_.changed_leaf(held.key)); });
    for (;; spill()) {
        if (pages_.crowded()) pages_.make_room(write_leaf);
        if (hot_.size() < (most_held() + 1) * page()) break;
    }
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
    Info info = describe(oldest.first(), oldest);
    Writer body;
    oldest.write(body, monoid_);
    info.id = leaves_.put(body.bytes());
    pages_.push_back(std::move(info));
    hot_.bulk_evict(oldest.last());
}

//! A page that was changed, and so is here.
template <Monoid M>
void PagedFiba<M>::write(Info& info) {
    Held& page = held(info, false);
    Writer body;
    page.content.write(body, monoid_);
    info.id = info.least_leaf = leaves_.put(body.bytes());
    page.changed = false;
}

template <Monoid M>
void PagedFiba<M>::write_changes() {
    pages_.write_all([&](Info& info) { write(info); });
    bury(true);
}

//! Drops what is not needed any more: whoever had a copy of the time before has let go of it.
template <Monoid M>
void PagedFiba<M>::bury(bool all) noexcept {
    const bool sweep = all || pages_.unnamed();
    leaves_.bury(sweep ? pages_.least_leaf(leaves_.next()) : 0);
    pages_.bury(sweep);
}

//! A page, from the store if it is not here. Pages that were only read make place for it.
template <Monoid M>
auto PagedFiba<M>::held(const Info& info, bool make_place) const -> Held& {
    if (Held* const here = cache_.find(info.key)) return *here;
    const std::string body = leaves_.get(info.id);
    Reader reader(body);
    Entries entries = Entries::read(reader, monoid_);
    if (reader.left() != 0 || entries.size() != info.count || entries.empty())
        throw DamagedSnapshot("a page is not the one that its window has written");
    if (make_place) cache_.make_place(most_held());
    Held& page = cache_.add(info.key, std::move(entries), false);
    count_pages();
    return page;
}

//! The pages that follow the head will be wanted: asks for a cache of them once half of it is used up. Pages that were
//! spilled one after another have numbers in a row. What cannot be read now is raised when it is needed.
template <Monoid M>
void PagedFiba<M>::look_ahead() noexcept {
    const std::size_t cache = space_->shape().cache;
    if (cache < 2) return;
    try {
        const std::vector<std::uint64_t> ids = pages_.look_ahead(cache);
        if (ids.empty() || ids.front() == kNowhere) return;
        const std::uint64_t first = ids.front();
        std::uint64_t last = first + 1;
        while (last - first < std::min(cache, ids.size()) && ids[last - first] == last) ++last;
        const bool some_asked = asked_ != kNowhere && first <= asked_ && asked_ < last;
        const std::uint64_t next = some_asked ? asked_ + 1 : first;
        if (last - next < (cache + 1) / 2) return;
        asked_ = last - 1;
        leaves_.want(next, last);
    } catch (...) {
        return;
    }
}

template <Monoid M>
template <class Out>
void PagedFiba<M>::save_state(Out& out) const {
    leaves_.save(out);
    pages_.save(out);
    out.number(head_size());
    for (std::size_t i = begin_; i != head_.size(); ++i) out.element(Entry<Partial>{head_.time(i), head_.partial(i)});
    out.number(hot_.size());
    hot_.for_each([&](Time time, const Partial& partial) { out.element(Entry<Partial>{time, partial}); });
}

template <Monoid M>
template <class In>
void PagedFiba<M>::load_state(const In& in) {
    leaves_.load(in);
    pages_.load(in);
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
    if (!head.empty()) set_head(head, 0);
    read_into([&](Time time, Partial partial) { hot_.insert(time, std::move(partial)); });
}

}  // namespace sash::store
