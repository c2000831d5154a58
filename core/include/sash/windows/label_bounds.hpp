//! Window bounds at labels: rows among the events of a frame that are no events themselves. The window of a label holds
//! the events of its key that the policy has in it at the label's time. Windows in time ask for nothing more than
//! frame_bounds.hpp finds, since a label is a time as any other; those that look at events pass over labels here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sash/batch/known.hpp"
#include "sash/windows/frame_bounds.hpp"

namespace sash::batch {

//! Marks the rows that are labels, by row.
using Labels = std::span<const std::uint8_t>;

namespace detail {

//! Bounds that are yet to be filled, whose windows end at their own row, or before its time where the end is out. What
//! came in order does not know the peers that come later, so a row is behind all that it knows.
inline Bounds label_bounds(const Order& order, bool end_in) {
    Bounds bounds;
    bounds.first = Room<Position>(order.size());
    bounds.with_own = end_in;
    bounds.never_empty = false;
    if (order.has_peers() && !end_in) bounds.last = find_lasts(order, false);
    return bounds;
}

//! The last `rows` events before the end of each window, whenever they came.
inline void last_events(const Order& order, std::size_t rows, Labels labels, Bounds& bounds) {
    std::vector<Position> events;
    for_each_group(order, [&](Position begin, Position end) {
        events.clear();
        Position seen = begin;
        for (Position i = begin; i != end; ++i) {
            for (; seen != bounds.end(i); ++seen)
                if (labels[order.row_at(seen)] == 0) events.push_back(seen);
            const std::size_t held = std::min(rows, events.size());
            bounds.first[i] = held == 0 ? bounds.end(i) : events[events.size() - held];
        }
    });
}

//! The same of those events that had come.
inline void last_known_events(const Order& order, std::size_t rows, Labels labels, Bounds& bounds) {
    for_each_group(order, [&](Position begin, Position end) {
        Ranks ranks(end - begin);
        for (const Position position : order.arrivals(begin, end)) {
            if (labels[order.row_at(position)] == 0) ranks.take(position - begin);
            const Position last = bounds.end(position);
            const std::size_t seen = last == begin ? 0 : ranks.up_to(last - 1 - begin);
            const std::size_t held = std::min(rows, seen);
            bounds.first[position] = held == 0 ? last : begin + static_cast<Position>(ranks.place_of(seen - held + 1));
        }
    });
}

}  // namespace detail

//! The last `rows` events at or before the label, or before it where the end is out. A label takes no place among them.
inline Bounds count_window_at(const Order& order, std::size_t rows, Ends ends, bool known, Labels labels) {
    Bounds bounds = detail::label_bounds(order, ends.end);
    if (known && !order.in_order()) {
        detail::last_known_events(order, rows, labels, bounds);
    } else {
        detail::last_events(order, rows, labels, bounds);
    }
    return bounds;
}

//! Everything from the last event on with which a window begins, begins(event before it, its number in the key, event);
//! nothing where over(last event, label) is true, or before the first event.
template <class Begins, class Over>
Bounds stretch_window_at(const Order& order, Labels labels, Begins begins, Over over) {
    Bounds bounds = detail::label_bounds(order, true);
    for_each_group(order, [&](Position begin, Position end) {
        Position start = begin, last = begin;
        std::size_t events = 0;
        for (Position i = begin; i != end; ++i) {
            const bool label = labels[order.row_at(i)] != 0;
            if (!label) {
                if (events != 0 && begins(last, events, i)) start = i;
                if (events++ == 0) start = i;
                last = i;
            }
            bounds.first[i] = label && (events == 0 || over(last, i)) ? i : start;
        }
    });
    return bounds;
}

//! The session that is open at the label: its last event is less than the gap before.
inline Bounds session_window_at(const Order& order, const Length& gap, bool reals, Labels labels) {
    const auto times = order.times();
    const auto apart = [&](Position older, Position newer) { return gap.apart(times[older], times[newer], reals); };
    return stretch_window_at(
        order, labels, [&](Position last, std::size_t, Position i) { return apart(last, i); }, apart);
}

//! The block of events that the last one before the label is in.
inline Bounds tumbling_count_window_at(const Order& order, std::size_t rows, Labels labels) {
    return stretch_window_at(
        order, labels, [&](Position, std::size_t number, Position) { return number % rows == 0; },
        [](Position, Position) { return false; });
}

}  // namespace sash::batch
