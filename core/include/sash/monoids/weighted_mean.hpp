#pragma once

#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "sash/number.hpp"

namespace sash {

//! The mean of values that count by their weights. An event is (value, weight).
struct WeightedMean {
    using Input = std::pair<double, double>;
    using Output = double;
    struct Partial {
        //! The sum of the values times their weights.
        double total;
        double weight;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return {0.0, 0.0}; }
    bool refuses(const Input& value) const { return value.second < 0.0 || std::isinf(value.second); }
    Partial lift(const Input& value) const {
        if (refuses(value))
            throw std::invalid_argument("a weight is a finite number from 0 up, and " + text_of(value.second) +
                                        " is not: leave such events out");
        return {value.first * value.second, value.second};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {older.total + newer.total, older.weight + newer.weight};
    }
    bool defined(const Partial& partial) const { return partial.weight != 0.0; }
    Output lower(const Partial& partial) const { return partial.total / partial.weight; }
};

inline auto fields(WeightedMean::Partial& partial) {
    return std::tie(partial.total, partial.weight);
}

}  // namespace sash
