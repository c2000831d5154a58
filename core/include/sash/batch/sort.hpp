//! Sorting the rows of one key by time. What is nearly in order is merged, not sorted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sash/batch/position.hpp"
#include "sash/stamps.hpp"
#include "sash/time.hpp"

namespace sash::batch {

//! Sorts the rows of one key, with buffers that serve one key after another.
class Sorter {
public:
    //! The rows 0, 1, ... with these times into `rows` and `sorted` by time; among equals, the first stays first. O(n +
    //! k log k) if k rows are late, where k is small; else O(n log n) or, for many rows, O(n) for each byte of the
    //! times' spread.
    void sort(std::span<const Time> times, std::span<Row> rows, std::span<Time> sorted) {
        sort_by(times, [](std::size_t i) { return static_cast<Row>(i); }, rows, sorted);
    }

    //! Any ascending rows, in place.
    void sort(std::span<Row> rows, std::span<Time> times) {
        rows_.assign(rows.begin(), rows.end());
        times_.assign(times.begin(), times.end());
        sort_by(times_, [this](std::size_t i) { return rows_[i]; }, rows, times);
    }

private:
    template <class RowAt>
    void sort_by(std::span<const Time> times, RowAt row_at, std::span<Row> rows, std::span<Time> sorted) {
        if (merge_two(times, row_at, rows, sorted)) return;
        if (take_late(times, row_at)) {
            std::sort(late_.begin(), late_.end());
            return merge(times, row_at, rows, sorted);
        }
        late_.resize(times.size());
        for (std::size_t i = 0; i < times.size(); ++i) late_[i] = {times[i], row_at(i)};
        sort_stamps(late_, spare_);
        for (std::size_t i = 0; i < late_.size(); ++i) sorted[i] = late_[i].time, rows[i] = late_[i].row;
    }

    //! Two runs that ascend, one behind the other, as labels lie behind the events of a frame, are merged.
    template <class RowAt>
    static bool merge_two(std::span<const Time> times, RowAt row_at, std::span<Row> rows, std::span<Time> sorted) {
        const auto second = std::is_sorted_until(times.begin(), times.end());
        if (!std::is_sorted(second, times.end())) return false;
        const auto middle = static_cast<std::size_t>(second - times.begin());
        std::size_t to = 0, a = 0, b = middle;
        const auto put = [&](std::size_t from) { sorted[to] = times[from], rows[to++] = row_at(from); };
        // Which of the two comes next cannot be foreseen: no branch depends on it.
        while (a != middle && b != times.size()) {
            const bool first = times[a] <= times[b];
            put(first ? a : b);
            a += first;
            b += !first;
        }
        while (a != middle) put(a++);
        while (b != times.size()) put(b++);
        return true;
    }

    //! Finds the late rows, unless they are too many. A row is late if any before it is younger; the others ascend.
    template <class RowAt>
    bool take_late(std::span<const Time> times, RowAt row_at) {
        late_.clear();
        places_.clear();
        const std::size_t most = times.size() / 8;
        Time youngest = kEarliest;
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (times[i] >= youngest) {
                youngest = times[i];
                continue;
            }
            if (late_.size() == most) return false;
            late_.push_back({times[i], row_at(i)});
            places_.push_back(i);
        }
        return true;
    }

    //! The late rows among the others. One that is not late came before whatever made a row of its time late, so among
    //! equals it comes first.
    template <class RowAt>
    void merge(std::span<const Time> times, RowAt row_at, std::span<Row> rows, std::span<Time> sorted) const {
        std::size_t to = 0, from = 0;
        const auto put = [&](const Stamp& stamp) { sorted[to] = stamp.time, rows[to++] = stamp.row; };
        auto late = late_.begin();
        const auto put_until = [&](std::size_t end) {
            while (late != late_.end()) {
                for (; from != end && times[from] <= late->time; ++from) put({times[from], row_at(from)});
                if (from == end) return;
                put(*late++);
            }
            for (; from != end; ++from) put({times[from], row_at(from)});
        };
        for (const std::size_t place : places_) {
            put_until(place);
            ++from;
        }
        put_until(times.size());
        for (; late != late_.end(); ++late) put(*late);
    }

    //! The late rows, or all of them, and where they came.
    std::vector<Stamp> late_;
    std::vector<std::size_t> places_;
    std::vector<Stamp> spare_;
    //! What is sorted in place, as it was.
    std::vector<Row> rows_;
    std::vector<Time> times_;
};

}  // namespace sash::batch
