//! DABA, the De-Amortized Banker's Aggregator: no operation ever takes more than a constant number of combines.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/daba_queue.hpp"

namespace sash {

//! Insert, evict and query O(1) in the worst case, without a loop. Two partials an entry.
//!
//! With its caches: at most 3 combines an insert, 2 an evict, 1 a query (none when nothing has changed), and on average
//! 2 an insert and 1 an evict. Without: at most 4, 3 and 1.
//!
//! What the aggregate of each part reaches (see DabaMarks): from an entry of front or accumulated to `back`, of left to
//! right; from the start of right or back to the entry, the youngest included.
template <Monoid M, bool Cached>
class BasicDaba : public DabaQueue<M, Slot<typename M::Partial>, Cached> {
    using Base = DabaQueue<M, Slot<typename M::Partial>, Cached>;
    using Base::marks_, Base::monoid_, Base::queue_, Base::rest_;

public:
    using typename Base::Partial;
    static constexpr bool listable = true;

    explicit BasicDaba(M monoid = M{}) : Base(std::move(monoid)) {}

    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }
    auto owned() const { return std::tie(queue_, rest_, cache_); }

    Partial query() const {
        if (queue_.empty()) [[unlikely]]
            return monoid_.identity();
        if constexpr (Cached) {
            return cache_.get([this] { return total(); });
        } else {
            return total();
        }
    }

    //! The former youngest entry joins the structure; its aggregate is there already. A flip empties the back part, and
    //! the new entry starts the next one.
    void insert(Time time, Partial partial) {
        cache_.forget();
        if (queue_.empty()) [[unlikely]]
            return insert_first(time, std::move(partial));
        if (time == this->youngest()) [[unlikely]]
            return combine_into_both(monoid_, queue_.back().partial, queue_.back().aggregate, partial);
        const bool flips = marks_.due();
        const Partial* const joined = &queue_.back().aggregate;
        Partial aggregate = flips ? partial : monoid_.combine(*joined, partial);
        queue_.push_back({time, std::move(partial), std::move(aggregate)});
        if constexpr (!kInPlace<M>) return this->fixup_aside(flips, *joined);
        if (!flips) [[likely]]
            return this->fixup();
        if constexpr (Cached) rest_ = *joined;
        this->flip_and_fixup(queue_.oldest());
    }

    void evict() {
        cache_.forget();
        Base::evict();
    }
    void bulk_evict(Time time) {
        cache_.forget();
        Base::bulk_evict(time);
    }
    void clear() {
        cache_.forget();
        Base::clear();
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

private:
    struct NoCache {
        void forget() {}
    };

    //! Of a window that is not empty.
    Partial total() const {
        if (queue_.has_one()) return queue_.back().aggregate;
        return monoid_.combine(queue_.front().aggregate, queue_.back().aggregate);
    }

    void insert_first(Time time, Partial partial) {
        Partial aggregate = partial;
        queue_.push_back({time, std::move(partial), std::move(aggregate)});
        marks_.restart(queue_.youngest());
    }

    [[no_unique_address]] std::conditional_t<Cached, QueryCache<Partial>, NoCache> cache_;
};

//! DABA as the paper measures it, with both caches.
template <Monoid M>
using Daba = BasicDaba<M, true>;

//! DABA as the paper first states it: less to keep, at most one combine more a step.
template <Monoid M>
using DabaUncached = BasicDaba<M, false>;

}  // namespace sash
