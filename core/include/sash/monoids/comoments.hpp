//! How two numbers move together: covariance, correlation, and the straight line through them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

#include "sash/monoids/event_count.hpp"

namespace sash {

//! Merges centred moments of pairs (x, y) (Chan, Golub, LeVeque; Pebay): nothing cancels.
struct CoMoments {
    enum class Form : std::uint8_t { covariance, correlation, line };

    using Input = std::pair<double, double>;
    //! The covariance or the correlation alone; of a line its slope, intercept and r squared.
    using Output = std::array<double, 3>;
    struct Partial {
        double mean_x;
        double mean_y;
        //! Sums of the squared distances from the means.
        double spread_x;
        double spread_y;
        //! Sum of the products of the distances.
        double joint;
        std::int64_t count;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Form form = Form::covariance;
    //! Of a covariance: 1 for a sample, 0 for a population.
    std::int64_t degrees_of_freedom = 1;

    Partial identity() const { return {0.0, 0.0, 0.0, 0.0, 0.0, 0}; }
    //! x - x is 0, but NaN for an infinity: nothing is known from there on, in whatever order events are combined.
    Partial lift(const Input& value) const {
        const double x = value.first - value.first;
        const double y = value.second - value.second;
        return {value.first + x, value.second + y, x, y, x + y, 1};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.count == 0) return newer;
        if (newer.count == 0) return older;
        const std::int64_t count = older.count + newer.count;
        const double x = newer.mean_x - older.mean_x;
        const double y = newer.mean_y - older.mean_y;
        const double share = static_cast<double>(newer.count) / static_cast<double>(count);
        const double weight = share * static_cast<double>(older.count);
        return {older.mean_x + x * share,
                older.mean_y + y * share,
                older.spread_x + newer.spread_x + x * x * weight,
                older.spread_y + newer.spread_y + y * y * weight,
                older.joint + newer.joint + x * y * weight,
                count};
    }
    //! How many of the output's numbers the form has.
    std::size_t width() const { return form == Form::line ? 3 : 1; }
    //! Whether there is a result at all: enough events, and variation where it is divided by.
    bool defined(const Partial& partial) const {
        if (form == Form::covariance) return partial.count > degrees_of_freedom;
        return partial.count > 1 && partial.spread_x != 0.0 && (form == Form::line || partial.spread_y != 0.0);
    }
    Output lower(const Partial& partial) const {
        switch (form) {
            case Form::covariance:
                return {partial.joint / static_cast<double>(partial.count - degrees_of_freedom)};
            case Form::correlation:
                // One root after the other: the product of the spreads might overflow.
                return {within_one(partial.joint / std::sqrt(partial.spread_x) / std::sqrt(partial.spread_y))};
            case Form::line:
                break;
        }
        const double slope = partial.joint / partial.spread_x;
        const double explained = partial.spread_y == 0.0 ? 1.0 : slope * (partial.joint / partial.spread_y);
        return {slope, partial.mean_y - slope * partial.mean_x, within_one(explained)};
    }

private:
    //! Rounding may lead beyond 1; NaN stays NaN.
    static double within_one(double value) { return std::clamp(value, -1.0, 1.0); }
};

inline auto fields(CoMoments::Partial& partial) {
    return std::make_tuple(std::ref(partial.mean_x), std::ref(partial.mean_y), std::ref(partial.spread_x),
                           std::ref(partial.spread_y), std::ref(partial.joint), EventCount{partial.count});
}

}  // namespace sash
