//! The shape of a distribution: skewness and kurtosis.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <tuple>

#include "sash/monoids/event_count.hpp"

namespace sash {

//! Merges centred moments up to the fourth (Chan; Pebay): no sum of powers, no cancellation.
struct Shape {
    enum class Form : std::uint8_t { skewness, kurtosis };

    using Input = double;
    using Output = double;
    struct Partial {
        double mean;
        //! Sums of the powers of the distances from the mean.
        double second;
        double third;
        double fourth;
        std::int64_t count;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Form form = Form::skewness;
    //! That of a population (g1, g2), not the unbiased one of a sample.
    bool bias = false;

    Partial identity() const { return {0.0, 0.0, 0.0, 0.0, 0}; }
    //! x - x is 0, but NaN for an infinity: no shape is known from there on, in whatever order events are combined.
    Partial lift(Input value) const {
        const double none = value - value;
        return {value + none, none, none, none, 1};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.count == 0) return newer;
        if (newer.count == 0) return older;
        const std::int64_t count = older.count + newer.count;
        const double p = static_cast<double>(older.count) / static_cast<double>(count);
        const double q = static_cast<double>(newer.count) / static_cast<double>(count);
        const double apart = newer.mean - older.mean;
        const double square = apart * apart;
        const double pairs = square * q * static_cast<double>(older.count);
        return {older.mean + apart * q, older.second + newer.second + pairs,
                older.third + newer.third + pairs * apart * (p - q) + 3 * apart * (p * newer.second - q * older.second),
                older.fourth + newer.fourth + pairs * square * (p * p - p * q + q * q) +
                    6 * square * (p * p * newer.second + q * q * older.second) +
                    4 * apart * (p * newer.third - q * older.third),
                count};
    }
    //! Whether there are enough events for a result at all.
    bool defined(const Partial& partial) const {
        const std::int64_t fewest = bias ? 1 : form == Form::skewness ? 3 : 4;
        return partial.count >= fewest;
    }
    Output lower(const Partial& partial) const {
        if (partial.second == 0.0) return 0.0;
        return form == Form::skewness ? skewness(partial) : kurtosis(partial);
    }

private:
    double skewness(const Partial& partial) const {
        const auto n = static_cast<double>(partial.count);
        const double biased = partial.third / partial.second / std::sqrt(partial.second) * std::sqrt(n);
        return bias ? biased : biased * std::sqrt(n * (n - 1)) / (n - 2);
    }
    double kurtosis(const Partial& partial) const {
        const auto n = static_cast<double>(partial.count);
        const double biased = partial.fourth / partial.second / partial.second * n - 3;
        return bias ? biased : (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * biased + 6);
    }
};

inline auto fields(Shape::Partial& partial) {
    return std::make_tuple(std::ref(partial.mean), std::ref(partial.second), std::ref(partial.third),
                           std::ref(partial.fourth), EventCount{partial.count});
}

}  // namespace sash
