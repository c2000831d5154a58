//! Where the sessions of one key begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

#include "sash/time.hpp"
#include "sash/windows/length.hpp"

namespace sash::windows {

//! Times at which sessions begin, ascending. They follow the rows: a row within the gap of the one before it begins
//! none.
class SessionStarts {
public:
    //! The start of the session of a row at that time.
    Time of(Time ticks) const { return *std::prev(first_after(ticks)); }
    //! The next start after the time.
    std::optional<Time> after(Time ticks) const {
        const auto found = first_after(ticks);
        return found == starts_.end() ? std::nullopt : std::optional(*found);
    }

    //! The last start before the time. O(1) where it is little later than the one that was asked for last, as it is for
    //! a watermark that moves on.
    std::optional<Time> before(Time ticks) const {
        constexpr std::size_t kSteps = 4;
        std::size_t at = std::min(seen_, starts_.size());
        const std::size_t last = std::min(at + kSteps, starts_.size());
        while (at < last && starts_[at] < ticks) ++at;
        if ((at != 0 && starts_[at - 1] >= ticks) || (at != starts_.size() && starts_[at] < ticks))
            at = static_cast<std::size_t>(std::lower_bound(starts_.begin(), starts_.end(), ticks) - starts_.begin());
        seen_ = at;
        return at == 0 ? std::nullopt : std::optional(starts_[at - 1]);
    }

    //! A row has come to the place, or will go from it.
    template <class Rows>
    void follow(const Rows& rows, std::size_t place, bool comes, const Length& gap, bool reals) {
        const Time ticks = rows[place].ticks;
        const bool has_peer = (place > 0 && rows[place - 1].ticks == ticks) ||
                              (place + 1 < rows.size() && rows[place + 1].ticks == ticks);
        if (has_peer) return;
        const auto apart = [&](std::size_t older, std::size_t newer) {
            return gap.apart(rows[older].ticks, rows[newer].ticks, reals);
        };
        set(ticks, comes && (place == 0 || apart(place - 1, place)));
        if (place + 1 == rows.size()) return;
        const Time next = rows[place + 1].ticks;
        // A row that comes can only join what was apart; one that goes leaves the next to the one before it.
        if (comes) {
            if (!apart(place, place + 1)) set(next, false);
        } else {
            set(next, place == 0 || apart(place - 1, place + 1));
        }
    }

    //! Drops those before the session of a time.
    void drop_before(Time ticks) {
        const auto first = first_after(ticks);
        if (first - starts_.begin() > 1) starts_.erase(starts_.begin(), std::prev(first));
    }

    std::vector<Time>& times() { return starts_; }
    const std::vector<Time>& times() const { return starts_; }

private:
    //! Most of what is asked is about the last session.
    std::vector<Time>::const_iterator first_after(Time ticks) const {
        if (!starts_.empty() && starts_.back() <= ticks) return starts_.end();
        return std::upper_bound(starts_.begin(), starts_.end(), ticks);
    }

    //! Sets whether a session begins at the time.
    void set(Time ticks, bool begins) {
        if (starts_.empty() || starts_.back() < ticks) {
            if (begins) starts_.push_back(ticks);
            return;
        }
        const auto found = std::lower_bound(starts_.begin(), starts_.end(), ticks);
        const bool there = found != starts_.end() && *found == ticks;
        if (begins && !there) starts_.insert(found, ticks);
        if (!begins && there) starts_.erase(found);
    }

    std::vector<Time> starts_;
    //! How many were before the time that was asked for last.
    mutable std::size_t seen_ = 0;
};

}  // namespace sash::windows
