//! How far event time has come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sash/time.hpp"
#include "sash/windows/length.hpp"

namespace sash {

//! The newest event, and the watermark that trails it. An event before the watermark is late.
struct EventClock {
    std::optional<Time> newest;
    std::optional<Time> watermark;

    void see(Time time, const std::optional<Length>& lateness, bool reals) {
        if (!newest || time > *newest) newest = time;
        if (lateness) advance(lateness->before(*newest, reals));
    }
    void advance(Time time) {
        if (!watermark || time > *watermark) watermark = time;
    }
    bool is_late(Time time) const { return watermark && time < *watermark; }

    //! Which events of a batch would be late, and behind which watermark; nothing changes. None of them as a rule.
    std::vector<std::pair<std::size_t, Time>> late_among(std::span<const Time> ticks,
                                                         const std::optional<Length>& lateness, bool reals) const {
        std::vector<std::pair<std::size_t, Time>> late;
        // The watermark never passes what comes in order.
        if (ticks.empty() || (!is_late(ticks.front()) && std::is_sorted(ticks.begin(), ticks.end()))) return late;
        EventClock clock = *this;
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            if (clock.is_late(ticks[i])) {
                late.emplace_back(i, *clock.watermark);
            } else {
                clock.see(ticks[i], lateness, reals);
            }
        }
        return late;
    }
};

}  // namespace sash
