//! How many different values a window of time holds when an event arrives, late ones included, without sets.
//!
//! An event at e is in the windows that end in one stretch of time, [e, e + length) where the end is in and the start
//! is out. A value counts where any of its events does. All stretches have one length, so those of a value overlap like
//! tiles: what an event adds to what its neighbours cover is one stretch, from where that of the one before ends to
//! where that of the one behind begins. The values of the window that ends at t are the beginnings up to t less the
//! ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sash/hash.hpp"
#include "sash/time.hpp"

namespace sash {

//! Over the windows of many keys, one length for all. Keys and values are numbers.
class DistinctCounts {
public:
    //! An event is in the windows that end at e + first or later, and before e + first + length.
    DistinctCounts(Time first, Time length) : first_(first), length_(length) {}

    //! How many values the window that ends at an event holds. Without a value the event changes nothing. O(log n), and
    //! O(d) words moved for an event that is d late.
    std::int64_t push(std::int64_t key, Time time, std::int64_t value, bool there) {
        Stretches& own = keys_[key];
        if (there) add(own, {key, value}, time);
        return own.ended + up_to(own.begins, time) - up_to(own.ends, time);
    }

    //! No event before the watermark will come any more. O(n).
    void drop(Time watermark) {
        // An event may meet one that is so old: the stretch of that one ends where its own begins.
        const Time oldest = watermark - length_;
        for (auto& [pair, times] : times_) drop_before(times, oldest);
        std::erase_if(times_, [](const auto& entry) { return entry.second.empty(); });
        for (auto& [key, own] : keys_)
            own.ended += drop_before(own.begins, watermark) - drop_before(own.ends, watermark);
        std::erase_if(keys_, [](const auto& entry) { return entry.second.is_empty(); });
    }

    std::vector<std::int64_t> keys() const {
        std::vector<std::int64_t> keys;
        for (const auto& [key, own] : keys_) keys.push_back(key);
        return keys;
    }
    //! Those of all keys; one may be there more than once.
    std::vector<std::int64_t> values() const {
        std::vector<std::int64_t> values;
        for (const auto& [pair, times] : times_) values.push_back(pair.second);
        return values;
    }
    std::size_t bytes() const {
        std::size_t total = 64 * (keys_.size() + times_.size());
        for (const auto& [key, own] : keys_) total += (own.begins.capacity() + own.ends.capacity()) * sizeof(Time);
        for (const auto& [pair, times] : times_) total += times.capacity() * sizeof(Time);
        return total;
    }

private:
    //! A key and a value.
    using Pair = std::pair<std::int64_t, std::int64_t>;
    struct HashOf {
        std::size_t operator()(const Pair& pair) const {
            return static_cast<std::size_t>(mix(hash_integer(pair.first) ^ static_cast<Hash>(pair.second)));
        }
    };
    //! Ascending; `ended` counts those that began among what is dropped, less those that ended there.
    struct Stretches {
        std::vector<Time> begins = {};
        std::vector<Time> ends = {};
        std::int64_t ended = 0;

        bool is_empty() const { return begins.empty() && ends.empty() && ended == 0; }
    };

    static std::int64_t up_to(const std::vector<Time>& times, Time time) {
        return std::upper_bound(times.begin(), times.end(), time) - times.begin();
    }
    static std::int64_t drop_before(std::vector<Time>& times, Time before) {
        const auto end = std::lower_bound(times.begin(), times.end(), before);
        const std::int64_t count = end - times.begin();
        times.erase(times.begin(), end);
        return count;
    }
    static void insert(std::vector<Time>& times, Time time) {
        times.insert(std::upper_bound(times.begin(), times.end(), time), time);
    }

    void add(Stretches& own, const Pair& pair, Time time) {
        std::vector<Time>& times = times_[pair];
        const auto at = std::lower_bound(times.begin(), times.end(), time);
        if (at != times.end() && *at == time) return;
        Time begin = time + first_, end = begin + length_;
        if (at != times.begin()) begin = std::max(begin, *(at - 1) + first_ + length_);
        if (at != times.end()) end = std::min(end, *at + first_);
        times.insert(at, time);
        if (begin >= end) return;
        insert(own.begins, begin);
        insert(own.ends, end);
    }

    Time first_;
    Time length_;
    std::unordered_map<std::int64_t, Stretches> keys_;
    //! The times at which a key had a value, ascending.
    std::unordered_map<Pair, std::vector<Time>, HashOf> times_;
};

}  // namespace sash
