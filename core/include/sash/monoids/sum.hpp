//! Sums and products. An integer result is exact, or an error if it does not fit in 64 bits; never a wrong number.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

namespace sash {

//! 128 bits: what no sum of int64 overflows.
using Wide = __int128;

[[noreturn]] inline void throw_unfit() {
    throw std::overflow_error("the result does not fit in 64 bits; pass floats, or scale the values down");
}

inline constexpr bool fits(Wide number) {
    return std::numeric_limits<std::int64_t>::min() <= number && number <= std::numeric_limits<std::int64_t>::max();
}

//! As far as integers may reach where 64 bits are enough: the sizes of all of them together. Half of what fits, so that
//! the rounding of a sum of doubles does no harm.
inline constexpr double kNarrowReach = 0x1p62;

inline double reach_of(std::int64_t number) {
    const auto real = static_cast<double>(number);
    return real < 0 ? -real : real;
}
//! Of all together. By four sums: each addition waits for the one before it.
inline double reach_of(std::span<const std::int64_t> numbers) {
    std::array<double, 4> sums{};
    std::size_t i = 0;
    for (; i + sums.size() <= numbers.size(); i += sums.size())
        for (std::size_t at = 0; at < sums.size(); ++at) sums[at] += reach_of(numbers[i + at]);
    for (; i < numbers.size(); ++i) sums[0] += reach_of(numbers[i]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

//! In 64 bits: exact as long as the sizes of all values that it holds reach less than kNarrowReach. Whoever keeps the
//! window sees to that, and goes on with SumWide where they do not.
struct SumInt {
    using Input = std::int64_t;
    using Partial = std::int64_t;
    using Output = std::int64_t;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return 0; }
    Partial lift(Input value) const { return value; }
    // Without signs, so that an overflow where nobody has seen to it is at least defined.
    Partial combine(Partial older, Partial newer) const {
        return static_cast<Partial>(static_cast<std::uint64_t>(older) + static_cast<std::uint64_t>(newer));
    }
    Partial inverse(Partial whole, Partial older) const {
        return static_cast<Partial>(static_cast<std::uint64_t>(whole) - static_cast<std::uint64_t>(older));
    }
    Output lower(Partial partial) const { return partial; }
    double reach(Partial partial) const { return reach_of(partial); }
};

//! In 128 bits, which nothing overflows: only a result that is asked for may not fit.
struct SumWide {
    using Input = std::int64_t;
    using Output = std::int64_t;
    //! Two words. A partial of 16 bytes that asks for an alignment of 16 would waste half of them elsewhere.
    struct Partial {
        std::uint64_t low;
        std::int64_t high;

        static Partial of(Wide number) {
            return {static_cast<std::uint64_t>(number), static_cast<std::int64_t>(number >> 64)};
        }
        Wide number() const { return static_cast<Wide>(high) << 64 | low; }
        bool operator==(const Partial&) const = default;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return {0, 0}; }
    Partial lift(Input value) const { return Partial::of(value); }
    Partial combine(const Partial& older, const Partial& newer) const {
        return Partial::of(older.number() + newer.number());
    }
    Partial inverse(const Partial& whole, const Partial& older) const {
        return Partial::of(whole.number() - older.number());
    }
    Output lower(const Partial& partial) const {
        if (!fits(partial.number())) throw_unfit();
        return static_cast<Output>(partial.number());
    }
    double reach(const Partial& partial) const {
        const auto real = static_cast<double>(partial.number());
        return real < 0 ? -real : real;
    }
};

//! By sign and size. A size that does not fit never comes back into range, since no size but 0 is less than 1; and 0
//! makes everything 0, however large it was.
struct ProductInt {
    using Input = std::int64_t;
    using Output = std::int64_t;
    struct Partial {
        std::uint64_t size;
        //! 1 or -1; 1 where the size is 0 or lost.
        std::int64_t sign;
        bool operator==(const Partial&) const = default;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;
    //! -2^63 is the number of the greatest size; beyond that lies what is lost.
    static constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
    static constexpr std::uint64_t kLost = std::numeric_limits<std::uint64_t>::max();

    Partial identity() const { return {1, 1}; }
    Partial lift(Input value) const {
        const auto size = static_cast<std::uint64_t>(value);
        return value < 0 ? Partial{0 - size, -1} : Partial{size, 1};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.size == 0 || newer.size == 0) return {0, 1};
        std::uint64_t size;
        const bool lost = older.size == kLost || newer.size == kLost ||
                          __builtin_mul_overflow(older.size, newer.size, &size) || size > kMost;
        if (lost) return {kLost, 1};
        return {size, older.sign * newer.sign};
    }
    bool has_fit(const Partial& partial) const {
        return partial.size < kMost || (partial.size == kMost && partial.sign < 0);
    }
    Output lower(const Partial& partial) const {
        if (!has_fit(partial)) throw_unfit();
        return static_cast<Output>(partial.sign > 0 ? partial.size : 0 - partial.size);
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

//! A sum of reals that says whether there are any, in the same 64 bits. Nothing is -0.0, which no sum of reals is that
//! begins with 0.0: it changes no other number that it is added to.
struct MarkedSumReal : SumReal {
    Partial identity() const { return -0.0; }
    Partial lift(Input value) const { return value + 0.0; }
    bool defined(Partial partial) const { return partial != 0.0 || !std::signbit(partial); }
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

//! A product of reals that says whether there are any.
struct MarkedProductReal {
    using Input = double;
    using Output = double;
    struct Partial {
        double product;
        std::int64_t present;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return {1.0, 0}; }
    Partial lift(Input value) const { return {value, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {older.product * newer.product, older.present | newer.present};
    }
    bool defined(const Partial& partial) const { return partial.present != 0; }
    Output lower(const Partial& partial) const { return partial.product; }
};

}  // namespace sash
