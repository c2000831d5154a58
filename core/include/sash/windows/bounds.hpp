//! Policies at work: which rows of a line are in the window that ends at a row, or at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "sash/operator/key_state.hpp"
#include "sash/operator/plan.hpp"
#include "sash/time.hpp"

namespace sash::lines {

//! A window found: its ends, and its rows either by their times, both in, or by their places, the last one out.
struct Found {
    Time start;
    Time end;
    Time from = 0;
    Time to = 0;
    std::size_t low = 0;
    std::size_t high = 0;
    bool placed = false;
};

//! The first row of a window moves on with its end, never back; settling rests on that.
template <class Line>
class Views {
public:
    explicit Views(const Plan& plan) : plan_(plan) {}

    //! The window that ends at a row. Only windows of events look at the place.
    Found of_row(const Line& line, std::size_t window, Time ticks, std::size_t place) const {
        const Policy& policy = plan_.policies[window];
        switch (policy.kind) {
            case Policy::Kind::time:
                return timed(policy, ticks);
            case Policy::Kind::tumbling:
                return policy.left ? block(policy.grid.last(ticks), ticks, true, ticks) : tumbling(policy, ticks);
            case Policy::Kind::session: {
                const Time start = line.extras().sessions[window].of(ticks);
                return {start, ticks, start, ticks};
            }
            case Policy::Kind::landmark:
                return {policy.since.value_or(line.rows.front().ticks), ticks, policy.since.value_or(kEarliest), ticks};
            default:
                return ending_at(line, policy, place);
        }
    }

    //! The window that ends at a time; nothing if no rows are in it.
    std::optional<Found> at(const Line& line, std::size_t window, Time ticks) const {
        const Policy& policy = plan_.policies[window];
        if (line.rows.empty()) return std::nullopt;
        if (policy.kind == Policy::Kind::time) return filled(line, timed(policy, ticks));
        if (policy.kind == Policy::Kind::tumbling) return filled(line, tumbling(policy, ticks));
        if (policy.kind == Policy::Kind::landmark) return filled(line, of_row(line, window, ticks, 0));
        const std::size_t seen = line.rows.through(ticks);
        if (seen == 0) return std::nullopt;
        const Time last = line.rows[seen - 1].ticks;
        if (policy.kind == Policy::Kind::session && ends(policy, last, ticks)) return std::nullopt;
        Found found = of_row(line, window, last, seen - 1);
        found.end = ticks;
        return filled(line, found);
    }

    //! Whether an event at the time is the last of its session, if the next one is at the limit.
    bool ends(const Policy& session, Time ticks, Time limit) const {
        return session.span.length.apart(ticks, limit, plan_.reals);
    }

    //! From which place on windows are what they were before the row at the place came.
    std::size_t settled(const Line& line, std::size_t window, std::size_t place) const {
        const Policy& policy = plan_.policies[window];
        const RowList& rows = line.rows;
        switch (policy.kind) {
            case Policy::Kind::count:
                return std::min(rows.size(), place + policy.count);
            case Policy::Kind::session: {
                const std::optional<Time> next = line.extras().sessions[window].after(rows[place].ticks);
                return next ? rows.until(*next) : rows.size();
            }
            case Policy::Kind::time:
            case Policy::Kind::tumbling:
                return first_beyond(line, window, place);
            default:
                return rows.size();
        }
    }

    //! The first row that a window which ends at or after the ticks may need.
    std::size_t keep(const Line& line, std::size_t window, Time ticks) const {
        const Policy& policy = plan_.policies[window];
        const RowList& rows = line.rows;
        if (policy.kind == Policy::Kind::landmark) return 0;
        if (policy.kind == Policy::Kind::time) return rows.until(policy.span.length.before(ticks, plan_.reals));
        if (policy.kind == Policy::Kind::tumbling) return keep_of_block(line, policy, ticks);
        // The last row that is final is the one that the next depends on.
        const std::size_t seen = rows.until(ticks);
        if (seen == 0) return 0;
        Found found = of_row(line, window, rows[seen - 1].ticks, seen - 1);
        resolve(line, found);
        return std::min(found.low, seen - 1);
    }

    //! Finds the places of the rows.
    void resolve(const Line& line, Found& found) const {
        if (found.placed) return;
        found.placed = true;
        if (found.from > found.to) return;
        found.low = line.rows.until(found.from);
        found.high = line.rows.through(found.to);
    }

private:
    Found timed(const Policy& policy, Time ticks) const {
        return {policy.span.length.before(ticks, plan_.reals), ticks, policy.span.from(ticks, plan_.reals),
                policy.span.to(ticks)};
    }

    Found tumbling(const Policy& policy, Time ticks) const {
        const std::optional<Time> start = policy.grid.before(ticks);
        if (!policy.left) return block(start, ticks, false, ticks);
        return block(start, ticks, true, ticks == kEarliest ? ticks : ticks - 1);
    }

    //! A block without a start in 64 bits begins with the first of all times.
    static Found block(std::optional<Time> start, Time end, bool with_start, Time to) {
        if (!start) return {kEarliest, end, kEarliest, to};
        return {*start, end, with_start ? *start : *start + 1, to};
    }

    Found ending_at(const Line& line, const Policy& policy, std::size_t place) const {
        const std::size_t behind = policy.kind == Policy::Kind::count ? std::min(place, policy.count - 1)
                                                                      : (line.rows.dropped() + place) % policy.count;
        // Rows that were forgotten are in no window that is asked for.
        const std::size_t low = place - std::min(place, behind);
        return {line.rows[low].ticks, line.rows[place].ticks, 0, 0, low, place + 1, true};
    }

    std::optional<Found> filled(const Line& line, Found found) const {
        resolve(line, found);
        return found.low < found.high ? std::optional(found) : std::nullopt;
    }

    //! A window that begins after the new row does not hold it, and neither does any later one.
    std::size_t first_beyond(const Line& line, std::size_t window, std::size_t place) const {
        const Time ticks = line.rows[place].ticks;
        std::size_t low = place, high = line.rows.size();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            const bool holds = of_row(line, window, line.rows[middle].ticks, middle).from <= ticks;
            (holds ? low : high) = holds ? middle + 1 : middle;
        }
        return low;
    }

    std::size_t keep_of_block(const Line& line, const Policy& policy, Time ticks) const {
        try {
            const std::optional<Time> start = policy.grid.before(ticks);
            return start ? line.rows.until(*start) : 0;
        } catch (const OffGrid&) {
            // Where the watermark has no block of its own, everything is kept.
            return 0;
        }
    }

    const Plan& plan_;
};

}  // namespace sash::lines
