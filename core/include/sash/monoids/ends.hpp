#pragma once

#include "sash/number.hpp"

namespace sash {

enum class End : bool { oldest, youngest };

//! The value of the oldest or of the youngest event.
template <End E, class Value = Cell>
struct AtEnd {
    using Input = Value;
    using Output = Value;
    struct Partial {
        Value value{};
        bool present = false;
        bool operator==(const Partial&) const = default;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;

    Partial identity() const { return {}; }
    Partial lift(const Input& value) const { return {value, true}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (!newer.present) return older;
        return E == End::oldest && older.present ? older : newer;
    }
    Output lower(const Partial& partial) const { return partial.value; }
};

template <class Value = Cell>
using First = AtEnd<End::oldest, Value>;
template <class Value = Cell>
using Last = AtEnd<End::youngest, Value>;

}  // namespace sash
