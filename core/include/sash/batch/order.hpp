//! The rows of a frame by key, then by time, then by arrival.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sash/batch/position.hpp"
#include "sash/batch/room.hpp"
#include "sash/batch/sort.hpp"
#include "sash/time.hpp"

namespace sash::batch {

//! Everything else of an engine works on positions in this order, in which the rows of a key lie side by side and its
//! times ascend; `gather` leads there, `rows` back. Rows that are given in this order are not moved at all.
class Order {
public:
    //! `times` may be empty: arrival is the order then. So may `codes`: all rows have one key. Both are borrowed.
    Order(std::size_t size, std::span<const Time> times, std::span<const std::uint32_t> codes, std::uint32_t keys)
        : size_(size), times_(times) {
        if (size > kMostRows)
            throw std::length_error("a frame has at most 2**32 - 2 rows here: cut it into parts by key");
        group(codes, keys);
        if (times.empty()) return;
        if (!rows_.empty()) {
            sorted_times_ = Room<Time>(size);
            gather(times, sorted_times_.span());
            times_ = sorted_times_.span();
        }
        sort_groups();
    }
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;

    std::size_t size() const { return size_; }
    //! Where each key's rows begin, and the end.
    std::span<const Position> groups() const { return groups_; }
    //! Ascending within a group; empty if the rows have no times.
    std::span<const Time> times() const { return times_; }
    //! Whether every row is at its own place.
    bool as_given() const { return rows_.empty(); }
    //! Whether no row of a key came before an older one.
    bool in_order() const { return in_order_; }
    //! Whether two rows of one key have one time.
    bool has_peers() const { return has_peers_; }
    //! The row at each position; empty if every row is at its own place.
    std::span<const Row> rows() const { return rows_.span(); }
    Row row_at(Position position) const { return rows_.empty() ? position : rows_[position]; }

    //! From rows to positions. O(n).
    template <class T>
    void gather(std::span<const T> by_row, std::span<T> by_position) const {
        if (rows_.empty()) {
            std::copy(by_row.begin(), by_row.end(), by_position.begin());
        } else {
            for (std::size_t i = 0; i < size_; ++i) by_position[i] = by_row[rows_[i]];
        }
    }

    //! The positions of a group's rows in the order of their arrival. O(n log n).
    std::vector<Position> arrivals(Position begin, Position end) const {
        std::vector<Position> positions(end - begin);
        std::iota(positions.begin(), positions.end(), begin);
        if (!in_order_)
            std::sort(positions.begin(), positions.end(), [&](auto a, auto b) { return rows_[a] < rows_[b]; });
        return positions;
    }

private:
    //! Counts the rows of each key and puts them side by side, in order of arrival.
    void group(std::span<const std::uint32_t> codes, std::uint32_t keys) {
        if (codes.empty()) {
            groups_ = {0, static_cast<Position>(size_)};
            return;
        }
        groups_.assign(std::size_t{keys} + 1, 0);
        for (const std::uint32_t code : codes) ++groups_[code + 1];
        std::partial_sum(groups_.begin(), groups_.end(), groups_.begin());
        if (std::is_sorted(codes.begin(), codes.end())) return;
        rows_ = Room<Row>(size_);
        std::vector<Position> next(groups_.begin(), groups_.end() - 1);
        for (std::size_t row = 0; row < size_; ++row) rows_[next[codes[row]]++] = static_cast<Row>(row);
    }

    void sort_groups() {
        Sorter sorter;
        for (std::size_t key = 0; key + 1 < groups_.size(); ++key) {
            const std::size_t begin = groups_[key];
            const std::size_t length = groups_[key + 1] - begin;
            const Neighbours found = look(begin, length);
            has_peers_ |= found.equal;
            if (!found.falling) continue;
            in_order_ = false;
            sort(sorter, begin, length);
            has_peers_ = has_peers_ || look(begin, length).equal;
        }
    }

    struct Neighbours {
        bool falling = false;
        bool equal = false;
    };

    //! Whether any time is before, or at, the one before it. Most often none is, and that is asked first, of some rows
    //! at a time. What falls need not be looked at further.
    Neighbours look(std::size_t begin, std::size_t length) const {
        constexpr std::size_t kSome = 4096;
        const Time* const times = times_.data() + begin;
        Neighbours found;
        for (std::size_t from = 1; from < length && !found.falling; from += kSome) {
            const std::size_t to = std::min(length, from + kSome);
            bool rising = true;
            for (std::size_t i = from; i != to; ++i) rising &= times[i] > times[i - 1];
            if (rising) continue;
            found.equal = true;
            for (std::size_t i = from; i != to; ++i) found.falling |= times[i] < times[i - 1];
        }
        return {found.falling, found.equal && !found.falling};
    }

    //! Before rows move, they and their times are the order's own.
    void sort(Sorter& sorter, std::size_t begin, std::size_t length) {
        if (rows_.empty()) {
            rows_ = Room<Row>(size_);
            sorted_times_ = Room<Time>(size_);
            const std::span<const Time> given = std::exchange(times_, sorted_times_.span());
            if (length == size_) return sorter.sort(given, rows_.span(), sorted_times_.span());
            std::iota(rows_.data(), rows_.data() + size_, Row{0});
            std::copy(given.begin(), given.end(), sorted_times_.data());
        }
        sorter.sort(rows_.span().subspan(begin, length), sorted_times_.span().subspan(begin, length));
    }

    std::size_t size_;
    Room<Row> rows_;
    std::vector<Position> groups_;
    std::span<const Time> times_;
    Room<Time> sorted_times_;
    bool in_order_ = true;
    bool has_peers_ = false;
};

}  // namespace sash::batch
