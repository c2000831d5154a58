//! Exact quantiles of all windows: a set of the ranks that are in the window, and a cursor for each quantile.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "sash/batch/column.hpp"
#include "sash/batch/parallel.hpp"
#include "sash/batch/rank_set.hpp"
#include "sash/batch/ranks.hpp"
#include "sash/batch/spans.hpp"
#include "sash/monoids/quantile.hpp"

namespace sash::batch {

//! The quantiles that are wanted of each window.
struct Wanted {
    std::vector<double> at;
    Interpolation interpolation = Interpolation::linear;
};

//! The values of one window, in order. A NaN in it makes every quantile NaN.
class QuantileWindow {
public:
    explicit QuantileWindow(const Wanted& wanted) : wanted_(&wanted), cursors_(wanted.at.size()) {}

    //! Empties the window; [begin, end) is what it may hold from here on.
    void reset(const Column& column, std::size_t begin, std::size_t end) {
        values_.assign(column, begin, end);
        ranks_.reset(values_.size());
        cursors_.assign(cursors_.size(), RankCursor());
        nans_ = 0;
    }

    void enter(std::size_t position) { change(values_.rank_at(position), 1); }
    void leave(std::size_t position) { change(values_.rank_at(position), -1); }

    std::uint32_t count() const { return static_cast<std::uint32_t>(ranks_.size() + nans_); }

    //! Writes one number for each quantile; NaN where there is no value.
    void result(double* out) {
        for (std::size_t i = 0; i < cursors_.size(); ++i)
            out[i] = nans_ != 0 || ranks_.size() == 0
                         ? std::numeric_limits<double>::quiet_NaN()
                         : quantile(ranks_.size(), wanted_->at[i], wanted_->interpolation,
                                    [&](std::size_t k) { return values_.value(cursors_[i].seek(ranks_, k)); });
    }

private:
    void change(std::uint32_t rank, int by) {
        if (rank == RankedValues::kAbsent) return;
        if (rank == RankedValues::kNan) {
            nans_ += static_cast<std::size_t>(by);
            return;
        }
        by > 0 ? ranks_.add(rank) : ranks_.remove(rank);
        for (RankCursor& cursor : cursors_) cursor.changed(rank, by);
    }

    const Wanted* wanted_;
    RankedValues values_;
    RankSet ranks_;
    std::vector<RankCursor> cursors_;
    std::size_t nans_ = 0;
};

//! A window that moves over positions: those that are [first, end) at the moment are in it.
template <class Window>
class Moving {
public:
    template <class... Arguments>
    explicit Moving(const Arguments&... arguments) : window_(arguments...) {}

    //! Starts with nothing, at the position `begin` of what lies in [begin, end).
    void reset(const Column& column, std::size_t begin, std::size_t end) {
        window_.reset(column, begin, end);
        first_ = end_ = begin;
    }
    //! To windows that neither begin nor end before the last one.
    void advance(std::size_t first, std::size_t end) {
        for (; end_ < end; ++end_) window_.enter(end_);
        for (; first_ < first; ++first_) window_.leave(first_);
    }
    //! To any window; only what `is_there(position)` is in it. O(1) for each position on the way.
    template <class IsThere>
    void move(std::size_t first, std::size_t end, IsThere is_there) {
        const auto each = [&](std::size_t from, std::size_t to, auto change) {
            for (; from < to; ++from)
                if (is_there(from)) change(from);
        };
        const auto enter = [&](std::size_t position) { window_.enter(position); };
        const auto leave = [&](std::size_t position) { window_.leave(position); };
        if (first >= end_ || end <= first_) {
            each(first_, end_, leave);
            each(first, end, enter);
        } else {
            each(first, first_, enter);
            each(end_, end, enter);
            each(first_, first, leave);
            each(end, end_, leave);
        }
        first_ = first;
        end_ = end;
    }
    bool covers(std::size_t position) const { return first_ <= position && position < end_; }
    Window& window() { return window_; }

private:
    Window window_;
    std::size_t first_ = 0;
    std::size_t end_ = 0;
};

//! Calls emit(position, window) for every row, over stretches of rows that sort what they read. O(log n) a row, most of
//! it for sorting; nothing is subtracted. Bounds that never go back are needed.
template <class Window, class Options, class Emit>
void slide(const Order& order, const Bounds& bounds, const Column& column, const Options& options, Emit emit) {
    constexpr std::size_t kTimes = 4, kLeast = 4096;
    const std::vector<Stretch> stretches = cut(bounds, kTimes, kLeast);
    in_parallel(stretches.size(), order.threads(), [&] {
        return [&, moving = Moving<Window>(options)](std::size_t task) mutable {
            const auto [begin, end] = stretches[task];
            moving.reset(column, bounds.first[begin], bounds.end(end - 1));
            for (std::size_t i = begin; i < end; ++i) {
                moving.advance(bounds.first[i], bounds.end(i));
                emit(i, moving.window());
            }
        };
    });
}

//! The same for windows as they were known when each row came. O(log n) a row, and O(d) for a row that comes d places
//! late: the window goes back to it, and forth again.
template <class Window, class Options, class Emit>
void slide_known(const Order& order, const Bounds& bounds, const Column& column, const Options& options, Emit emit) {
    const auto groups = order.groups();
    in_parallel(groups.size() - 1, order.threads(), [&] {
        return [&, moving = Moving<Window>(options)](std::size_t key) mutable {
            const Position begin = groups[key], end = groups[key + 1];
            if (begin == end) return;
            moving.reset(column, begin, end);
            std::vector<bool> came(end - begin);
            const auto is_there = [&](std::size_t position) { return bool{came[position - begin]}; };
            for (const Position own : order.arrivals(begin, end)) {
                came[own - begin] = true;
                if (moving.covers(own)) moving.window().enter(own);
                moving.move(bounds.first[own], bounds.end(own), is_there);
                emit(own, moving.window());
            }
        };
    });
}

}  // namespace sash::batch
