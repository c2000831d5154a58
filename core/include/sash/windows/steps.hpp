//! Windows that begin where the one before began, or later: what has left does not come back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sash/time.hpp"
#include "sash/windows/policy.hpp"

namespace sash::windows {

//! Where the window of each row of one key begins, and what the policy reads of each row. Starts count from the first
//! row that ever was, so that dropping rows changes none of them.
class Steps {
public:
    using Start = std::uint64_t;

    //! Starts as they were before a row came.
    using Before = std::vector<Start>;

    std::size_t size() const { return starts_.size(); }
    const std::deque<Start>& starts() const { return starts_; }
    const Mark& mark(std::size_t place) const { return marks_[place]; }

    //! Where the window of a row begins.
    std::size_t first(std::size_t place) const { return static_cast<std::size_t>(starts_[place] - dropped_); }

    //! A row has come to the place, with its mark. What follows is settle().
    void insert(std::size_t place, const Mark& mark) { marks_.insert(marks_.begin() + offset(place), mark); }

    //! step(start, place) gives the start of each window from the new row on, until one begins where it did and the new
    //! row is no longer in it. Returns from which place on windows are what they were, and leaves in `before` what
    //! erase() needs. A step that throws leaves the row without a start: erase() it.
    template <class Step>
    std::size_t settle(std::size_t place, Step step, Before& before) {
        before.assign(starts_.begin() + offset(place), starts_.end());
        const Start own = dropped_ + place;
        return walk(place, step, [&](std::size_t at) -> std::optional<Start> {
            if (at == place || before[at - place - 1] < own) return std::nullopt;
            return before[at - place - 1] + 1;
        });
    }

    //! The opposite of insert and settle.
    void erase(std::size_t place, const Before& before) {
        starts_.resize(place);
        starts_.insert(starts_.end(), before.begin(), before.end());
        marks_.erase(marks_.begin() + offset(place));
        if (!sums_.empty()) follow_measures(place);
    }

    //! The row at the place goes. What follows is settle_without().
    void remove(std::size_t place) { marks_.erase(marks_.begin() + offset(place)); }

    //! As settle(), for a row that has gone from the place; `before` is what put_back() needs.
    template <class Step>
    std::size_t settle_without(std::size_t place, Step step, Before& before) {
        before.assign(starts_.begin() + offset(place), starts_.end());
        const Start own = dropped_ + place;
        return walk(place, step, [&](std::size_t at) -> std::optional<Start> {
            const Start start = before[at - place + 1];
            return start > own ? std::optional(start - 1) : std::nullopt;
        });
    }

    //! The opposite of remove and settle_without.
    void put_back(std::size_t place, const Mark& mark, const Before& before) {
        starts_.resize(place);
        starts_.insert(starts_.end(), before.begin(), before.end());
        insert(place, mark);
    }

    //! The first rows go. What is left of a window that held some of them begins at the first row that is left.
    void drop(std::size_t count) {
        starts_.erase(starts_.begin(), starts_.begin() + offset(count));
        marks_.erase(marks_.begin(), marks_.begin() + offset(count));
        dropped_ += count;
        for (std::size_t place = 0; place < starts_.size() && starts_[place] < dropped_; ++place)
            starts_[place] = dropped_;
        if (!sums_.empty()) follow_measures(0);
    }

    //! Rows that are read back, one behind the other; `dropped` came before the first.
    void start_at(std::size_t dropped) { dropped_ = dropped; }
    void load(Start start, const Mark& mark) {
        starts_.push_back(start);
        marks_.push_back(mark);
    }

    std::size_t bytes() const { return starts_.size() * (sizeof(Start) + sizeof(Mark)) + sums_.size() * sizeof(Sums); }

    //! How each policy steps: where the window of a row begins, given where that of the row before began. A
    //! programmable window sees results, which are not here: see while_leaving().
    std::size_t next(const Policy& policy, std::size_t start, std::size_t place) const {
        switch (policy.kind) {
            case Policy::Kind::punctuated:
                return after_punctuation(start, place);
            case Policy::Kind::delta:
                return within(start, place, policy.delta);
            case Policy::Kind::tumbling_delta:
                return of_block(start, place, policy.delta);
            case Policy::Kind::moved:
                return of_moves(start, place, policy.delta);
            default:
                return unchanged(start, place, policy.delta.real);
        }
    }

    std::size_t after_punctuation(std::size_t start, std::size_t place) const {
        return place != 0 && marks_[place - 1].any() ? place : start;
    }

    //! Rows whose measure is less than `delta` behind that of the row. A row without a measure goes with the next.
    std::size_t within(std::size_t start, std::size_t place, const Mark& delta) const {
        const Mark& newest = marks_[place];
        if (!newest.any()) return start;
        for (std::size_t at = start; at < place; ++at) {
            if (!marks_[at].any()) continue;
            if (!newest.is_ahead(marks_[at], delta)) break;
            start = at + 1;
        }
        return start;
    }

    //! A row whose measure is at least `delta` ahead of the first of its block begins the next one.
    std::size_t of_block(std::size_t start, std::size_t place, const Mark& delta) const {
        return block(start, place, [&](const Mark& first) { return marks_[place].is_ahead(first, delta); });
    }
    //! The same where it is further than `delta` from that.
    std::size_t of_moves(std::size_t start, std::size_t place, const Mark& delta) const {
        return block(start, place, [&](const Mark& first) { return marks_[place].is_apart(first, delta); });
    }

    //! The longest run that `stays(end)` does not hold for leaves: stays says whether the run from the start to the row
    //! at `end` may not leave, and holds for every longer run once it holds.
    template <class Stays>
    static std::size_t while_leaving(std::size_t start, std::size_t place, Stays stays) {
        // The run that leaves is short as a rule: look near the start first, then halve.
        std::size_t reach = 1;
        while (start + reach - 1 <= place && !stays(start + reach - 1)) reach *= 2;
        std::size_t low = start + reach / 2, high = std::min(start + reach - 1, place + 1);
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (stays(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    //! Rows among which the mean has not changed, by ADWIN's test.
    std::size_t unchanged(std::size_t start, std::size_t place, double confidence) const {
        for (;;) {
            const std::optional<std::size_t> cut = oldest_cut(start, place + 1, confidence);
            if (!cut) return start;
            start = *cut;
        }
    }

    //! The measures changed from a place on: what an adaptive window compares follows. O(rows behind it).
    void follow_measures(std::size_t place) {
        if (place == 0 && !marks_.empty()) center_ = static_cast<long double>(marks_.front().real);
        sums_.resize(place);
        for (; place < marks_.size(); ++place) sums_.push_back(sum_through(place));
    }

private:
    template <class Begins>
    std::size_t block(std::size_t start, std::size_t place, Begins begins) const {
        std::size_t first = start;
        while (first < place && !marks_[first].any()) ++first;
        return first < place && marks_[place].any() && begins(marks_[first]) ? place : start;
    }

    //! Of all rows from the first that is left on: how many have a measure, and the first two sums of those measures,
    //! counted from the first of them so that little cancels.
    //! Differences of these decide where a window is cut, and are no results; 64 bits of mantissa are enough for that.
    struct Sums {
        std::int64_t count = 0;
        long double first = 0;
        long double second = 0;

        friend Sums operator-(const Sums& whole, const Sums& before) {
            return {whole.count - before.count, whole.first - before.first, whole.second - before.second};
        }
        long double mean() const { return first / static_cast<long double>(count); }
        long double variance() const {
            return std::max(0.0L, second / static_cast<long double>(count) - mean() * mean());
        }
    };

    //! Of a run that may be cut: its count times the chance, and its variance.
    struct Spread {
        long double count_by_chance;
        long double variance;
    };

    static std::ptrdiff_t offset(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }

    //! was(place) is where the window of a row began, counted as places are now; nothing if it held the row that has
    //! come or gone.
    template <class Step, class Was>
    std::size_t walk(std::size_t place, Step step, Was was) {
        starts_.resize(marks_.size());
        Start start = place == 0 ? dropped_ : starts_[place - 1];
        for (std::size_t at = place; at < marks_.size(); ++at) {
            start = dropped_ + step(static_cast<std::size_t>(start - dropped_), at);
            starts_[at] = start;
            if (was(at) != start) continue;
            for (std::size_t later = at + 1; later < marks_.size(); ++later) starts_[later] = *was(later);
            return at;
        }
        return marks_.size();
    }

    Sums sum_through(std::size_t place) const {
        Sums sums = place == 0 ? Sums{} : sums_[place - 1];
        if (!marks_[place].any()) return sums;
        const long double measure = static_cast<long double>(marks_[place].real) - center_;
        return {sums.count + 1, sums.first + measure, sums.second + measure * measure};
    }
    //! The oldest place that parts rows of different means. A run is cut at some places of each distance from its end,
    //! the distances doubling.
    std::optional<std::size_t> oldest_cut(std::size_t low, std::size_t high, double confidence) const {
        const Sums before = low == 0 ? Sums{} : sums_[low - 1];
        const Sums whole = sums_[high - 1] - before;
        if (whole.count < 2) return std::nullopt;
        const auto count = static_cast<double>(whole.count);
        const double chance = std::log(2 * std::max(1.0, std::log(count)) / confidence);
        const Spread spread{static_cast<long double>(count) * chance, whole.variance()};
        std::optional<std::size_t> oldest;
        for (std::size_t step = 1, at = high; at > low + step; step *= 2) {
            for (int i = 0; i < 4 && at > low + step; ++i) {
                at -= step;
                const Sums older = sums_[at - 1] - before;
                if (differ(older, whole - older, spread)) oldest = at;
            }
        }
        return oldest;
    }

    //! ADWIN cuts where the means m and m' of n older and n' newer measures are further apart than
    //! sqrt(2 w v c) + 2/3 w c, with w = 1/n + 1/n', the variance v and the chance c. Both sides times n n' and
    //! compared by squares, so that there is neither a division nor a root: they would be most of the time.
    static bool differ(const Sums& older, const Sums& newer, const Spread& spread) {
        if (older.count == 0 || newer.count == 0) return false;
        const auto n = static_cast<long double>(older.count), m = static_cast<long double>(newer.count);
        const long double apart = std::abs(older.first * m - newer.first * n) - 2.0L / 3.0L * spread.count_by_chance;
        return apart > 0 && apart * apart > 2 * spread.count_by_chance * spread.variance * n * m;
    }

    std::deque<Start> starts_;
    std::deque<Mark> marks_;
    Start dropped_ = 0;
    //! Empty but for adaptive windows.
    std::vector<Sums> sums_;
    long double center_ = 0;
};

}  // namespace sash::windows
