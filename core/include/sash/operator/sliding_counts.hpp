//! Counters of a window of time that follow it from event to event: what enters is added, what leaves subtracted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sash/operator/arrival_rows.hpp"
#include "sash/time.hpp"

namespace sash {

//! Over the windows of one key after the other. The row of an entry is the number of its value; each value has equally
//! many cells, and adds one to each of them. Counters are whole numbers, far below 2^53: subtracting is exact.
class SlidingCounts {
public:
    SlidingCounts(ArrivalRows& rows, std::span<const std::int64_t> cells, std::size_t each, std::size_t width)
        : rows_(rows),
          cells_(cells),
          each_(each),
          words_(width),
          places_(cells.size() / each),
          counts_(places_.size()) {}

    //! The windows of another key follow, from none. O(m) for the m rows of the last window.
    void begin(std::int64_t key) {
        if (open_) add(rows_.between(key_, first_, last_), -1);
        key_ = key;
        open_ = false;
    }

    //! An event of the key, as in ArrivalRows.
    void insert(Time time, std::int64_t value) {
        const ArrivalRows::Entry entry{time, value, ArrivalRows::kNone};
        rows_.insert(key_, entry);
        if (open_ && first_ <= time && time <= last_) add({&entry, 1}, 1);
    }

    //! The window of these times, both ends in. O(log n), and O(1) for each row between the ends of this window and the
    //! last, or in the first of a key.
    void move(Time first, Time last) {
        if (!open_) {
            add(rows_.between(key_, first, last), 1);
        } else {
            // A row that only one of the windows on the way holds is added and subtracted.
            if (last_ < last) add(rows_.between(key_, last_ + 1, last), 1);
            if (last < last_) add(rows_.between(key_, last + 1, last_), -1);
            if (first_ < first) add(rows_.between(key_, first_, first - 1), -1);
            if (first < first_) add(rows_.between(key_, first, first_ - 1), 1);
        }
        first_ = first, last_ = last, open_ = true;
    }

    //! The different values of the window, in no order.
    std::span<const std::int64_t> values() const { return values_; }
    std::int64_t count(std::int64_t value) const { return counts_[static_cast<std::size_t>(value)]; }
    std::span<const double> words() const { return words_; }

private:
    void add(ArrivalRows::Window entries, std::int64_t by) {
        for (const auto& entry : entries) {
            const auto value = static_cast<std::size_t>(entry.row);
            for (const std::int64_t cell : cells_.subspan(value * each_, each_))
                words_[static_cast<std::size_t>(cell)] += static_cast<double>(by);
            if (counts_[value] == 0) {
                places_[value] = values_.size();
                values_.push_back(entry.row);
            }
            counts_[value] += by;
            if (counts_[value] == 0) {
                places_[static_cast<std::size_t>(values_.back())] = places_[value];
                values_[places_[value]] = values_.back();
                values_.pop_back();
            }
        }
    }

    ArrivalRows& rows_;
    std::span<const std::int64_t> cells_;
    std::size_t each_;
    std::vector<double> words_;
    //! Values that are counted; where each is among them, and its count.
    std::vector<std::int64_t> values_ = {};
    std::vector<std::size_t> places_;
    std::vector<std::int64_t> counts_;
    //! The window that is counted, if there is one.
    std::int64_t key_ = 0;
    Time first_ = 0;
    Time last_ = 0;
    bool open_ = false;
};

}  // namespace sash
