//! What the in-order algorithms share beside the queue: how to combine safely, and how to search from the front.
#pragma once

#include <algorithm>
#include <type_traits>

#include "sash/algorithm.hpp"

namespace sash {

//! Whether a combine may write straight over its operand: it does not throw, so nothing can be lost half way.
//! All other monoids (callbacks, strings) are computed aside first and moved into place afterwards.
template <Monoid M>
inline constexpr bool kInPlace =
    !M::fallible && (std::is_trivially_copyable_v<typename M::Partial> ||
                     requires(const M& monoid, typename M::Partial& older, const typename M::Partial& newer) {
                         monoid.append(older, newer);
                     });

//! Whether to prefer that: a partial with memory of its own gains from it; a small one had better stay in registers
//! until the queue has been written.
template <Monoid M>
inline constexpr bool kWide = kInPlace<M> && !std::is_trivially_copyable_v<typename M::Partial>;

//! target = older (x) newer, where target is neither. A wide partial uses target's memory again.
template <Monoid M>
void combine_into(const M& monoid, typename M::Partial& target, const typename M::Partial& older,
                  const typename M::Partial& newer) {
    if constexpr (requires { monoid.append(target, newer); }) {
        target = older;
        monoid.append(target, newer);
    } else {
        target = monoid.combine(older, newer);
    }
}

//! The first position of a time-ordered queue whose time is after `time`. It gallops from the front: O(log m) for m
//! entries before it.
template <class Queue>
typename Queue::Position first_after(const Queue& queue, Time time) {
    auto begin = queue.begin();
    // Everything before `begin` is at or before `time`.
    for (typename Queue::Position stride = 1; stride <= queue.end() - begin; stride *= 2) {
        if (queue[begin + stride - 1].time > time) return first_after(queue, time, begin, begin + stride - 1);
        begin += stride;
    }
    return first_after(queue, time, begin, queue.end());
}

//! A clause of check_invariants: times rise strictly from the front to the back.
template <class Queue>
void check_times(const Queue& queue) {
    for (auto p = queue.begin(); p != queue.end(); ++p)
        invariant(p == queue.begin() || queue[p - 1].time < queue[p].time, "times rise strictly");
}

}  // namespace sash
