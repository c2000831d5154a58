//! Aggregates of all windows in one pass, by two stacks over positions.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/batch/parallel.hpp"
#include "sash/batch/scans.hpp"
#include "sash/monoid.hpp"
#include "sash/windows/frame_bounds.hpp"

namespace sash::batch {

//! Calls emit(position, partial), or emit(position, partial, first) where that is asked for: where the window begins.
template <class Emit, class Partial>
void emit_window(Emit& emit, std::size_t position, const Partial& partial, Position first) {
    if constexpr (std::is_invocable_v<Emit&, std::size_t, const Partial&, Position>) {
        emit(position, partial, first);
    } else {
        emit(position, partial);
    }
}

//! Emits every window of a stretch, first to last; `first` has their beginnings.
//! `lift(position)` gives the partial of a row, the identity for one that is passed over.
//!
//!     [first ............ flip)[flip ....... end)
//!      suffixes, one a position  back, a running total
//!
//! A window is the suffix at its first position (x) the back. When the first position reaches the flip, all that is in
//! the window becomes suffixes. So each row is combined once into the back, once into a suffix and once into a result:
//! 3 combines amortized, 4.5 of those that cost next to nothing (see scans.hpp). Nothing is ever subtracted. A new key
//! flips by itself, since its windows begin behind all that was seen. The stretch begins with a flip, too.
template <Monoid M, class Lift, class Emit>
void two_stacks(const M& monoid, const Bounds& bounds, const Position* first, Stretch stretch, Lift lift, Emit emit) {
    using Partial = typename M::Partial;
    const std::size_t size = stretch.end;
    std::vector<Partial> suffixes;
    Partial back = monoid.identity();
    Position base = 0, flip = 0, seen = bounds.end(stretch.begin);

    // All that is in the window of `i` becomes suffixes.
    const auto turn = [&](std::size_t i) {
        base = first[i];
        flip = seen;
        back = monoid.identity();
        if (suffixes.size() < flip - base) suffixes.resize(flip - base, monoid.identity());
        scan_back(monoid, base, flip, lift,
                  [&](std::size_t at, const Partial& suffix) { suffixes[at - base] = suffix; });
    };
    turn(stretch.begin);
    emit_window(emit, stretch.begin, base == flip ? back : suffixes.front(), base);
    if (bounds.last.empty() && bounds.never_empty) {
        // The common case, in loops that do nothing else: every row enters at its own turn, no window is empty, and
        // none begins at the flip. Nor does one begin before that of the row before it, so the last of some rows shows
        // whether all of them begin before the flip.
        for (std::size_t i = stretch.begin + 1; i < size;) {
            std::size_t end = i;
            while (end + kTogether <= size && first[end + kTogether - 1] < flip) end += kTogether;
            scan(monoid, i, end, lift, back, [&](std::size_t at, const Partial& total) {
                emit_window(emit, at, monoid.combine(suffixes[first[at] - base], total), first[at]);
            });
            seen = static_cast<Position>(end);
            for (i = end; i < size && i != end + kTogether; ++i) {
                append(monoid, back, lift(seen++));
                if (first[i] >= flip) turn(i);
                emit_window(emit, i, monoid.combine(suffixes[first[i] - base], back), first[i]);
            }
        }
        return;
    }
    for (std::size_t i = stretch.begin + 1; i < size; ++i) {
        for (const Position end = bounds.end(i); seen < end; ++seen) append(monoid, back, lift(seen));
        if (first[i] >= flip) turn(i);
        if (first[i] == flip) {
            emit_window(emit, i, back, flip);
        } else {
            emit_window(emit, i, monoid.combine(suffixes[first[i] - base], back), first[i]);
        }
    }
}

}  // namespace sash::batch
