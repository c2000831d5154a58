#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "sash/monoids/event_count.hpp"
#include "sash/number.hpp"

namespace sash {

//! How many values, divided by the sum of their reciprocals. Values are not negative; a 0 makes it 0.
struct HarmonicMean {
    using Input = double;
    using Output = double;
    struct Partial {
        //! The sum of the reciprocals.
        double sum;
        std::int64_t count;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return {0.0, 0}; }
    bool refuses(Input value) const { return value < 0.0; }
    //! Of 0 and of -0.0 the reciprocal is plus infinity.
    Partial lift(Input value) const {
        if (refuses(value))
            throw std::invalid_argument("a harmonic mean takes no negative numbers, and " + text_of(value) +
                                        " is one: leave it out, or use Mean");
        return {value == 0.0 ? std::numeric_limits<double>::infinity() : 1.0 / value, 1};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {older.sum + newer.sum, older.count + newer.count};
    }
    bool defined(const Partial& partial) const { return partial.count > 0; }
    Output lower(const Partial& partial) const {
        return partial.sum == 0.0 ? std::numeric_limits<double>::infinity()
                                  : static_cast<double>(partial.count) / partial.sum;
    }
};

inline auto fields(HarmonicMean::Partial& partial) {
    return std::make_tuple(std::ref(partial.sum), EventCount{partial.count});
}

}  // namespace sash
