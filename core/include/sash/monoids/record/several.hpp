//! The results of the monoids that give several numbers.
#pragma once

#include <variant>
#include <vector>

#include "sash/monoids/both.hpp"
#include "sash/monoids/comoments.hpp"
#include "sash/monoids/increasing_run.hpp"
#include "sash/monoids/m4.hpp"
#include "sash/monoids/record/event.hpp"

namespace sash {

inline Scalar scalar_of(const Number& number) {
    return std::visit([](auto value) { return Scalar(value); }, number);
}

inline PartResult result_of_parts(const CoMoments& monoid, const CoMoments::Output& output) {
    if (monoid.width() == 1) return output[0];
    return std::vector<Scalar>(output.begin(), output.end());
}

inline PartResult result_of_parts(const LongestIncreasingRun&, const LongestIncreasingRun::Output& output) {
    return std::vector<Scalar>{Instant{output.start}, Instant{output.end}, scalar_of(output.span), output.length};
}

//! Each point as its time and its value.
inline PartResult result_of_parts(const M4&, const M4::Output& output) {
    std::vector<Scalar> scalars;
    for (const M4::Point& point : {output.first, output.last, output.least, output.greatest}) {
        scalars.emplace_back(Instant{point.time});
        scalars.push_back(scalar_of(point.value));
    }
    return scalars;
}

template <class M>
    requires requires(const M& monoid, const typename M::Output& output) { result_of_parts(monoid, output); }
PartResult result_of_parts(const OfBoth<M>& monoid, const typename M::Output& output) {
    return result_of_parts(monoid.monoid, output);
}

}  // namespace sash
