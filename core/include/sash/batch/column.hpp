//! The values of a column by position, and which of them are there.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "sash/batch/parallel.hpp"
#include "sash/windows/frame_bounds.hpp"

namespace sash::batch {

//! Which values count. Nothing in it stands for all of them.
class Presence {
public:
    //! Memory for the marks of so many positions: 1 for what is present, 0 for what is not. Some more are read.
    static Room<std::uint8_t> marks_for(std::size_t size) { return Room<std::uint8_t>(size + kBlock); }

    bool all() const { return marks_.empty(); }
    bool operator[](std::size_t position) const { return marks_.empty() || marks_[position] != 0; }
    //! By position; nothing where all are present.
    const std::uint8_t* marks() const { return marks_.data(); }
    Position count(Position first, Position last) const {
        return marks_.empty() ? last - first : before(last) - before(first);
    }

    //! Takes marks of its own kind and counts them: each stretch by itself, then from what those before it have.
    void assign(Room<std::uint8_t> marks, std::size_t threads = 1) {
        const std::size_t size = marks.size() - kBlock;
        const Stretches stretches(size / kBlock + 1, threads);
        const auto marks_of = [&](Stretch blocks) {
            return marks.span({blocks.begin * kBlock, std::min(size, blocks.end * kBlock)});
        };
        std::vector<Position> counts(stretches.count());
        in_parallel(counts.size(), threads, [&] {
            return [&](std::size_t i) {
                const auto own = marks_of(stretches[i]);
                counts[i] = std::accumulate(own.begin(), own.end(), Position{0});
            };
        });
        Position total = 0;
        for (Position& count : counts) total += std::exchange(count, total);
        if (total == size) return;
        before_ = Room<Position>(size / kBlock + 1);
        in_parallel(counts.size(), threads, [&] {
            return [&](std::size_t i) {
                Position seen = counts[i];
                for (std::size_t block = stretches[i].begin; block != stretches[i].end; ++block) {
                    before_[block] = seen;
                    const auto own = marks_of({block, block + 1});
                    seen = std::accumulate(own.begin(), own.end(), seen);
                }
            };
        });
        marks_ = std::move(marks);
    }

private:
    static constexpr Position kBlock = 8;

    //! How many are present before a position: before its block, and in the part of the block before it. A product
    //! adds up bytes.
    Position before(Position position) const {
        std::uint64_t block;
        std::memcpy(&block, marks_.data() + position / kBlock * kBlock, kBlock);
        const unsigned bits = 8 * (position % kBlock);
        if constexpr (std::endian::native == std::endian::little) {
            block &= (std::uint64_t{1} << bits) - 1;
        } else {
            block &= ~(~std::uint64_t{0} >> bits);
        }
        return before_[position / kBlock] + static_cast<Position>(block * 0x0101'0101'0101'0101U >> 56);
    }

    Room<std::uint8_t> marks_;
    //! How many are present before each block of marks.
    Room<Position> before_;
};

//! Numbers of one kind by position: one of the two spans holds them.
struct Column {
    Presence presence;
    std::span<const std::int64_t> integers;
    std::span<const double> reals;
    bool real = false;
};

//! Whether every window is known to have at least so many present values, without a look at them.
inline bool always_enough(const Bounds& bounds, const Presence& presence, std::size_t least) {
    return least == 0 || (least == 1 && presence.all() && bounds.never_empty);
}

//! Whether all windows of a stretch have at least so many rows, asked of several at once. A window of 2**31 rows more
//! than that may be taken for one that has too few.
inline bool all_have_rows(const Bounds& bounds, Stretch stretch, Position least) {
    const Position* const first = bounds.first.data();
    Position lack = 0;
    if (bounds.last.empty()) {
        const Position own = bounds.with_own;
        for (std::size_t i = stretch.begin; i < stretch.end; ++i)
            lack |= static_cast<Position>(i) + own - first[i] - least;
    } else {
        const Position* const last = bounds.last.data();
        for (std::size_t i = stretch.begin; i < stretch.end; ++i) lack |= last[i] - first[i] - least;
    }
    return lack >> 31 == 0;
}

//! Marks the windows with at least so many present values; returns whether all have.
inline bool mark_enough(const Order& order, const Bounds& bounds, const Presence& presence, std::size_t least,
                        Slots<std::uint8_t> marks) {
    constexpr std::size_t kSome = 256;
    const auto rows = static_cast<Position>(std::min<std::size_t>(least, std::numeric_limits<Position>::max() / 2));
    marks.fill(1);
    std::atomic<bool> all = true;
    in_stretches(marks.size(), order.threads(), [&](Stretch stretch) {
        bool enough = true;
        for (std::size_t from = stretch.begin; from < stretch.end; from += kSome) {
            const Stretch some{from, std::min(stretch.end, from + kSome)};
            if (presence.all() && all_have_rows(bounds, some, rows)) continue;
            for (std::size_t i = some.begin; i < some.end; ++i) {
                if (!marks.wants(i) || presence.count(bounds.first[i], bounds.end(i)) >= least) continue;
                marks[i] = 0;
                enough = false;
            }
        }
        if (!enough) all = false;
    });
    return all;
}

}  // namespace sash::batch
