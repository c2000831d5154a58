//! The retained rows of one key in the order of their times, found by time and by place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sash/operator/indexed_list.hpp"
#include "sash/time.hpp"

namespace sash {

//! An event: when it was, which one it was, whether it has a partial, whether its value is null, and whether it fires
//! the trigger.
struct Row {
    //! Numbers are less than this.
    static constexpr std::int64_t kMostNumbers = std::int64_t{1} << 60;

    Time ticks;
    std::int64_t number : 61;
    bool has_partial : 1;
    bool null : 1;
    bool fires : 1;

    bool is_before(Time other_ticks, std::int64_t other) const {
        return ticks < other_ticks || (ticks == other_ticks && number < other);
    }
};

// There are as many of them as there are events.
static_assert(sizeof(Row) == 16);

//! Rows sorted by ticks, then number.
class RowList : public IndexedList<Row> {
public:
    //! How many rows there ever were.
    std::size_t ever() const { return dropped() + size(); }

    //! How many rows are at or before the ticks.
    std::size_t through(Time ticks) const {
        return near_end([&](const Row& row) { return row.ticks <= ticks; });
    }
    //! How many rows are before the ticks.
    std::size_t until(Time ticks) const {
        return near_end([&](const Row& row) { return row.ticks < ticks; });
    }
    //! Where a row is, or where it would be.
    std::size_t place_of(Time ticks, std::int64_t number) const {
        return near_end([&](const Row& row) { return row.is_before(ticks, number); });
    }

    //! Behind all rows that are not later. Its number is the greatest so far.
    std::size_t insert(const Row& row) {
        const std::size_t place = empty() || back().ticks <= row.ticks ? size() : through(row.ticks);
        IndexedList::insert(place, row);
        return place;
    }

    //! A row that was here, where it was.
    std::size_t put_back(const Row& row) {
        const std::size_t place = place_of(row.ticks, row.number);
        IndexedList::insert(place, row);
        return place;
    }

    void set_has_partial(std::size_t place, bool has_partial) {
        Row row = (*this)[place];
        row.has_partial = has_partial;
        erase(place);
        IndexedList::insert(place, row);
    }

private:
    //! How many rows are earlier. Most of what is asked is about the last ones.
    template <class Earlier>
    std::size_t near_end(Earlier earlier) const {
        constexpr std::size_t kLast = 3;
        const std::size_t far = size() - std::min(size(), kLast);
        for (std::size_t end = size(); end > far; --end)
            if (earlier((*this)[end - 1])) return end;
        return far == 0 ? 0 : before(earlier);
    }
};

}  // namespace sash
