//! Ordered walks over the entries, and merging two windows.
#pragma once

#include "sash/algorithms/fiba/bulk_insert.hpp"

namespace sash {

template <Monoid M>
template <class F>
void Fiba<M>::for_each(F f) const {
    for_each_from(kEarliest, size_, std::move(f));
}

template <Monoid M>
template <class F>
void Fiba<M>::for_each_from(Time from, std::size_t most, F f) const {
    if (size_ > 0 && most > 0) walk_from(left_[height_], height_, from, most, f);
}

//! False when enough were seen.
template <Monoid M>
template <class F>
bool Fiba<M>::walk_from(Id id, std::uint32_t level, Time from, std::size_t& most, F& f) const {
    if (level == 0) {
        const Leaf node = leaf(id);
        for (std::uint32_t i = node.lower_bound(from); i < node.end(); ++i) {
            f(node.times[i], std::as_const(node.partials[i]));
            if (--most == 0) return false;
        }
        return true;
    }
    const Inner node = inner(id);
    for (std::uint32_t i = node.child_of(from); i < node.arity(); ++i)
        if (!walk_from(node.ids[i], level - 1, from, most, f)) return false;
    return true;
}

template <Monoid M>
void Fiba<M>::merge(const Fiba& other) {
    std::vector<Time> times;
    std::vector<Partial> partials;
    times.reserve(other.size_);
    partials.reserve(other.size_);
    other.for_each([&](Time time, const Partial& partial) {
        times.push_back(time);
        partials.push_back(partial);
    });
    bulk_insert(times, partials);
}

}  // namespace sash
