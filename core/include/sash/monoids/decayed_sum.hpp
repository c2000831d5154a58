#pragma once

#include <cmath>
#include <cstdint>
#include <tuple>

#include "sash/monoids/tick_scale.hpp"

namespace sash {

//! A sum whose values halve with every half life between them and the youngest event.
struct DecayedSum {
    using Input = double;
    using Output = double;
    struct Partial {
        //! The sum as it stands at `time`.
        double sum;
        Time time;
        std::int64_t present;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;
    static constexpr bool timed = true;

    TickScale scale;
    //! In seconds.
    double half_life = 3600.0;

    Partial identity() const { return {0.0, 0, 0}; }
    Partial lift(Time time, Input value) const { return {value, time, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.present == 0) return newer;
        if (newer.present == 0) return older;
        // Whichever stands earlier fades to the time of the other; a factor above 1 would overflow.
        return older.time > newer.time ? faded(newer, older) : faded(older, newer);
    }
    //! The sum of nothing is 0.
    bool defined(const Partial&) const { return true; }
    Output lower(const Partial& partial) const { return partial.sum; }

    template <class Map>
    void retime(Partial& partial, Map map) const {
        if (partial.present != 0) partial.time = map(partial.time);
    }

private:
    Partial faded(const Partial& earlier, const Partial& later) const {
        const double gap = scale.between(earlier.time, later.time);
        return {earlier.sum * std::exp2(-gap / half_life) + later.sum, later.time, 1};
    }
};

inline auto fields(DecayedSum::Partial& partial) {
    return std::tie(partial.sum, partial.time, partial.present);
}

}  // namespace sash
