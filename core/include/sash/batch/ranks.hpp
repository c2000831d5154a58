//! The ranks of values: where each lies among all that a stretch of rows reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sash/batch/column.hpp"
#include "sash/batch/sort.hpp"
#include "sash/number.hpp"

namespace sash::batch {

//! Values in order, and the rank of each position's among them. Every position has a rank of its own: among equal
//! values the first has the least. Integers are read as reals; -0.0 is 0.0.
class RankedValues {
public:
    //! The rank of a position without a value, and of a NaN.
    static constexpr std::uint32_t kAbsent = 0xffff'ffff, kNan = 0xffff'fffe;

    //! The positions [begin, end). O(n) for each byte in which they differ.
    void assign(const Column& column, std::size_t begin, std::size_t end) {
        begin_ = begin;
        ranks_.assign(end - begin, kAbsent);
        stamps_.clear();
        for (std::size_t i = begin; i < end; ++i) {
            if (!column.presence[i]) continue;
            const double value = column.real ? column.reals[i] : static_cast<double>(column.integers[i]);
            if (value != value) {
                ranks_[i - begin] = kNan;
            } else {
                stamps_.push_back({encode_real(value), static_cast<Row>(i - begin)});
            }
        }
        sort();
        values_.resize(stamps_.size());
        for (std::size_t rank = 0; rank < stamps_.size(); ++rank) {
            values_[rank] = decode_real(stamps_[rank].time);
            ranks_[stamps_[rank].row] = static_cast<std::uint32_t>(rank);
        }
    }

    std::size_t size() const { return values_.size(); }
    double value(std::size_t rank) const { return values_[rank]; }
    std::uint32_t rank_at(std::size_t position) const { return ranks_[position - begin_]; }

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
    std::vector<double> values_;
    std::vector<std::uint32_t> ranks_;
    std::vector<Stamp> stamps_;
    std::vector<Stamp> spare_;
};

}  // namespace sash::batch
