//! Aggregates of all windows as they were known when each row came, by FiBA over positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/algorithms/fiba.hpp"
#include "sash/batch/column.hpp"
#include "sash/batch/monoids.hpp"

namespace sash::batch {

//! Calls emit(position, partial) for every row, key by key in the order of arrival, with what had come by then of its
//! window, the row itself included where the window includes it. `counts` gets the number of present values.
//!
//! Positions are the times of the tree: they are unique, and their order is known beforehand. What no later row of the
//! key asks for is evicted. O(log d) for a row that comes d places late.
template <Monoid M, class Lift, class Emit>
void as_known(const M& monoid, const Order& order, const Bounds& bounds, const Presence& presence, Lift lift, Emit emit,
              Slots<std::uint32_t> counts) {
    Fiba<Counted<M>> tree{Counted<M>{monoid}};
    std::vector<Position> needed;
    for_each_group(order, [&](Position begin, Position end) {
        tree.clear();
        const std::vector<Position> arrivals = order.arrivals(begin, end);
        needed.resize(arrivals.size());
        Position least = end;
        for (std::size_t k = arrivals.size(); k-- != 0;) needed[k] = least = std::min(least, bounds.first[arrivals[k]]);
        for (std::size_t k = 0; k < arrivals.size(); ++k) {
            const Position own = arrivals[k];
            if (presence[own]) tree.insert(own, {lift(own), 1});
            if (tree.size() != 0 && tree.oldest() < Time{needed[k]}) tree.bulk_evict(Time{needed[k]} - 1);
            const Time from = bounds.first[own], to = Time{bounds.end(own)} - 1;
            const bool whole = tree.size() != 0 && from <= tree.oldest() && to >= tree.youngest();
            const auto known = whole ? tree.query() : tree.query(from, to);
            counts[own] = known.count;
            emit(own, known.partial);
        }
    });
}

}  // namespace sash::batch
