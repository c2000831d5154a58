//! Rows in stretches that can be worked on by themselves: each begins with the window of its first row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sash/batch/parallel.hpp"
#include "sash/windows/frame_bounds.hpp"

namespace sash::batch {

//! Cuts all rows into stretches. To begin one costs the window of its first row, so each is to read some times as many
//! rows as that window has, and `least` at least. The cuts depend on the bounds alone, which must never go back.
inline std::vector<Stretch> cut(const Bounds& bounds, std::size_t times, std::size_t least) {
    std::vector<Stretch> stretches;
    const std::size_t size = bounds.size();
    for (std::size_t begin = 0; begin < size;) {
        const std::size_t from = bounds.start(begin);
        const std::size_t reach = from + std::max(least, times * (bounds.end(begin) - from));
        // The first row whose window reads beyond that.
        std::size_t end = begin + 1, behind = size;
        while (end < behind) {
            const std::size_t middle = end + (behind - end) / 2;
            if (bounds.end(middle) > reach) {
                behind = middle;
            } else {
                end = middle + 1;
            }
        }
        stretches.push_back({begin, end});
        begin = end;
    }
    return stretches;
}

}  // namespace sash::batch
