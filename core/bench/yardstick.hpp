//! Structures that every machine has, measured in the same run: a ratio to them travels, a nanosecond does not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "timing.hpp"

namespace sash::bench {

struct Yardsticks {
    //! A running sum over a ring buffer of 2^20 (time, value) pairs: evict, insert, query. The floor of any window.
    double ring;
    //! std::map of 2^16 entries: erase the oldest, insert at the end. An ordered tree without aggregates.
    double tree;
    //! The same with an insert 1,024 places before the end besides; two inserts and two erases a round.
    double tree1024;
};

inline double measure_ring() {
    struct Pair {
        std::int64_t time;
        std::int64_t value;
    };
    constexpr std::size_t kSize = std::size_t{1} << 20;
    std::vector<Pair> pairs(kSize);
    std::int64_t time = 0;
    std::int64_t sum = 0;
    for (Pair& pair : pairs) {
        pair = {time, time & 7};
        sum += time++ & 7;
    }
    std::size_t oldest = 0;
    // The sum itself stays in a register: keep() would send it through memory.
    volatile std::int64_t sink = 0;
    return best_of({20'000'000, 15, 1.0}, [&] {
        sum += (time & 7) - pairs[oldest].value;
        pairs[oldest] = {time, time & 7};
        oldest = (oldest + 1) % kSize;
        ++time;
        sink = sum;
    });
}

inline double measure_tree(std::int64_t distance) {
    constexpr std::int64_t kSize = 1 << 16;
    std::map<std::int64_t, std::int64_t> window;
    std::int64_t time = 0;
    // In-order events at even times, late ones at the odd times between them.
    for (; time < kSize; ++time) window.emplace_hint(window.end(), 2 * time, time);
    return best_of({1'000'000, 5, 2.0}, [&] {
        window.erase(window.begin());
        window.emplace(distance > 0 ? 2 * (time - distance) + 1 : 2 * time, time);
        ++time;
        if (distance > 0) {
            window.emplace_hint(window.end(), 2 * time, time);
            window.erase(window.begin());
        }
        keep(window.rbegin()->second);
    });
}

inline Yardsticks measure_yardsticks() {
    return {measure_ring(), measure_tree(0), measure_tree(1024)};
}

//! Measures them in a process of its own (`program --yardsticks`), whose heap is new. A map that is filled in order has
//! its nodes one after the other there, 64 bytes apart, so that those on the way from the root lie at distances of
//! powers of two and drive one another out of the cache: 127 ns a round, and 61 with one line left out every 4 KiB, by
//! equal instructions. A heap that others have used before gives anything between, another figure after each row.
Yardsticks measure_apart(const std::string& program);

//! What measure_apart reads: the three numbers.
void print_for_parent(const Yardsticks& yardsticks);

//! The less disturbed of two measurements, yardstick by yardstick.
inline Yardsticks least(const Yardsticks& a, const Yardsticks& b) {
    return {std::min(a.ring, b.ring), std::min(a.tree, b.tree), std::min(a.tree1024, b.tree1024)};
}

}  // namespace sash::bench
