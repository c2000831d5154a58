//! Recalculation from scratch: the oracle that the other algorithms are held against.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"
#include "sash/algorithms/queue.hpp"
#include "sash/algorithms/search.hpp"

namespace sash {

//! Insert and evict O(1), query O(n): n - 1 combines. Nothing is stored but the entries.
//!
//! The only in-order algorithm that takes late events as well: they cost a search and a shift, O(log n + d) for an
//! event that d entries are younger than.
template <Monoid M>
class Recalc {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;

    explicit Recalc(M monoid = M{}) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return queue_.size(); }
    Time oldest() const { return queue_.front().time; }
    Time youngest() const { return queue_.back().time; }
    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }
    auto owned() const { return std::tie(queue_); }

    Partial query() const { return fold(queue_.begin(), queue_.end()); }

    //! The combination of the entries in [from, to], both ends in.
    Partial query(Time from, Time to) const {
        if (to < from) return monoid_.identity();
        const Position begin = first_at(queue_, from);
        return fold(begin, first_after(queue_, to, begin, queue_.end()));
    }

    void insert(Time time, Partial partial) {
        if (queue_.empty() || youngest() < time) {
            queue_.push_back({time, std::move(partial)});
        } else {
            insert_late(first_at(queue_, time), time, std::move(partial));
        }
    }

    void evict() { queue_.pop_front(); }

    //! Removes the entry of exactly `time`, wherever it is. O(log n + d). False if there is none.
    bool evict(Time time) {
        const Position place = first_at(queue_, time);
        if (place == queue_.end() || queue_[place].time != time) return false;
        for (Position p = place; p + 1 != queue_.end(); ++p) queue_[p] = std::move(queue_[p + 1]);
        queue_.pop_back();
        return true;
    }

    void bulk_evict(Time time) { queue_.drop_before(first_after(queue_, time)); }

    void load(Time time, Partial partial) { queue_.push_back({time, std::move(partial)}); }

    template <class F>
    void for_each(F f) const {
        queue_.for_each([&f](const Entry<Partial>& entry) { f(entry.time, entry.partial); });
    }

    void clear() { queue_.drop_before(queue_.end()); }

    void shrink_to_fit() { queue_.shrink_to_fit(); }

    template <class Out>
    void describe(Out& out) const {
        out.begin("queue");
        describe_run(out, size(), [&](std::size_t i) {
            const Entry<Partial>& entry = queue_[queue_.begin() + i];
            out.entry(entry.time, &entry.partial);
        });
        out.end();
    }

    void check_invariants() const { check_times(queue_); }

private:
    using Queue = IndexedQueue<Entry<Partial>>;
    using Position = typename Queue::Position;

    Partial fold(Position begin, Position end) const {
        if (begin == end) return monoid_.identity();
        Partial total = queue_[begin].partial;
        for (Position p = begin + 1; p != end; ++p) append(monoid_, total, queue_[p].partial);
        return total;
    }

    void insert_late(Position place, Time time, Partial partial) {
        Entry<Partial>& held = queue_[place];
        if (held.time == time) {
            held.partial = monoid_.combine(held.partial, partial);
            return;
        }
        queue_.push_back({time, std::move(partial)});
        for (Position p = queue_.end() - 1; p != place; --p) std::swap(queue_[p], queue_[p - 1]);
    }

    [[no_unique_address]] M monoid_;
    //! Oldest first, the entries' own partials.
    Queue queue_;
};

}  // namespace sash
