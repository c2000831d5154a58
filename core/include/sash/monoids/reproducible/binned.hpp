//! Sums of reals that do not depend on the order in which they are added, to the last bit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>

#include "sash/monoids/reproducible/digits.hpp"

namespace sash::reproducible {

//! Every finite double is a whole number of these.
inline constexpr std::int64_t kUnit = -1074;

//! The size of a number, exactly, in bins of 32 bits. Where the bins begin does not depend on the number: bin b holds
//! the multiples of 2^(32 b) units.
template <std::size_t N>
struct Size {
    //! The bin of the first one.
    std::int64_t low;
    std::array<std::uint32_t, N> digits;
    bool negative;
};

//! A finite double.
inline Size<3> size_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t fraction = bits & 0xfffffffffffff;
    const auto exponent = static_cast<std::int64_t>(bits >> 52 & 0x7ff);
    const std::uint64_t whole = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const std::int64_t position = exponent == 0 ? 0 : exponent - 1;
    const int shift = static_cast<int>(position % 32);
    const std::uint64_t lower = whole << shift;
    const std::uint64_t upper = whole >> 1 >> (63 - shift);
    return {
        position / 32,
        {static_cast<std::uint32_t>(lower), static_cast<std::uint32_t>(lower >> 32), static_cast<std::uint32_t>(upper)},
        bits >> 63 != 0};
}

template <std::size_t N, std::size_t M>
Size<N + M> operator*(const Size<N>& one, const Size<M>& other) {
    Size<N + M> product{one.low + other.low, {}, one.negative != other.negative};
    for (std::size_t i = 0; i < N; ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < M; ++j) {
            carry += std::uint64_t{one.digits[i]} * other.digits[j] + product.digits[i + j];
            product.digits[i + j] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        product.digits[i + M] = static_cast<std::uint32_t>(carry);
    }
    return product;
}

//! A sum after Demmel and Nguyen ("Parallel reproducible summation", 2015): the bins of all numbers are added up one by
//! one, from the highest bin that any of them has, and K in all. Nothing is carried from bin to bin, so it makes no
//! difference when a bin is dropped because a higher one has come: combining is associative and commutative, exactly.
//!
//! What is dropped of each number is less than 2^(-32 (K - 1)) of the largest one. One number has at most 3 bins, a
//! product of p numbers 53 p / 32 and one more: so many keep it whole. 2^30 numbers fit.
template <std::size_t K>
struct Binned {
    //! The bin above the highest one, 0 where there are only zeros, or one of the values below. So nothing is all
    //! zeros.
    std::int64_t top;
    //! What lies in the highest bin, and in those below it.
    std::array<std::int64_t, K> bins;

    static constexpr std::int64_t kInfinite = std::numeric_limits<std::int64_t>::max() / 4;
    static constexpr std::int64_t kMinusInfinite = kInfinite + 1;
    static constexpr std::int64_t kNan = kInfinite + 2;

    static Binned of(double value) {
        if (value - value == 0.0) return of(size_of(value));
        return {value != value ? kNan : value > 0 ? kInfinite : kMinusInfinite, {}};
    }
    static Binned nan() { return {kNan, {}}; }

    template <std::size_t N>
    static Binned of(const Size<N>& size) {
        Binned made{};
        std::size_t end = N;
        while (end != 0 && size.digits[end - 1] == 0) --end;
        if (end == 0) return made;
        made.top = size.low + static_cast<std::int64_t>(end);
        for (std::size_t i = 0; i < std::min(K, end); ++i) {
            const std::int64_t digit = size.digits[end - 1 - i];
            made.bins[i] = size.negative ? -digit : digit;
        }
        return made;
    }

    friend Binned operator+(const Binned& one, const Binned& other) {
        const bool larger = one.top >= other.top;
        Binned sum = larger ? one : other;
        const Binned& rest = larger ? other : one;
        const std::uint64_t apart = static_cast<std::uint64_t>(sum.top) - static_cast<std::uint64_t>(rest.top);
        if (sum.top >= kInfinite) {
            // Infinities of both signs cancel to nothing that is known.
            if (rest.top >= kInfinite && apart != 0) sum.top = kNan;
            return sum;
        }
        for (std::size_t i = apart; i < K; ++i) sum.bins[i] += rest.bins[i - apart];
        return sum;
    }

    bool finite() const { return top < kInfinite; }

    //! The sum of the bins. It must be finite.
    Digits digits() const {
        std::array<std::int64_t, K> upwards;
        std::reverse_copy(bins.begin(), bins.end(), upwards.begin());
        return Digits::of(top - static_cast<std::int64_t>(K), std::span<const std::int64_t>(upwards));
    }
    //! Rounded once, to the nearest.
    double real() const
        requires(K == 3)
    {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        if (top == kNan) return std::numeric_limits<double>::quiet_NaN();
        if (!finite()) return top == kInfinite ? kInfinity : -kInfinity;
        // Without signs: a shift of a negative number is one of its bits.
        const auto wide = [](std::int64_t bin) { return static_cast<unsigned __int128>(__int128{bin}); };
        const auto sum = static_cast<__int128>((wide(bins[0]) << 64) + (wide(bins[1]) << 32) + wide(bins[2]));
        return std::ldexp(static_cast<double>(sum), static_cast<int>(32 * (top - 3) + kUnit));
    }
};

template <std::size_t K>
auto fields(Binned<K>& sum) {
    return std::apply([&](auto&... bin) { return std::tie(sum.top, bin...); }, sum.bins);
}

//! That of doubles.
using Sum = Binned<3>;

}  // namespace sash::reproducible
