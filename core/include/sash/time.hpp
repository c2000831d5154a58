//! The one type of time in the core.
#pragma once

#include <cstdint>
#include <limits>

namespace sash {

//! Every kind of time enters as an int64 whose order is the order of the times (see src/sash/times.py).
using Time = std::int64_t;

inline constexpr Time kEarliest = std::numeric_limits<Time>::min();
inline constexpr Time kLatest = std::numeric_limits<Time>::max();

}  // namespace sash
