//! What the in-order algorithms share: the queue, the entries in it, and how to combine them safely.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/describe.hpp"
#include "sash/algorithms/queue.hpp"

namespace sash {

//! Whether a combine may write straight over its operand: it does not throw, so nothing can be lost half way.
//! All other monoids (callbacks, strings) are computed aside first and moved into place afterwards.
template <Monoid M>
inline constexpr bool kInPlace =
    !M::fallible && (std::is_trivially_copyable_v<typename M::Partial> ||
                     requires(const M& monoid, typename M::Partial& older, const typename M::Partial& newer) {
                         monoid.append(older, newer);
                     });

//! Whether to prefer that: a partial with memory of its own gains from it; a small one had better stay in registers
//! until the queue has been written.
template <Monoid M>
inline constexpr bool kWide = kInPlace<M> && !std::is_trivially_copyable_v<typename M::Partial>;

//! target = older (x) newer, where target is neither. A wide partial uses target's memory again.
template <Monoid M>
void combine_into(const M& monoid, typename M::Partial& target, const typename M::Partial& older,
                  const typename M::Partial& newer) {
    if constexpr (requires { monoid.append(target, newer); }) {
        target = older;
        monoid.append(target, newer);
    } else {
        target = monoid.combine(older, newer);
    }
}

//! An entry and, beside its own partial, the aggregate that its part of the window gives it.
template <class Partial>
struct Slot {
    Time time;
    Partial partial;
    Partial aggregate;

    auto owned() const { return std::tie(partial, aggregate); }
};

//! Where an entry has that aggregate: the lite algorithms put it in the place of the entry's own partial.
template <class Partial>
Partial& aggregate_of(Slot<Partial>& slot) {
    return slot.aggregate;
}
template <class Partial>
Partial& aggregate_of(Entry<Partial>& entry) {
    return entry.partial;
}

//! Gives an entry the aggregate of itself and all up to the end of its part: `next` is the one after it. Nothing here
//! throws, so this is for monoids that combine in place.
template <Monoid M>
void extend(const M& monoid, Slot<typename M::Partial>& slot, const Slot<typename M::Partial>& next) {
    combine_into(monoid, slot.aggregate, slot.partial, next.aggregate);
}
template <Monoid M>
void extend(const M& monoid, Entry<typename M::Partial>& entry, const Entry<typename M::Partial>& next) {
    append(monoid, entry.partial, next.partial);
}

//! An event at the time of the youngest entry: `own` is that entry's partial, `aggregate` what ends with it. Both get
//! the event, or none.
template <Monoid M>
void combine_into_both(const M& monoid, typename M::Partial& own, typename M::Partial& aggregate,
                       const typename M::Partial& event) {
    if constexpr (kInPlace<M>) {
        append(monoid, own, event);
        append(monoid, aggregate, event);
    } else {
        typename M::Partial combined = monoid.combine(own, event);
        aggregate = monoid.combine(aggregate, event);
        own = std::move(combined);
    }
}

//! Pushes an entry onto a queue whose aggregate, or that of its last part, is `total`.
template <Monoid M>
void push_onto(const M& monoid, ChunkedQueue<Entry<typename M::Partial>>& queue, typename M::Partial& total, Time time,
               typename M::Partial partial) {
    if constexpr (kWide<M>) {
        queue.push_back({time, std::move(partial)});
        append(monoid, total, queue.back().partial);
    } else {
        typename M::Partial longer = monoid.combine(total, partial);
        queue.push_back({time, std::move(partial)});
        total = std::move(longer);
    }
}

//! The flip of Two-Stacks and ABA: every entry from `first` to `last`, both in, gets the aggregate of itself and all up
//! to `last`. All of them or none.
template <Monoid M, class E>
void flip(const M& monoid, Cursor<E> first, Cursor<E> last) {
    using Partial = typename M::Partial;
    if constexpr (kWide<M>) {
        if (&aggregate_of(*last) != &last->partial) aggregate_of(*last) = last->partial;
        for (Cursor<E> next = last; last != first; next = last) extend(monoid, *--last, *next);
    } else if constexpr (kInPlace<M>) {
        Partial running = aggregate_of(*last) = last->partial;
        while (last != first) aggregate_of(*last) = running = monoid.combine((--last)->partial, running);
    } else {
        std::vector<Partial> found{last->partial};
        for (Cursor<E> cursor = last; cursor != first;)
            found.push_back(monoid.combine((--cursor)->partial, found.back()));
        for (Partial& aggregate : found) {
            aggregate_of(*last) = std::move(aggregate);
            if (last != first) --last;
        }
    }
}

//! The paper's caching of query: its last result, until something changes. Reading writes, so that readers of one
//! window must not run at the same time.
template <class Partial>
class QueryCache {
public:
    template <class Compute>
    const Partial& get(Compute compute) const {
        if (!valid_) {
            total_ = compute();
            valid_ = true;
        }
        return total_;
    }
    void forget() { valid_ = false; }
    auto owned() const { return std::tie(total_); }

private:
    mutable Partial total_{};
    mutable bool valid_ = false;
};

//! A clause of check_invariants: times rise strictly from the front to the back.
template <class Queue>
void check_times(const Queue& queue) {
    const Time* last = nullptr;
    queue.for_each([&last](const auto& entry) {
        invariant(last == nullptr || *last < entry.time, "times rise strictly");
        last = &entry.time;
    });
}

//! A monoid and a queue of entries, oldest first: what an algorithm that runs within one queue starts from.
template <Monoid M, class E>
class InOrder {
public:
    using Monoid = M;
    using Partial = typename M::Partial;

    std::size_t size() const { return queue_.size(); }
    Time oldest() const { return queue_.front().time; }
    Time youngest() const { return queue_.back().time; }
    void shrink_to_fit() { queue_.shrink_to_fit(); }
    auto owned() const { return std::tie(queue_); }

    //! The entries' own partials, for algorithms that keep them.
    template <class F>
    void for_each(F f) const {
        queue_.for_each([&f](const E& entry) { f(entry.time, entry.partial); });
    }

protected:
    using Queue = ChunkedQueue<E>;
    using Position = typename Queue::Position;
    using Cursor = typename Queue::Cursor;

    explicit InOrder(M monoid) : monoid_(std::move(monoid)) {}

    //! The first position whose time is after `time`.
    Position first_after(Time time) const {
        return queue_.partition([time](const E& entry) { return entry.time <= time; });
    }

    Time time_at(Position p) const { return queue_.at(p)->time; }

    //! A part of the queue as a node of a description.
    template <class Out, class Show>
    void describe_part(Out& out, const char* kind, Position from, Position to, Show show) const {
        out.begin(kind);
        describe_run(out, from < to ? to - from : 0, [&](std::size_t i) { show(*queue_.at(from + i)); });
        out.end();
    }
    //! Its entries have the aggregates of themselves and all up to, and without, `until`.
    template <class Out>
    void describe_suffixes(Out& out, const char* kind, Position from, Position to, Position until) const {
        describe_part(out, kind, from, to, [&](E& entry) {
            out.entry(entry.time, kBeside ? &entry.partial : nullptr);
            out.aggregate("suffix", entry.time, time_at(until - 1), &aggregate_of(entry));
        });
    }
    //! Its entries have their own partials, and beside them the aggregates from the first of them on.
    template <class Out>
    void describe_prefixes(Out& out, const char* kind, Position from, Position to) const {
        describe_part(out, kind, from, to, [&](E& entry) {
            out.entry(entry.time, &entry.partial);
            if constexpr (kBeside) out.aggregate("prefix", time_at(from), entry.time, &entry.aggregate);
        });
    }

    //! Whether aggregates are beside the entries' own partials.
    static constexpr bool kBeside = requires(E& entry) { entry.aggregate; };

    [[no_unique_address]] M monoid_;
    Queue queue_;
};

}  // namespace sash
