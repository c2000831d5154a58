//! Two-Stacks: a queue of two stacks, each of which keeps the aggregate of what it holds.
#pragma once

#include <cstddef>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"
#include "sash/algorithms/queue.hpp"

namespace sash {

//! Insert and query O(1); evict amortized O(1), O(n) when it flips the back stack onto the front stack.
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

    Partial query() const {
        if (back_.empty()) return monoid_.identity();
        return front_.empty() ? back_.back().aggregate
                              : monoid_.combine(front_.back().aggregate, back_.back().aggregate);
    }

    void insert(Time time, Partial partial) {
        if (!back_.empty() && time == youngest()) return combine_into_youngest(partial);
        Partial aggregate = back_.empty() ? partial : monoid_.combine(back_.back().aggregate, partial);
        back_.push_back({time, std::move(partial), std::move(aggregate)});
    }

    void evict() {
        if (size() == 1) return clear();
        if (front_.empty()) flip(back_.begin());
        front_.pop_back();
    }

    //! Entries of the front stack leave by a jump. When more leaves, what stays is flipped, once.
    void bulk_evict(Time time) {
        if (!front_.empty() && front_.front().time > time) return front_.drop_from(top_after(time));
        const Position last = first_after(back_, time);
        if (last == back_.end()) return clear();
        if (last == back_.begin()) return front_.drop_before(front_.end());
        Stack leaving;
        leaving.swap(front_);
        try {
            flip(last);
        } catch (...) {
            leaving.swap(front_);
            throw;
        }
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    template <class F>
    void for_each(F f) const {
        for (Position p = front_.end(); p-- != front_.begin();) f(front_[p].time, front_[p].partial);
        for (Position p = back_.begin(); p != back_.end(); ++p) f(back_[p].time, back_[p].partial);
    }

    void clear() {
        front_.drop_before(front_.end());
        back_.drop_before(back_.end());
    }

    void check_invariants() const {
        // The youngest entry is in the back stack.
        invariant(front_.empty() || !back_.empty(), "the youngest is in the back stack");
        // The front stack's bottom comes just before the back stack's bottom.
        invariant(front_.empty() || front_.front().time < back_.front().time, "front before back");
        // From the top down, the front stack's times rise.
        for (Position p = front_.begin(); p != front_.end(); ++p)
            invariant(p == front_.begin() || front_[p].time < front_[p - 1].time, "times fall up the front stack");
        check_times(back_);
    }

private:
    //! An entry with the aggregate of itself and all below it in its stack.
    struct Level {
        Time time;
        Partial partial;
        Partial aggregate;
    };
    using Stack = ChunkedQueue<Level>;
    using Position = typename Stack::Position;

    void combine_into_youngest(const Partial& partial) {
        Level& youngest = back_.back();
        if constexpr (kInPlace<M>) {
            append(monoid_, youngest.partial, partial);
            append(monoid_, youngest.aggregate, partial);
        } else {
            Partial combined = monoid_.combine(youngest.partial, partial);
            youngest.aggregate = monoid_.combine(youngest.aggregate, partial);
            youngest.partial = std::move(combined);
        }
    }

    //! Reverses the back stack from `begin` on, all but the youngest entry, onto the empty front stack; what is before
    //! `begin` leaves. The entries' own partials move last, when nothing can throw any more.
    void flip(Position begin) {
        const Position youngest = back_.end() - 1;
        try {
            for (Position p = youngest; p-- > begin;) {
                Partial aggregate =
                    front_.empty() ? back_[p].partial : monoid_.combine(back_[p].partial, front_.back().aggregate);
                front_.push_back({back_[p].time, Partial{}, std::move(aggregate)});
            }
            back_[youngest].aggregate = back_[youngest].partial;
        } catch (...) {
            front_.drop_before(front_.end());
            throw;
        }
        Position source = youngest;
        for (Position p = front_.begin(); p != front_.end(); ++p)
            front_[p].partial = std::move(back_[--source].partial);
        back_.drop_before(youngest);
    }

    //! One above the highest level of the front stack whose time is after `time`. O(log n).
    Position top_after(Time time) const {
        Position begin = front_.begin();
        Position end = front_.end();
        while (begin != end) {
            const Position middle = begin + (end - begin) / 2;
            if (front_[middle].time > time) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        return begin;
    }

    [[no_unique_address]] M monoid_;
    //! The oldest entry on top; aggregates run from the level to the bottom, which is younger.
    Stack front_;
    //! The youngest entry on top; aggregates run from the bottom, which is older, to the level.
    Stack back_;
};

}  // namespace sash
