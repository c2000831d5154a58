#pragma once

#include <utility>

#include "sash/monoids/extrema.hpp"

namespace sash {

//! The argument that goes with the extreme key; the oldest one on ties.
template <Extreme E, class Argument = Cell>
struct ArgExtremum {
    using Input = std::pair<Cell, Argument>;
    using Output = Argument;
    struct Partial {
        Cell key = kNeutral<E>;
        Argument argument{};
        bool present = false;
        bool operator==(const Partial&) const = default;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;

    Partial identity() const { return {}; }
    Partial lift(const Input& value) const { return {value.first, value.second, true}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        const bool take_newer = !older.present || (newer.present && beats<E>(newer.key, older.key));
        return take_newer ? newer : older;
    }
    Output lower(const Partial& partial) const { return partial.argument; }
};

template <class Argument = Cell>
using ArgMin = ArgExtremum<Extreme::least, Argument>;
template <class Argument = Cell>
using ArgMax = ArgExtremum<Extreme::greatest, Argument>;

}  // namespace sash
