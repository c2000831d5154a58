//! Aggregates of all windows in one pass, by two stacks over positions.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sash/monoid.hpp"
#include "sash/rolling/bounds.hpp"

namespace sash::rolling {

//! Calls emit(position, partial) for every window, first to last. `lift(position)` gives the partial of a row, the
//! identity for one that is passed over.
//!
//!     [first ............ flip)[flip ....... end)
//!      suffixes, one a position  back, a running total
//!
//! A window is the suffix at its first position (x) the back. When the first position reaches the flip, all that is in
//! the window becomes suffixes. So each row is combined once into the back, once into a suffix and once into a result:
//! 3 combines amortized. Nothing is ever subtracted. A new key flips by itself, since its windows begin behind all that
//! was seen.
template <Monoid M, class Lift, class Emit>
void two_stacks(const M& monoid, const Bounds& bounds, Lift lift, Emit emit) {
    using Partial = typename M::Partial;
    const Position* const first = bounds.first.data();
    const std::size_t size = bounds.first.size();
    std::vector<Partial> suffixes;
    Partial back = monoid.identity();
    Position base = 0, flip = 0, seen = 0;

    // All that is in the window of `i` becomes suffixes.
    const auto turn = [&](std::size_t i) {
        base = first[i];
        flip = seen;
        back = monoid.identity();
        if (suffixes.size() < flip - base) suffixes.resize(flip - base, monoid.identity());
        Partial suffix = monoid.identity();
        for (Position at = flip; at-- != base;) {
            prepend(monoid, lift(at), suffix);
            suffixes[at - base] = suffix;
        }
    };
    const auto answer = [&](std::size_t i) {
        if (first[i] == flip) {
            emit(i, back);
        } else {
            emit(i, monoid.combine(suffixes[first[i] - base], back));
        }
    };
    if (bounds.last.empty() && bounds.with_own) {
        // The common case, in a loop that does nothing else: every row enters at its own turn.
        for (std::size_t i = 0; i < size; ++i) {
            append(monoid, back, lift(seen++));
            if (first[i] >= flip) turn(i);
            answer(i);
        }
        return;
    }
    for (std::size_t i = 0; i < size; ++i) {
        for (const Position end = bounds.end(i); seen < end; ++seen) append(monoid, back, lift(seen));
        if (first[i] >= flip) turn(i);
        answer(i);
    }
}

}  // namespace sash::rolling
