//! The events of one key in the order of their times, found by time and by place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "sash/keyed/few.hpp"
#include "sash/lines/row.hpp"
#include "sash/lines/row_chunks.hpp"
#include "sash/time.hpp"

namespace sash::lines {

//! Rows sorted by ticks, then number. Places count from the first row that is left; `dropped` rows were there before
//! it. Four words and its rows, while they are few.
class RowList {
public:
    std::size_t size() const { return many_ ? many_->size() : few_.size(); }
    bool empty() const { return size() == 0; }
    std::size_t dropped() const { return many_ ? many_->dropped() : dropped_; }
    //! How many rows there ever were.
    std::size_t ever() const { return dropped() + size(); }
    std::size_t bytes() const { return many_ ? many_->bytes() : few_.bytes(); }

    const Row& operator[](std::size_t place) const { return many_ ? (*many_)[place] : few_[place]; }
    const Row& front() const { return (*this)[0]; }
    const Row& back() const { return (*this)[size() - 1]; }

    //! How many rows are at or before the ticks.
    std::size_t through(Time ticks) const {
        if (empty() || back().ticks <= ticks) return size();
        return before(ticks, kLastNumber);
    }
    //! How many rows are before the ticks.
    std::size_t until(Time ticks) const {
        if (empty() || back().ticks < ticks) return size();
        return before(ticks, kFirstNumber);
    }
    //! Where a row is, or where it would be.
    std::size_t place_of(Time ticks, std::int64_t number) const {
        if (!empty() && back().number == number) return size() - 1;
        return before(ticks, number);
    }

    //! Behind all rows that are not later. Its number is the greatest so far.
    std::size_t insert(const Row& row) {
        const std::size_t place = through(row.ticks);
        if (!many_ && few_.size() == kFew) grow_up();
        if (many_) {
            many_->insert(place, row);
        } else {
            few_.insert(place, row);
        }
        return place;
    }

    void erase(std::size_t place) {
        if (many_) {
            many_->erase(place);
        } else {
            few_.erase(place, place + 1);
        }
    }

    //! The first rows go; places count from the next one on.
    void forget(std::size_t count) {
        if (many_) return many_->forget(count);
        few_.erase(0, count);
        dropped_ += count;
    }

    //! Every row, which f may change as long as the order stays.
    template <class F>
    void for_each(F f) {
        if (many_) return many_->for_each(f);
        std::for_each(few_.begin(), few_.end(), f);
    }
    template <class F>
    void for_each(F f) const {
        if (many_) return std::as_const(*many_).for_each(f);
        std::for_each(few_.begin(), few_.end(), f);
    }

    //! That so many rows were there before; for an empty list.
    void start_at(std::size_t dropped) { dropped_ = dropped; }

private:
    static constexpr std::uint32_t kFew = 32;
    static constexpr std::int64_t kFirstNumber = std::numeric_limits<std::int64_t>::min();
    static constexpr std::int64_t kLastNumber = std::numeric_limits<std::int64_t>::max();

    //! How many rows come before one of that time and number.
    std::size_t before(Time ticks, std::int64_t number) const {
        const auto earlier = [&](const Row& row) { return row.is_before(ticks, number); };
        if (many_) return many_->before(earlier);
        return static_cast<std::size_t>(std::partition_point(few_.begin(), few_.end(), earlier) - few_.begin());
    }

    void grow_up() {
        many_ = std::make_unique<RowChunks>(dropped_);
        for (const Row& row : few_) many_->insert(many_->size(), row);
        few_ = {};
    }

    Few<Row> few_;
    std::size_t dropped_ = 0;
    std::unique_ptr<RowChunks> many_;
};

}  // namespace sash::lines
