//! Which lines there are, and whose they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "sash/operator/key_state.hpp"

namespace sash::lines {

//! Lines by dense ids, which are given again, and by their keys. A key has at most one line that takes events, and any
//! number that are retired.
template <class Line>
class Roster {
public:
    static constexpr LineId kNone = ~LineId{0};

    //! How many ids were given out; some may have no line.
    LineId ids() const { return static_cast<LineId>(lines_.size()); }
    bool has(LineId id) const { return lines_[id].slot != kNoSlot; }
    const Line& operator[](LineId id) const { return lines_[id]; }
    Line& operator[](LineId id) { return lines_[id]; }

    //! The line of a key that takes events; kNone if there is none.
    LineId current(Slot slot) const { return slot < current_.size() ? current_[slot] : kNone; }
    void set_current(Slot slot, LineId id) { current_[slot] = id; }
    //! Whether a line, retired or not, is of the key.
    bool uses(Slot slot) const { return slot < uses_.size() && uses_[slot] != 0; }
    //! The keys that have no line any more, since the last time.
    std::vector<Slot> take_freed() { return std::exchange(freed_, {}); }

    //! A line that takes the events of its key from now on.
    LineId add(Slot slot, std::int64_t order) {
        LineId id = ids();
        if (free_.empty()) {
            lines_.emplace_back();
        } else {
            id = free_.back();
            free_.pop_back();
        }
        lines_[id].slot = slot;
        lines_[id].order = order;
        if (slot >= current_.size()) {
            current_.resize(slot + 1, kNone);
            uses_.resize(slot + 1, 0);
        }
        current_[slot] = id;
        ++uses_[slot];
        return id;
    }

    void remove(LineId id) {
        const Slot slot = lines_[id].slot;
        if (current_[slot] == id) current_[slot] = kNone;
        if (--uses_[slot] == 0) freed_.push_back(slot);
        lines_[id] = {};
        lines_[id].slot = kNoSlot;
        free_.push_back(id);
    }

    //! Every line with its id.
    template <class F>
    void for_each(F f) const {
        for (LineId id = 0; id < ids(); ++id)
            if (has(id)) f(id, lines_[id]);
    }
    template <class F>
    void for_each(F f) {
        for (LineId id = 0; id < ids(); ++id)
            if (has(id)) f(id, lines_[id]);
    }

    std::size_t bytes() const {
        std::size_t total = lines_.size() * sizeof(Line) + current_.capacity() * 2 * sizeof(LineId);
        for_each([&](LineId, const Line& line) { total += line.bytes(); });
        return total;
    }

private:
    static constexpr Slot kNoSlot = ~Slot{0};

    //! By id; one without a slot is free. They stay where they are while others come.
    std::deque<Line> lines_;
    std::vector<LineId> free_;
    //! By slot: its line, and how many lines are of it, retired ones included.
    std::vector<LineId> current_;
    std::vector<std::uint32_t> uses_;
    std::vector<Slot> freed_;
};

}  // namespace sash::lines
