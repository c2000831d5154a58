//! ABA, the Amortized Banker's Aggregator: Two-Stacks within one queue, so that a flip moves no entry.
#pragma once

#include <cstddef>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"

namespace sash {

//! Insert and query O(1); evict amortized O(1), O(n) when it flips. A query is free until the window changes. Two
//! partials an entry.
//!
//!     queue   | e  e  e  e | e  e  e  youngest |     oldest to youngest
//!              --> split_    split_ -->              which way each aggregate reaches
//!
//! The youngest entry never enters the front part, so that an equal time can still combine into it.
template <Monoid M>
class Aba : public InOrder<M, Slot<typename M::Partial>> {
    using Base = InOrder<M, Slot<typename M::Partial>>;
    using Base::monoid_, Base::queue_;
    using typename Base::Cursor, typename Base::Position;

public:
    using typename Base::Partial;
    static constexpr bool listable = true;

    explicit Aba(M monoid = M{}) : Base(std::move(monoid)) {}

    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }

    Partial query() const {
        if (queue_.empty()) return monoid_.identity();
        return cache_.get([this] {
            const Partial& back = queue_.back().aggregate;
            return has_front() ? monoid_.combine(queue_.front().aggregate, back) : back;
        });
    }

    void insert(Time time, Partial partial) {
        cache_.forget();
        if (!queue_.empty() && time == this->youngest())
            return combine_into_both(monoid_, queue_.back().partial, queue_.back().aggregate, partial);
        Partial aggregate = queue_.empty() ? partial : monoid_.combine(queue_.back().aggregate, partial);
        queue_.push_back({time, std::move(partial), std::move(aggregate)});
    }

    void evict() {
        if (queue_.size() == 1) return clear();
        if (!has_front()) turn(queue_.oldest());
        queue_.pop_front();
        cache_.forget();
    }

    //! Entries of the front part leave by a jump. When more leaves, what stays is flipped, once.
    void bulk_evict(Time time) {
        const Position last = this->first_after(time);
        if (last == queue_.end()) return clear();
        // Without a front part the aggregates of the back part begin at the front.
        if (last > split_ && last != queue_.begin()) turn(queue_.at(last));
        queue_.drop_before(last);
        cache_.forget();
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    void clear() {
        queue_.drop_before(queue_.end());
        cache_.forget();
    }

    void check_invariants() const {
        // The youngest entry is not in the front part.
        invariant(queue_.empty() ? split_ <= queue_.end() : split_ < queue_.end(), "the youngest is behind the split");
        check_times(queue_);
    }

private:
    bool has_front() const { return queue_.begin() < split_; }

    //! Flips the entries from `first` on, all but the youngest, which starts the new back part. What is before `first`
    //! must leave.
    void turn(Cursor first) {
        const Cursor youngest = queue_.youngest();
        Partial back = youngest->partial;
        if (first != youngest) flip(monoid_, first, youngest.before());
        youngest->aggregate = std::move(back);
        split_ = queue_.end() - 1;
    }

    //! At or before begin when there is no front part. [begin, split_) aggregate from the entry to split_, the rest
    //! from split_ to the entry.
    Position split_ = 0;
    QueryCache<Partial> cache_;
};

}  // namespace sash
