//! The moving marks of a DABA queue: which part begins where, and when the parts change places.
#pragma once

#include <cstdint>

#include "sash/algorithm.hpp"

namespace sash {

//! daba and daba_lite run the same reversal over the same parts; only what they store in each part differs.
//!
//!     | front | left | right | accumulated | back | youngest |
//!      begin   left   right   accumulator   back   end        where each part begins
//!
//! `begin` and `end` are the queue's; the youngest entry is behind `end`, out of the structure, so that an equal time
//! can still combine into it. Everything before `back` belongs to l_F of the paper, the rest to l_B.
struct DabaMarks {
    using Position = std::uint64_t;

    Position left = 0;
    Position right = 0;
    Position accumulator = 0;
    Position back = 0;

    //! Everything is in front, ready to leave: the state of an empty window and of a single entry.
    void restart(Position end) { left = right = accumulator = back = end; }

    //! After an entry came or left: starts the next reversal if it is due. True if the back part begins anew.
    bool turn(Position begin, Position end) {
        if (begin == back) [[unlikely]] {
            restart(end);
            return true;
        }
        if (left == back) [[unlikely]] {
            left = begin;
            accumulator = back = end;
            return true;
        }
        return false;
    }

    //! Whether the next step reverses an entry; otherwise it is a free ride through what is reversed already.
    bool shrinks() const { return left != right; }
    //! Whether a step that shrinks is the first after a turn.
    bool starts() const { return accumulator == back; }

    //! One step of the reversal, after turn().
    void step() {
        if (shrinks()) {
            ++left;
            --accumulator;
        } else if (left != back) {
            ++left;
            ++right;
            ++accumulator;
        }
    }

    void check(Position begin, Position end) const {
        invariant(begin <= left && left <= right && right <= accumulator && accumulator <= back && back <= end,
                  "begin <= left <= right <= accumulator <= back <= end");
        // As many entries wait on the left as on the right.
        invariant(right - left == accumulator - right, "left and right have equal sizes");
        // The reversal is done exactly when the next one is due, with one entry in front to answer queries.
        invariant(begin == end || (right - left) + (accumulator - right) + (back - accumulator) + 1 ==
                                      (back - begin) - (end - back),
                  "|left| + |right| + |accumulated| + 1 == |l_F| - |l_B|");
    }
};

}  // namespace sash
