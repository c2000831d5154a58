//! What was emitted of a key and may be revised.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sash/time.hpp"

namespace sash {

//! A result as it was emitted: the ends of its window, its value, and how often it had been emitted before.
template <class Result>
struct Revision {
    Time start;
    Time end;
    Result result;
    std::int64_t number : 63;
    //! It was taken back, and may come again.
    bool retracted : 1 = false;
};

//! By subject, an event's number or the end of a slide, and by window; in that order, since most of it is about what
//! comes last. O(log n) to find, O(1) to add at the end.
template <class Result>
class Revisions {
public:
    struct Entry {
        std::int64_t subject;
        std::size_t window;
        Revision<Result> revision;
    };

    std::size_t size() const { return entries_.size(); }
    const std::vector<Entry>& entries() const { return entries_; }

    //! Nothing if it was not emitted.
    const Revision<Result>* find(std::int64_t subject, std::size_t window) const {
        const std::size_t place = place_of(subject, window);
        return is_at(place, subject, window) ? &entries_[place].revision : nullptr;
    }

    //! Returns what was emitted before; without a new one, that is dropped.
    std::optional<Revision<Result>> exchange(std::int64_t subject, std::size_t window,
                                             std::optional<Revision<Result>> revision) {
        const std::size_t place = place_of(subject, window);
        if (!is_at(place, subject, window)) {
            if (revision) insert(place, {subject, window, std::move(*revision)});
            return std::nullopt;
        }
        const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(place);
        std::optional<Revision<Result>> before = std::move(at->revision);
        if (revision) {
            at->revision = std::move(*revision);
        } else {
            entries_.erase(at);
        }
        return before;
    }

    //! Drops the windows that ended before the time.
    void drop_before(Time time) {
        std::erase_if(entries_, [&](const Entry& entry) { return entry.revision.end < time; });
    }

    //! Maps the times by a map that keeps their order.
    template <class Map>
    void retime(Map map, bool subjects_are_times) {
        for (Entry& entry : entries_) {
            entry.revision.start = map(entry.revision.start);
            entry.revision.end = map(entry.revision.end);
            if (subjects_are_times) entry.subject = map(entry.subject);
        }
    }

    std::size_t bytes() const {
        std::size_t total = entries_.capacity() * sizeof(Entry);
        if constexpr (requires(const Result& result) { result.capacity() * sizeof(result[0]); })
            for (const Entry& entry : entries_)
                total += entry.revision.result.capacity() * sizeof(entry.revision.result[0]);
        return total;
    }

private:
    bool is_at(std::size_t place, std::int64_t subject, std::size_t window) const {
        return place < size() && entries_[place].subject == subject && entries_[place].window == window;
    }

    //! Grows by half: very many keys have few entries each.
    void insert(std::size_t place, Entry entry) {
        if (size() == entries_.capacity()) entries_.reserve(size() + std::max<std::size_t>(1, size() / 2));
        entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(place), std::move(entry));
    }

    std::size_t place_of(std::int64_t subject, std::size_t window) const {
        const auto earlier = [&](const Entry& entry) {
            return std::tie(entry.subject, entry.window) < std::tie(subject, window);
        };
        if (entries_.empty() || earlier(entries_.back())) return size();
        // What a late event revises lies side by side as a rule, and what is new is asked for when it is emitted.
        for (const std::size_t near : {found_, found_ + 1, size() - 1})
            if (is_at(near, subject, window)) return found_ = near;
        found_ = static_cast<std::size_t>(std::partition_point(entries_.begin(), entries_.end(), earlier) -
                                          entries_.begin());
        return found_;
    }

    std::vector<Entry> entries_;
    //! Where something was looked for last.
    mutable std::size_t found_ = 0;
};

}  // namespace sash
