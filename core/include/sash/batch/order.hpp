//! The rows of a frame by key, then by time, then by arrival.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sash/batch/parallel.hpp"
#include "sash/batch/position.hpp"
#include "sash/batch/room.hpp"
#include "sash/batch/sort.hpp"
#include "sash/time.hpp"

namespace sash::batch {

//! Calls f(key, begin, end) with the rows that every key has in a stretch, if it has some. `groups` has where each
//! key's rows begin, and the end.
template <class F>
void for_each_piece(std::span<const Position> groups, Stretch stretch, F f) {
    const auto after = std::upper_bound(groups.begin(), groups.end(), stretch.begin);
    for (auto key = static_cast<std::size_t>(after - groups.begin()) - 1;
         key + 1 < groups.size() && groups[key] < stretch.end; ++key) {
        const std::size_t begin = std::max<std::size_t>(groups[key], stretch.begin);
        const std::size_t end = std::min<std::size_t>(groups[key + 1], stretch.end);
        if (begin < end) f(key, begin, end);
    }
}

//! The same for all rows, cut between threads.
template <class F>
void in_pieces(std::span<const Position> groups, std::size_t threads, F f) {
    in_stretches(groups.back(), threads, [&](Stretch stretch) { for_each_piece(groups, stretch, f); });
}

//! Everything else of an engine works on positions in this order, in which the rows of a key lie side by side and its
//! times ascend; `gather` leads there, `rows` back. Rows that are given in this order are not moved at all.
class Order {
public:
    //! `times` may be empty: arrival is the order then. So may `codes`: all rows have one key. Both are borrowed. Up to
    //! so many threads may work on it and on whatever is computed over it.
    //! Nobody asks about the results of the rows before `asked`. `behind` has the times of the last rows, if `times`
    //! has not.
    Order(std::size_t size, std::span<const Time> times, std::span<const std::uint32_t> codes, std::uint32_t keys,
          std::size_t threads = 1, std::size_t asked = 0, std::span<const Time> behind = {})
        : size_(size), threads_(threads), asked_(asked), times_(times) {
        if (size > kMostRows)
            throw std::length_error("a frame has at most 2**32 - 2 rows here: cut it into parts by key");
        group(codes, keys, behind);
        if (!times_.empty()) sort_groups();
    }
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;

    std::size_t size() const { return size_; }
    std::size_t threads() const { return threads_; }
    std::size_t asked() const { return asked_; }
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

    //! From rows to positions; rows that lie behind those that are given get nothing. O(n).
    template <class T>
    void gather(std::span<const T> by_row, std::span<T> by_position) const {
        if (rows_.empty()) {
            std::fill(std::copy(by_row.begin(), by_row.end(), by_position.begin()), by_position.end(), T{});
            return;
        }
        const bool whole = by_row.size() == size_;
        in_stretches(size_, threads_, [&](Stretch stretch) {
            for (std::size_t i = stretch.begin; i < stretch.end; ++i)
                by_position[i] = whole || rows_[i] < by_row.size() ? by_row[rows_[i]] : T{};
        });
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
    void group(std::span<const std::uint32_t> codes, std::uint32_t keys, std::span<const Time> behind) {
        if (codes.empty()) {
            groups_ = {0, static_cast<Position>(size_)};
            return join(behind);
        }
        // Each stretch of the rows has its own counters; where there are many keys, to add them up costs more than to
        // count.
        const Stretches stretches(size_, keys > size_ / 64 ? 1 : threads_);
        std::vector<std::vector<Position>> next(stretches.count());
        std::atomic<bool> grouped = true;
        in_parallel(next.size(), threads_, [&] {
            return [&](std::size_t i) {
                next[i].assign(keys, 0);
                if (!count_keys(codes, stretches[i], next[i])) grouped = false;
            };
        });
        begin_groups(keys, next);
        if (grouped) return join(behind);
        rows_ = Room<Row>(size_);
        sorted_times_ = Room<Time>(times_.size() + behind.size());
        in_parallel(next.size(), threads_,
                    [&] { return [&](std::size_t i) { place_rows(codes, behind, stretches[i], next[i]); }; });
        times_ = sorted_times_.span();
    }

    //! Puts the times of the last rows behind the others.
    void join(std::span<const Time> behind) {
        if (behind.empty()) return;
        sorted_times_ = Room<Time>(size_);
        std::copy(behind.begin(), behind.end(), std::copy(times_.begin(), times_.end(), sorted_times_.data()));
        times_ = sorted_times_.span();
    }

    //! Counts the rows of each key in a stretch; returns whether none comes after one of a greater key.
    static bool count_keys(std::span<const std::uint32_t> codes, Stretch stretch, std::vector<Position>& counts) {
        bool ascending = true;
        std::uint32_t before = codes[stretch.begin == 0 ? 0 : stretch.begin - 1];
        for (std::size_t row = stretch.begin; row < stretch.end; ++row) {
            ascending &= before <= codes[row];
            before = codes[row];
            ++counts[before];
        }
        return ascending;
    }

    //! Turns how many rows of each key every stretch has into where they go.
    void begin_groups(std::uint32_t keys, std::vector<std::vector<Position>>& next) {
        groups_.resize(std::size_t{keys} + 1);
        Position total = 0;
        for (std::uint32_t key = 0; key < keys; ++key) {
            groups_[key] = total;
            for (auto& counts : next) total += std::exchange(counts[key], total);
        }
        groups_[keys] = total;
    }

    //! Puts the rows of a stretch, and their times, to those of their keys.
    void place_rows(std::span<const std::uint32_t> codes, std::span<const Time> behind, Stretch stretch,
                    std::vector<Position>& next) {
        for (std::size_t row = stretch.begin; row < stretch.end; ++row) {
            const Position to = next[codes[row]]++;
            rows_[to] = static_cast<Row>(row);
            if (!sorted_times_.empty())
                sorted_times_[to] = row < times_.size() ? times_[row] : behind[row - times_.size()];
        }
    }

    //! Looks at all keys, then sorts those that are not in order, and looks at these again.
    void sort_groups() {
        const std::vector<std::size_t> falling = find_falling();
        if (falling.empty()) return;
        in_order_ = false;
        if (rows_.empty() && groups_[falling[0] + 1] - groups_[falling[0]] == size_) return sort_whole();
        own_rows();
        std::atomic<bool> peers = has_peers_;
        in_parallel(falling.size(), threads_, [&] {
            return [&, sorter = Sorter()](std::size_t i) mutable {
                const std::size_t begin = groups_[falling[i]], end = groups_[falling[i] + 1];
                sorter.sort(rows_.span().subspan(begin, end - begin), sorted_times_.span().subspan(begin, end - begin));
                if (!peers && look(begin + 1, end).equal) peers = true;
            };
        });
        has_peers_ = peers;
    }

    //! The keys whose times fall somewhere; notes whether any two are equal.
    std::vector<std::size_t> find_falling() {
        std::vector<std::uint8_t> falls(groups_.size() - 1, 0);
        std::atomic<bool> peers = false;
        in_pieces(groups_, threads_, [&](std::size_t key, std::size_t begin, std::size_t end) {
            const Neighbours found = look(std::max<std::size_t>(begin, groups_[key] + 1), end);
            if (found.equal) peers = true;
            // Two threads may have parts of one key.
            if (found.falling) std::atomic_ref(falls[key]).store(1, std::memory_order_relaxed);
        });
        has_peers_ = peers;
        std::vector<std::size_t> falling;
        for (std::size_t key = 0; key < falls.size(); ++key)
            if (falls[key] != 0) falling.push_back(key);
        return falling;
    }

    struct Neighbours {
        bool falling = false;
        bool equal = false;
    };

    //! Whether any time of [begin, end) is before, or at, the one before it. Most often none is, and that is asked
    //! first, of some rows at a time. What falls need not be looked at further.
    Neighbours look(std::size_t begin, std::size_t end) const {
        constexpr std::size_t kSome = 4096;
        Neighbours found;
        for (std::size_t from = begin; from < end && !found.falling; from += kSome) {
            const std::size_t to = std::min(end, from + kSome);
            bool rising = true;
            for (std::size_t i = from; i != to; ++i) rising &= times_[i] > times_[i - 1];
            if (rising) continue;
            found.equal = true;
            for (std::size_t i = from; i != to; ++i) found.falling |= times_[i] < times_[i - 1];
        }
        return {found.falling, found.equal && !found.falling};
    }

    //! All rows have one key, and none has moved.
    void sort_whole() {
        rows_ = Room<Row>(size_);
        Room<Time> sorted(size_);
        Sorter().sort(times_, rows_.span(), sorted.span());
        sorted_times_ = std::move(sorted);
        times_ = sorted_times_.span();
        has_peers_ = has_peers_ || look(1, size_).equal;
    }

    //! Before rows move, they and their times are the order's own.
    void own_rows() {
        if (!rows_.empty()) return;
        rows_ = Room<Row>(size_);
        std::iota(rows_.data(), rows_.data() + size_, Row{0});
        if (!sorted_times_.empty()) return;
        sorted_times_ = Room<Time>(size_);
        std::copy(times_.begin(), times_.end(), sorted_times_.data());
        times_ = sorted_times_.span();
    }

    std::size_t size_;
    std::size_t threads_;
    std::size_t asked_;
    Room<Row> rows_;
    std::vector<Position> groups_;
    std::span<const Time> times_;
    Room<Time> sorted_times_;
    bool in_order_ = true;
    bool has_peers_ = false;
};

}  // namespace sash::batch
