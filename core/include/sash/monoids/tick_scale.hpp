//! How much time lies between two ticks, for the monoids that use the times of the events.
#pragma once

#include <cmath>
#include <cstdint>

#include "sash/number.hpp"
#include "sash/time.hpp"

namespace sash {

//! What a Time counts: ticks of a fixed length, or the order-preserving codes of reals (number.hpp), which are seconds.
struct TickScale {
    double seconds_per_tick = 1.0;
    bool real = false;

    //! Seconds from one time to the other; negative if the other is before it. Rounded once or twice, never overflown.
    double between(Time earlier, Time later) const {
        if (earlier == later) return 0.0;
        if (real) return decode_real(later) - decode_real(earlier);
        return earlier < later ? seconds(earlier, later) : -seconds(later, earlier);
    }

    friend bool operator==(const TickScale&, const TickScale&) = default;

private:
    //! The difference of two int64 always fits in an unsigned one.
    double seconds(Time earlier, Time later) const {
        const std::uint64_t ticks = static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
        // A fraction of a second is divided by, which rounds once: results do not depend on the unit of the ticks.
        if (seconds_per_tick < 1.0) return static_cast<double>(ticks) / std::round(1.0 / seconds_per_tick);
        return static_cast<double>(ticks) * seconds_per_tick;
    }
};

}  // namespace sash
