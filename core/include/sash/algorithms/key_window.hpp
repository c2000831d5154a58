//! The window of one key among very many: a small sorted array while events are few, a finger tree when they are not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "sash/algorithms/fiba.hpp"
#include "sash/algorithms/small_vector.hpp"
#include "sash/monoid.hpp"
#include "sash/time.hpp"

namespace sash {

//! Three words and its events. The monoid belongs to whoever keeps the windows, and is passed in.
template <Monoid M>
class KeyWindow {
public:
    using Partial = typename M::Partial;

    KeyWindow() = default;
    KeyWindow(KeyWindow&&) noexcept = default;
    KeyWindow& operator=(KeyWindow&&) noexcept = default;

    std::size_t size() const { return many_ ? many_->size() : few_.size(); }
    std::size_t bytes() const { return many_ ? many_->bytes() : few_.bytes(); }
    auto owned() const { return std::tie(few_, many_); }

    //! Its entries will be looked at soon, where they are few.
    void prefetch() const { __builtin_prefetch(few_.begin()); }

    //! Anywhere; an equal time combines: old (x) new. O(kFew) while events are few, then as FiBA.
    void insert(const M& monoid, Time time, const Partial& partial) {
        if (many_) return many_->insert(time, partial);
        std::size_t place = few_.size();
        while (place > 0 && few_[place - 1].time > time) --place;
        if (place > 0 && few_[place - 1].time == time) return append(monoid, few_[place - 1].partial, partial);
        if (few_.size() == kFew) {
            grow_up(monoid);
            return many_->insert(time, partial);
        }
        few_.insert(place, {time, partial});
    }

    //! What is at exactly the time.
    std::optional<Partial> at(Time time) const {
        if (many_) {
            const Partial* const found = many_->find(time);
            return found == nullptr ? std::nullopt : std::optional(*found);
        }
        const Entry* const entry = find(time);
        return entry == nullptr ? std::nullopt : std::optional(entry->partial);
    }

    //! Takes out what is at exactly the time, which must be there.
    void erase(Time time) {
        if (many_) return static_cast<void>(many_->evict(time));
        const auto place = static_cast<std::size_t>(find(time) - few_.begin());
        few_.erase(place, place + 1);
    }

    //! These entries instead, ascending by time; nothing is combined.
    template <class Entries>
    void assign(const M& monoid, const Entries& entries) {
        few_ = {};
        many_.reset();
        for (const auto& [time, partial] : entries) {
            if (!many_ && few_.size() == kFew) grow_up(monoid);
            if (many_) {
                many_->load_uncombined(time, partial);
            } else {
                few_.insert(few_.size(), {time, partial});
            }
        }
    }

    //! Everything at or before the time.
    void bulk_evict(Time time) {
        if (many_) return evict_many(time);
        std::size_t gone = 0;
        while (gone < few_.size() && few_[gone].time <= time) ++gone;
        if (gone != 0) few_.erase(0, gone);
    }

    //! The same, and what goes can still be walked: keep(time, partial) is called for entries that lie apart, and whole
    //! subtrees are given, to be released. O(log m) where events are many.
    using Held = typename Fiba<M>::Held;
    template <class Keep>
    Held bulk_evict_held(Time time, Keep keep) {
        if (many_) return many_->bulk_evict_held(time, keep);
        for (const Entry& entry : few_)
            if (entry.time <= time) keep(entry.time, entry.partial);
        bulk_evict(time);
        return {};
    }
    //! What is held was of this window since it has been a tree.
    template <class F>
    void for_each_held(const Held& held, F f) const {
        many_->for_each_held(held, f);
    }
    void release(const Held& held) { many_->release(held); }

    //! Both ends in; the identity when there is nothing between.
    Partial query(const M& monoid, Time from, Time to) const {
        if (many_) return query_many(monoid, from, to);
        const Entry *first = few_.begin(), *last = few_.end();
        while (first != last && first->time < from) ++first;
        while (first != last && last[-1].time > to) --last;
        if (first == last) return monoid.identity();
        Partial total = first->partial;
        while (++first != last) append(monoid, total, first->partial);
        return total;
    }

    //! Shows a visitor the partials that make up [from, to], oldest first; see fiba::Combiner.
    template <class Visitor>
    void visit(Time from, Time to, Visitor& visitor) const {
        if (many_ && from == to) {
            if (const Partial* const found = many_->find(from)) visitor.add(*found, 1);
            return;
        }
        if (many_) return many_->visit(from, to, visitor);
        for (const Entry& entry : few_)
            if (from <= entry.time && entry.time <= to) visitor.add(entry.partial, 1);
    }

    bool any(Time from, Time to) const { return count(from, to) != 0; }

    //! Both ends in.
    std::size_t count(Time from, Time to) const {
        if (many_) return many_->size() == 0 || to < from ? 0 : many_->count(from, to);
        return static_cast<std::size_t>(std::count_if(
            few_.begin(), few_.end(), [&](const Entry& entry) { return from <= entry.time && entry.time <= to; }));
    }

    //! The entries between, both ends in, oldest first. O(log n) beside them.
    template <class F>
    void for_each_between(Time from, Time to, F f) const {
        if (many_) return many_->for_each_from(from, count(from, to), f);
        for (const Entry& entry : few_)
            if (from <= entry.time && entry.time <= to) f(entry.time, entry.partial);
    }

    template <class F>
    void for_each(F f) const {
        if (many_) return many_->for_each(f);
        for (const Entry& entry : few_) f(entry.time, entry.partial);
    }

private:
    //! Where a scan of an array begins to cost more than a tree. A combine that runs a user's function is dear.
    static constexpr std::uint32_t kFew = M::fallible ? 6 : 32;
    //! Short leaves: most queries are about a part of the window, and a leaf that is cut is scanned.
    static constexpr std::uint32_t kLeaf = M::fallible ? 8 : 16;

    struct Entry {
        Time time;
        Partial partial;

        auto owned() const { return std::tie(partial); }
    };

    const Entry* find(Time time) const {
        const Entry* const entry =
            std::find_if(few_.begin(), few_.end(), [&](const Entry& one) { return one.time == time; });
        return entry == few_.end() ? nullptr : entry;
    }

    //! As a rule about as many go as come: no search is worth it then.
    void evict_many(Time time) {
        constexpr int kSteps = 2;
        for (int step = 0; step < kSteps; ++step) {
            if (many_->size() == 0 || many_->oldest() > time) return;
            many_->evict();
        }
        if (many_->size() != 0 && many_->oldest() <= time) many_->bulk_evict(time);
    }

    Partial query_many(const M& monoid, Time from, Time to) const {
        if (many_->size() == 0 || to < from) return monoid.identity();
        if (from == to) return at(from).value_or(monoid.identity());
        if (from <= many_->oldest() && to >= many_->youngest()) return many_->query();
        return many_->query(from, to);
    }

    void grow_up(const M& monoid) {
        auto many = std::make_unique<Fiba<M>>(monoid, FibaOptions{0, kLeaf});
        for (const Entry& entry : few_) many->load_uncombined(entry.time, entry.partial);
        many_ = std::move(many);
        few_ = {};
    }

    SmallVector<Entry> few_;
    std::unique_ptr<Fiba<M>> many_;
};

}  // namespace sash
