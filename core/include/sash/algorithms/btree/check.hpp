//! The invariants of the augmented B-tree, a comment a clause.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/btree/running.hpp"
#include "sash/algorithms/btree/shape.hpp"

namespace sash::btree {

//! Compares partials by == where that is exact. Floating sums depend on the order of combining, and the partials of a
//! fallible monoid may have an == that runs foreign code: those count as the same.
template <Monoid M>
struct ExactlySame {
    using Partial = typename M::Partial;

    bool operator()([[maybe_unused]] const Partial& a, [[maybe_unused]] const Partial& b) const {
        if constexpr (compares) {
            return a == b;
        } else {
            return true;
        }
    }

    static constexpr bool compares = std::equality_comparable<Partial> &&
                                     std::has_unique_object_representations_v<Partial> && !M::fallible && !Rounded<M>;
};

template <Monoid M, class Same>
class Checker {
public:
    using Partial = typename M::Partial;

    Checker(const M& monoid, const Shape<Partial>& shape, Same same) : monoid_(monoid), shape_(shape), same_(same) {}

    void run() {
        // An empty tree has no root and no height.
        invariant((shape_.root() == kNone) == (shape_.size() == 0), "a root if and only if there are entries");
        invariant((shape_.height() == 0) == (shape_.size() == 0), "a height if and only if there are entries");
        if (shape_.root() != kNone) check_node(shape_.root(), 1, {kEarliest, kLatest}, {true, true});
        // The entries of all nodes are what size() says.
        invariant(entries_ == shape_.size(), "size is the number of entries");
        // Each node is in the tree or in the free list, none in both, none lost.
        invariant(nodes_ == shape_.pool().taken(), "every node taken is in the tree");
        invariant(shape_.pool().count_free() == shape_.pool().spare(), "the free list holds all other nodes");
    }

private:
    //! Times must lie within; an end that is shut does not allow the limit itself.
    struct Bounds {
        Time low;
        Time high;
    };
    struct Open {
        bool low;
        bool high;
    };

    void check_node(Id id, std::size_t depth, Bounds bounds, Open open) {
        const auto node = shape_[id];
        ++nodes_;
        entries_ += node.count();
        // All leaves are at the same depth.
        invariant(node.leaf() == (depth == shape_.height()), "leaves are at the bottom, and only leaves");
        // Arity: 2 to MAX_ARITY at the root, MIN_ARITY to MAX_ARITY elsewhere.
        invariant(node.count() >= (depth == 1 ? 1 : shape_.least_entries()), "a node is not too small");
        invariant(node.count() <= shape_.most_entries(), "a node is not too large");
        check_times(node, bounds, open);
        if (!node.leaf()) check_children(node, depth, bounds, open);
        check_aggregate(node);
    }

    template <class Node>
    void check_times(const Node& node, Bounds bounds, Open open) const {
        const Time first = node.time(0);
        const Time last = node.time(node.count() - 1);
        // Times rise strictly within a node, and lie between the parent's entries around it.
        for (std::size_t i = 1; i != node.count(); ++i) invariant(node.time(i - 1) < node.time(i), "times rise");
        invariant(open.low ? bounds.low <= first : bounds.low < first, "after the entry on the left");
        invariant(open.high ? last <= bounds.high : last < bounds.high, "before the entry on the right");
    }

    template <class Node>
    void check_children(const Node& node, std::size_t depth, Bounds bounds, Open open) {
        for (std::size_t i = 0; i <= node.count(); ++i) {
            const bool first = i == 0;
            const bool last = i == node.count();
            const Bounds inner{first ? bounds.low : node.time(i - 1), last ? bounds.high : node.time(i)};
            check_node(node.child(i), depth + 1, inner, {first && open.low, last && open.high});
            // A stale child has a stale parent, so that a refresh from the root finds it.
            invariant(node.head().stale || !shape_[node.child(i)].head().stale, "stale nodes have stale parents");
        }
    }

    //! An aggregate that is not stale is the combination of the children's and the entries between them.
    template <class Node>
    void check_aggregate(const Node& node) const {
        if constexpr (!std::is_same_v<Same, ExactlySame<M>> || ExactlySame<M>::compares) {
            if (node.head().stale) return;
            Running<M> total(monoid_);
            for (std::size_t i = 0; i <= node.count(); ++i) {
                if (!node.leaf()) total.add(shape_[node.child(i)].head().aggregate);
                if (i != node.count()) total.add(node.partial(i));
            }
            invariant(same_(node.head().aggregate, std::move(total).result()), "aggregates are true");
        }
    }

    const M& monoid_;
    const Shape<Partial>& shape_;
    Same same_;
    std::size_t entries_ = 0;
    std::size_t nodes_ = 0;
};

}  // namespace sash::btree
