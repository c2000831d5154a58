//! Windows of a fixed number of rows, by prefix and suffix scans of blocks as long as the window (van Herk; Gil and
//! Werman).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sash/batch/scans.hpp"
#include "sash/monoid.hpp"
#include "sash/windows/frame_bounds.hpp"

namespace sash::batch {

//! As `two_stacks`, for windows of the last `bounds.rows` rows. A window lies in two neighbouring blocks: it is a
//! suffix of the one and a prefix of the other. Fewer than 3 combines a row, in loops without a branch.
template <Monoid M, class Lift, class Emit>
void block_scans(const M& monoid, const Order& order, const Bounds& bounds, Lift lift, Emit emit) {
    using Partial = typename M::Partial;
    const std::size_t rows = bounds.rows;
    std::vector<Partial> suffixes;
    for_each_group(order, [&](std::size_t begin, std::size_t end) {
        Partial prefix = monoid.identity();
        const std::size_t first_end = std::min(end, begin + rows);
        scan(monoid, begin, first_end, lift, prefix, emit);
        if (first_end == end) return;
        suffixes.resize(std::max(suffixes.size(), rows), monoid.identity());
        for (std::size_t block = first_end; block < end; block += rows) {
            const std::size_t before = block - rows;
            scan_back(monoid, before + 1, block, lift,
                      [&](std::size_t i, const Partial& suffix) { suffixes[i - before] = suffix; });
            const std::size_t full = std::min(end, block + rows - 1);
            prefix = monoid.identity();
            scan(monoid, block, full, lift, prefix,
                 [&](std::size_t i, const Partial& total) { emit(i, monoid.combine(suffixes[i - block + 1], total)); });
            // The last window of a block is the block itself.
            if (full != end) {
                append(monoid, prefix, lift(full));
                emit(full, prefix);
            }
        }
    });
}

}  // namespace sash::batch
