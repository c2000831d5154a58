//! What an operator was asked to do: which windows, which trigger, and when results are emitted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sash/time.hpp"
#include "sash/windows/grid.hpp"
#include "sash/windows/length.hpp"
#include "sash/windows/panes.hpp"
#include "sash/windows/policy.hpp"

namespace sash {

//! What the trigger fires on. `passed` and `session_end` are the watermark: once for what it has passed, once for a
//! session that is over.
enum class FiresOn : std::uint8_t { demand, events, slides, passed, session_end };
enum class Emit : std::uint8_t { arrival, final, update };

struct OperatorPlan {
    std::vector<windows::Policy> policies;
    FiresOn fires_on = FiresOn::events;
    Emit emit = Emit::arrival;
    //! Of the events, every k-th fires.
    std::size_t every = 1;
    //! Of the slides.
    windows::Grid grid = {};
    //! Where nothing needs the events of a pane apart, they are retained as one.
    std::optional<windows::Panes> panes = {};
    std::optional<Length> lateness = {};
    std::optional<Length> expire = {};
    //! A result is emitted only if it is not what was emitted last for its key.
    bool changes_only = false;
    //! A window with fewer values has no result.
    std::size_t min_periods = 0;
    //! Rows are known by ids, and may be taken back by later ones.
    bool retracts = false;
    //! Of the events, those fire whose measure has moved further than this since one fired. In the order in which they
    //! come where results are emitted at once; otherwise the last of the policies is no window, and has the blocks.
    std::optional<windows::Mark> moves = {};
    //! Ticks are codes of reals.
    bool reals = false;

    //! How many windows there are: the first of the policies.
    std::size_t windows() const { return policies.size() - (!policies.empty() && policies.back().fires()); }

    bool aligned() const {
        const auto aligned = [](const auto& policy) { return policy.aligned() || policy.fires(); };
        return !retracts && std::all_of(policies.begin(), policies.end(), aligned);
    }
    bool has(windows::Policy::Kind kind) const {
        return std::any_of(policies.begin(), policies.end(), [&](const auto& policy) { return policy.kind == kind; });
    }
    bool has_steps() const {
        return std::any_of(policies.begin(), policies.end(), [](const auto& policy) { return policy.stepping(); });
    }
    //! Whether nulls are noted: where values are counted, or a user's function sees windows.
    bool counts_values() const { return min_periods != 0 || has(windows::Policy::Kind::programmable); }

    //! Windows of time that are emitted when their event comes are found by its time alone: no row is retained.
    bool needs_rows() const {
        const bool at_once = emit == Emit::arrival && min_periods == 0 && every == 1 &&
                             (fires_on == FiresOn::events || fires_on == FiresOn::demand);
        const bool timed =
            std::all_of(policies.begin(), policies.end(), [](const auto& policy) { return policy.timed(); });
        return retracts || !(at_once && timed);
    }

    //! Integer ticks are reals from now on, by this map.
    template <class Map>
    void read_as_reals(Map map) {
        reals = true;
        grid.read_as_reals(map);
        if (panes) panes->read_as_reals(map);
        for (windows::Policy& policy : policies) {
            policy.grid.read_as_reals(map);
            if (policy.since) policy.since = map(*policy.since);
        }
    }
    //! Whether every window that holds an event at the time, and that a slide fires for, ends at a time that there is.
    bool ends_exist(Time ticks) const {
        if (fires_on != FiresOn::slides || reals) return true;
        return grid.after(ticks) && std::all_of(policies.begin(), policies.end(), [&](const auto& policy) {
                   return policy.span.length.ticks <= kLatest - std::max<Time>(ticks, 0);
               });
    }
    //! Whether finding a window may throw.
    bool may_fail() const {
        return (fires_on == FiresOn::slides && grid.may_fail()) ||
               std::any_of(policies.begin(), policies.end(), [](const auto& policy) { return policy.may_fail(); });
    }
};

}  // namespace sash
