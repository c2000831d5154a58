//! Subtract-on-evict: a running total, for monoids that can take the oldest entry out of it again.
#pragma once

#include <cstddef>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"
#include "sash/algorithms/queue.hpp"

namespace sash {

//! One combine an insert, one inverse an evict, none a query. Floating totals drift by what rounding loses; a window
//! that empties starts again without it.
template <Invertible M>
class SubtractOnEvict {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;

    explicit SubtractOnEvict(M monoid = M{}) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return queue_.size(); }
    Time oldest() const { return queue_.front().time; }
    Time youngest() const { return queue_.back().time; }
    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }

    Partial query() const {
        if (queue_.empty()) [[unlikely]]
            return monoid_.identity();
        return total_;
    }

    void insert(Time time, Partial partial) {
        if (queue_.empty()) [[unlikely]]
            return insert_first(time, std::move(partial));
        if (time == youngest()) [[unlikely]]
            return combine_into_youngest(partial);
        if constexpr (kWide<M>) {
            queue_.push_back({time, std::move(partial)});
            append(monoid_, total_, queue_.back().partial);
        } else {
            Partial total = monoid_.combine(total_, partial);
            queue_.push_back({time, std::move(partial)});
            total_ = std::move(total);
        }
    }

    void evict() {
        total_ = monoid_.inverse(total_, queue_.front().partial);
        queue_.pop_front();
    }

    //! Takes out what leaves or adds up what stays, whichever is less.
    void bulk_evict(Time time) {
        const Position last = first_after(queue_, time);
        if (last == queue_.begin()) return;
        if (last == queue_.end()) return clear();
        total_ = last - queue_.begin() <= queue_.end() - last ? without(last) : sum_from(last);
        queue_.drop_before(last);
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    template <class F>
    void for_each(F f) const {
        for (Position p = queue_.begin(); p != queue_.end(); ++p) f(queue_[p].time, queue_[p].partial);
    }

    void clear() {
        queue_.drop_before(queue_.end());
        total_ = Partial{};
    }

    void check_invariants() const { check_times(queue_); }

private:
    using Queue = ChunkedQueue<Entry<Partial>>;
    using Position = typename Queue::Position;

    //! The total starts anew, whatever rounding has left in it.
    void insert_first(Time time, Partial partial) {
        Partial total = partial;
        queue_.push_back({time, std::move(partial)});
        total_ = std::move(total);
    }

    void combine_into_youngest(const Partial& partial) {
        Partial youngest = monoid_.combine(queue_.back().partial, partial);
        total_ = monoid_.combine(total_, partial);
        queue_.back().partial = std::move(youngest);
    }

    //! The total less everything before `last`: the oldest goes first, as the inverse asks.
    Partial without(Position last) const {
        Partial total = total_;
        for (Position p = queue_.begin(); p != last; ++p) total = monoid_.inverse(total, queue_[p].partial);
        return total;
    }

    Partial sum_from(Position first) const {
        Partial total = queue_[first].partial;
        for (Position p = first + 1; p != queue_.end(); ++p) append(monoid_, total, queue_[p].partial);
        return total;
    }

    [[no_unique_address]] M monoid_;
    //! Oldest first, the entries' own partials.
    Queue queue_;
    //! The aggregate of the whole queue; of no meaning while it is empty.
    Partial total_{};
};

}  // namespace sash
