//! How the partials of the built-in monoids are written field by field. No padding, no addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "sash/monoids/arg.hpp"
#include "sash/monoids/bits.hpp"
#include "sash/monoids/collect.hpp"
#include "sash/monoids/count.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/extrema.hpp"
#include "sash/monoids/mean.hpp"
#include "sash/monoids/moments.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/monoids/text.hpp"
#include "sash/snapshot.hpp"

namespace sash {

//! The most events that one partial may claim: far beyond any window, and far from overflow when added up.
inline constexpr std::int64_t kMostEvents = std::int64_t{1} << 48;

//! A count of events inside a partial; the wrapper makes the reader check it.
struct EventCount {
    std::int64_t& value;
};

//! The fields of a partial, in the order of the format. Declared once, they serve writing and reading.
inline auto fields(std::int64_t& partial) { return std::tie(partial); }
inline auto fields(double& partial) { return std::tie(partial); }
inline auto fields(Mean::Partial& partial) { return std::make_tuple(std::ref(partial.sum), EventCount{partial.count}); }
inline auto fields(Moments::Partial& partial) {
    return std::make_tuple(std::ref(partial.mean), std::ref(partial.spread), EventCount{partial.count});
}
template <Extreme E>
auto fields(typename ExtremumCount<E>::Partial& partial);
inline auto fields(MinCount::Partial& partial) {
    return std::make_tuple(std::ref(partial.extreme), EventCount{partial.count});
}
inline auto fields(MaxCount::Partial& partial) {
    return std::make_tuple(std::ref(partial.extreme), EventCount{partial.count});
}
inline auto fields(Range::Partial& partial) { return std::tie(partial.least, partial.greatest); }
inline auto fields(First<Cell>::Partial& partial) { return std::tie(partial.value, partial.present); }
inline auto fields(Last<Cell>::Partial& partial) { return std::tie(partial.value, partial.present); }
inline auto fields(ArgMin<Cell>::Partial& partial) { return std::tie(partial.key, partial.argument, partial.present); }
inline auto fields(ArgMax<Cell>::Partial& partial) { return std::tie(partial.key, partial.argument, partial.present); }
inline auto fields(Concat::Partial& partial) { return std::tie(partial.text, partial.present); }
inline auto fields(std::vector<Cell>& partial) { return std::tie(partial); }
