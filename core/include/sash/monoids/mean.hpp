#pragma once

#include <cmath>
#include <cstdint>

namespace sash {

//! The arithmetic mean, or the geometric one by way of logarithms.
struct Mean {
    using Input = double;
    using Output = double;
    struct Partial {
        double sum;
        std::int64_t count;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    bool geometric = false;

    Partial identity() const { return {0.0, 0}; }
    Partial lift(Input value) const { return {geometric ? std::log(value) : value, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {older.sum + newer.sum, older.count + newer.count};
    }
    Partial inverse(const Partial& whole, const Partial& older) const {
        return {whole.sum - older.sum, whole.count - older.count};
    }
    Output lower(const Partial& partial) const {
        const double mean = partial.sum / static_cast<double>(partial.count);
        return geometric ? std::exp(mean) : mean;
    }
};

}  // namespace sash
