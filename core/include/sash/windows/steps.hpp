//! Windows that begin where the one before began, or later: what has left does not come back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sash/algorithms/key_window.hpp"
#include "sash/monoids/moments.hpp"
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
        return walk(place, before, step);
    }

    //! The opposite of insert and settle.
    void erase(std::size_t place, const Before& before) {
        starts_.resize(place);
        starts_.insert(starts_.end(), before.begin(), before.end());
        marks_.erase(marks_.begin() + offset(place));
    }

    //! The first rows go.
    void drop(std::size_t count) {
        starts_.erase(starts_.begin(), starts_.begin() + offset(count));
        marks_.erase(marks_.begin(), marks_.begin() + offset(count));
        dropped_ += count;
    }

    //! Rows that are read back, one behind the other; `dropped` came before the first.
    void start_at(std::size_t dropped) { dropped_ = dropped; }
    void load(Start start, const Mark& mark) {
        starts_.push_back(start);
        marks_.push_back(mark);
    }

    std::size_t bytes() const { return starts_.size() * (sizeof(Start) + sizeof(Mark)) + measures_.bytes(); }

    // How each policy steps: where the window of a row begins, given where that of the row before began.

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

    //! Rows among which the mean has not changed, by ADWIN's test. `label(place)` is where the measure of a row lies.
    template <class Label>
    std::size_t unchanged(std::size_t start, std::size_t place, double confidence, Label label) const {
        for (;;) {
            const std::optional<std::size_t> cut = oldest_cut(start, place + 1, confidence, label);
            if (!cut) return start;
            start = *cut;
        }
    }

    // The measures of an adaptive window, under the labels of the rows.

    void insert_measure(Time label, const Mark& mark) {
        if (mark.any()) measures_.insert(kMoments, label, kMoments.lift(mark.real));
    }
    void erase_measure(Time label, const Mark& mark) {
        if (mark.any()) measures_.erase(label);
    }
    void evict_measures(Time label) { measures_.bulk_evict(label); }
    template <class Label>
    void load_measures(Label label) {
        measures_ = {};
        for (std::size_t place = 0; place < marks_.size(); ++place) insert_measure(label(place), marks_[place]);
    }

private:
    static constexpr Moments kMoments{};
    //! Shorter runs are read from their marks.
    static constexpr std::size_t kShort = 4;

    static std::ptrdiff_t offset(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }

    template <class Step>
    std::size_t walk(std::size_t place, const Before& old, Step step) {
        const Start absolute = dropped_ + place;
        starts_.resize(place);
        Start start = place == 0 ? dropped_ : starts_.back();
        for (std::size_t at = place; at < marks_.size(); ++at) {
            start = dropped_ + step(static_cast<std::size_t>(start - dropped_), at);
            starts_.push_back(start);
            if (at == place || start <= absolute || start != moved(old[at - place - 1], absolute)) continue;
            for (std::size_t later = at - place; later < old.size(); ++later)
                starts_.push_back(moved(old[later], absolute));
            return at;
        }
        return marks_.size();
    }
    //! A start after the new row is one further on.
    static Start moved(Start start, Start absolute) { return start + (start >= absolute); }

    template <class Label>
    Moments::Partial measured(std::size_t low, std::size_t high, Label label) const {
        if (high - low > kShort) return measures_.query(kMoments, label(low), label(high - 1));
        Moments::Partial total = kMoments.identity();
        for (std::size_t at = low; at < high; ++at)
            if (marks_[at].any()) total = kMoments.combine(total, kMoments.lift(marks_[at].real));
        return total;
    }

    //! The oldest place that parts rows of different means. A run is cut at some places of each distance from its end,
    //! the distances doubling.
    template <class Label>
    std::optional<std::size_t> oldest_cut(std::size_t low, std::size_t high, double confidence, Label label) const {
        std::vector<std::size_t> cuts{high};
        std::vector<Moments::Partial> newer{kMoments.identity()};
        for (std::size_t step = 1, at = high; at > low + step; step *= 2) {
            for (int i = 0; i < 4 && at > low + step; ++i) {
                at -= step;
                newer.push_back(kMoments.combine(measured(at, cuts.back(), label), newer.back()));
                cuts.push_back(at);
            }
        }
        Moments::Partial older = measured(low, cuts.back(), label);
        const Moments::Partial whole = kMoments.combine(older, newer.back());
        if (whole.count < 2) return std::nullopt;
        for (std::size_t i = cuts.size() - 1; i > 0; --i) {
            if (differ(older, newer[i], whole, confidence)) return cuts[i];
            older = kMoments.combine(older, measured(cuts[i], cuts[i - 1], label));
        }
        return std::nullopt;
    }

    static bool differ(const Moments::Partial& older, const Moments::Partial& newer, const Moments::Partial& whole,
                       double confidence) {
        if (older.count == 0 || newer.count == 0) return false;
        const auto count = static_cast<double>(whole.count);
        const double chance = std::log(2 * std::max(1.0, std::log(count)) / confidence);
        const double weight = 1 / static_cast<double>(older.count) + 1 / static_cast<double>(newer.count);
        const double spread = std::sqrt(2 * weight * (whole.spread / count) * chance);
        return std::abs(older.mean - newer.mean) > spread + 2.0 / 3.0 * weight * chance;
    }

    std::deque<Start> starts_;
    std::deque<Mark> marks_;
    Start dropped_ = 0;
    KeyWindow<Moments> measures_;
};

}  // namespace sash::windows
