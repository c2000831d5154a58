//! Monoids that only a batch has: over plain doubles, 128-bit sums, with a count.
#pragma once

#include <cstdint>

#include "sash/monoid.hpp"
#include "sash/monoids/extrema.hpp"
#include "sash/rolling/exact.hpp"

namespace sash::rolling {

//! The extreme of doubles as they are, which a machine compares as fast as integers and without a code. A NaN, where
//! one comes in, is more extreme than any number.
template <Extreme E>
struct RealExtremum {
    using Partial = double;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        return E == Extreme::least ? kInfinity : -kInfinity;
    }
    Partial combine(Partial older, Partial newer) const {
        if constexpr (E == Extreme::least) {
            return older < newer ? older : newer;
        } else {
            return older > newer ? older : newer;
        }
    }
};

//! The same with NaNs about.
template <Extreme E>
struct RealExtremumOrNan : RealExtremum<E> {
    double combine(double older, double newer) const {
        return older != older ? older : newer != newer ? newer : RealExtremum<E>::combine(older, newer);
    }
};

//! A sum of int64 that cannot overflow on the way: only the result may not fit.
struct WideSum {
    using Partial = Wide;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return 0; }
    Partial combine(Partial older, Partial newer) const { return older + newer; }
};

//! Any monoid, and how many events were combined.
template <Monoid M>
struct Counted {
    struct Partial {
        typename M::Partial partial;
        std::int64_t count;
    };
    static constexpr bool commutative = M::commutative;
    static constexpr bool fallible = M::fallible;

    [[no_unique_address]] M monoid;

    Partial identity() const { return {monoid.identity(), 0}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {monoid.combine(older.partial, newer.partial), older.count + newer.count};
    }
};

}  // namespace sash::rolling
