//! Aggregates of all windows as they were known when each row came, by FiBA over positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/algorithms/fiba.hpp"
#include "sash/batch/column.hpp"
#include "sash/batch/monoids.hpp"
#include "sash/batch/parallel.hpp"
#include "sash/batch/stacks.hpp"

namespace sash::batch {

//! Positions are the times of the tree: they are unique, and their order is known beforehand. What no later row of the
//! key asks for is evicted. O(log d) for a row that comes d places late.
template <Monoid M>
class Arrival {
public:
    explicit Arrival(const M& monoid) : tree_{Counted<M>{monoid}} {}

    //! Calls emit(position, partial) for every row of a key in the order of arrival, with what had come by then of its
    //! window, the row itself included where the window includes it. `counts` gets the number of present values.
    template <class Lift, class Emit>
    void run(const Order& order, const Bounds& bounds, const Presence& presence, Stretch key, Lift lift, Emit emit,
             Slots<std::uint32_t> counts) {
        tree_.clear();
        const std::vector<Position> arrivals =
            order.arrivals(static_cast<Position>(key.begin), static_cast<Position>(key.end));
        find_needed(arrivals, bounds, static_cast<Position>(key.end));
        for (std::size_t k = 0; k < arrivals.size(); ++k) {
            const Position own = arrivals[k];
            if (presence[own]) tree_.insert(own, {lift(own), 1});
            if (tree_.size() != 0 && tree_.oldest() < Time{needed_[k]}) tree_.bulk_evict(Time{needed_[k]} - 1);
            const Time from = bounds.first[own], to = Time{bounds.end(own)} - 1;
            const bool whole = tree_.size() != 0 && from <= tree_.oldest() && to >= tree_.youngest();
            const auto known = whole ? tree_.query() : tree_.query(from, to);
            counts[own] = known.count;
            emit_window(emit, own, known.partial, bounds.first[own]);
        }
    }

private:
    //! The first position that any row from here on asks for.
    void find_needed(const std::vector<Position>& arrivals, const Bounds& bounds, Position end) {
        needed_.resize(arrivals.size());
        Position least = end;
        for (std::size_t k = arrivals.size(); k-- != 0;)
            needed_[k] = least = std::min(least, bounds.first[arrivals[k]]);
    }

    Fiba<Counted<M>> tree_;
    std::vector<Position> needed_;
};

}  // namespace sash::batch
