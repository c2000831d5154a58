//! Moments of all windows, as fast as sums: two stacks of sums of powers of the distances from a pivot.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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

    //! Calls walk(first, end) with two functions that say where the window of a row lies. Most often nothing is missing
    //! and each window ends with its own row: then there is nothing to look up for its end.
    template <class Walk>
    void with_places(Walk walk) const {
        const Position* const firsts = bounds_->first.data();
        if (presence_->all() && bounds_->last.empty() && bounds_->with_own) {
            walk([=, from = from_](std::size_t row) { return firsts[row] - from; },
                 [from = from_](std::size_t row) { return row + 1 - from; });
        } else {
            walk([=, this](std::size_t row) { return place(firsts[row]); },
                 [this](std::size_t row) { return place(bounds_->end(row)); });
        }
    }

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

// Sums of one column, or of two: what is summed are distances from the pivots, and products of them. The moments are
// those about the mean, which lies `apart` from the pivot.

struct SpreadSums {
    using Measured = double;
    double one = 0.0, two = 0.0;

    static SpreadSums of(Measured d) { return {d, d * d}; }
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

    static ShapeSums of(Measured d) {
        const double square = d * d;
        return {d, square, square * d, square * square};
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

    static JointSums of(const Measured& d) { return {d.x, d.y, d.x * d.x, d.y * d.y, d.x * d.y}; }
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
    template <class Walk>
    void with_places(Walk walk) const {
        values_.with_places(walk);
    }
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
    template <class Walk>
    void with_places(Walk walk) const {
        x_.with_places(walk);
    }
    Measured pivot(std::size_t place) const { return {pivot_of(x_[place]), pivot_of(y_[place])}; }
    //! x - x is 0, but NaN for an infinity: nothing is known where one is, also of what it is multiplied with.
    Measured distance(std::size_t place, const Measured& pivot) const {
        const double x = x_[place], y = y_[place];
        return {(x - pivot.x) + (x - x), (y - pivot.y) + (y - y)};
    }

private:
    PresentValues x_, y_;
};

//! The sums of some rows about one pivot, and how many values each has.
template <class Sums>
struct SumsOfRows {
    static constexpr std::size_t kMost = 128;
    std::size_t begin = 0, size = 0;
    Sums sums[kMost];
    std::uint32_t counts[kMost];
    typename Sums::Measured pivot{};
    //! 1 / n by n; nothing has no share.
    const double* shares = nullptr;

    auto moments(std::size_t i) const {
        return sums[i].moments(pivot, shares[counts[i]], static_cast<std::int64_t>(counts[i]));
    }
};

//! The variances of some rows, or their roots, in loops that several rows go through at once.
inline void lower_spreads(const SumsOfRows<SpreadSums>& rows, const Moments& moments, double* out) {
    double shares[SumsOfRows<SpreadSums>::kMost];
    const auto less = static_cast<std::uint32_t>(moments.degrees_of_freedom);
    for (std::size_t i = 0; i < rows.size; ++i) {
        const double apart = rows.sums[i].one * rows.shares[rows.counts[i]];
        const double spread = rows.sums[i].two - apart * rows.sums[i].one;
        // Rounding may lead below 0; NaN stays NaN.
        out[i] = spread < 0.0 ? 0.0 : spread;
        shares[i] = rows.shares[rows.counts[i] > less ? rows.counts[i] - less : 0];
    }
    for (std::size_t i = 0; i < rows.size; ++i) out[i] *= shares[i];
    if (!moments.root) return;
    for (std::size_t i = 0; i < rows.size; ++i) out[i] = std::sqrt(out[i]);
}

//! Two stacks (see stacks.hpp) of sums. The pivot is the youngest value at the flip: it is in every window up to the
//! next flip. So the squared distance of a mean from it is at most the count times the variance, and what cancels where
//! sums about the pivot become moments about the mean is that many roundings at most, whatever the values. Nothing that
//! has left a window is subtracted, and no sum outlives two flips: nothing drifts.
template <class Values, class Sums>
class PivotStacks {
public:
    template <class... Columns>
    explicit PivotStacks(const Bounds& bounds, const Columns&... columns) : values_(bounds, columns...) {}

    //! Calls emit(sums of rows) for the rows of the stretch, some at a time.
    template <class Emit>
    void run(Stretch stretch, Emit emit) {
        values_.assign(stretch);
        turn(0, 0);
        values_.with_places([&](auto first, auto end) {
            // Here, and not in the class, they stay in registers.
            Sums back;
            std::size_t seen = 0;
            for (rows_.begin = stretch.begin; rows_.begin != stretch.end; rows_.begin += rows_.size) {
                if (first(rows_.begin) >= flip_) {
                    seen = end(rows_.begin);
                    turn(first(rows_.begin), seen);
                    back = {};
                }
                take(std::min(rows_.kMost, stretch.end - rows_.begin), first, end, back, seen);
                rows_.pivot = pivot_;
                rows_.shares = shares_up_to(*std::max_element(rows_.counts, rows_.counts + rows_.size));
                emit(rows_);
            }
        });
    }

private:
    //! The sums of the next rows, up to the one whose window begins at the flip.
    template <class First, class End>
    void take(std::size_t most, First first, End end, Sums& back, std::size_t& seen) {
        const std::size_t begin = rows_.begin, flip = flip_;
        Sums running = back;
        std::size_t from = seen, i = 0;
        const auto put = [&, suffixes = suffixes_.data() - base_](std::size_t row, const Sums& total) {
            const std::size_t start = first(begin + row);
            rows_.sums[row] = suffixes[start] + total;
            rows_.counts[row] = static_cast<std::uint32_t>(end(begin + row) - start);
        };
        while (i != most && (i == 0 || first(begin + i) < flip)) {
            // Where each row brings one value, four at a time: a chain of additions is as long as it has links.
            if (i + 4 <= most && first(begin + i + 3) < flip && end(begin + i) == from + 1 &&
                end(begin + i + 1) == from + 2 && end(begin + i + 2) == from + 3 && end(begin + i + 3) == from + 4) {
                const Sums one = sums_of(from), two = one + sums_of(from + 1), three = two + sums_of(from + 2),
                           four = three + sums_of(from + 3);
                put(i, running + one);
                put(i + 1, running + two);
                put(i + 2, running + three);
                running = running + four;
                put(i + 3, running);
                i += 4;
                from += 4;
            } else {
                for (const std::size_t stop = end(begin + i); from < stop; ++from) running = running + sums_of(from);
                put(i++, running);
            }
        }
        rows_.size = i;
        seen = from;
        back = running;
    }

    //! Of one value.
    Sums sums_of(std::size_t place) const { return Sums::of(values_.distance(place, pivot_)); }

    const double* shares_up_to(std::size_t most) {
        if (shares_.empty()) shares_.push_back(std::numeric_limits<double>::quiet_NaN());
        while (shares_.size() <= most) shares_.push_back(1.0 / static_cast<double>(shares_.size()));
        return shares_.data();
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
        std::size_t i = count;
        for (; i >= 4; i -= 4) {
            const Sums one = sums_of(first + i - 1), two = one + sums_of(first + i - 2),
                       three = two + sums_of(first + i - 3), four = three + sums_of(first + i - 4);
            suffixes_[i - 1] = running + one;
            suffixes_[i - 2] = running + two;
            suffixes_[i - 3] = running + three;
            suffixes_[i - 4] = running = running + four;
        }
        while (i-- != 0) suffixes_[i] = running = running + sums_of(first + i);
    }

    Values values_;
    std::vector<double> shares_;
    std::vector<Sums> suffixes_;
    typename Values::Measured pivot_{};
    std::size_t base_ = 0, flip_ = 0;
    SumsOfRows<Sums> rows_;
};

//! Calls emit(sums of rows) for all rows, some at a time, in any order. Bounds that never go back are needed.
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
