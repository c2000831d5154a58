//! An event of a line.
#pragma once

#include <cstdint>

#include "sash/time.hpp"

namespace sash::lines {

//! When it was, where its partial lies, which one it was, and whether it has no value.
struct Row {
    Time ticks;
    Time label;
    std::int64_t number : 63;
    bool null : 1;

    bool is_before(Time other_ticks, std::int64_t other) const {
        return ticks < other_ticks || (ticks == other_ticks && number < other);
    }
};

// There are as many of them as there are events.
static_assert(sizeof(Row) == 24);

}  // namespace sash::lines
