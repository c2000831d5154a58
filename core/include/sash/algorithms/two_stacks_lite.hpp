//! Two-Stacks with one partial an entry: the front part is overwritten by its own suffix aggregates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/suffixes.hpp"
#include "sash/algorithms/two_parts.hpp"

namespace sash {

//! Insert and query O(1); evict amortized O(1), O(n) when it flips. One partial an entry: in the front part the suffix
//! aggregate, in the back part its own.
template <Monoid M>
class TwoStacksLite : public TwoParts<M, Entry<typename M::Partial>> {
    using Base = TwoParts<M, Entry<typename M::Partial>>;
    using Base::monoid_, Base::queue_, Base::split_;
    using typename Base::Position;

public:
    using typename Base::Partial;
    static constexpr bool listable = false;

    explicit TwoStacksLite(M monoid = M{}) : Base(std::move(monoid)) {}

    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }

    Partial query() const {
        if (this->has_front()) [[likely]]
            return monoid_.combine(queue_.front().partial, this->back());
        return queue_.empty() ? monoid_.identity() : this->back();
    }

    void insert(Time time, Partial partial) {
        if (queue_.empty()) [[unlikely]]
            return load(time, std::move(partial));
        if (time == this->youngest()) [[unlikely]]
            return combine_into_both(monoid_, queue_.back().partial, this->back(), partial);
        push_onto(monoid_, queue_, this->back(), time, std::move(partial));
    }

    //! Pairs: suffix aggregates up to, and without, the youngest entry; then that entry itself.
    template <class F>
    void for_each(F f) const {
        if (queue_.empty()) return;
        const Position back = std::max(split_, queue_.begin());
        Suffixes suffixes(monoid_, queue_.youngest(), queue_.size() - 1);
        suffixes.through_own(static_cast<std::size_t>(queue_.end() - 1 - back));
        const auto rest = suffixes.reached();
        suffixes.through_aggregates(static_cast<std::size_t>(back - queue_.begin()), rest);
        suffixes.show(queue_, f);
    }

    //! Whatever came before is the front part, and this entry is the youngest.
    void load(Time time, Partial partial) {
        Partial back = partial;
        queue_.push_back({time, std::move(partial)});
        split_ = queue_.end() - 1;
        this->back() = std::move(back);
    }
};

}  // namespace sash
