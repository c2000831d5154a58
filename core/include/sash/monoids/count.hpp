#pragma once

#include <cstdint>

namespace sash {

//! How many events.
struct Count {
    using Input = std::int64_t;
    using Partial = std::int64_t;
    using Output = std::int64_t;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return 0; }
    Partial lift(Input) const { return 1; }
    Partial combine(Partial older, Partial newer) const { return older + newer; }
    Partial inverse(Partial whole, Partial older) const { return whole - older; }
    Output lower(Partial partial) const { return partial; }
};

}  // namespace sash
