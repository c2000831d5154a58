//! Which aggregations have a twin whose results do not depend on the order in which partials are combined.
#pragma once

#include <string_view>

#include "sash/monoids/reproducible/moments.hpp"
#include "sash/monoids/reproducible/sums.hpp"
#include "sash/monoids/tick_scale.hpp"

namespace sash::reproducible {

//! The parameters of all of them; each reads its own.
struct Options {
    bool geometric = false;
    bool root = false;
    bool bias = false;
    int ddof = 1;
    TickScale scale = {};
};

//! Calls take(monoid) with the twin of a kernel; false where it has none.
template <class Take>
bool with_twin(std::string_view kernel, const Options& options, Take take) {
    using Joint = sash::CoMoments::Form;
    using Moment = sash::Shape::Form;
    if (kernel == "sum") return take(SumReal{}), true;
    if (kernel == "mean") return take(Averaged<sash::Mean>{{options.geometric}}), true;
    if (kernel == "harmonic_mean") return take(Averaged<sash::HarmonicMean>{}), true;
    if (kernel == "weighted_mean") return take(WeightedMean{}), true;
    if (kernel == "moments") return take(Moments{{options.ddof, options.root}}), true;
    if (kernel == "skewness") return take(Shape{{Moment::skewness, options.bias}}), true;
    if (kernel == "kurtosis") return take(Shape{{Moment::kurtosis, options.bias}}), true;
    if (kernel == "covariance") return take(CoMoments{{Joint::covariance, options.ddof}}), true;
    if (kernel == "correlation") return take(CoMoments{{Joint::correlation, options.ddof}}), true;
    if (kernel == "rate") return take(Rate{{options.scale}}), true;
    if (kernel == "time_weighted_mean") return take(TimeWeightedMean{{options.scale}}), true;
    return false;
}

}  // namespace sash::reproducible
