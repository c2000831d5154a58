//! Windows of a fixed number of rows, by prefix and suffix scans of blocks as long as the window (van Herk; Gil and
//! Werman).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sash/batch/parallel.hpp"
#include "sash/batch/scans.hpp"
#include "sash/monoid.hpp"
#include "sash/windows/frame_bounds.hpp"

namespace sash::batch {

//! Some blocks of one key, whose rows begin at `group`.
struct Blocks {
    std::size_t group;
    std::size_t begin;
    std::size_t end;
};

//! As `two_stacks`, for windows of the last `rows` rows. A window lies in two neighbouring blocks: it is a suffix of
//! the one and a prefix of the other. Fewer than 3 combines a row, in loops without a branch.
template <Monoid M, class Lift, class Emit>
void block_scans(const M& monoid, std::size_t rows, const Blocks& blocks, std::vector<typename M::Partial>& suffixes,
                 Lift lift, Emit emit) {
    using Partial = typename M::Partial;
    std::size_t block = blocks.begin;
    if (block == blocks.group) {
        Partial prefix = monoid.identity();
        const std::size_t full = std::min(blocks.end, block + rows);
        scan(monoid, block, full, lift, prefix, emit);
        block += rows;
    }
    if (block < blocks.end) suffixes.resize(std::max(suffixes.size(), rows), monoid.identity());
    for (; block < blocks.end; block += rows) {
        const std::size_t before = block - rows;
        scan_back(monoid, before + 1, block, lift,
                  [&](std::size_t i, const Partial& suffix) { suffixes[i - before] = suffix; });
        const std::size_t full = std::min(blocks.end, block + rows - 1);
        Partial prefix = monoid.identity();
        scan(monoid, block, full, lift, prefix,
             [&](std::size_t i, const Partial& total) { emit(i, monoid.combine(suffixes[i - block + 1], total)); });
        // The last window of a block is the block itself.
        if (full != blocks.end) {
            append(monoid, prefix, lift(full));
            emit(full, prefix);
        }
    }
}

//! The blocks of all keys, in lists for a task each: a long key is cut between blocks, short ones go together.
inline std::vector<std::vector<Blocks>> block_lists(const Order& order, std::size_t rows) {
    constexpr std::size_t kWorthIt = std::size_t{1} << 15;
    const std::size_t most = (kWorthIt + rows - 1) / rows * rows;
    std::vector<std::vector<Blocks>> lists(1);
    std::size_t taken = 0;
    for_each_group(order, [&](std::size_t group, std::size_t end) {
        for (std::size_t begin = group; begin < end; begin += most) {
            const Blocks blocks{group, begin, std::min(end, begin + most)};
            lists.back().push_back(blocks);
            taken += blocks.end - blocks.begin;
            if (taken < kWorthIt) continue;
            lists.emplace_back();
            taken = 0;
        }
    });
    return lists;
}

}  // namespace sash::batch
