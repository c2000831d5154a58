//! What a line has told and may have to tell again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sash/time.hpp"

namespace sash::lines {

//! What was told of a window: its ends, its answer, and how often it had been told before.
template <class Answer>
struct Told {
    Time start;
    Time end;
    Answer answer;
    std::int64_t revision;
};

//! By what it is about, an event's number or the end of a slide, and by window; in that order, since most of it is
//! about what comes last. O(log n) to find, O(1) to add at the end.
template <class Answer>
class ToldList {
public:
    struct Entry {
        std::int64_t about;
        std::size_t window;
        Told<Answer> told;
    };

    std::size_t size() const { return entries_.size(); }
    const std::vector<Entry>& entries() const { return entries_; }

    //! Nothing if it was not told.
    const Told<Answer>* find(std::int64_t about, std::size_t window) const {
        const std::size_t place = place_of(about, window);
        return is_at(place, about, window) ? &entries_[place].told : nullptr;
    }

    //! Returns what was told before; without a new one, that is forgotten.
    std::optional<Told<Answer>> exchange(std::int64_t about, std::size_t window, std::optional<Told<Answer>> told) {
        const std::size_t place = place_of(about, window);
        if (!is_at(place, about, window)) {
            if (told) insert(place, {about, window, std::move(*told)});
            return std::nullopt;
        }
        const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(place);
        std::optional<Told<Answer>> before = std::move(at->told);
        if (told) {
            at->told = std::move(*told);
        } else {
            entries_.erase(at);
        }
        return before;
    }

    //! Forgets the windows that ended before the time.
    void forget_before(Time time) {
        std::erase_if(entries_, [&](const Entry& entry) { return entry.told.end < time; });
    }

    //! Maps the times by a map that keeps their order.
    template <class Map>
    void retime(Map map, bool about_times) {
        for (Entry& entry : entries_) {
            entry.told.start = map(entry.told.start);
            entry.told.end = map(entry.told.end);
            if (about_times) entry.about = map(entry.about);
        }
    }

    std::size_t bytes() const {
        std::size_t total = entries_.capacity() * sizeof(Entry);
        if constexpr (requires(const Answer& answer) { answer.capacity() * sizeof(answer[0]); })
            for (const Entry& entry : entries_) total += entry.told.answer.capacity() * sizeof(entry.told.answer[0]);
        return total;
    }

private:
    bool is_at(std::size_t place, std::int64_t about, std::size_t window) const {
        return place < size() && entries_[place].about == about && entries_[place].window == window;
    }

    //! Grows by half: very many lines have few entries each.
    void insert(std::size_t place, Entry entry) {
        if (size() == entries_.capacity()) entries_.reserve(size() + std::max<std::size_t>(1, size() / 2));
        entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(place), std::move(entry));
    }

    std::size_t place_of(std::int64_t about, std::size_t window) const {
        const auto earlier = [&](const Entry& entry) {
            return std::tie(entry.about, entry.window) < std::tie(about, window);
        };
        if (entries_.empty() || earlier(entries_.back())) return size();
        return static_cast<std::size_t>(std::partition_point(entries_.begin(), entries_.end(), earlier) -
                                        entries_.begin());
    }

    std::vector<Entry> entries_;
};

}  // namespace sash::lines
