//! The two ways over all windows of a batch, behind one call each.
#pragma once

#include "sash/batch/arrival.hpp"
#include "sash/batch/blocks.hpp"
#include "sash/batch/column.hpp"
#include "sash/batch/stacks.hpp"

namespace sash::batch {

//! Every window with all its rows, whenever they came.
struct Final {
    static constexpr bool known = false;
    const Order& order;
    const Bounds& bounds;
    const Presence& presence;

    template <Monoid M, class Lift, class Emit>
    void operator()(const M& monoid, Lift lift, Emit emit) const {
        if (presence.all()) return walk(monoid, lift, emit);
        const auto skipping = [&](std::size_t i) ->
            typename M::Partial { return presence[i] ? lift(i) : monoid.identity(); };
        walk(monoid, skipping, emit);
    }

private:
    template <Monoid M, class Lift, class Emit>
    void walk(const M& monoid, Lift lift, Emit emit) const {
        if (bounds.rows != 0) {
            block_scans(monoid, order, bounds, lift, emit);
        } else {
            two_stacks(monoid, bounds, lift, emit);
        }
    }
};

//! Every window with those of its rows that had come when its own row came.
struct Known {
    static constexpr bool known = true;
    const Order& order;
    const Bounds& bounds;
    const Presence& presence;
    //! Gets the number of present values of each window.
    Slots<std::uint32_t> counts;

    template <Monoid M, class Lift, class Emit>
    void operator()(const M& monoid, Lift lift, Emit emit) const {
        as_known(monoid, order, bounds, presence, lift, emit, counts);
    }
};

}  // namespace sash::batch
