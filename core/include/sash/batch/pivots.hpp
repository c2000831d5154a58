//! Moments of all windows, as fast as sums: two stacks of sums of powers of the distances from a pivot.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sash/batch/column.hpp"
#include "sash/batch/parallel.hpp"
#include "sash/batch/spans.hpp"
#include "sash/monoids/comoments.hpp"
#include "sash/monoids/moments.hpp"
#include "sash/monoids/shape.hpp"

namespace sash::batch {

//! The values of a stretch of rows that are present, side by side, and where windows lie among them. The presence may
//! be that of several columns together.
class PresentValues {
public:
    PresentValues(const Column& column, const Presence& presence, const Bounds& bounds)
        : column_(&column), presence_(&presence), bounds_(&bounds) {}

    void assign(Stretch stretch) {
        from_ = bounds_->first[stretch.begin];
        const std::size_t to = bounds_->end(stretch.end - 1);
        if (column_->real && presence_->all()) {
            values_ = column_->reals.data() + from_;
            return;
        }
        own_.clear();
        for (std::size_t i = from_; i < to; ++i)
            if ((*presence_)[i])
                own_.push_back(column_->real ? column_->reals[i] : static_cast<double>(column_->integers[i]));
        values_ = own_.data();
    }

    double operator[](std::size_t place) const { return values_[place]; }
    std::size_t first(std::size_t row) const { return place(bounds_->first[row]); }
    std::size_t end(std::size_t row) const { return place(bounds_->end(row)); }

private:
    std::size_t place(Position position) const { return presence_->count(static_cast<Position>(from_), position); }

    const Column* column_;
    const Presence* presence_;
    const Bounds* bounds_;
    std::size_t from_ = 0;
    const double* values_ = nullptr;
    std::vector<double> own_;
};

//! What values are measured from. An infinity is no pivot; at any other it is infinitely far, which no sum forgets.
inline double pivot_of(double value) {
    return std::isfinite(value) ? value : 0.0;
}

// Sums of one column, or of two: what is appended are distances from the pivots. The moments are those about the mean,
// which lies `apart` from the pivot.

struct SpreadSums {
    using Measured = double;
    double one = 0.0, two = 0.0;

    void append(Measured d) {
        one += d;
        two += d * d;
    }
    SpreadSums operator+(const SpreadSums& newer) const { return {one + newer.one, two + newer.two}; }
    //! `share` is 1 / count. Rounding may lead below 0; NaN stays NaN.
    Moments::Partial moments(double pivot, double share, std::int64_t count) const {
        const double apart = one * share, spread = two - apart * one;
        return {pivot + apart, spread < 0.0 ? 0.0 : spread, count};
    }
};

struct ShapeSums {
    using Measured = double;
    double one = 0.0, two = 0.0, three = 0.0, four = 0.0;

    void append(Measured d) {
        const double square = d * d;
        one += d;
        two += square;
        three += square * d;
        four += square * square;
    }
    ShapeSums operator+(const ShapeSums& newer) const {
        return {one + newer.one, two + newer.two, three + newer.three, four + newer.four};
    }
    Shape::Partial moments(double pivot, double share, std::int64_t count) const {
        const double apart = one * share, spread = two - apart * one;
        return {pivot + apart, spread < 0.0 ? 0.0 : spread, three - apart * (3 * two - 2 * apart * one),
                four - apart * (4 * three - apart * (6 * two - 3 * apart * one)), count};
    }
};

struct JointSums {
    struct Measured {
        double x, y;
    };
    double x = 0.0, y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;

    void append(const Measured& d) {
        x += d.x;
        y += d.y;
        xx += d.x * d.x;
        yy += d.y * d.y;
        xy += d.x * d.y;
    }
    JointSums operator+(const JointSums& newer) const {
        return {x + newer.x, y + newer.y, xx + newer.xx, yy + newer.yy, xy + newer.xy};
    }
    CoMoments::Partial moments(const Measured& pivot, double share, std::int64_t count) const {
        const double apart_x = x * share, apart_y = y * share;
        return {pivot.x + apart_x,
                pivot.y + apart_y,
                std::max(xx - apart_x * x, 0.0),
                std::max(yy - apart_y * y, 0.0),
                xy - apart_x * y,
                count};
    }
};

//! One column as what its windows sum.
class MeasuredValues {
public:
    using Measured = double;

    MeasuredValues(const Bounds& bounds, const Column& column) : values_(column, column.presence, bounds) {}

    void assign(Stretch stretch) { values_.assign(stretch); }
    std::size_t first(std::size_t row) const { return values_.first(row); }
    std::size_t end(std::size_t row) const { return values_.end(row); }
    Measured pivot(std::size_t place) const { return pivot_of(values_[place]); }
    Measured distance(std::size_t place, Measured pivot) const { return values_[place] - pivot; }

private:
    PresentValues values_;
};

//! Two columns; the first says which rows have both.
class MeasuredPairs {
public:
    using Measured = JointSums::Measured;

    MeasuredPairs(const Bounds& bounds, const Column& x, const Column& y)
        : x_(x, x.presence, bounds), y_(y, x.presence, bounds) {}

    void assign(Stretch stretch) {
        x_.assign(stretch);
        y_.assign(stretch);
    }
    std::size_t first(std::size_t row) const { return x_.first(row); }
    std::size_t end(std::size_t row) const { return x_.end(row); }
    Measured pivot(std::size_t place) const { return {pivot_of(x_[place]), pivot_of(y_[place])}; }
    //! x - x is 0, but NaN for an infinity: nothing is known where one is, also of what it is multiplied with.
    Measured distance(std::size_t place, const Measured& pivot) const {
        const double x = x_[place], y = y_[place];
        return {(x - pivot.x) + (x - x), (y - pivot.y) + (y - y)};
    }

private:
    PresentValues x_, y_;
};

//! Two stacks (see stacks.hpp) of sums. The pivot is the youngest value at the flip: it is in every window up to the
//! next flip. So the squared distance of a mean from it is at most the count times the variance, and what cancels where
//! sums about the pivot become moments about the mean is that many roundings at most, whatever the values. Nothing that
//! has left a window is subtracted, and no sum outlives two flips: nothing drifts.
template <class Values, class Sums>
class PivotStacks {
public:
    template <class... Columns>
    explicit PivotStacks(const Bounds& bounds, const Columns&... columns) : values_(bounds, columns...) {}

    //! Calls emit(row, moments) for each row of the stretch.
    template <class Emit>
    void run(Stretch stretch, Emit emit) {
        values_.assign(stretch);
        grow_shares(values_.end(stretch.end - 1));
        turn(0, 0);
        // Here, and not in the class, they stay in registers.
        Sums back;
        std::size_t seen = 0;
        for (std::size_t row = stretch.begin; row != stretch.end; ++row) {
            const std::size_t first = values_.first(row), end = values_.end(row), count = end - first;
            if (first >= flip_) {
                turn(first, end);
                back = {};
                seen = end;
            }
            for (; seen < end; ++seen) back.append(values_.distance(seen, pivot_));
            const Sums all = suffixes_[first - base_] + back;
            emit(row, all.moments(pivot_, shares_[count], static_cast<std::int64_t>(count)));
        }
    }

private:
    //! shares_[n] is 1 / n.
    void grow_shares(std::size_t most) {
        if (shares_.empty()) shares_.push_back(0.0);
        while (shares_.size() <= most) shares_.push_back(1.0 / static_cast<double>(shares_.size()));
    }

    //! All values of [first, end) become suffixes; the one behind the last has nothing.
    void turn(std::size_t first, std::size_t end) {
        base_ = first;
        flip_ = end;
        const std::size_t count = end - first;
        if (suffixes_.size() <= count) suffixes_.resize(count + 1);
        suffixes_[count] = {};
        if (count == 0) return;
        pivot_ = values_.pivot(end - 1);
        Sums running;
        for (std::size_t i = count; i-- != 0;) {
            running.append(values_.distance(first + i, pivot_));
            suffixes_[i] = running;
        }
    }

    Values values_;
    std::vector<double> shares_;
    std::vector<Sums> suffixes_;
    typename Values::Measured pivot_{};
    std::size_t base_ = 0, flip_ = 0;
};

//! Calls emit(row, moments) for each row, in any order. Bounds that never go back are needed.
template <class Values, class Sums, class Emit, class... Columns>
void about_pivots(const Order& order, const Bounds& bounds, Emit emit, const Columns&... columns) {
    constexpr std::size_t kTimes = 4, kLeast = std::size_t{1} << 15;
    const std::vector<Stretch> stretches = cut(bounds, kTimes, kLeast);
    in_parallel(stretches.size(), order.threads(), [&] {
        return [&, stacks = PivotStacks<Values, Sums>(bounds, columns...)](std::size_t task) mutable {
            stacks.run(stretches[task], emit);
        };
    });
}

}  // namespace sash::batch
