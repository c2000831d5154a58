//! Integers may be subtracted: sums, counts and distinct values by differences, without a combine.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sash/batch/column.hpp"
#include "sash/monoids/sum.hpp"

namespace sash::batch {

//! The result of the window at a position does not fit in 64 bits.
struct DoesNotFit {
    std::size_t position;
};

inline std::int64_t narrow(Wide total, std::size_t position) {
    if (!fits(total)) throw DoesNotFit{position};
    return static_cast<std::int64_t>(total);
}

//! The sum of each window: what was summed up to its end, less what was before its start. 128 bits cannot overflow, and
//! 64 bits are enough where all values together fit.
inline void exact_sums(const Column& column, const Bounds& bounds, Slots<std::int64_t> out) {
    const std::size_t size = column.integers.size();
    const auto value = [&](std::size_t i) { return column.presence[i] ? column.integers[i] : 0; };
    Wide most = 0;
    for (std::size_t i = 0; i < size; ++i) most += value(i) < 0 ? -Wide{value(i)} : Wide{value(i)};
    const auto run = [&]<class Sum>(Sum) {
        std::vector<Sum> before(size + 1, 0);
        for (std::size_t i = 0; i < size; ++i) before[i + 1] = before[i] + value(i);
        for (std::size_t i = 0; i < size; ++i) out[i] = narrow(before[bounds.end(i)] - before[bounds.first[i]], i);
    };
    if (most <= std::numeric_limits<std::int64_t>::max()) {
        run(std::int64_t{});
    } else {
        run(Wide{});
    }
}

inline void exact_counts(const Presence& presence, const Bounds& bounds, Slots<std::int64_t> out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = presence.count(bounds.first[i], bounds.end(i));
}

//! How many different codes each window has: how often each occurs, counted up as rows enter and down as they leave.
//! Bounds that never go back are needed.
inline void exact_distinct(std::span<const std::uint32_t> codes, std::size_t count, const Presence& presence,
                           const Bounds& bounds, Slots<std::int64_t> out) {
    std::vector<Position> often(count, 0);
    std::int64_t different = 0;
    Position entered = 0, left = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        for (const Position end = bounds.end(i); entered < end; ++entered)
            if (presence[entered]) different += often[codes[entered]]++ == 0;
        for (const Position first = bounds.first[i]; left < first; ++left)
            if (presence[left]) different -= --often[codes[left]] == 0;
        out[i] = different;
    }
}

//! No row: the window has no value.
inline constexpr std::int64_t kNoRow = -1;

//! The position of the first present value of each window.
inline void first_present(const Presence& presence, const Bounds& bounds, Slots<std::int64_t> out) {
    const std::size_t size = out.size();
    std::vector<Position> next(size + 1, static_cast<Position>(size));
    for (std::size_t i = size; i-- != 0;) next[i] = presence[i] ? static_cast<Position>(i) : next[i + 1];
    for (std::size_t i = 0; i < size; ++i) {
        const Position found = next[bounds.first[i]];
        out[i] = found < bounds.end(i) ? std::int64_t{found} : kNoRow;
    }
}

//! The position of the last present value of each window.
inline void last_present(const Presence& presence, const Bounds& bounds, Slots<std::int64_t> out) {
    const std::size_t size = out.size();
    //! behind[i]: one behind the last present value before i.
    std::vector<Position> behind(size + 1, 0);
    for (std::size_t i = 0; i < size; ++i) behind[i + 1] = presence[i] ? static_cast<Position>(i + 1) : behind[i];
    for (std::size_t i = 0; i < size; ++i) {
        const Position found = behind[bounds.end(i)];
        out[i] = found > bounds.first[i] ? std::int64_t{found} - 1 : kNoRow;
    }
}

}  // namespace sash::batch
