//! What a call has changed, so that it can be rolled back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>

#include "sash/operator/event_clock.hpp"
#include "sash/operator/key_state.hpp"
#include "sash/windows/steps.hpp"

namespace sash {

//! One change each of the state of one key, with what was before it.
namespace changes {

struct Opened {};
struct Expired {};
struct RowPut {
    Time ticks;
    std::int64_t number;
};
//! A pane has its first partial.
struct PaneFilled {
    Time ticks;
    std::int64_t number;
};
struct RowRemoved {
    Row row;
    Time label;
    IdSlot id;
};
struct Stepped {
    std::size_t window;
    std::size_t place;
    windows::Steps::Before starts;
};
struct Unstepped {
    std::size_t window;
    std::size_t place;
    windows::Steps::Before starts;
    windows::Mark mark;
};
//! How many rows waited.
struct RowsWaiting {
    std::uint32_t count;
};
//! When the trigger fired next.
struct Scheduled {
    std::optional<Time> due;
};
struct NewestSeen {
    std::optional<Time> ticks;
};
//! The measure at which the trigger fired last.
struct Fired {
    std::optional<windows::Mark> mark;
};
template <class Result>
struct Revised {
    std::int64_t subject;
    std::size_t window;
    std::optional<Revision<Result>> revision;
};
template <class Result>
struct EmittedLast {
    std::size_t window;
    std::optional<Result> result;
};

}  // namespace changes

//! A batch leaves several of them an event: they are small, or most of its time goes into new pages.
template <class Result>
struct Change {
    KeyId key;
    std::variant<changes::Opened, changes::Expired, changes::RowPut, changes::PaneFilled, changes::RowRemoved,
                 changes::Stepped, changes::Unstepped, changes::RowsWaiting, changes::Scheduled, changes::NewestSeen,
                 changes::Fired, changes::Revised<Result>, changes::EmittedLast<Result>>
        what;
};

template <class Result>
struct UndoLog {
    //! Whether the call may fail; otherwise nothing is written down.
    bool on = false;
    EventClock now;
    std::int64_t count = 0;
    std::int64_t orders = 0;
    //! Not one array: a long batch would move all of them to fresh pages again and again.
    std::deque<Change<Result>> changes;
};

}  // namespace sash
