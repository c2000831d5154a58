//! The invariants of Amortized MTA, a clause each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "sash/algorithms/amta.hpp"

namespace sash {

template <Monoid M, template <class> class Queue>
    requires mta::Levels<M, Queue>
void Amta<M, Queue>::check_levels() const {
    const auto complete = [&](std::size_t level) { return (end() + 1) >> level; };
    const auto first_whole = [&](std::size_t level) { return (begin() + (Position{1} << level) - 1) >> level; };
    for (std::size_t l = 1; l <= levels_.size(); ++l) {
        // Levels are filled up to the top, and empty above it.
        invariant(at(l).empty() == (l > top_), "levels end at the top");
        if (l > top_) continue;
        // Every complete pair but the youngest has its parent, unless it lost a leaf before that.
        invariant(at(l).end() + 1 == complete(l), "a level ends before the parent of the tail pair below");
        invariant(at(l).begin() <= first_whole(l), "every whole node is there");
        // A node leaves with its last leaf.
        invariant(at(l).begin() >= begin() >> l, "no node without a leaf");
    }
    invariant(complete(top_ + 1) <= first_whole(top_ + 1) + 1, "no whole node above the top");
}

template <Monoid M, template <class> class Queue>
    requires mta::Levels<M, Queue>
void Amta<M, Queue>::check_stack() const {
    // The leftmost tree ends where the top level ends, and the youngest leaf is behind it.
    if (top_ > 0) invariant(split_ == at(top_).end() << top_, "the leftmost tree has the top level");
    invariant(has_front() == (top_ > 0), "a tree has leaves");
    invariant(leaves_.empty() || split_ < end(), "the youngest leaf is in R1");
    // The stack has the leftmost tree without its oldest leaf on top, and shorter suffixes below.
    Position start = has_front() ? begin() + 1 : split_;
    for (std::size_t i = stack_.size(); i-- > 0;) {
        invariant(stack_[i].start == start, "suffixes start where a node ends");
        const Position next = i > 0 ? stack_[i - 1].start : split_;
        const Position span = next - start;
        invariant(std::has_single_bit(span) && start % span == 0, "two suffixes are one node apart");
        start = next;
    }
    invariant(start == split_ || !has_front(), "the stack reaches to the oldest leaf");
}

template <Monoid M, template <class> class Queue>
    requires mta::Levels<M, Queue>
void Amta<M, Queue>::check_values() const
    requires mta::exact<M>
{
    for (std::size_t l = 1; l <= top_; ++l) {
        for (Position p = at(l).begin(); p != at(l).end(); ++p) {
            if (p << l < begin()) continue;
            invariant(at(l)[p] == monoid_.combine(node(l - 1, 2 * p), node(l - 1, 2 * p + 1)), "nodes are right");
        }
    }
    Partial rest = monoid_.identity();
    for (Position p = std::max(split_, begin()); p != end(); ++p) append(monoid_, rest, leaves_[p].partial);
    invariant(back_ == rest, "R1 is right");
    Partial suffix = monoid_.identity();
    std::size_t i = 0;
    for (Position p = split_; p > begin();) {
        prepend(monoid_, leaves_[--p].partial, suffix);
        if (i < stack_.size() && stack_[i].start == p) invariant(stack_[i++].value == suffix, "the stack is right");
    }
    invariant(front_ == suffix, "R0 is right");
}

}  // namespace sash
