//! Sorting events by time, those of equal time in the order in which they came.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/time.hpp"

namespace sash {

//! An event and its time. Events arrive in the order of their numbers, so this is the order by time and arrival.
struct Stamp {
    Time time;
    std::uint32_t row;
    bool operator<(const Stamp& other) const { return time != other.time ? time < other.time : row < other.row; }
};

//! By each byte in which the times differ, the lowest first. Every step keeps the order of equals, so rows of equal
//! time stay as they were. O(n) for each such byte.
inline void sort_by_bytes(std::vector<Stamp>& stamps, std::vector<Stamp>& spare) {
    constexpr std::size_t kBytes = sizeof(Time), kDigits = 256;
    std::array<std::array<std::uint32_t, kDigits>, kBytes> counts{};
    const auto digit = [](const Stamp& stamp, std::size_t byte) {
        constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
        return ((static_cast<std::uint64_t>(stamp.time) ^ kSign) >> (8 * byte)) & 0xff;
    };
    for (const Stamp& stamp : stamps)
        for (std::size_t byte = 0; byte < kBytes; ++byte) ++counts[byte][digit(stamp, byte)];
    spare.resize(stamps.size());
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
        std::array<std::uint32_t, kDigits>& begin = counts[byte];
        if (stamps.empty() || begin[digit(stamps.front(), byte)] == stamps.size()) continue;
        std::uint32_t before = 0;
        for (std::uint32_t& count : begin) before += std::exchange(count, before);
        for (const Stamp& stamp : stamps) spare[begin[digit(stamp, byte)]++] = stamp;
        stamps.swap(spare);
    }
}

//! O(n log n) or, for many, O(n) for each byte of the times' spread: no branch of that depends on the times.
inline void sort_stamps(std::vector<Stamp>& stamps, std::vector<Stamp>& spare) {
    constexpr std::size_t kWorthBytes = 512;
    if (stamps.size() < kWorthBytes) return std::sort(stamps.begin(), stamps.end());
    sort_by_bytes(stamps, spare);
}

}  // namespace sash
