#pragma once

#include <cstdint>
#include <tuple>

#include "sash/monoids/tick_scale.hpp"

namespace sash {

//! The mean over time of a value that holds until the next event; the last one has held for no time yet.
struct TimeWeightedMean {
    using Input = double;
    using Output = double;
    struct Partial {
        //! The sum of the values times the seconds for which they held.
        double area;
        double last;
        Time start;
        Time end;
        std::int64_t present;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;
    static constexpr bool timed = true;

    TickScale scale;

    Partial identity() const { return {0.0, 0.0, 0, 0, 0}; }
    Partial lift(Time time, Input value) const { return {0.0, value, time, time, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.present == 0) return newer;
        if (newer.present == 0) return older;
        const double gap = scale.between(older.end, newer.start);
        // A value that held for no time adds nothing, even if it is infinite.
        const double held = gap == 0.0 ? 0.0 : older.last * gap;
        return {older.area + (held + newer.area), newer.last, older.start, newer.end, 1};
    }
    bool defined(const Partial& partial) const { return partial.present != 0; }
    Output lower(const Partial& partial) const {
        if (partial.start == partial.end) return partial.last;
        return partial.area / scale.between(partial.start, partial.end);
    }

    template <class Map>
    void retime(Partial& partial, Map map) const {
        if (partial.present == 0) return;
        partial.start = map(partial.start);
        partial.end = map(partial.end);
    }
};

inline auto fields(TimeWeightedMean::Partial& partial) {
    return std::tie(partial.area, partial.last, partial.start, partial.end, partial.present);
}

}  // namespace sash
