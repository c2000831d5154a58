//! The ranks of values: where each lies among all that a stretch of rows reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sash/batch/column.hpp"
#include "sash/batch/sort.hpp"
#include "sash/number.hpp"

namespace sash::batch {

//! Some positions of a stretch in the order of their cells, and the rank of each among them. Every position has a rank
//! of its own: among equal cells the first has the least.
class RankedPositions {
public:
    //! The rank of a position that was not added.
    static constexpr std::uint32_t kAbsent = 0xffff'ffff;

    //! None of [begin, end).
    void reset(std::size_t begin, std::size_t end) {
        begin_ = begin;
        ranks_.assign(end - begin, kAbsent);
        stamps_.clear();
    }
    void add(std::size_t position, Cell cell) { stamps_.push_back({cell, static_cast<Row>(position - begin_)}); }
    //! Another mark than a rank, for a position that is not added.
    void mark(std::size_t position, std::uint32_t rank) { ranks_[position - begin_] = rank; }
    //! After all were added. O(n) for each byte in which they differ.
    void settle() {
        sort();
        for (std::size_t rank = 0; rank < stamps_.size(); ++rank)
            ranks_[stamps_[rank].row] = static_cast<std::uint32_t>(rank);
    }

    std::size_t size() const { return stamps_.size(); }
    std::uint32_t rank_at(std::size_t position) const { return ranks_[position - begin_]; }
    std::size_t position_at(std::size_t rank) const { return begin_ + stamps_[rank].row; }
    Cell cell_at(std::size_t rank) const { return stamps_[rank].time; }

private:
    //! A histogram of every byte is more than a few comparisons.
    void sort() {
        constexpr std::size_t kWorthBytes = 512;
        if (stamps_.size() < kWorthBytes) {
            std::sort(stamps_.begin(), stamps_.end());
        } else {
            sort_by_bytes(stamps_, spare_);
        }
    }

    std::size_t begin_ = 0;
    std::vector<std::uint32_t> ranks_;
    std::vector<Stamp> stamps_;
    std::vector<Stamp> spare_;
};

//! Values in order, and the rank of each position's among them. Integers are read as reals; -0.0 is 0.0.
class RankedValues {
public:
    //! The rank of a position without a value, and of a NaN.
    static constexpr std::uint32_t kAbsent = RankedPositions::kAbsent, kNan = 0xffff'fffe;

    //! The positions [begin, end).
    void assign(const Column& column, std::size_t begin, std::size_t end) {
        positions_.reset(begin, end);
        for (std::size_t i = begin; i < end; ++i) {
            if (!column.presence[i]) continue;
            const double value = column.real ? column.reals[i] : static_cast<double>(column.integers[i]);
            if (value != value) {
                positions_.mark(i, kNan);
            } else {
                positions_.add(i, encode_real(value));
            }
        }
        positions_.settle();
        values_.resize(positions_.size());
        for (std::size_t rank = 0; rank < values_.size(); ++rank) values_[rank] = decode_real(positions_.cell_at(rank));
    }

    std::size_t size() const { return values_.size(); }
    double value(std::size_t rank) const { return values_[rank]; }
    std::uint32_t rank_at(std::size_t position) const { return positions_.rank_at(position); }

private:
    RankedPositions positions_;
    std::vector<double> values_;
};

}  // namespace sash::batch
