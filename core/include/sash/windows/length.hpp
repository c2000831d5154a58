//! Time windows in ticks: from where to where the window of an event reaches.
#pragma once

#include <cstdint>
#include <limits>

#include "sash/number.hpp"
#include "sash/time.hpp"

namespace sash {

//! A length of time: of ticks that are counts, or of reals where ticks are their codes.
struct Length {
    std::int64_t ticks = 0;
    double real = 0.0;

    //! The time that lies the length before; the earliest one if there is none so early.
    Time before(Time time, bool reals) const {
        if (reals) return encode_real(decode_real(time) - real);
        Time earlier;
        return __builtin_sub_overflow(time, ticks, &earlier) ? kEarliest : earlier;
    }
    //! Whether two times are at least so far apart.
    bool apart(Time older, Time newer, bool reals) const {
        if (reals) return decode_real(newer) - decode_real(older) >= real;
        std::int64_t gap;
        return newer > older && (__builtin_sub_overflow(newer, older, &gap) || gap >= ticks);
    }
};

//! A time window: the events in (T - length, T], or with its ends as said.
struct Span {
    Length length;
    bool with_start = false;
    bool with_end = true;

    //! The first time that is in. Nothing is left out for want of times: a start before the first of them lets all in,
    //! and an end such as an infinity, which no length changes, is in its own window.
    Time from(Time end, bool reals) const {
        const Time start = length.before(end, reals);
        if (start >= end) return end;
        const bool before_all = !reals && static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(kEarliest) <
                                              static_cast<std::uint64_t>(length.ticks);
        return with_start || before_all ? start : start + 1;
    }
    Time to(Time end) const { return with_end || end == kEarliest ? end : end - 1; }
};

}  // namespace sash
