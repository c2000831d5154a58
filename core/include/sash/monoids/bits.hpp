#pragma once

#include <cstdint>

namespace sash {

//! Bitwise or; over 0 and 1 it is `any`.
struct BitOr {
    using Input = std::int64_t;
    using Partial = std::int64_t;
    using Output = std::int64_t;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return 0; }
    Partial lift(Input value) const { return value; }
    Partial combine(Partial older, Partial newer) const { return older | newer; }
    Output lower(Partial partial) const { return partial; }
};

//! Bitwise and; over 0 and 1 it is `all`.
struct BitAnd {
    using Input = std::int64_t;
    using Partial = std::int64_t;
    using Output = std::int64_t;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return -1; }
    Partial lift(Input value) const { return value; }
    Partial combine(Partial older, Partial newer) const { return older & newer; }
    Output lower(Partial partial) const { return partial; }
};

}  // namespace sash
