//! The rows that a window of time holds when an event arrives, late ones included: all, or those that stand for a
//! value.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sash/time.hpp"

namespace sash {

//! Over the windows of many keys. Keys, rows and values are numbers, values from 0 on and few of them unused; a window
//! that ends at t holds the times from t - since to t - until.
class ArrivalRows {
public:
    struct Entry {
        Time time;
        std::int64_t row;
        std::int64_t value;
    };
    using Window = std::span<const Entry>;
    //! The value of rows whose values are not asked for.
    static constexpr std::int64_t kNone = -1;

    ArrivalRows(Time since, Time until) : since_(since), until_(until) {}

    //! O(log n), and O(d) entries moved for an event that is d late.
    void insert(std::int64_t key, const Entry& entry) {
        Own& own = keys_[key];
        add(own.entries, entry);
        if (entry.value != kNone) add(own.by_value[entry.value], entry);
    }

    //! The window that ends at the time, oldest first. Valid until the next change. O(log n).
    Window window(std::int64_t key, Time end) const { return between(key, end - since_, end - until_); }

    //! The entries of these times, both ends in. As above.
    Window between(std::int64_t key, Time first, Time last) const {
        const auto found = keys_.find(key);
        return found == keys_.end() ? Window() : between(found->second.entries, first, last);
    }

    //! Calls write(row) for the first row of each different value, oldest first. O(d log n) for d different values, or
    //! O(m) for the m rows of the window, whichever is less.
    template <class Write>
    void first_rows(std::int64_t key, Time end, Write write) {
        find_values(key, end);
        for (const Found& one : found_) write(one.first.row);
    }

    //! The first row of the most frequent value, of several the one that appeared first; -1 if there is none. As above.
    std::int64_t most_frequent(std::int64_t key, Time end) {
        find_values(key, end);
        const auto fewer = [](const Found& left, const Found& right) { return left.count < right.count; };
        const auto most = std::max_element(found_.begin(), found_.end(), fewer);
        return most == found_.end() ? -1 : most->first.row;
    }

    //! Calls write(value, count) for each value that the window holds. As above.
    template <class Write>
    void counts(std::int64_t key, Time end, Write write) {
        find_values(key, end);
        for (const Found& one : found_) write(one.first.value, one.count);
    }

    //! No event before the watermark will come any more. O(n).
    void drop(Time watermark) {
        const auto old = [this, watermark](const Entry& entry) { return entry.time < watermark - since_; };
        for (auto& [key, own] : keys_) {
            drop_while(own.entries, old);
            for (auto& [value, entries] : own.by_value) drop_while(entries, old);
            std::erase_if(own.by_value, [](const auto& one) { return one.second.empty(); });
        }
        std::erase_if(keys_, [](const auto& one) { return one.second.entries.empty(); });
    }

    std::vector<std::int64_t> keys() const {
        std::vector<std::int64_t> keys;
        for (const auto& [key, own] : keys_) keys.push_back(key);
        return keys;
    }
    //! Those of all keys; one may be there more than once.
    std::vector<std::int64_t> values() const {
        std::vector<std::int64_t> values;
        for (const auto& [key, own] : keys_)
            for (const auto& [value, entries] : own.by_value) values.push_back(value);
        return values;
    }
    //! The rows of all keys, ascending, each once. O(n log n).
    std::vector<std::int64_t> rows() const {
        std::vector<std::int64_t> rows;
        for (const auto& [key, own] : keys_)
            for (const Entry& entry : own.entries) rows.push_back(entry.row);
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        return rows;
    }
    Time since() const { return since_; }
    Time until() const { return until_; }
    std::size_t bytes() const {
        std::size_t total = 0;
        for (const auto& [key, own] : keys_) {
            total += 128 + own.entries.capacity() * sizeof(Entry);
            for (const auto& [value, entries] : own.by_value) total += 64 + entries.capacity() * sizeof(Entry);
        }
        return total;
    }

private:
    //! Ascending by time; those of one time as they came.
    using Entries = std::vector<Entry>;
    struct Own {
        Entries entries = {};
        std::unordered_map<std::int64_t, Entries> by_value = {};
    };
    //! A value that a window holds: its first entry there, its place in the order of arrival at that time, and how
    //! often.
    struct Found {
        Entry first;
        std::int64_t count;
    };

    static void add(Entries& entries, const Entry& entry) {
        const auto later = [](Time time, const Entry& other) { return time < other.time; };
        entries.insert(std::upper_bound(entries.begin(), entries.end(), entry.time, later), entry);
    }
    template <class Predicate>
    static void drop_while(Entries& entries, Predicate old) {
        entries.erase(entries.begin(), std::find_if_not(entries.begin(), entries.end(), old));
    }
    static Window between(const Entries& entries, Time first, Time last) {
        const auto before = [](const Entry& entry, Time time) { return entry.time < time; };
        const auto later = [](Time time, const Entry& entry) { return time < entry.time; };
        const auto start = std::lower_bound(entries.begin(), entries.end(), first, before);
        const auto behind = std::upper_bound(start, entries.end(), last, later);
        return Window(entries).subspan(static_cast<std::size_t>(start - entries.begin()),
                                       static_cast<std::size_t>(behind - start));
    }
    Window between(const Entries& entries, Time end) const { return between(entries, end - since_, end - until_); }

    //! The values of the window, in the order of their first entries.
    void find_values(std::int64_t key, Time end) {
        found_.clear();
        const auto own = keys_.find(key);
        if (own == keys_.end()) return;
        const Window all = between(own->second.entries, end);
        const std::size_t searches = own->second.by_value.size() * std::bit_width(own->second.entries.size());
        all.size() <= searches ? find_one_by_one(all) : find_by_value(own->second, end);
    }
    //! Values are numbered from 0 on: a table says where each was found. What it says of other windows shows in the
    //! value that is found there.
    void find_one_by_one(Window all) {
        for (const Entry& entry : all) {
            const auto value = static_cast<std::size_t>(entry.value);
            if (value >= places_.size()) places_.resize(value + 1);
            if (places_[value] >= found_.size() || found_[places_[value]].first.value != entry.value) {
                places_[value] = found_.size();
                found_.push_back({entry, 0});
            }
            ++found_[places_[value]].count;
        }
    }
    void find_by_value(const Own& own, Time end) {
        for (const auto& [value, entries] : own.by_value)
            if (const Window its = between(entries, end); !its.empty())
                found_.push_back({its.front(), static_cast<std::int64_t>(its.size())});
        // Rows are numbered as they come, and entries of one time lie as they came.
        std::sort(found_.begin(), found_.end(), [](const Found& left, const Found& right) {
            return std::pair(left.first.time, left.first.row) < std::pair(right.first.time, right.first.row);
        });
    }

    Time since_;
    Time until_;
    std::unordered_map<std::int64_t, Own> keys_ = {};
    std::vector<Found> found_ = {};
    std::vector<std::size_t> places_ = {};
};

}  // namespace sash
