//! Window bounds: which rows of a key are in the window that ends at a row, or at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "sash/time.hpp"
#include "sash/windows/policy.hpp"

namespace sash::windows {

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

//! The policies over one kind of time, for the rows of any key: `state.rows()` are sorted by time and found by place,
//! `state.extras()` has the starts of sessions and steps. The first row of a window moves on with its end, never back;
//! all that is said about late rows rests on that.
template <class State>
class Bounds {
public:
    using Kind = Policy::Kind;

    Bounds(const std::vector<Policy>& policies, bool reals) : policies_(policies), reals_(reals) {}

    //! The window of a time policy that ends at the ticks: it needs no rows.
    Found ending(const Policy& policy, Time ticks) const {
        return {policy.span.length.before(ticks, reals_), ticks, policy.span.from(ticks, reals_),
                policy.span.to(ticks)};
    }

    //! The window that ends at a row. Only windows of events look at the place.
    Found of_row(const State& state, std::size_t window, Time ticks, std::size_t place) const {
        const Policy& policy = policies_[window];
        switch (policy.kind) {
            case Kind::time:
                return ending(policy, ticks);
            case Kind::tumbling:
                return policy.left ? block(policy.grid.last(ticks), ticks, true, ticks) : tumbling(policy, ticks);
            case Kind::session: {
                const Time start = state.extras().sessions[window].of(ticks);
                return {start, ticks, start, ticks};
            }
            case Kind::landmark:
                return {policy.since.value_or(state.rows().front().ticks), ticks, policy.since.value_or(kEarliest),
                        ticks};
            default:
                return ending_at(state, window, place);
        }
    }

    //! The window that ends at a time; nothing if no rows are in it.
    std::optional<Found> at(const State& state, std::size_t window, Time ticks) const {
        const Policy& policy = policies_[window];
        if (state.rows().empty()) return std::nullopt;
        if (policy.kind == Kind::time) return filled(state, ending(policy, ticks));
        if (policy.kind == Kind::tumbling) return filled(state, tumbling(policy, ticks));
        if (policy.kind == Kind::landmark) return filled(state, of_row(state, window, ticks, 0));
        const std::size_t seen = state.rows().through(ticks);
        if (seen == 0) return std::nullopt;
        const Time last = state.rows()[seen - 1].ticks;
        if (policy.kind == Kind::session && ends(policy, last, ticks)) return std::nullopt;
        Found found = of_row(state, window, last, seen - 1);
        found.end = ticks;
        return filled(state, found);
    }

    //! Whether a row at the time is the last of its session, if the next one is at the limit.
    bool ends(const Policy& session, Time ticks, Time limit) const {
        return session.span.length.apart(ticks, limit, reals_);
    }

    //! From which place on windows are what they were before the row at the place came. Steps know by themselves.
    std::size_t unaffected(const State& state, std::size_t window, std::size_t place) const {
        const Policy& policy = policies_[window];
        const auto& rows = state.rows();
        switch (policy.kind) {
            case Kind::count:
                return std::min(rows.size(), place + policy.count);
            case Kind::session: {
                const std::optional<Time> next = state.extras().sessions[window].after(rows[place].ticks);
                return next ? rows.until(*next) : rows.size();
            }
            case Kind::time:
            case Kind::tumbling:
                return first_beyond(state, window, place);
            default:
                return rows.size();
        }
    }

    //! The first row that a window which ends at or after the ticks may need.
    std::size_t first_needed(const State& state, std::size_t window, Time ticks) const {
        const Policy& policy = policies_[window];
        const auto& rows = state.rows();
        if (policy.kind == Kind::landmark) return 0;
        if (policy.kind == Kind::time) return rows.until(policy.span.length.before(ticks, reals_));
        if (policy.kind == Kind::tumbling) return rows.until(block_start(policy, ticks).value_or(kEarliest));
        // The last row that is final is the one that the next depends on.
        const std::size_t seen = rows.until(ticks);
        if (seen == 0) return 0;
        Found found = of_row(state, window, rows[seen - 1].ticks, seen - 1);
        resolve(state, found);
        return std::min(found.low, seen - 1);
    }

    //! The same for windows between times: the first time that one of them may need. It is found without rows.
    Time needed_from(const State& state, std::size_t window, Time ticks) const {
        const Policy& policy = policies_[window];
        if (policy.kind == Kind::time) return policy.span.from(ticks, reals_);
        switch (policy.kind) {
            case Kind::tumbling:
                return block_start(policy, ticks).value_or(kEarliest);
            case Kind::session:
                return state.extras().sessions[window].before(ticks).value_or(kEarliest);
            default:
                return kEarliest;
        }
    }

    //! Finds the places of the rows.
    void resolve(const State& state, Found& found) const {
        if (found.placed) return;
        found.placed = true;
        if (found.from > found.to) return;
        found.low = state.rows().until(found.from);
        found.high = state.rows().through(found.to);
    }

private:
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

    Found ending_at(const State& state, std::size_t window, std::size_t place) const {
        const auto& rows = state.rows();
        const std::size_t low = first_row(state, window, place);
        // An empty window begins and ends at its row.
        return {rows[std::min(low, place)].ticks, rows[place].ticks, 0, 0, low, place + 1, true};
    }

    std::size_t first_row(const State& state, std::size_t window, std::size_t place) const {
        const Policy& policy = policies_[window];
        if (policy.stepping()) return state.extras().steps[window].first(place);
        const std::size_t behind = policy.kind == Kind::count ? std::min(place, policy.count - 1)
                                                              : (state.rows().dropped() + place) % policy.count;
        // Rows that were dropped are in no window that is looked for.
        return place - std::min(place, behind);
    }

    std::optional<Found> filled(const State& state, Found found) const {
        resolve(state, found);
        return found.low < found.high ? std::optional(found) : std::nullopt;
    }

    //! A window that begins after the new row does not hold it, and neither does any later one.
    std::size_t first_beyond(const State& state, std::size_t window, std::size_t place) const {
        const auto& rows = state.rows();
        const Time ticks = rows[place].ticks;
        std::size_t low = place, high = rows.size();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            const bool holds = of_row(state, window, rows[middle].ticks, middle).from <= ticks;
            (holds ? low : high) = holds ? middle + 1 : middle;
        }
        return low;
    }

    //! Where the watermark has no block of its own, everything is needed. Apart, so that windows of time do not pay for
    //! what it may throw.
    [[gnu::noinline]] static std::optional<Time> block_start(const Policy& policy, Time ticks) {
        try {
            return policy.grid.before(ticks);
        } catch (const OffGrid&) {
            return std::nullopt;
        }
    }

    const std::vector<Policy>& policies_;
    bool reals_;
};

}  // namespace sash::windows
