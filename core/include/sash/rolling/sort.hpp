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
    //! if k rows are late, where k is small; else O(n log n) or, for many rows, O(n) for each byte of the times'
    //! spread.
    void sort(std::span<Row> rows, std::span<Time> times) {
        const std::size_t late = count_late(times);
        if (late <= rows.size() / 8) {
            take_late(rows, times, late);
            std::sort(stamps_.begin(), stamps_.end());
        } else {
            take_all(rows, times);
            if (rows.size() < kWorthBytes) {
                std::sort(stamps_.begin(), stamps_.end());
            } else {
                sort_by_bytes();
            }
        }
        merge(rows, times);
    }

private:
    static constexpr std::size_t kWorthBytes = 4096;

    //! A row is late if any before it is younger; the others ascend.
    static std::size_t count_late(std::span<const Time> times) {
        std::size_t late = 0;
        Time youngest = kEarliest;
        for (const Time time : times) {
            late += time < youngest;
            youngest = std::max(youngest, time);
        }
        return late;
    }

    //! Takes the late rows out; the others move up and leave room at the end.
    void take_late(std::span<Row> rows, std::span<Time> times, std::size_t late) {
        stamps_.clear();
        stamps_.reserve(late);
        Time youngest = kEarliest;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Stamp stamp{times[i], rows[i]};
            if (stamp.time < youngest) {
                stamps_.push_back(stamp);
            } else {
                youngest = stamp.time;
                times[kept] = stamp.time;
                rows[kept++] = stamp.row;
            }
        }
    }

    //! Where so many are late, all are taken out.
    void take_all(std::span<const Row> rows, std::span<const Time> times) {
        stamps_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) stamps_[i] = {times[i], rows[i]};
    }

    //! Puts what was taken out back among the others, from the end on: there is room.
    void merge(std::span<Row> rows, std::span<Time> times) const {
        std::size_t to = rows.size();
        std::size_t kept = to - stamps_.size();
        for (auto late = stamps_.rbegin(); late != stamps_.rend(); ++late) {
            for (; kept != 0 && *late < Stamp{times[kept - 1], rows[kept - 1]}; --kept) {
                --to;
                times[to] = times[kept - 1];
                rows[to] = rows[kept - 1];
            }
            --to;
            times[to] = late->time;
            rows[to] = late->row;
        }
    }

    //! By each byte in which the times differ, the lowest first. Every step keeps the order of equals, so rows of equal
    //! time stay in the order of arrival.
    void sort_by_bytes() {
        const auto [least, greatest] = std::minmax_element(
            stamps_.begin(), stamps_.end(), [](const Stamp& a, const Stamp& b) { return a.time < b.time; });
        const auto base = static_cast<std::uint64_t>(least->time);
        const std::uint64_t spread = static_cast<std::uint64_t>(greatest->time) - base;
        spare_.resize(stamps_.size());
        for (int shift = 0; shift < 64 && (spread >> shift) != 0; shift += 8) {
            std::array<std::size_t, 257> begin{};
            const auto digit = [&](const Stamp& stamp) {
                return ((static_cast<std::uint64_t>(stamp.time) - base) >> shift) & 0xff;
            };
            for (const Stamp& stamp : stamps_) ++begin[digit(stamp) + 1];
            for (std::size_t i = 0; i < 256; ++i) begin[i + 1] += begin[i];
            for (const Stamp& stamp : stamps_) spare_[begin[digit(stamp)]++] = stamp;
            stamps_.swap(spare_);
        }
    }

    std::vector<Stamp> stamps_;
    std::vector<Stamp> spare_;
};

}  // namespace sash::rolling
