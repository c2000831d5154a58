//! What the quantile of values in order is, in the five ways of pandas.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sash {

//! What is given where a rank lies between two values.
enum class Interpolation : std::uint8_t { linear, lower, higher, midpoint, nearest };

inline Interpolation interpolation_named(std::string_view name) {
    constexpr std::string_view kNames[] = {"linear", "lower", "higher", "midpoint", "nearest"};
    const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
    if (found == std::end(kNames)) throw std::invalid_argument("no interpolation is called " + std::string(name));
    return static_cast<Interpolation>(found - std::begin(kNames));
}

//! A share of the way from one number to one that is not less. Between two that are too far apart, or one that is
//! infinite, there is no gap to take a share of.
inline double between(double below, double above, double share) {
    if (share == 0.0 || below == above) return below;
    const double gap = above - below;
    return std::isfinite(gap) ? below + gap * share : below * (1.0 - share) + above * share;
}

//! The value at the rank q, of which the least of `count` values has 0 and the greatest 1; value_at(k) is the k-th,
//! from 0. Halfway between two, the nearest is the one whose place is even.
template <class ValueAt>
double quantile(std::size_t count, double q, Interpolation interpolation, ValueAt value_at) {
    const double place = q * static_cast<double>(count - 1);
    const auto low = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(low);
    if (share == 0.0) return value_at(low);
    switch (interpolation) {
        case Interpolation::lower:
            return value_at(low);
        case Interpolation::higher:
            return value_at(low + 1);
        case Interpolation::nearest:
            return value_at(low + (share > 0.5 || (share == 0.5 && low % 2 == 1)));
        case Interpolation::midpoint:
            return between(value_at(low), value_at(low + 1), 0.5);
        default:
            return between(value_at(low), value_at(low + 1), share);
    }
}

}  // namespace sash
