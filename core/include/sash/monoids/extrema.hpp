//! Least and greatest, how often they occur, and the range between them. All over encoded numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "sash/number.hpp"

namespace sash {

enum class Extreme : bool { least, greatest };

//! The neutral cell: no cell is more extreme the other way.
template <Extreme E>
inline constexpr Cell kNeutral =
    E == Extreme::least ? std::numeric_limits<Cell>::max() : std::numeric_limits<Cell>::min();

//! Whether `a` is strictly more extreme than `b`.
template <Extreme E>
constexpr bool beats(Cell a, Cell b) {
    return E == Extreme::least ? a < b : a > b;
}

template <Extreme E>
struct Extremum {
    using Input = Cell;
    using Partial = Cell;
    using Output = Number;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    NumberKind kind = NumberKind::integer;

    Partial identity() const { return kNeutral<E>; }
    Partial lift(Input value) const { return value; }
    Partial combine(Partial older, Partial newer) const {
        return E == Extreme::least ? std::min(older, newer) : std::max(older, newer);
    }
    Output lower(Partial partial) const { return decode(partial, kind); }
};

using Min = Extremum<Extreme::least>;
using Max = Extremum<Extreme::greatest>;

//! How many events carry the extreme.
template <Extreme E>
struct ExtremumCount {
    using Input = Cell;
    using Output = std::int64_t;
    struct Partial {
        Cell extreme;
        std::int64_t count;
        bool operator==(const Partial&) const = default;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return {kNeutral<E>, 0}; }
    Partial lift(Input value) const { return {value, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.extreme == newer.extreme) return {older.extreme, older.count + newer.count};
        return beats<E>(older.extreme, newer.extreme) ? older : newer;
    }
    Output lower(const Partial& partial) const { return partial.count; }
};

using MinCount = ExtremumCount<Extreme::least>;
using MaxCount = ExtremumCount<Extreme::greatest>;

//! Greatest minus least. An int64 difference that does not fit is an error at the result.
struct Range {
    using Input = Cell;
    using Output = Number;
    struct Partial {
        Cell least;
        Cell greatest;
        bool operator==(const Partial&) const = default;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    NumberKind kind = NumberKind::integer;

    Partial identity() const { return {kNeutral<Extreme::least>, kNeutral<Extreme::greatest>}; }
    Partial lift(Input value) const { return {value, value}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {std::min(older.least, newer.least), std::max(older.greatest, newer.greatest)};
    }
    Output lower(const Partial& partial) const {
        if (kind == NumberKind::real) return decode_real(partial.greatest) - decode_real(partial.least);
        std::int64_t range;
        if (__builtin_sub_overflow(partial.greatest, partial.least, &range))
            throw std::overflow_error("the range does not fit in 64 bits; pass floats, or scale the values down");
        return range;
    }
};

}  // namespace sash
