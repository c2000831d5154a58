//! The windows of time of many keys when events arrive, late ones included, with something kept beside the newest of
//! each key that values enter and leave.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sash/time.hpp"

namespace sash {

//! What values enter and leave, in any order.
template <class R, class Value>
concept RunningForm = requires(R running, const R& constant, const Value& value) {
    running.insert(value);
    running.erase(value);
    constant.bytes();
};

//! A window that ends at t holds the times from t - since to t - until. Events that come in order ask the running form
//! of their key, which is that of its newest window; late ones look through their windows.
template <class Value, RunningForm<Value> Running>
class ArrivalWindows {
public:
    struct Entry {
        Time time;
        Value value;
    };
    //! The entries of a window, oldest first, and the running form of them; null if the event was late.
    struct Window {
        std::span<const Entry> entries;
        const Running* running;
    };

    ArrivalWindows(Time since, Time until) : since_(since), until_(until) {}

    //! The window that ends at an event, valid until the next change. Without a value the event changes nothing.
    //! O(log n), and one value in and out of the running form; O(d) entries moved for an event that is d late.
    Window push(std::int64_t key, Time time, const Value& value, bool there) {
        Own& own = keys_[key];
        if (there) add(own, {time, value});
        if (time < own.newest)
            return {between(own, first_at(own, time - since_), first_after(own, time - until_)), nullptr};
        move(own, time);
        return {between(own, own.begin, own.end), &own.running};
    }

    //! No event before the watermark will come any more. O(n).
    void drop(Time watermark) {
        for (auto& [key, own] : keys_) {
            const std::size_t gone = first_at(own, watermark - since_);
            while (own.begin < std::min(gone, own.end)) own.running.erase(own.entries[own.begin++].value);
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
    //! Calls write(value) for the value of each entry.
    template <class Write>
    void values(Write write) const {
        for (const auto& [key, own] : keys_)
            for (const Entry& entry : own.entries) write(entry.value);
    }
    std::size_t bytes() const {
        std::size_t total = 0;
        for (const auto& [key, own] : keys_)
            total += 128 + own.entries.capacity() * sizeof(Entry) + own.running.bytes();
        return total;
    }

private:
    //! Entries ascend by time, those of one time as they came; those in [begin, end) are the newest window's.
    struct Own {
        std::vector<Entry> entries = {};
        std::size_t begin = 0;
        std::size_t end = 0;
        Time newest = kEarliest;
        Running running{};
    };

    static std::span<const Entry> between(const Own& own, std::size_t begin, std::size_t end) {
        return std::span<const Entry>(own.entries).subspan(begin, std::max(begin, end) - begin);
    }
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
        if (inside) own.running.insert(entry.value);
        own.entries.insert(own.entries.begin() + static_cast<std::ptrdiff_t>(at), entry);
        own.begin += before;
        own.end += before || inside;
    }

    //! To the window that ends at the time, which is none before the newest.
    void move(Own& own, Time time) const {
        own.newest = time;
        const std::size_t end = first_after(own, time - until_);
        while (own.end < end) own.running.insert(own.entries[own.end++].value);
        const std::size_t begin = first_at(own, time - since_);
        while (own.begin < std::min(begin, own.end)) own.running.erase(own.entries[own.begin++].value);
    }

    Time since_;
    Time until_;
    std::unordered_map<std::int64_t, Own> keys_ = {};
};

}  // namespace sash
