//! Monoids that only a batch has: over plain doubles, 128-bit sums, with a count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sash/batch/exact.hpp"
#include "sash/monoid.hpp"
#include "sash/monoids/extrema.hpp"

namespace sash::batch {

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

//! The greatest cell and how many events carry it, by arithmetic instead of branches.
struct TopCount {
    struct Partial {
        Cell extreme;
        std::int64_t count;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return {kNeutral<Extreme::greatest>, 0}; }
    Partial lift(Cell cell) const { return {cell, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        const std::int64_t of_older = older.extreme >= newer.extreme ? older.count : 0;
        const std::int64_t of_newer = newer.extreme >= older.extreme ? newer.count : 0;
        return {std::max(older.extreme, newer.extreme), of_older + of_newer};
    }
};

//! Any monoid, and how many events were combined.
template <Monoid M>
struct Counted {
    struct Partial {
        typename M::Partial partial;
        std::uint32_t count;
    };
    static constexpr bool commutative = M::commutative;
    static constexpr bool fallible = M::fallible;

    M monoid;

    Partial identity() const { return {monoid.identity(), 0}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {monoid.combine(older.partial, newer.partial), older.count + newer.count};
    }
};

}  // namespace sash::batch
