//! Where a row lies once the rows are sorted by key and time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace sash::batch {

//! A row as it was given, and its place in the order by key, time and arrival. 32 bits: half the memory to walk over.
using Row = std::uint32_t;
using Position = std::uint32_t;

inline constexpr std::size_t kMostRows = std::numeric_limits<Position>::max() - 1;

}  // namespace sash::batch
