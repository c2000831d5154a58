//! Variances of all windows, as fast as sums: two stacks of running sums and of squared distances from running means.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sash/batch/column.hpp"
#include "sash/batch/parallel.hpp"
#include "sash/batch/spans.hpp"
#include "sash/monoids/moments.hpp"

namespace sash::batch {

//! The present values of a stretch of rows, side by side, and where windows lie among them.
class PresentValues {
public:
    PresentValues(const Column& column, const Bounds& bounds) : column_(&column), bounds_(&bounds) {}

    void assign(Stretch stretch) {
        from_ = bounds_->first[stretch.begin];
        const std::size_t to = bounds_->end(stretch.end - 1);
        if (column_->real && column_->presence.all()) {
            values_ = column_->reals.data() + from_;
            return;
        }
        own_.clear();
        for (std::size_t i = from_; i < to; ++i)
            if (column_->presence[i])
                own_.push_back(column_->real ? column_->reals[i] : static_cast<double>(column_->integers[i]));
        values_ = own_.data();
    }

    double operator[](std::size_t place) const { return values_[place]; }
    std::size_t first(std::size_t row) const { return place(bounds_->first[row]); }
    std::size_t end(std::size_t row) const { return place(bounds_->end(row)); }

private:
    std::size_t place(Position position) const {
        return column_->presence.count(static_cast<Position>(from_), position);
    }

    const Column* column_;
    const Bounds* bounds_;
    std::size_t from_ = 0;
    const double* values_ = nullptr;
    std::vector<double> own_;
};

//! Values one after another: their sum, and the sum of their squared distances from their mean (Welford). The mean is
//! that of the running sum, which waits for one addition only, and no number is ever taken away.
struct RunningSpread {
    double sum = 0.0;
    double spread = 0.0;

    //! `shares[n]` is 1 / n, and `count` values were there before.
    void append(double value, std::size_t count, const double* shares) {
        const double apart = value - sum * shares[count];
        spread += apart * apart * (static_cast<double>(count) * shares[count + 1]);
        sum += value;
    }
};

//! Two stacks (see stacks.hpp) of running spreads. Values are measured from one of them, so that sums stay small. What
//! is combined at a row is the merge of Chan, Golub and LeVeque, without a division: 1 / n is in a table.
class SpreadStacks {
public:
    SpreadStacks(const Column& column, const Bounds& bounds) : values_(column, bounds) {}

    //! Calls emit(row, spread, count) for each row of the stretch.
    template <class Emit>
    void run(Stretch stretch, Emit emit) {
        values_.assign(stretch);
        grow_shares(values_.end(stretch.end - 1) + 1);
        turn(0, 0);
        // Here, and not in the class, they stay in registers.
        RunningSpread back;
        std::size_t seen = 0;
        for (std::size_t row = stretch.begin; row != stretch.end; ++row) {
            const std::size_t first = values_.first(row), end = values_.end(row);
            if (first >= flip_) {
                turn(first, end);
                back = {};
                seen = end;
            }
            for (; seen < end; ++seen) back.append(measured(seen), seen - flip_, shares_.data());
            emit(row, spread_from(first, back, seen - flip_), end - first);
        }
    }

private:
    void grow_shares(std::size_t most) {
        if (shares_.empty()) shares_.push_back(0.0);
        while (shares_.size() <= most) shares_.push_back(1.0 / static_cast<double>(shares_.size()));
    }

    //! x - x is 0, but NaN for an infinity: no spread is known where one is.
    double measured(std::size_t place) const {
        const double value = values_[place];
        return (value - origin_) + (value - value);
    }

    //! All values of [first, end) become suffixes; the one behind the last has nothing.
    void turn(std::size_t first, std::size_t end) {
        base_ = first;
        flip_ = end;
        origin_ = first < end && std::isfinite(values_[end - 1]) ? values_[end - 1] : 0.0;
        const std::size_t count = end - first;
        if (suffixes_.size() <= count) suffixes_.resize(count + 1);
        RunningSpread running;
        suffixes_[count] = running;
        for (std::size_t i = 0; i < count; ++i) {
            running.append(measured(end - 1 - i), i, shares_.data());
            suffixes_[count - 1 - i] = running;
        }
    }

    //! The suffix from there, and the values behind the flip, so many.
    double spread_from(std::size_t first, const RunningSpread& back, std::size_t behind) const {
        const RunningSpread& older = suffixes_[first - base_];
        const std::size_t before = flip_ - first;
        const double apart = back.sum * shares_[behind] - older.sum * shares_[before];
        const double weight = static_cast<double>(before) * static_cast<double>(behind) * shares_[before + behind];
        return older.spread + back.spread + apart * (apart * weight);
    }

    PresentValues values_;
    std::vector<double> shares_;
    std::vector<RunningSpread> suffixes_;
    double origin_ = 0.0;
    std::size_t base_ = 0, flip_ = 0;
};

//! The variance of each window, or its root. Bounds that never go back are needed.
inline void spreads(const Moments& moments, const Order& order, const Bounds& bounds, const Column& column,
                    Slots<double> out) {
    constexpr std::size_t kTimes = 4, kLeast = std::size_t{1} << 15;
    const std::vector<Stretch> stretches = cut(bounds, kTimes, kLeast);
    in_parallel(stretches.size(), order.threads(), [&] {
        return [&, stacks = SpreadStacks(column, bounds)](std::size_t task) mutable {
            stacks.run(stretches[task], [&](std::size_t row, double spread, std::size_t count) {
                out[row] = moments.lower({0.0, spread, static_cast<std::int64_t>(count)});
            });
        };
    });
}

}  // namespace sash::batch
