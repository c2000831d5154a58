//! Integers may be subtracted: sums and counts by differences, without a combine.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sash/batch/column.hpp"
#include "sash/batch/spans.hpp"
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

//! How rows are cut where each stretch first reads what its windows read.
inline std::vector<Stretch> cut_exactly(const Bounds& bounds) {
    return cut(bounds, 8, std::size_t{1} << 15);
}

//! The sum of each window of a stretch: what was summed up to its end, less what was before its start. `before` is
//! memory that serves one stretch after another.
template <class Sum>
void subtract_sums(const Column& column, const Bounds& bounds, Stretch stretch, std::vector<Sum>& before,
                   Slots<std::int64_t> out) {
    const std::size_t from = bounds.first[stretch.begin], to = bounds.end(stretch.end - 1);
    before.assign(to - from + 1, 0);
    for (std::size_t i = from; i < to; ++i)
        before[i - from + 1] = before[i - from] + (column.presence[i] ? column.integers[i] : 0);
    for (std::size_t i = stretch.begin; i < stretch.end; ++i)
        out.put(i, narrow(before[bounds.end(i) - from] - before[bounds.first[i] - from], i));
}

//! Whether all values of a stretch together fit in 64 bits, whatever their signs.
inline bool fit_together(const Column& column, const Bounds& bounds, Stretch stretch) {
    Wide most = 0;
    for (std::size_t i = bounds.first[stretch.begin], to = bounds.end(stretch.end - 1); i < to; ++i)
        if (column.presence[i]) most += column.integers[i] < 0 ? -Wide{column.integers[i]} : Wide{column.integers[i]};
    return most <= std::numeric_limits<std::int64_t>::max();
}

//! The sum of each window. 128 bits cannot overflow, and 64 bits are enough where all values together fit.
inline void exact_sums(const Order& order, const Column& column, const Bounds& bounds, Slots<std::int64_t> out) {
    const std::vector<Stretch> stretches = cut_exactly(bounds);
    in_parallel(stretches.size(), order.threads(), [&] {
        return [&, narrow = std::vector<std::int64_t>(), wide = std::vector<Wide>()](std::size_t task) mutable {
            if (fit_together(column, bounds, stretches[task])) {
                subtract_sums(column, bounds, stretches[task], narrow, out);
            } else {
                subtract_sums(column, bounds, stretches[task], wide, out);
            }
        };
    });
}

inline void exact_counts(const Order& order, const Presence& presence, const Bounds& bounds, Slots<std::int64_t> out) {
    in_stretches(out.size(), order.threads(), [&](Stretch stretch) {
        for (std::size_t i = stretch.begin; i < stretch.end; ++i)
            out.put(i, presence.count(bounds.first[i], bounds.end(i)));
    });
}

//! No row: the window has no value.
inline constexpr std::int64_t kNoRow = -1;

//! The position of the first present value of each window.
inline void first_present(const Order& order, const Presence& presence, const Bounds& bounds, Slots<std::int64_t> out) {
    const std::vector<Stretch> stretches = cut_exactly(bounds);
    in_parallel(stretches.size(), order.threads(), [&] {
        return [&, next = std::vector<Position>()](std::size_t task) mutable {
            const auto [begin, end] = stretches[task];
            const Position from = bounds.first[begin], to = bounds.end(end - 1);
            next.resize(to - from + 1);
            next.back() = to;
            for (Position i = to; i-- != from;) next[i - from] = presence[i] ? i : next[i - from + 1];
            for (std::size_t i = begin; i < end; ++i) {
                const Position found = next[bounds.first[i] - from];
                out.put(i, found < bounds.end(i) ? std::int64_t{found} : kNoRow);
            }
        };
    });
}

//! The position of the last present value of each window, or of one that has so many `behind` it.
inline void last_present(const Order& order, const Presence& presence, const Bounds& bounds, std::size_t behind,
                         Slots<std::int64_t> out) {
    const std::vector<Stretch> stretches = cut_exactly(bounds);
    in_parallel(stretches.size(), order.threads(), [&] {
        return [&, found = std::vector<Position>()](std::size_t task) mutable {
            const auto [begin, end] = stretches[task];
            const Position from = bounds.first[begin], to = bounds.end(end - 1);
            found.clear();
            for (Position i = from; i < to; ++i)
                if (presence[i]) found.push_back(i);
            for (std::size_t i = begin; i < end; ++i) {
                const Position last = bounds.end(i);
                const bool enough = presence.count(bounds.first[i], last) > behind;
                out.put(i, enough ? std::int64_t{found[presence.count(from, last) - 1 - behind]} : kNoRow);
            }
        };
    });
}

}  // namespace sash::batch
