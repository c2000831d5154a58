//! Sorting the rows of one key by time. What is nearly in order is merged, not sorted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sash/rolling/position.hpp"
#include "sash/time.hpp"

namespace sash::rolling {

//! A row and its time. Rows of a key arrive in the order of their numbers, so this is the order by time and arrival.
struct Stamp {
    Time time;
    Row row;
    bool operator<(const Stamp& other) const { return time != other.time ? time < other.time : row < other.row; }
};

//! Sorts the rows of one key, with buffers that serve one key after another.
class Sorter {
public:
    //! The rows ascend on the way in. On the way out the times ascend, and rows of equal time still do. O(n + k log k)
    //! if k rows are late, where k is small; else O(n log n) or, for many rows, O(n) for each byte of the times' spread.
    void sort(std::span<Row> rows, std::span<Time> times) {
        split(rows, times);
        if (late_.size() <= rows.size() / 8) {
            std::sort(late_.begin(), late_.end());
        } else {
            take_all(rows, times);
            if (rows.size() < kWorthBytes) {
                std::sort(late_.begin(), late_.end());
            } else {
                sort_by_bytes();
            }
        }
        merge(rows, times);
    }

private:
    static constexpr std::size_t kWorthBytes = 4096;

    //! A row is late if any before it is younger; the others ascend.
    void split(std::span<const Row> rows, std::span<const Time> times) {
        punctual_.clear();
        late_.clear();
        Time youngest = kEarliest;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (times[i] < youngest) {
                late_.push_back({times[i], rows[i]});
            } else {
                punctual_.push_back({times[i], rows[i]});
                youngest = times[i];
            }
        }
    }

    //! Where so many are late, they all are.
    void take_all(std::span<const Row> rows, std::span<const Time> times) {
        punctual_.clear();
        late_.clear();
        for (std::size_t i = 0; i < rows.size(); ++i) late_.push_back({times[i], rows[i]});
    }

    void merge(std::span<Row> rows, std::span<Time> times) const {
        std::size_t at = 0;
        const auto put = [&](const Stamp& stamp) {
            rows[at] = stamp.row;
            times[at++] = stamp.time;
        };
        auto punctual = punctual_.begin();
        for (const Stamp& late : late_) {
            while (punctual != punctual_.end() && *punctual < late) put(*punctual++);
            put(late);
        }
        while (punctual != punctual_.end()) put(*punctual++);
    }

    //! By each byte in which the times differ, the lowest first. Every step keeps the order of equals, so rows of equal
    //! time stay in the order of arrival.
    void sort_by_bytes() {
        const auto [least, greatest] = std::minmax_element(
            late_.begin(), late_.end(), [](const Stamp& a, const Stamp& b) { return a.time < b.time; });
        const auto base = static_cast<std::uint64_t>(least->time);
        const std::uint64_t spread = static_cast<std::uint64_t>(greatest->time) - base;
        punctual_.resize(late_.size());
        for (int shift = 0; shift < 64 && (spread >> shift) != 0; shift += 8) {
            std::array<std::size_t, 257> begin{};
            const auto digit = [&](const Stamp& stamp) {
                return ((static_cast<std::uint64_t>(stamp.time) - base) >> shift) & 0xff;
            };
            for (const Stamp& stamp : late_) ++begin[digit(stamp) + 1];
            for (std::size_t i = 0; i < 256; ++i) begin[i + 1] += begin[i];
            for (const Stamp& stamp : late_) punctual_[begin[digit(stamp)]++] = stamp;
            late_.swap(punctual_);
        }
        punctual_.clear();
    }

    std::vector<Stamp> punctual_;
    std::vector<Stamp> late_;
};

}  // namespace sash::rolling
