//! What a call has changed, so that it can be undone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sash/operator/event_clock.hpp"
#include "sash/operator/key_state.hpp"

namespace sash::lines {

//! One change of one line, and what was before it.
template <class Answer>
struct ChangeOf {
    enum class Kind : std::uint8_t { put, opened, waiting, retired, due, told, last };

    Kind kind;
    LineId line;
    //! Of a row; the number is also what a result is about, and how many rows waited.
    Time ticks = 0;
    std::int64_t number = 0;
    bool has_value = false;
    //! The next slide.
    std::optional<Time> before = {};
    //! Of what was told.
    std::size_t window = 0;
    std::optional<Told<Answer>> told = {};
    std::optional<Answer> last = {};
};

template <class Answer>
struct Journal {
    //! Whether the call may fail; otherwise nothing is written down.
    bool on = false;
    EventClock now;
    std::int64_t count = 0;
    std::int64_t orders = 0;
    std::vector<ChangeOf<Answer>> changes;
};

}  // namespace sash::lines
