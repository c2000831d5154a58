//! What an operator was asked to do: which windows, who asks, and when it is told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sash/windows/length.hpp"
#include "sash/windows/grid.hpp"
#include "sash/time.hpp"

namespace sash::lines {

//! Which events are in.
struct Policy {
    enum class Kind : std::uint8_t { time, tumbling, session, landmark, count, tumbling_count };

    Kind kind = Kind::time;
    //! Of a time window; of a session, the gap.
    Span span = {};
    //! Of a tumbling window. With `left`, a block has its start and not its end.
    Grid grid = {};
    bool left = false;
    //! Of a landmark; everything without.
    std::optional<Time> since = {};
    //! Of windows of events.
    std::size_t count = 1;

    //! Windows begin and end between different times, so that one partial a time is enough.
    bool aligned() const { return kind != Kind::count && kind != Kind::tumbling_count; }
    //! A window that ends long after the last event is empty.
    bool fades() const { return kind == Kind::time || kind == Kind::tumbling || kind == Kind::session; }
};

//! Who asks. `passed` and `session_end` are the watermark: once for what it has passed, once for a session that is
//! over.
enum class Asks : std::uint8_t { nobody, events, slides, passed, session_end };
enum class Emit : std::uint8_t { arrival, final, update };

struct Plan {
    std::vector<Policy> policies;
    Asks asks = Asks::events;
    Emit emit = Emit::arrival;
    //! Each so manyeth event asks.
    std::size_t every = 1;
    //! Of the slides.
    Grid grid = {};
    std::optional<Length> lateness = {};
    std::optional<Length> expire = {};
    //! A result is told only if it is not what was told last of its key.
    bool changes_only = false;
    //! A window with fewer values has no result.
    std::size_t min_periods = 0;
    //! Ticks are codes of reals.
    bool reals = false;

    bool aligned() const {
        return std::all_of(policies.begin(), policies.end(), [](const Policy& policy) { return policy.aligned(); });
    }
    bool has_sessions() const {
        return std::any_of(policies.begin(), policies.end(),
                           [](const Policy& policy) { return policy.kind == Policy::Kind::session; });
    }
    //! Integer ticks are reals from now on, by this map.
    template <class Map>
    void read_as_reals(Map map) {
        reals = true;
        grid.read_as_reals(map);
        for (Policy& policy : policies) {
            policy.grid.read_as_reals(map);
            if (policy.since) policy.since = map(*policy.since);
        }
    }
    //! Whether finding a window may throw.
    bool may_fail() const {
        return (asks == Asks::slides && grid.may_fail()) ||
               std::any_of(policies.begin(), policies.end(), [](const Policy& policy) {
                   return policy.kind == Policy::Kind::tumbling && policy.grid.may_fail();
               });
    }
};

}  // namespace sash::lines
