//! ABA, the Amortized Banker's Aggregator: Two-Stacks within one queue, so that a flip moves no entry.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/two_parts.hpp"

namespace sash {

//! Insert and query O(1); evict amortized O(1), O(n) when it flips. A query is free until the window changes. Two
//! partials an entry.
//!
//!     queue   | e  e  e  e | e  e  e  youngest |     oldest to youngest
//!              --> split_    split_ -->              which way each aggregate reaches
template <Monoid M>
class Aba : public TwoParts<M, Slot<typename M::Partial>> {
    using Base = TwoParts<M, Slot<typename M::Partial>>;
    using Base::monoid_, Base::queue_;

public:
    using typename Base::Partial;
    static constexpr bool listable = true;

    explicit Aba(M monoid = M{}) : Base(std::move(monoid)) {}

    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }
    auto owned() const { return std::tie(queue_, cache_); }

    Partial query() const {
        if (queue_.empty()) return monoid_.identity();
        return cache_.get([this] {
            return this->has_front() ? monoid_.combine(queue_.front().aggregate, this->back()) : this->back();
        });
    }

    void insert(Time time, Partial partial) {
        cache_.forget();
        if (!queue_.empty() && time == this->youngest())
            return combine_into_both(monoid_, queue_.back().partial, queue_.back().aggregate, partial);
        Partial aggregate = queue_.empty() ? partial : monoid_.combine(queue_.back().aggregate, partial);
        queue_.push_back({time, std::move(partial), std::move(aggregate)});
    }
    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

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

private:
    QueryCache<Partial> cache_;
};

}  // namespace sash
