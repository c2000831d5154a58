//! A field of a partial that counts events.
#pragma once

#include <cstdint>

namespace sash {

//! A field that counts events. A reader checks it.
struct EventCount {
    std::int64_t& value;
};

}  // namespace sash
