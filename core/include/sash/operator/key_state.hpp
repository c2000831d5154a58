//! One key: its events, and what is known of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sash/windows/length.hpp"
#include "sash/operator/labels.hpp"
#include "sash/operator/row_list.hpp"
#include "sash/operator/revisions.hpp"
#include "sash/time.hpp"

namespace sash::lines {

//! Names a line; dense, and given again once a line is gone.
using LineId = std::uint32_t;
//! Names a key; the caller knows which.
using Slot = std::uint32_t;

//! Times at which sessions begin, ascending. They follow the events: an event within the gap of the one before it
//! begins none.
class SessionStarts {
public:
    //! The start of the session of an event at that time.
    Time of(Time ticks) const { return *std::prev(std::upper_bound(starts_.begin(), starts_.end(), ticks)); }
    //! The next start after the time.
    std::optional<Time> after(Time ticks) const {
        const auto found = std::upper_bound(starts_.begin(), starts_.end(), ticks);
        return found == starts_.end() ? std::nullopt : std::optional(*found);
    }

    //! Sets whether a session begins at the time.
    void set(Time ticks, bool begins) {
        const auto found = std::lower_bound(starts_.begin(), starts_.end(), ticks);
        const bool there = found != starts_.end() && *found == ticks;
        if (begins && !there) starts_.insert(found, ticks);
        if (!begins && there) starts_.erase(found);
    }
    //! Forgets those before the session of a time.
    void forget_before(Time ticks) {
        const auto kept = std::upper_bound(starts_.begin(), starts_.end(), ticks);
        if (kept - starts_.begin() > 1) starts_.erase(starts_.begin(), std::prev(kept));
    }

    std::vector<Time>& times() { return starts_; }
    const std::vector<Time>& times() const { return starts_; }

private:
    std::vector<Time> starts_;
};

//! What only some plans ask of a line.
template <class Answer>
struct LineExtras {
    //! One for each window, where one of them is of sessions.
    std::vector<SessionStarts> sessions = {};
    //! Ticks and number of the rows without a value, ascending; kept where values are counted.
    std::vector<std::pair<Time, std::int64_t>> nulls = {};
    //! The ticks of its newest row, where all are forgotten.
    std::optional<Time> newest = {};
    //! The next slide at which it speaks.
    std::optional<Time> due = {};
    //! The clock when it was dropped for being idle.
    std::optional<Time> retired = {};
    //! Of the rows, where one partial a time is not enough.
    Labels labels = {};
    //! With how many rows it is looked at again for some to forget.
    std::size_t tidy_at = 0;
    //! The answer that was told last, a window each; where only changes are told.
    std::vector<std::optional<Answer>> last = {};
    //! What may be told again.
    ToldList<Answer> told = {};

    std::size_t bytes() const {
        std::size_t total = sizeof(*this) + sessions.capacity() * sizeof(sessions[0]) +
                            nulls.capacity() * sizeof(nulls[0]) + last.capacity() * sizeof(last[0]) + told.bytes() +
                            labels.bytes();
        for (const SessionStarts& starts : sessions) total += starts.times().capacity() * sizeof(Time);
        return total;
    }
};

//! As many of these as there are keys, so what is seldom needed lies elsewhere.
template <class Answer>
struct Line {
    using Extras = LineExtras<Answer>;

    RowList rows = {};
    //! The how-manyeth key it is: results of one moment come in this order.
    std::int64_t order = 0;
    Slot slot = 0;
    //! How many of its rows wait to be told: the last ones, since rows are told in their order and none comes in front
    //! of what was told.
    std::uint32_t waiting : 31 = 0;
    //! It has a new row since the call began.
    std::uint32_t touched : 1 = 0;

    const Extras& extras() const {
        static const Extras none;
        return extras_ ? *extras_ : none;
    }
    Extras& extras() {
        if (!extras_) extras_ = std::make_unique<Extras>();
        return *extras_;
    }
    bool has_extras() const { return extras_ != nullptr; }
    bool retired() const { return extras_ && extras_->retired; }

    //! The ticks of its newest row, forgotten or not.
    Time newest() const { return rows.empty() ? extras().newest.value_or(kEarliest) : rows.back().ticks; }
    //! The first of the rows that wait; one must.
    const Row& first_waiting() const { return rows[rows.size() - waiting]; }

    //! Where the partial of a row lies: under its time, unless rows have labels of their own.
    Time label(std::size_t place) const { return extras().labels.empty() ? rows[place].ticks : extras().labels[place]; }

    std::size_t bytes() const { return rows.bytes() + (extras_ ? extras_->bytes() : 0); }

    //! How many rows of [low, high) have a value.
    std::size_t valued(std::size_t low, std::size_t high) const {
        const auto& nulls = extras().nulls;
        if (low >= high || nulls.empty()) return high > low ? high - low : 0;
        const Row &first = rows[low], &last_row = rows[high - 1];
        const auto from = std::lower_bound(nulls.begin(), nulls.end(), std::pair(first.ticks, first.number));
        const auto to = std::upper_bound(from, nulls.end(), std::pair(last_row.ticks, last_row.number));
        return high - low - static_cast<std::size_t>(to - from);
    }

    //! A row has come to the place, or will go from it: where sessions of that window begin around it.
    void settle_sessions(std::size_t window, std::size_t place, bool comes, const Length& gap, bool reals) {
        SessionStarts& starts = extras().sessions[window];
        const Time ticks = rows[place].ticks;
        const bool has_peer = (place > 0 && rows[place - 1].ticks == ticks) ||
                              (place + 1 < rows.size() && rows[place + 1].ticks == ticks);
        if (has_peer) return;
        const auto apart = [&](std::size_t older, std::size_t newer) {
            return gap.apart(rows[older].ticks, rows[newer].ticks, reals);
        };
        starts.set(ticks, comes && (place == 0 || apart(place - 1, place)));
        if (place + 1 == rows.size()) return;
        const Time next = rows[place + 1].ticks;
        // A row that comes can only join what was apart; one that goes leaves the next to the one before it.
        if (comes) {
            if (!apart(place, place + 1)) starts.set(next, false);
        } else {
            starts.set(next, place == 0 || apart(place - 1, place + 1));
        }
    }

private:
    std::unique_ptr<Extras> extras_ = {};
};

}  // namespace sash::lines
