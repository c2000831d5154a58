//! The finger tree as a picture shows it.
#pragma once

#include "sash/algorithms/describe.hpp"
#include "sash/algorithms/fiba/tree.hpp"

namespace sash {

template <Monoid M>
template <class Out>
void Fiba<M>::describe(Out& out) const {
    ensure_fresh();
    if (size_ == 0) return;
    describe_below(out, left_[height_], height_);
    if (height_ == 0 || left_leaf_.size() + right_leaf_.size() == size_) return;
    const Inner right = inner(right_[1]);
    out.aggregate("middle", first_below(inner(left_[1]).ids[1], 0), last_below(right.ids[right.last() - 1], 0),
                  &middle_);
}

template <Monoid M>
Time Fiba<M>::first_below(Id id, std::uint32_t level) const {
    for (; level > 0; --level) id = inner(id).ids[0];
    return leaf(id).times[leaf(id).begin()];
}

template <Monoid M>
Time Fiba<M>::last_below(Id id, std::uint32_t level) const {
    for (; level > 0; --level) id = inner(id).ids[inner(id).last()];
    return leaf(id).times[leaf(id).end() - 1];
}

template <Monoid M>
template <class Out>
void Fiba<M>::describe_below(Out& out, Id id, std::uint32_t level) const {
    out.begin(level == 0 ? "leaf" : "inner");
    if (out.brief() && !on_spine(id, level)) {
        out.omit(count_node(id, level));
    } else if (level == 0) {
        describe_leaf(out, id);
    } else {
        describe_children(out, inner(id), level);
        describe_spines(out, id, level);
    }
    out.end();
}

//! Behind each child, the aggregate that is kept for it. In a brief description, two children at each end.
template <Monoid M>
template <class Out>
void Fiba<M>::describe_children(Out& out, const Inner& node, std::uint32_t level) const {
    constexpr std::uint32_t kShown = 2;
    for (std::uint32_t i = 0; i < node.arity(); ++i) {
        if (out.brief() && i == kShown && node.arity() > 2 * kShown + 1) {
            const std::uint32_t next = node.arity() - kShown;
            describe_omitted(out, node.count(i, next));
            i = next;
        }
        const Id child = node.ids[i];
        describe_below(out, child, level - 1);
        if (!on_spine(child, level - 1))
            out.aggregate("up", first_below(child, level - 1), last_below(child, level - 1), &node.aggregates[i]);
    }
}

template <Monoid M>
template <class Out>
void Fiba<M>::describe_leaf(Out& out, Id id) const {
    const Leaf node = leaf(id);
    if (id == left_[0]) out.pointer("left finger");
    if (id == right_[0]) out.pointer("right finger");
    describe_run(out, node.size(), [&](std::size_t i) {
        const auto at = static_cast<std::uint32_t>(node.begin() + i);
        out.entry(node.times[at], &node.partials[at]);
        if (id == left_[0] && at < split_)
            out.aggregate("suffix", node.times[at], node.times[split_ - 1], &suffix_[at]);
    });
    const std::uint32_t first = height_ == 0 ? split_ : node.begin();
    if (id == right_[0] && first < node.end())
        out.aggregate("back", node.times[first], node.times[node.end() - 1], &back_);
}

//! What a spine keeps reaches from beside it to the root's part of it.
template <Monoid M>
template <class Out>
void Fiba<M>::describe_spines(Out& out, Id id, std::uint32_t level) const {
    const Inner node = inner(id);
    if (level == height_) {
        if (node.arity() > 2)
            out.aggregate("inner", first_below(node.ids[1], level - 1),
                          last_below(node.ids[node.last() - 1], level - 1), &inner_);
    } else if (id == left_[level]) {
        out.aggregate("left", first_below(node.ids[1], level - 1), last_below(left_[height_ - 1], height_ - 1),
                      &left_aggregate_[level]);
    } else if (id == right_[level]) {
        out.aggregate("right", first_below(right_[height_ - 1], height_ - 1),
                      last_below(node.ids[node.last() - 1], level - 1), &right_aggregate_[level]);
    }
}

}  // namespace sash
