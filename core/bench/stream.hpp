//! The events of a row: a deterministic stream of times, and what of it a window must hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "row.hpp"
#include "sash/hash.hpp"
#include "sash/time.hpp"

namespace sash::bench {

//! Times are signed and every one is a plain sum, so nothing wraps.
//!
//!     in order     0, 1, 2, ...
//!     one place    0, 1, 2, ... again, but the d youngest entries of the window lie in the far future and stay
//!     scattered    the slot of an event is 0, 1, 2, ... less a random lateness below 2d. Of the slots before the end,
//!                  those still waiting for late events are thinly filled, so that is at most about d entries.
class Stream {
public:
    explicit Stream(const Row& row) : d_(row.d), m_(row.m), scattered_(row.late == Late::scattered && row.d > 0) {
        if (row.n < 1 || row.m < 1 || row.d < 0 || row.m > row.n)
            throw std::invalid_argument("a row needs n >= m >= 1 and d >= 0");
        if (row.d > 0 && row.n < 2 * row.d + row.m)
            throw std::invalid_argument("a late event must stay in the window: n (" + std::to_string(row.n) +
                                        ") must be at least 2 d + m, with d = " + std::to_string(row.d));
    }

    //! The i-th of the n times that fill the window, in order.
    Time filling(std::int64_t i, std::int64_t n) {
        if (!scattered_ && i >= n - d_) return kFarFuture + i;
        const Time time = scattered_ ? slot_time(next_) : next_;
        ++next_;
        return time;
    }

    //! Rounds after the filling until the stream is steady.
    std::int64_t warm_up() const { return scattered_ ? (2 * d_ + m_ - 1) / m_ : 0; }

    Time next() {
        if (!scattered_) return next_++;
        const auto lateness =
            static_cast<std::int64_t>((mix(static_cast<Hash>(next_)) >> 32) * static_cast<std::uint64_t>(2 * d_) >> 32);
        const Time time = slot_time(next_ - lateness);
        ++next_;
        return time;
    }

private:
    static constexpr Time kFarFuture = std::numeric_limits<Time>::max() / 2;

    //! Unique: the low bits are the event's number.
    Time slot_time(std::int64_t slot) const { return slot * (1 << 26) + (next_ & ((1 << 26) - 1)); }

    std::int64_t d_;
    std::int64_t m_;
    bool scattered_;
    std::int64_t next_ = 0;
};

//! The n youngest of these times, in order: what a window of n holds that evicts the oldest for each that comes.
inline std::vector<Time> youngest_of(std::vector<Time> times, std::int64_t n) {
    const auto keep_from = times.end() - n;
    std::nth_element(times.begin(), keep_from, times.end());
    times.erase(times.begin(), keep_from);
    std::sort(times.begin(), times.end());
    return times;
}

}  // namespace sash::bench
