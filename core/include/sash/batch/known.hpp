//! Windows as they were known when each row came: rows that came later are not in them.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/windows/frame_bounds.hpp"

namespace sash::batch {

//! Which of n places are taken, with ranks: the k-th taken place, and how many are taken up to a place. O(log n) each.
class Ranks {
public:
    explicit Ranks(std::size_t size) : counts_(size + 1, 0), top_(std::bit_floor(size | 1)) {}

    void take(std::size_t place) {
        for (std::size_t i = place + 1; i < counts_.size(); i += i & (~i + 1)) ++counts_[i];
    }
    //! How many are taken in [0, place].
    std::size_t up_to(std::size_t place) const {
        std::size_t count = 0;
        for (std::size_t i = place + 1; i != 0; i &= i - 1) count += counts_[i];
        return count;
    }
    //! The place of the k-th taken one, k >= 1.
    std::size_t place_of(std::size_t k) const {
        std::size_t at = 0;
        for (std::size_t step = top_; step != 0; step /= 2) {
            if (at + step >= counts_.size() || counts_[at + step] >= k) continue;
            at += step;
            k -= counts_[at];
        }
        return at;
    }

private:
    //! A Fenwick tree: counts_[i] covers the places [i - lowest bit of i, i).
    std::vector<std::uint32_t> counts_;
    std::size_t top_;
};

//! The last `rows` rows of those that had come. Where all came in order, the same as count_window.
inline Bounds known_count_window(const Order& order, std::size_t rows, Ends ends) {
    Bounds bounds = count_window(order, rows, ends);
    if (order.in_order()) return bounds;
    bounds.rows = 0;
    for_each_group(order, [&](Position begin, Position end) {
        Ranks ranks(end - begin);
        for (const Position position : order.arrivals(begin, end)) {
            ranks.take(position - begin);
            const std::size_t own = ranks.up_to(position - begin);
            const std::size_t before = std::min(own - 1, rows - 1 + ends.start);
            bounds.first[position] = begin + static_cast<Position>(ranks.place_of(own - before));
        }
    });
    return bounds;
}

//! The same ends, without the peers that came later: enough where rows came in order. Where they did not, whoever walks
//! the windows leaves out what had not come.
inline Bounds known_time_window(const Order& order, Bounds bounds, Ends ends) {
    if (order.in_order() && ends.end) bounds.last = {};
    return bounds;
}

}  // namespace sash::batch
