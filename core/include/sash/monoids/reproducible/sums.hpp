//! Monoids that add reals, with sums that do not depend on the order. Their formulas are those of their twins.
#pragma once

#include <cstdint>
#include <tuple>

#include "sash/monoids/event_count.hpp"
#include "sash/monoids/harmonic_mean.hpp"
#include "sash/monoids/mean.hpp"
#include "sash/monoids/rate.hpp"
#include "sash/monoids/reproducible/binned.hpp"
#include "sash/monoids/time_weighted_mean.hpp"
#include "sash/monoids/weighted_mean.hpp"

namespace sash::reproducible {

//! The sum of nothing is 0.
struct SumReal {
    using Input = double;
    using Partial = Sum;
    using Output = double;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return {}; }
    Partial lift(Input value) const { return Sum::of(value); }
    Partial combine(const Partial& older, const Partial& newer) const { return older + newer; }
    bool defined(const Partial&) const { return true; }
    Output lower(const Partial& partial) const { return partial.real(); }
};

//! A twin whose partials are a sum and a count: Mean, HarmonicMean.
template <class Twin>
struct Averaged : Twin {
    struct Partial {
        Sum sum;
        std::int64_t count;

        friend auto fields(Partial& partial) {
            return std::tuple_cat(fields(partial.sum), std::make_tuple(EventCount{partial.count}));
        }
    };

    Partial identity() const { return {}; }
    Partial lift(double value) const { return {Sum::of(Twin::lift(value).sum), 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {older.sum + newer.sum, older.count + newer.count};
    }
    bool defined(const Partial& partial) const { return partial.count != 0; }
    double lower(const Partial& partial) const { return Twin::lower({partial.sum.real(), partial.count}); }
};

struct WeightedMean : sash::WeightedMean {
    struct Partial {
        Sum total;
        Sum weight;

        friend auto fields(Partial& partial) { return std::tuple_cat(fields(partial.total), fields(partial.weight)); }
    };

    Partial identity() const { return {}; }
    Partial lift(const Input& value) const {
        const auto [total, weight] = sash::WeightedMean::lift(value);
        return {Sum::of(total), Sum::of(weight)};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {older.total + newer.total, older.weight + newer.weight};
    }
    bool defined(const Partial& partial) const { return partial.weight.real() != 0.0; }
    Output lower(const Partial& partial) const {
        return sash::WeightedMean::lower({partial.total.real(), partial.weight.real()});
    }
};

//! The amounts after the first are a sum.
struct Rate : sash::Rate {
    struct Partial {
        double first;
        Sum after;
        Time start;
        Time end;
        std::int64_t present;

        friend auto fields(Partial& partial) {
            return std::tuple_cat(std::tie(partial.first), fields(partial.after),
                                  std::tie(partial.start, partial.end, partial.present));
        }
    };

    Partial identity() const { return {}; }
    Partial lift(Time time, Input value) const { return {value, {}, time, time, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.present == 0) return newer;
        if (newer.present == 0) return older;
        return {older.first, older.after + (Sum::of(newer.first) + newer.after), older.start, newer.end, 1};
    }
    bool defined(const Partial& partial) const { return partial.start != partial.end; }
    Output lower(const Partial& partial) const {
        return partial.after.real() / scale.between(partial.start, partial.end);
    }

    template <class Map>
    void retime(Partial& partial, Map map) const {
        if (partial.present == 0) return;
        partial.start = map(partial.start);
        partial.end = map(partial.end);
    }
};

//! What each value adds depends on the next one alone, so the area is a sum too.
struct TimeWeightedMean : sash::TimeWeightedMean {
    struct Partial {
        Sum area;
        double last;
        Time start;
        Time end;
        std::int64_t present;

        friend auto fields(Partial& partial) {
            return std::tuple_cat(fields(partial.area),
                                  std::tie(partial.last, partial.start, partial.end, partial.present));
        }
    };

    Partial identity() const { return {}; }
    Partial lift(Time time, Input value) const { return {{}, value, time, time, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.present == 0) return newer;
        if (newer.present == 0) return older;
        const double gap = scale.between(older.end, newer.start);
        // A value that held for no time adds nothing, even if it is infinite.
        const Sum held = gap == 0.0 ? Sum{} : Sum::of(older.last * gap);
        return {older.area + (held + newer.area), newer.last, older.start, newer.end, 1};
    }
    bool defined(const Partial& partial) const { return partial.present != 0; }
    Output lower(const Partial& partial) const {
        if (partial.start == partial.end) return partial.last;
        return partial.area.real() / scale.between(partial.start, partial.end);
    }

    template <class Map>
    void retime(Partial& partial, Map map) const {
        if (partial.present == 0) return;
        partial.start = map(partial.start);
        partial.end = map(partial.end);
    }
};

}  // namespace sash::reproducible
