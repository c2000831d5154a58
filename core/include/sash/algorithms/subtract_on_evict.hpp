//! Subtract-on-evict: a running total, for monoids that can take the oldest entry out of it again.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"

namespace sash {

//! One combine an insert, one inverse an evict, none a query. Floating totals drift by what rounding loses; a window
//! that empties starts again without it.
template <Invertible M>
class SubtractOnEvict : public InOrder<M, Entry<typename M::Partial>> {
    using Base = InOrder<M, Entry<typename M::Partial>>;
    using Base::monoid_, Base::queue_;
    using typename Base::Cursor, typename Base::Position;

public:
    using typename Base::Partial;
    static constexpr bool listable = true;

    explicit SubtractOnEvict(M monoid = M{}) : Base(std::move(monoid)) {}

    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }
    auto owned() const { return std::tie(queue_, total_); }

    Partial query() const {
        if (queue_.empty()) [[unlikely]]
            return monoid_.identity();
        return total_;
    }

    void insert(Time time, Partial partial) {
        if (queue_.empty()) [[unlikely]]
            return insert_first(time, std::move(partial));
        if (time == this->youngest()) [[unlikely]]
            return combine_into_both(monoid_, queue_.back().partial, total_, partial);
        push_onto(monoid_, queue_, total_, time, std::move(partial));
    }

    void evict() {
        total_ = monoid_.inverse(total_, queue_.front().partial);
        queue_.pop_front();
    }

    //! Takes out what leaves or adds up what stays, whichever is less.
    void bulk_evict(Time time) {
        const Position last = this->first_after(time);
        if (last == queue_.begin()) return;
        if (last == queue_.end()) return clear();
        total_ = last - queue_.begin() <= queue_.end() - last ? without(last) : sum_from(last);
        queue_.drop_before(last);
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    void clear() {
        queue_.drop_before(queue_.end());
        total_ = Partial{};
    }

    template <class Out>
    void describe(Out& out) const {
        this->describe_prefixes(out, "queue", queue_.begin(), queue_.end());
        if (!queue_.empty()) out.aggregate("total", this->oldest(), this->youngest(), &total_);
    }

    void check_invariants() const { check_times(queue_); }

private:
    //! The total starts anew, whatever rounding has left in it.
    void insert_first(Time time, Partial partial) {
        Partial total = partial;
        queue_.push_back({time, std::move(partial)});
        total_ = std::move(total);
    }

    //! The total less everything before `last`: the oldest goes first, as the inverse asks.
    Partial without(Position last) const {
        Partial total = total_;
        Cursor cursor = queue_.oldest();
        for (Position p = queue_.begin(); p != last; ++p, ++cursor) total = monoid_.inverse(total, cursor->partial);
        return total;
    }

    Partial sum_from(Position first) const {
        Cursor cursor = queue_.at(first);
        Partial total = cursor->partial;
        while (cursor != queue_.youngest()) append(monoid_, total, (++cursor)->partial);
        return total;
    }

    //! The aggregate of the whole queue; of no meaning while it is empty.
    Partial total_{};
};

}  // namespace sash
