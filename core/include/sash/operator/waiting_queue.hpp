//! Entries that wait for a time, the least first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sash/operator/key_state.hpp"
#include "sash/time.hpp"

namespace sash {

//! A key that waits for a time. Among equal times the number decides: that of an event, or the ordinal of the key.
struct Waiting {
    Time ticks;
    std::int64_t number;
    KeyId key;

    friend bool operator>(const Waiting& one, const Waiting& other) {
        return std::tie(one.ticks, one.number) > std::tie(other.ticks, other.number);
    }
};

class WaitingQueue {
public:
    bool empty() const { return entries_.empty(); }
    const Waiting& least() const { return entries_.front(); }
    std::size_t bytes() const { return entries_.capacity() * sizeof(Waiting); }

    void push(const Waiting& entry) {
        // By a quarter: where each event waits, idle room would be as much as the events.
        if (entries_.size() == entries_.capacity()) entries_.reserve(entries_.size() + entries_.size() / 4 + 16);
        entries_.push_back(entry);
        std::push_heap(entries_.begin(), entries_.end(), std::greater<>());
    }
    Waiting pop() {
        std::pop_heap(entries_.begin(), entries_.end(), std::greater<>());
        const Waiting entry = entries_.back();
        entries_.pop_back();
        return entry;
    }
    //! Whether an entry waits for a time before the limit; without one, whether any waits.
    bool any_before(const std::optional<Time>& limit) const { return !empty() && (!limit || least().ticks < *limit); }

    //! Takes these entries instead, in whatever order they are.
    void assign(std::vector<Waiting> entries) {
        entries_ = std::move(entries);
        std::make_heap(entries_.begin(), entries_.end(), std::greater<>());
    }
    //! Maps every time, by a map that keeps their order.
    template <class Map>
    void retime(Map map) {
        for (Waiting& entry : entries_) entry.ticks = map(entry.ticks);
    }

private:
    std::vector<Waiting> entries_;
};

}  // namespace sash
