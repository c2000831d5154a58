//! The most extreme rows of each window, in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sash/batch/column.hpp"
#include "sash/batch/rank_set.hpp"
#include "sash/batch/ranks.hpp"

namespace sash::batch {

struct TopOptions {
    std::size_t most;
    //! The greatest values, not the least.
    bool greatest;
};

//! The rows of one window by their values, the most extreme first, and the oldest first among equals. Integers are
//! exact.
class TopWindow {
public:
    explicit TopWindow(const TopOptions& options) : options_(options) {}

    //! Empties the window; [begin, end) is what it may hold from here on. No value is NaN.
    void reset(const Column& column, std::size_t begin, std::size_t end) {
        const Cell mask = options_.greatest ? Cell{-1} : Cell{0};
        positions_.reset(begin, end);
        for (std::size_t i = begin; i < end; ++i)
            if (column.presence[i])
                positions_.add(i, (column.real ? encode_real(column.reals[i]) : column.integers[i]) ^ mask);
        positions_.settle();
        members_.reset(positions_.size());
        cursor_ = RankCursor();
    }

    void enter(std::size_t position) { change(position, 1); }
    void leave(std::size_t position) { change(position, -1); }

    //! Calls write(place, position) for the first of them.
    template <class Write>
    void result(Write write) {
        const std::size_t found = std::min(options_.most, members_.size());
        for (std::size_t k = 0; k < found; ++k) write(k, positions_.position_at(cursor_.seek(members_, k)));
    }

private:
    void change(std::size_t position, int by) {
        const std::uint32_t rank = positions_.rank_at(position);
        if (rank == RankedPositions::kAbsent) return;
        by > 0 ? members_.add(rank) : members_.remove(rank);
        cursor_.changed(rank, by);
    }

    TopOptions options_;
    RankedPositions positions_;
    RankSet members_;
    RankCursor cursor_;
};

}  // namespace sash::batch
