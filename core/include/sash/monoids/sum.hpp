//! Sums and products. Integers are exact or an error, never a wrong number.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace sash {

//! The partial that stands for "did not fit in int64". It absorbs: whatever it is combined with overflows too. So
//! combining never throws, an eviction never fails, and only a result that needs the lost number is refused.
//! The price is one value: -2^63 itself is no input.
inline constexpr std::int64_t kOverflowed = std::numeric_limits<std::int64_t>::min();

//! What SumInt and ProductInt share: everything but the operation.
struct CheckedInt {
    using Input = std::int64_t;
    using Partial = std::int64_t;
    using Output = std::int64_t;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial lift(Input value) const {
        if (value == kOverflowed)
            throw std::overflow_error("-2**63 is out of range: integers go from -2**63 + 1 to 2**63 - 1");
        return value;
    }
    bool overflowed(Partial partial) const { return partial == kOverflowed; }
    Output lower(Partial partial) const {
        if (overflowed(partial))
            throw std::overflow_error("the result does not fit in 64 bits; pass floats, or scale the values down");
        return partial;
    }
};

struct SumInt : CheckedInt {
    Partial identity() const { return 0; }
    Partial combine(Partial older, Partial newer) const {
        Partial sum;
        const bool lost = __builtin_add_overflow(older, newer, &sum) || older == kOverflowed || newer == kOverflowed;
        return lost ? kOverflowed : sum;
    }
    //! An overflowed sum cannot be subtracted from; it stays overflowed.
    Partial inverse(Partial whole, Partial older) const {
        return combine(whole, older == kOverflowed ? older : -older);
    }
};

struct ProductInt : CheckedInt {
    Partial identity() const { return 1; }
    Partial combine(Partial older, Partial newer) const {
        Partial product;
        const bool lost =
            __builtin_mul_overflow(older, newer, &product) || older == kOverflowed || newer == kOverflowed;
        return lost ? kOverflowed : product;
    }
};

//! Combine-only unless the user asks for subtract_on_evict, so nothing drifts.
struct SumReal {
    using Input = double;
    using Partial = double;
    using Output = double;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return 0.0; }
    Partial lift(Input value) const { return value; }
    Partial combine(Partial older, Partial newer) const { return older + newer; }
    Partial inverse(Partial whole, Partial older) const { return whole - older; }
    Output lower(Partial partial) const { return partial; }
};

struct ProductReal {
    using Input = double;
    using Partial = double;
    using Output = double;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return 1.0; }
    Partial lift(Input value) const { return value; }
    Partial combine(Partial older, Partial newer) const { return older * newer; }
    Output lower(Partial partial) const { return partial; }
};

}  // namespace sash
