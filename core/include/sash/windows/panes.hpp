//! Panes: pieces of time that every window of a plan holds whole, or not at all.
#pragma once

#include <cmath>

#include "sash/number.hpp"
#include "sash/time.hpp"
#include "sash/windows/grid.hpp"

namespace sash::windows {

//! A pane lies between two neighbouring multiples. It has the end that windows have: the later one, or with `left` the
//! earlier one. That end is its label, so that a window holds the label if it holds the pane.
struct Panes {
    //! Reals from here on may be rounded where ends of windows are computed: they are panes of their own.
    static constexpr double kMostReal = 0x1p51;

    Grid grid;
    bool left = false;
    bool reals = false;

    Time label(Time ticks) const {
        if (reals && !(std::abs(decode_real(ticks)) < kMostReal)) return ticks;
        return left ? grid.last(ticks).value_or(kEarliest) : grid.first(ticks).value_or(kLatest);
    }

    //! Integer ticks are reals from now on, by this map.
    template <class Map>
    void read_as_reals(Map map) {
        grid.read_as_reals(map);
        reals = true;
    }
};

}  // namespace sash::windows
