//! The two ways over all windows of a batch, behind one call each.
#pragma once

#include <cstdint>

#include "sash/batch/arrival.hpp"
#include "sash/batch/blocks.hpp"
#include "sash/batch/column.hpp"
#include "sash/batch/spans.hpp"
#include "sash/batch/stacks.hpp"

namespace sash::batch {

//! Every window with all its rows, whenever they came.
struct Final {
    static constexpr bool known = false;
    const Order& order;
    const Bounds& bounds;
    const Presence& presence;
    //! Where the rows are cut does not depend on it: nor does any result, to the last bit.
    std::size_t threads = order.threads();

    template <Monoid M, class Lift, class Emit>
    void operator()(const M& monoid, Lift lift, Emit emit) const {
        if (presence.all()) return walk(monoid, lift, emit);
        const auto skipping = [&, present = presence.marks(), nothing = monoid.identity()](std::size_t i) ->
            typename M::Partial {
                if constexpr (Light<M>) {
                    // Lifted in any case, so that no branch depends on what is there.
                    const typename M::Partial partial = lift(i);
                    return present[i] != 0 ? partial : nothing;
                } else {
                    return present[i] != 0 ? lift(i) : nothing;
                }
            };
        walk(monoid, skipping, emit);
    }

    //! How many present values the window of a row has that begins there.
    std::int64_t count(std::size_t i, Position first) const { return presence.count(first, bounds.end(i)); }

private:
    template <Monoid M, class Lift, class Emit>
    void walk(const M& monoid, Lift lift, Emit emit) const {
        if (bounds.rows != 0) return walk_blocks(monoid, lift, emit);
        constexpr std::size_t kTimes = 4, kLeast = std::size_t{1} << 15;
        const std::vector<Stretch> stretches = cut(bounds, kTimes, kLeast);
        in_parallel(stretches.size(), threads, [&] {
            return [&, firsts = Firsts(bounds)](std::size_t task) mutable {
                const Stretch stretch = stretches[task];
                two_stacks(monoid, bounds, firsts.of(stretch), stretch, lift, emit);
            };
        });
    }

    template <Monoid M, class Lift, class Emit>
    void walk_blocks(const M& monoid, Lift lift, Emit emit) const {
        const auto emit_row = [&](std::size_t i, const typename M::Partial& partial) {
            emit_window(emit, i, partial, bounds.first[i]);
        };
        const std::vector<std::vector<Blocks>> lists = block_lists(order, bounds.rows);
        in_parallel(lists.size(), threads, [&] {
            return [&, suffixes = std::vector<typename M::Partial>()](std::size_t task) mutable {
                for (const Blocks& blocks : lists[task])
                    block_scans(monoid, bounds.rows, blocks, suffixes, lift, emit_row);
            };
        });
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
    std::size_t threads = order.threads();

    //! Of a row whose result is emitted.
    std::int64_t count(std::size_t i, Position) const { return counts[i]; }

    template <Monoid M, class Lift, class Emit>
    void operator()(const M& monoid, Lift lift, Emit emit) const {
        const auto groups = order.groups();
        in_parallel(groups.size() - 1, threads, [&] {
            return [&, arrival = Arrival<M>(monoid)](std::size_t key) mutable {
                arrival.run(order, bounds, presence, {groups[key], groups[key + 1]}, lift, emit, counts);
            };
        });
    }
};

}  // namespace sash::batch
