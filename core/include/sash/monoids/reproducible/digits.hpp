//! Whole numbers of a few hundred bits, for the last step of a reproducible result: nothing is rounded before it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace sash::reproducible {

//! A real of any size: mantissa * 2^exponent.
struct Scaled {
    double mantissa = 0.0;
    std::int64_t exponent = 0;

    double real() const {
        // Beyond these every double has become 0 or infinite.
        return std::ldexp(mantissa, static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000)));
    }
};

//! The sum of digits[i] * 2^(32 * (low + i)). Every digit is in [0, 2^32), but the last is -1 in a negative number.
struct Digits {
    //! More than the product of four sums and a count has.
    static constexpr std::size_t kMost = 32;

    std::int64_t low = 0;
    std::size_t size = 0;
    std::array<std::int64_t, kMost> digits;

    //! From digits of any size and sign, the least first.
    template <class Digit>
    static Digits of(std::int64_t low, std::span<const Digit> given) {
        Digits made;
        made.low = low;
        Digit carry = 0;
        for (const Digit digit : given) {
            carry += digit;
            made.push(static_cast<std::int64_t>(carry & kMask));
            carry >>= kBits;
        }
        for (; carry != 0 && carry != -1; carry >>= kBits) made.push(static_cast<std::int64_t>(carry & kMask));
        if (carry == -1) made.push(-1);
        while (made.size != 0 && made.digits[made.size - 1] == 0) --made.size;
        return made;
    }
    static Digits of(std::int64_t number) { return of(0, std::span<const std::int64_t>(&number, 1)); }

    bool zero() const { return size == 0; }
    bool negative() const { return size != 0 && digits[size - 1] < 0; }

    friend Digits operator*(const Digits& one, const Digits& other) {
        if (one.zero() || other.zero()) return {};
        const std::size_t size = one.size + other.size - 1;
        std::array<__int128, kMost> sums;
        std::fill_n(sums.begin(), size, 0);
        for (std::size_t i = 0; i < one.size; ++i)
            for (std::size_t j = 0; j < other.size; ++j) sums[i + j] += __int128{one.digits[i]} * other.digits[j];
        return of(one.low + other.low, std::span<const __int128>(sums.data(), size));
    }
    friend Digits operator*(const Digits& one, std::int64_t factor) { return one * of(factor); }

    friend Digits operator+(const Digits& one, const Digits& other) { return sum(one, other, 1); }
    friend Digits operator-(const Digits& one, const Digits& other) { return sum(one, other, -1); }

    //! Rounded once, to the nearest, in units of 2^unit.
    Scaled scaled(std::int64_t unit) const {
        if (negative()) {
            const Scaled positive = sum({}, *this, -1).scaled(unit);
            return {-positive.mantissa, positive.exponent};
        }
        if (zero()) return {};
        const auto top = static_cast<std::uint64_t>(digits[size - 1]);
        const int unused = __builtin_clzll(top) - kBits;
        std::uint64_t leading = top << kBits | digit(1);
        std::uint64_t rest = digit(2);
        if (unused != 0) {
            leading = leading << unused | rest >> (kBits - unused);
            rest = rest << unused & static_cast<std::uint64_t>(kMask);
        }
        for (std::size_t i = 3; i < size; ++i) rest |= digit(i);
        // What follows can only matter if all that is rounded off is a half: then it is a little more.
        leading |= rest != 0;
        const std::int64_t last = low + static_cast<std::int64_t>(size) - 2;
        return {static_cast<double>(leading), last * kBits - unused + unit};
    }

private:
    static constexpr int kBits = 32;
    static constexpr std::int64_t kMask = 0xffffffff;
    static constexpr std::int64_t kRoom = kMost - 2;

    std::int64_t end() const { return low + static_cast<std::int64_t>(size); }
    //! Counted from the most significant one.
    std::uint64_t digit(std::size_t i) const { return i < size ? static_cast<std::uint64_t>(digits[size - 1 - i]) : 0; }
    void push(std::int64_t digit) {
        if (size < kMost) digits[size++] = digit;
    }

    //! Where the two lie so far apart that there is no room for both, the last digits of the lesser one are dropped.
    static Digits sum(const Digits& one, const Digits& other, std::int64_t sign) {
        if (other.zero()) return one;
        const std::int64_t end = one.zero() ? other.end() : std::max(one.end(), other.end());
        const std::int64_t lowest = one.zero() ? other.low : std::min(one.low, other.low);
        const std::int64_t low = std::max(lowest, end - kRoom);
        const auto size = static_cast<std::size_t>(end - low);
        std::array<std::int64_t, kMost> sums;
        std::fill_n(sums.begin(), size, 0);
        one.add_to(sums, low, 1);
        other.add_to(sums, low, sign);
        return of(low, std::span<const std::int64_t>(sums.data(), size));
    }
    void add_to(std::array<std::int64_t, kMost>& sums, std::int64_t from, std::int64_t sign) const {
        for (std::size_t i = 0; i < size; ++i) {
            const std::int64_t at = low + static_cast<std::int64_t>(i) - from;
            if (at >= 0) sums[static_cast<std::size_t>(at)] += sign * digits[i];
        }
    }
};

}  // namespace sash::reproducible
