//! The values of a column by position, and which of them are there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sash/batch/parallel.hpp"
#include "sash/windows/frame_bounds.hpp"

namespace sash::batch {

//! Which values count. Empty vectors stand for all of them.
struct Presence {
    std::vector<std::uint8_t> present;
    //! How many are present before each position, and in all.
    std::vector<Position> before;

    bool all() const { return present.empty(); }
    bool operator[](std::size_t position) const { return present.empty() || present[position] != 0; }
    Position count(Position first, Position last) const {
        return before.empty() ? last - first : before[last] - before[first];
    }

    //! Takes the marks by position, and counts them.
    void assign(std::vector<std::uint8_t> marks) {
        before.assign(marks.size() + 1, 0);
        for (std::size_t i = 0; i < marks.size(); ++i) before[i + 1] = before[i] + marks[i];
        present = std::move(marks);
        if (before.back() == present.size()) {
            present.clear();
            before.clear();
        }
    }
};

//! Numbers of one kind by position: one of the two spans holds them.
struct Column {
    Presence presence;
    std::span<const std::int64_t> integers;
    std::span<const double> reals;
    bool real = false;
};

//! Whether every window is known to have at least so many present values, without a look at them.
inline bool always_enough(const Bounds& bounds, const Presence& presence, std::size_t least) {
    return least == 0 || (least == 1 && presence.all() && bounds.never_empty);
}

//! Whether all windows of a stretch have at least so many rows, asked of several at once. A window of 2**31 rows more
//! than that may be taken for one that has too few.
inline bool all_have_rows(const Bounds& bounds, Stretch stretch, Position least) {
    const Position* const first = bounds.first.data();
    Position lack = 0;
    if (bounds.last.empty()) {
        const Position own = bounds.with_own;
        for (std::size_t i = stretch.begin; i < stretch.end; ++i)
            lack |= static_cast<Position>(i) + own - first[i] - least;
    } else {
        const Position* const last = bounds.last.data();
        for (std::size_t i = stretch.begin; i < stretch.end; ++i) lack |= last[i] - first[i] - least;
    }
    return lack >> 31 == 0;
}

//! Marks the windows with at least so many present values; returns whether all have.
inline bool mark_enough(const Order& order, const Bounds& bounds, const Presence& presence, std::size_t least,
                        Slots<std::uint8_t> marks) {
    constexpr std::size_t kSome = 256;
    const auto rows = static_cast<Position>(std::min<std::size_t>(least, std::numeric_limits<Position>::max() / 2));
    marks.fill(1);
    std::atomic<bool> all = true;
    in_stretches(marks.size(), order.threads(), [&](Stretch stretch) {
        bool enough = true;
        for (std::size_t from = stretch.begin; from < stretch.end; from += kSome) {
            const Stretch some{from, std::min(stretch.end, from + kSome)};
            if (presence.all() && all_have_rows(bounds, some, rows)) continue;
            for (std::size_t i = some.begin; i < some.end; ++i) {
                if (!marks.wants(i) || presence.count(bounds.first[i], bounds.end(i)) >= least) continue;
                marks[i] = 0;
                enough = false;
            }
        }
        if (!enough) all = false;
    });
    return all;
}

}  // namespace sash::batch
