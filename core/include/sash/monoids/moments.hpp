#pragma once

#include <cmath>
#include <cstdint>

namespace sash {

//! Variance and standard deviation by merging centred moments (Chan, Golub, LeVeque): no sum of squares, no
//! cancellation.
struct Moments {
    using Input = double;
    using Output = double;
    struct Partial {
        double mean;
        //! Sum of the squared distances from the mean.
        double spread;
        std::int64_t count;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    //! 1 for a sample, 0 for a population.
    int degrees_of_freedom = 1;
    bool root = false;

    Partial identity() const { return {0.0, 0.0, 0}; }
    //! x - x is 0, but NaN for an infinity: no spread is known from there on, in whatever order events are combined.
    Partial lift(Input value) const { return {value + (value - value), value - value, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.count == 0) return newer;
        if (newer.count == 0) return older;
        const std::int64_t count = older.count + newer.count;
        const double apart = newer.mean - older.mean;
        const double share = static_cast<double>(newer.count) / static_cast<double>(count);
        return {older.mean + apart * share,
                older.spread + newer.spread + apart * apart * share * static_cast<double>(older.count), count};
    }
    //! Whether there are enough events for a result at all.
    bool defined(const Partial& partial) const { return partial.count > degrees_of_freedom; }
    Output lower(const Partial& partial) const {
        const double variance = partial.spread / static_cast<double>(partial.count - degrees_of_freedom);
        return root ? std::sqrt(variance) : variance;
    }
};

}  // namespace sash
