//! Variances and what is like them, from sums of powers that do not depend on the order.
//!
//! A variance from sums of powers cancels: of n * sum(x^2) - sum(x)^2 little may be left. So powers are exact, sums
//! have as many bins as one power needs, and the difference is taken in whole numbers: it is rounded once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>

#include "sash/monoids/comoments.hpp"
#include "sash/monoids/event_count.hpp"
#include "sash/monoids/moments.hpp"
#include "sash/monoids/reproducible/binned.hpp"
#include "sash/monoids/shape.hpp"

namespace sash::reproducible {

//! A sum of products of so many doubles: each has at most 53 bits of as many bins, and one bin more.
template <std::size_t factors>
using SumOfProducts = Binned<(53 * factors + 30) / 32 + 1>;

using Squares = SumOfProducts<2>;

//! The product of two doubles; no number if either is not finite.
inline Squares product_of(double one, double other) {
    if (one - one != 0.0 || other - other != 0.0) return Squares::nan();
    return Squares::of(size_of(one) * size_of(other));
}

//! n times the sum of (x - mean of x) * (y - mean of y).
inline Scaled centred(std::int64_t count, const Squares& products, const Sum& x, const Sum& y) {
    if (!products.finite()) return {std::numeric_limits<double>::quiet_NaN(), 0};
    return (products.digits() * count - x.digits() * y.digits()).scaled(2 * kUnit);
}
//! The same of x with itself. Bins that were dropped may leave a little less than nothing.
inline Scaled spread(std::int64_t count, const Squares& squares, const Sum& sum) {
    const Scaled spread = centred(count, squares, sum, sum);
    return spread.mantissa < 0.0 ? Scaled{} : spread;
}

//! Both by their exponents, so that neither overflows.
inline Scaled operator/(const Scaled& one, const Scaled& other) {
    return {one.mantissa / other.mantissa, one.exponent - other.exponent};
}
inline Scaled root(const Scaled& number) {
    const bool odd = number.exponent % 2 != 0;
    const double mantissa = odd ? number.mantissa * 2 : number.mantissa;
    return {std::sqrt(mantissa), (odd ? number.exponent - 1 : number.exponent) / 2};
}

struct Moments : sash::Moments {
    struct Partial {
        Sum sum;
        Squares squares;
        std::int64_t count;

        friend auto fields(Partial& partial) {
            return std::tuple_cat(fields(partial.sum), fields(partial.squares),
                                  std::make_tuple(EventCount{partial.count}));
        }
    };

    Partial identity() const { return {}; }
    Partial lift(Input value) const { return {Sum::of(value), product_of(value, value), 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {older.sum + newer.sum, older.squares + newer.squares, older.count + newer.count};
    }
    bool defined(const Partial& partial) const { return partial.count > degrees_of_freedom; }
    Output lower(const Partial& partial) const {
        const Scaled found = spread(partial.count, partial.squares, partial.sum);
        const auto n = static_cast<double>(partial.count);
        const double divisor = n * static_cast<double>(partial.count - degrees_of_freedom);
        const double variance = Scaled{found.mantissa / divisor, found.exponent}.real();
        return root ? std::sqrt(variance) : variance;
    }
};

struct Shape : sash::Shape {
    struct Partial {
        Sum sum;
        Squares squares;
        SumOfProducts<3> cubes;
        SumOfProducts<4> fourths;
        std::int64_t count;

        friend auto fields(Partial& partial) {
            return std::tuple_cat(fields(partial.sum), fields(partial.squares), fields(partial.cubes),
                                  fields(partial.fourths), std::make_tuple(EventCount{partial.count}));
        }
    };

    Partial identity() const { return {}; }
    Partial lift(Input value) const {
        if (value - value != 0.0)
            return {Sum::of(value), Squares::nan(), SumOfProducts<3>::nan(), SumOfProducts<4>::nan(), 1};
        const Size<3> size = size_of(value);
        const Size<6> square = size * size;
        return {Sum::of(size), Squares::of(square), SumOfProducts<3>::of(square * size),
                SumOfProducts<4>::of(square * square), 1};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {older.sum + newer.sum, older.squares + newer.squares, older.cubes + newer.cubes,
                older.fourths + newer.fourths, older.count + newer.count};
    }
    bool defined(const Partial& partial) const {
        const std::int64_t fewest = bias ? 1 : form == Form::skewness ? 3 : 4;
        return partial.count >= fewest;
    }
    Output lower(const Partial& partial) const {
        const Scaled second = spread(partial.count, partial.squares, partial.sum);
        if (second.mantissa == 0.0 || !partial.squares.finite()) return second.mantissa;
        return form == Form::skewness ? skewness(partial, second) : kurtosis(partial, second);
    }

private:
    // With the spread n * sum((x - mean)^2), and n^2 and n^3 times the sums of third and fourth powers, the counts in
    // the formulas of the biased forms cancel.

    double skewness(const Partial& partial, const Scaled& second) const {
        const Digits sum = partial.sum.digits(), squares = partial.squares.digits(), cubes = partial.cubes.digits();
        const std::int64_t count = partial.count;
        const Digits third = cubes * count * count - squares * sum * count * 3 + sum * sum * sum * 2;
        const double biased = (third.scaled(3 * kUnit) / second / reproducible::root(second)).real();
        const auto n = static_cast<double>(count);
        return bias ? biased : biased * std::sqrt(n * (n - 1)) / (n - 2);
    }
    double kurtosis(const Partial& partial, const Scaled& second) const {
        const Digits sum = partial.sum.digits(), squares = partial.squares.digits();
        const Digits cubes = partial.cubes.digits(), fourths = partial.fourths.digits();
        const std::int64_t count = partial.count;
        const Digits square = sum * sum;
        const Digits fourth = fourths * count * count * count - cubes * sum * count * count * 4 +
                              squares * square * count * 6 - square * square * 3;
        const double biased = (fourth.scaled(4 * kUnit) / second / second).real() - 3;
        const auto n = static_cast<double>(count);
        return bias ? biased : (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * biased + 6);
    }
};

//! Covariances and correlations. Lines have none: their three numbers leave the core as objects, and are slow enough.
struct CoMoments : sash::CoMoments {
    struct Partial {
        Sum x;
        Sum y;
        Squares squares_x;
        Squares squares_y;
        Squares products;
        std::int64_t count;

        friend auto fields(Partial& partial) {
            return std::tuple_cat(fields(partial.x), fields(partial.y), fields(partial.squares_x),
                                  fields(partial.squares_y), fields(partial.products),
                                  std::make_tuple(EventCount{partial.count}));
        }
    };

    Partial identity() const { return {}; }
    Partial lift(const Input& value) const {
        const auto [x, y] = value;
        return {Sum::of(x), Sum::of(y), product_of(x, x), product_of(y, y), product_of(x, y), 1};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {older.x + newer.x,
                older.y + newer.y,
                older.squares_x + newer.squares_x,
                older.squares_y + newer.squares_y,
                older.products + newer.products,
                older.count + newer.count};
    }
    bool defined(const Partial& partial) const {
        if (form == Form::covariance) return partial.count > degrees_of_freedom;
        return partial.count > 1 && spread_x(partial).mantissa != 0.0 && spread_y(partial).mantissa != 0.0;
    }
    Output lower(const Partial& partial) const {
        const Scaled joint = centred(partial.count, partial.products, partial.x, partial.y);
        if (form == Form::correlation)
            return {within_one((joint / root(spread_x(partial)) / root(spread_y(partial))).real())};
        const double divisor =
            static_cast<double>(partial.count) * static_cast<double>(partial.count - degrees_of_freedom);
        return {Scaled{joint.mantissa / divisor, joint.exponent}.real()};
    }

private:
    static Scaled spread_x(const Partial& partial) { return spread(partial.count, partial.squares_x, partial.x); }
    static Scaled spread_y(const Partial& partial) { return spread(partial.count, partial.squares_y, partial.y); }
    static double within_one(double value) { return std::clamp(value, -1.0, 1.0); }
};

}  // namespace sash::reproducible
