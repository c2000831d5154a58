//! The slide policy of the Monoid Tree: evict the longest prefix for which a monotone predicate holds.
#pragma once

#include <optional>

#include "sash/algorithms/fiba/bulk_evict.hpp"
#include "sash/algorithms/fiba/range.hpp"

namespace sash {

//! How far the predicate has been seen to hold.
template <Monoid M>
template <class Policy>
struct Fiba<M>::Prefix {
    Policy& policy;
    const Partial& total;
    std::optional<Partial> held;
    //! The first entry that stays, once it is found.
    std::optional<Time> stays;
};

//! O(log n): whole subtrees are tried by their aggregates; only the one where the predicate turns is opened.
template <Monoid M>
template <class Policy>
void Fiba<M>::evict_while(Policy policy) {
    if (size_ == 0) return;
    const Partial total = query();
    Prefix<Policy> prefix{policy, total, {}, {}};
    if (extend_prefix(left_[height_], height_, prefix)) return clear();
    if (*prefix.stays != oldest()) bulk_evict(*prefix.stays - 1);
}

//! Whether the predicate holds up to the end of the subtree.
template <Monoid M>
template <class Policy>
bool Fiba<M>::extend_prefix(Id id, std::uint32_t level, Prefix<Policy>& prefix) const {
    const auto holds_with = [&](const Partial& next) {
        Partial longer = prefix.held ? monoid_.combine(*prefix.held, next) : next;
        if (!prefix.policy(prefix.total, std::as_const(longer))) return false;
        prefix.held = std::move(longer);
        return true;
    };
    if (level == 0) {
        const Leaf node = leaf(id);
        for (std::uint32_t i = node.begin(); i < node.end(); ++i) {
            if (holds_with(node.partials[i])) continue;
            prefix.stays = node.times[i];
            return false;
        }
        return true;
    }
    const Inner node = inner(id);
    for (std::uint32_t i = 0; i < node.arity(); ++i) {
        const bool whole = !on_spine(node.ids[i], level - 1) && holds_with(node.aggregates[i]);
        if (!whole && !extend_prefix(node.ids[i], level - 1, prefix)) return false;
    }
    return true;
}

}  // namespace sash
