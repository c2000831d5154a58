//! Finds times in a queue that is read by positions.
#pragma once

#include <algorithm>

#include "sash/time.hpp"

namespace sash {

//! The first position in [begin, end) whose time is after `time`. O(log n).
template <class Queue>
typename Queue::Position first_after(const Queue& queue, Time time, typename Queue::Position begin,
                                     typename Queue::Position end) {
    while (begin != end) {
        const auto middle = begin + (end - begin) / 2;
        if (queue[middle].time <= time) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

//! The first position whose time is after `time`, searched from the front in steps that double. O(log m) for a result
//! m entries away, and only those m entries are touched.
template <class Queue>
typename Queue::Position first_after(const Queue& queue, Time time) {
    auto known = queue.begin();
    typename Queue::Position step = 1;
    while (queue.end() - known > step && queue[known + step - 1].time <= time) {
        known += step;
        step *= 2;
    }
    return first_after(queue, time, known, std::min(known + step, queue.end()));
}

//! The first position whose time is not before `time`. O(log n).
template <class Queue>
typename Queue::Position first_at(const Queue& queue, Time time) {
    return time == kEarliest ? queue.begin() : first_after(queue, time - 1, queue.begin(), queue.end());
}

}  // namespace sash
