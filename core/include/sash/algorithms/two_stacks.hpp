//! Two-Stacks: a queue of two stacks, each of which keeps the aggregate of what it holds.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"

namespace sash {

//! Insert and query O(1); evict amortized O(1), O(n) when it flips the back stack onto the front stack. A query is free
//! until the window changes. Two partials an entry.
//!
//!     front_ (top first)      back_ (bottom first)
//!     | e  e  e  e |          | e  e  e  youngest |     oldest to youngest, from left to right
//!       --> bottom              bottom -->              which way each aggregate reaches
//!
//! The youngest entry never leaves the back stack, so that an equal time can still combine into it.
template <Monoid M>
class TwoStacks {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;

    explicit TwoStacks(M monoid = M{}) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return front_.size() + back_.size(); }
    Time oldest() const { return front_.empty() ? back_.front().time : front_.back().time; }
    Time youngest() const { return back_.back().time; }
    std::size_t bytes() const { return sizeof(*this) + front_.bytes() + back_.bytes(); }
    auto owned() const { return std::tie(front_, back_, cache_); }

    Partial query() const {
        if (back_.empty()) return monoid_.identity();
        return cache_.get([this] {
            const Partial& back = back_.back().aggregate;
            return front_.empty() ? back : monoid_.combine(front_.back().aggregate, back);
        });
    }

    void insert(Time time, Partial partial) {
        cache_.forget();
        if (!back_.empty() && time == youngest())
            return combine_into_both(monoid_, back_.back().partial, back_.back().aggregate, partial);
        Partial aggregate = back_.empty() ? partial : monoid_.combine(back_.back().aggregate, partial);
        back_.push_back({time, std::move(partial), std::move(aggregate)});
    }

    void evict() {
        if (size() == 1) return clear();
        if (front_.empty()) turn(back_.begin());
        front_.pop_back();
        cache_.forget();
    }

    //! When more leaves than the front stack holds, what stays is flipped, once.
    void bulk_evict(Time time) {
        if (!front_.empty() && front_.front().time > time) return pop_until(time);
        const Position last = back_.partition([time](const Slot<Partial>& slot) { return slot.time <= time; });
        if (last == back_.end()) return clear();
        Stack leaving;
        leaving.swap(front_);
        try {
            if (last != back_.begin()) turn(last);
        } catch (...) {
            leaving.swap(front_);
            throw;
        }
        cache_.forget();
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    template <class F>
    void for_each(F f) const {
        if (!front_.empty()) {
            Cursor level = front_.youngest();
            for (f(level->time, level->partial); level != front_.oldest(); f(level->time, level->partial)) --level;
        }
        back_.for_each([&f](const Slot<Partial>& slot) { f(slot.time, slot.partial); });
    }

    void clear() {
        front_.drop_before(front_.end());
        back_.drop_before(back_.end());
        cache_.forget();
    }

    void shrink_to_fit() {
        front_.shrink_to_fit();
        back_.shrink_to_fit();
    }

    template <class Out>
    void describe(Out& out) const {
        out.begin("front");
        describe_run(out, front_.size(), [&](std::size_t i) {
            const Slot<Partial>& slot = *front_.at(front_.end() - 1 - i);
            out.entry(slot.time, &slot.partial);
            out.aggregate("suffix", slot.time, front_.front().time, &slot.aggregate);
        });
        out.end();
        out.begin("back");
        describe_run(out, back_.size(), [&](std::size_t i) {
            const Slot<Partial>& slot = *back_.at(back_.begin() + i);
            out.entry(slot.time, &slot.partial);
            out.aggregate("prefix", back_.front().time, slot.time, &slot.aggregate);
        });
        out.end();
    }

    void check_invariants() const {
        // The youngest entry is in the back stack.
        invariant(front_.empty() || !back_.empty(), "the youngest is in the back stack");
        // From the top of the front stack down, and up the back stack, the times rise.
        bool first = true;
        Time last = kEarliest;
        for_each([&](Time time, const Partial&) {
            invariant(std::exchange(first, false) || last < time, "times rise strictly");
            last = time;
        });
    }

private:
    //! A slot has the aggregate of itself and all below it.
    using Stack = ChunkedQueue<Slot<Partial>>;
    using Position = typename Stack::Position;
    using Cursor = typename Stack::Cursor;

    void pop_until(Time time) {
        while (front_.back().time <= time) front_.pop_back();
        cache_.forget();
    }

    //! Reverses the back stack from `first` on, all but the youngest entry, onto the empty front stack; what is before
    //! `first` leaves. The entries' own partials move last, when nothing can throw any more.
    void turn(Position first) {
        const Position count = back_.end() - 1 - first;
        try {
            Cursor source = back_.youngest();
            for (Position i = 0; i < count; ++i) push_front(*--source);
            back_.back().aggregate = back_.back().partial;
        } catch (...) {
            front_.drop_before(front_.end());
            throw;
        }
        Cursor source = back_.youngest();
        Cursor target = front_.oldest();
        for (Position i = 0; i < count; ++i, ++target) target->partial = std::move((--source)->partial);
        back_.drop_before(back_.end() - 1);
    }

    void push_front(const Slot<Partial>& slot) {
        Partial aggregate = front_.empty() ? slot.partial : monoid_.combine(slot.partial, front_.back().aggregate);
        front_.push_back({slot.time, Partial{}, std::move(aggregate)});
    }

    [[no_unique_address]] M monoid_;
    //! The oldest entry on top; aggregates run from the level to the bottom, which is younger.
    Stack front_;
    //! The youngest entry on top; aggregates run from the bottom, which is older, to the level.
    Stack back_;
    QueryCache<Partial> cache_;
};

}  // namespace sash
