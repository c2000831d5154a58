//! The place of the youngest value among all values of a window of time when an event arrives, late ones included.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sash/monoids/ordered_multiset.hpp"
#include "sash/time.hpp"

namespace sash {

//! Over the windows of many keys; a window that ends at t holds the times from t - since to t - until. Beside the
//! values of a key in the order of time lie those of its newest window in their own order: events that come in order
//! ask there, and late ones look through their windows.
class RankCounts {
public:
    //! How many values are less than the youngest, how many are not greater, and how many there are.
    struct Place {
        std::int64_t below = 0;
        std::int64_t upto = 0;
        std::int64_t size = 0;
    };

    RankCounts(Time since, Time until) : since_(since), until_(until) {}

    //! The place in the window that ends at an event. Without a value the event changes nothing. O(log n), and O(m) for
    //! a late event whose window holds m values.
    Place push(std::int64_t key, Time time, double value, bool there) {
        Own& own = keys_[key];
        if (there) add(own, {time, value});
        if (time < own.newest) return looked_up(own, time);
        move(own, time);
        if (own.begin == own.end) return {};
        const double youngest = own.entries[own.end - 1].value;
        return {count(own.values.below(youngest)), count(own.values.upto(youngest)), count(own.values.size())};
    }

    //! No event before the watermark will come any more. O(n).
    void drop(Time watermark) {
        for (auto& [key, own] : keys_) {
            const std::size_t gone = first_at(own, watermark - since_);
            while (own.begin < std::min(gone, own.end)) own.values.erase(own.entries[own.begin++].value);
            own.entries.erase(own.entries.begin(), own.entries.begin() + static_cast<std::ptrdiff_t>(gone));
            own.begin = std::max(own.begin, gone) - gone;
            own.end = std::max(own.end, gone) - gone;
        }
        std::erase_if(keys_, [](const auto& one) { return one.second.entries.empty(); });
    }

    std::vector<std::int64_t> keys() const {
        std::vector<std::int64_t> keys;
        for (const auto& [key, own] : keys_) keys.push_back(key);
        return keys;
    }
    std::size_t bytes() const {
        std::size_t total = 0;
        for (const auto& [key, own] : keys_) total += 128 + own.entries.capacity() * sizeof(Entry) + own.values.bytes();
        return total;
    }

private:
    struct Entry {
        Time time;
        double value;
    };
    //! Entries ascend by time, those of one time as they came; those in [begin, end) are the newest window's, and its
    //! values are in order beside them.
    struct Own {
        std::vector<Entry> entries = {};
        std::size_t begin = 0;
        std::size_t end = 0;
        Time newest = kEarliest;
        OrderedMultiset<double> values{};
    };

    static std::int64_t count(std::size_t number) { return static_cast<std::int64_t>(number); }
    static std::size_t first_at(const Own& own, Time time) {
        const auto before = [](const Entry& entry, Time other) { return entry.time < other; };
        const auto found = std::lower_bound(own.entries.begin(), own.entries.end(), time, before);
        return static_cast<std::size_t>(found - own.entries.begin());
    }
    static std::size_t first_after(const Own& own, Time time) {
        const auto later = [](Time other, const Entry& entry) { return other < entry.time; };
        const auto found = std::upper_bound(own.entries.begin(), own.entries.end(), time, later);
        return static_cast<std::size_t>(found - own.entries.begin());
    }

    void add(Own& own, const Entry& entry) const {
        const std::size_t at = first_after(own, entry.time);
        const bool before = own.newest != kEarliest && entry.time < own.newest - since_;
        const bool inside = own.newest != kEarliest && !before && entry.time <= own.newest - until_;
        if (inside) own.values.insert(entry.value);
        own.entries.insert(own.entries.begin() + static_cast<std::ptrdiff_t>(at), entry);
        own.begin += before;
        own.end += before || inside;
    }

    //! To the window that ends at the time, which is none before the newest.
    void move(Own& own, Time time) const {
        own.newest = time;
        const std::size_t end = first_after(own, time - until_);
        while (own.end < end) own.values.insert(own.entries[own.end++].value);
        const std::size_t begin = first_at(own, time - since_);
        while (own.begin < std::min(begin, own.end)) own.values.erase(own.entries[own.begin++].value);
    }

    Place looked_up(const Own& own, Time time) const {
        const std::size_t begin = first_at(own, time - since_), end = first_after(own, time - until_);
        if (begin >= end) return {};
        const double youngest = own.entries[end - 1].value;
        Place place{0, 0, count(end - begin)};
        for (std::size_t i = begin; i < end; ++i) {
            place.below += own.entries[i].value < youngest;
            place.upto += own.entries[i].value <= youngest;
        }
        return place;
    }

    Time since_;
    Time until_;
    std::unordered_map<std::int64_t, Own> keys_ = {};
};

}  // namespace sash
