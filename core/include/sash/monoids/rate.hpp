#pragma once

#include <cstdint>
#include <tuple>

#include "sash/monoids/tick_scale.hpp"

namespace sash {

//! Amount per second from the first event to the last; the first starts the clock, and its own amount is left out. To
//! count events, give each the amount 1.
struct Rate {
    using Input = double;
    using Output = double;
    struct Partial {
        //! The amount of the first event.
        double first;
        //! That of all after it.
        double after;
        Time start;
        Time end;
        std::int64_t present;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;
    static constexpr bool timed = true;

    TickScale scale;

    Partial identity() const { return {0.0, 0.0, 0, 0, 0}; }
    Partial lift(Time time, Input value) const { return {value, 0.0, time, time, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.present == 0) return newer;
        if (newer.present == 0) return older;
        return {older.first, older.after + (newer.first + newer.after), older.start, newer.end, 1};
    }
    //! Without time between the events there is no rate.
    bool defined(const Partial& partial) const { return partial.start != partial.end; }
    Output lower(const Partial& partial) const { return partial.after / scale.between(partial.start, partial.end); }

    template <class Map>
    void retime(Partial& partial, Map map) const {
        if (partial.present == 0) return;
        partial.start = map(partial.start);
        partial.end = map(partial.end);
    }
};

inline auto fields(Rate::Partial& partial) {
    return std::tie(partial.first, partial.after, partial.start, partial.end, partial.present);
}

}  // namespace sash
