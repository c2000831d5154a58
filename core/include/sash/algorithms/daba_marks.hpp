//! The moving marks of a DABA queue: which part begins where, and when the parts change places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sash/algorithm.hpp"

namespace sash {

//! daba and daba_lite run the same reversal over the same parts; only what they store in each part differs.
//!
//!     | front | left | right   | accumulated | back | youngest |
//!      begin   left   right()   accumulator   back   end        where each part begins
//!
//! `begin` and `end` are the queue's; the youngest entry is behind `end`, out of the structure, so that an equal time
//! can still combine into it. Everything before `back` belongs to l_F of the paper, the rest to l_B.
struct DabaMarks {
    using Position = std::uint64_t;

    Position left = 0;
    Position accumulator = 0;
    Position back = 0;

    //! Left and right have equal sizes at all times, so that this mark needs no keeping.
    Position right() const { return left + (accumulator - left) / 2; }

    //! Everything is in front, ready to leave: the state of an empty window and of a single entry.
    void restart(Position end) { left = accumulator = back = end; }

    //! After an entry came or left: whether the back part must be turned, for all before it is reversed or gone.
    bool due() const { return left == back; }

    //! Makes the back part the right part of the next reversal, and begins a new one at `end`.
    void turn(Position begin, Position end) {
        left = begin == back ? end : begin;
        accumulator = back = end;
    }

    //! These marks, turned if that is due.
    DabaMarks turned(bool turns, Position begin, Position end) const {
        DabaMarks marks = *this;
        if (turns) marks.turn(begin, end);
        return marks;
    }

    //! Whether the next step reverses an entry; otherwise it is a free ride through what is reversed already.
    bool shrinks() const { return left != accumulator; }
    //! Whether a step that shrinks is the first after a turn.
    bool starts() const { return accumulator == back; }

    //! One step of the reversal, once no turn is due.
    void step() {
        if (left == back) return;  // a single entry, or none
        accumulator = shrinks() ? accumulator - 1 : accumulator + 1;
        ++left;
    }

    void check(Position begin, Position end) const {
        invariant(begin <= left && left <= accumulator && accumulator <= back && back <= end,
                  "begin <= left <= accumulator <= back <= end");
        // As many entries wait on the left as on the right.
        invariant((accumulator - left) % 2 == 0, "left and right have equal sizes");
        // The reversal is done exactly when the next one is due, with one entry in front to answer queries.
        invariant(begin == end || (back - left) + 1 == (back - begin) - (end - back),
                  "|left| + |right| + |accumulated| + 1 == |l_F| - |l_B|");
    }
};

//! Takes `count` steps or none: one that throws has changed nothing, and those before it are taken back, last first.
template <class Step, class Take, class TakeBack>
void take_all_or_none(std::size_t count, Take take, TakeBack take_back) {
    std::vector<Step> taken;
    taken.reserve(count);
    try {
        while (taken.size() != count) taken.push_back(take(taken.size()));
    } catch (...) {
        for (; !taken.empty(); taken.pop_back()) take_back(taken.back());
        throw;
    }
}

}  // namespace sash
