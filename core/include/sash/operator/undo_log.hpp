//! What a call has changed, so that it can be rolled back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sash/operator/event_clock.hpp"
#include "sash/operator/key_state.hpp"
#include "sash/windows/steps.hpp"

namespace sash {

//! Of a row that was taken back, with the mark that a window read of it; and the measure at which the trigger fired
//! last.
struct SeldomChanged {
    Row row = {};
    Time label = 0;
    IdSlot id = 0;
    windows::Mark mark = {};
    std::optional<windows::Mark> fired = {};
};

//! One change of the state of one key, and what was before it.
template <class Result>
struct Change {
    enum class Kind : std::uint8_t {
        put,
        removed,
        filled,
        steps,
        unsteps,
        opened,
        waiting,
        expired,
        due,
        revision,
        last,
        newest,
        fired
    };

    Kind kind;
    KeyId key;
    //! Of a row; the number is also the subject of a result, how many rows waited, and the place of a step.
    Time ticks = 0;
    std::int64_t number = 0;
    //! The next slide; the newest row.
    std::optional<Time> before = {};
    //! Of a result, or of steps.
    std::size_t window = 0;
    std::optional<Revision<Result>> revision = {};
    std::optional<Result> last = {};
    windows::Steps::Before starts = {};
    std::unique_ptr<SeldomChanged> seldom = {};
};

template <class Result>
struct UndoLog {
    //! Whether the call may fail; otherwise nothing is written down.
    bool on = false;
    EventClock now;
    std::int64_t count = 0;
    std::int64_t orders = 0;
    std::vector<Change<Result>> changes;
};

}  // namespace sash
