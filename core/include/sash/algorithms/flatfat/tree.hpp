//! The flat fixed-size aggregator: a complete binary tree of partials in one array.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/flatfat/occupancy.hpp"
#include "sash/algorithms/flatfat/undo.hpp"
#include "sash/algorithms/fold.hpp"
#include "sash/algorithms/in_order.hpp"

namespace sash::flatfat {

//! Node 1 is the root, 2v and 2v + 1 are the children of v, and leaf i is node capacity + i.
//!
//! A node over two occupied children holds their combination; over one, a copy of that one; over none, the identity.
//! So the identity need not be combined. Where a combine is cheaper than a test for emptiness (a small partial, native
//! code), a single update combines it nevertheless.
//!
//! The tree does not know how full it is: the caller says it by the Ring that holds after the change. A call that
//! throws leaves the tree as it was.
template <Monoid M, class Occupancy>
class Tree {
public:
    using Partial = typename M::Partial;

    //! The capacity is 0 or a power of two above 1.
    explicit Tree(M monoid, std::size_t capacity = 0)
        : monoid_(std::move(monoid)), nodes_(2 * capacity, monoid_.identity()), occupancy_(capacity) {}

    const M& monoid() const { return monoid_; }
    std::size_t capacity() const { return nodes_.size() / 2; }
    const Partial& leaf(std::size_t slot) const { return nodes_[node_of(slot)]; }
    bool occupied(const Ring& ring, std::size_t slot) const { return occupancy_.leaves(ring).occupied(node_of(slot)); }
    std::size_t bytes() const { return nodes_.capacity() * sizeof(Partial) + occupancy_.bytes(); }

    //! Sets one leaf, and its ancestors: at most log2(capacity) combines.
    void write(const Ring& after, std::size_t slot, Partial value) {
        const std::size_t node = node_of(slot);
        if constexpr (kPlain) {
            climb(node, value);
        } else {
            auto undo = make_undo();
            put(undo, node, std::move(value));
            climb(occupancy_.leaves(after), node, undo);
            undo.commit();
        }
        occupancy_.occupy(node);
    }

    //! Empties one leaf; others stay. At most log2(capacity) combines.
    void erase(const Ring& after, std::size_t slot) {
        if constexpr (kPlain) {
            climb(node_of(slot), monoid_.identity());
        } else {
            erase_path(after, node_of(slot));
        }
        occupancy_.vacate(node_of(slot));
    }

    //! Sets the leaves from `first` on, around the end of the array if need be. For m leaves at most
    //! m (1 + ceil(log2(capacity / m))) combines: level by level, each parent once.
    void write_run(const Ring& after, std::size_t first, std::span<Partial> values) {
        transact([&](auto& undo) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                const std::size_t node = node_of((first + i) & (capacity() - 1));
                put(undo, node, std::move(values[i]));
                occupancy_.occupy(node);
            }
            repair(after, first, values.size(), undo);
        });
    }

    //! Empties `count` leaves from `first` on, which is all from there to the new front; others stay. At most
    //! 2 log2(capacity) combines, because what remains touches the gap at its two ends only.
    void erase_front(const Ring& after, std::size_t first, std::size_t count) {
        transact([&](auto& undo) {
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t node = node_of((first + i) & (capacity() - 1));
                put(undo, node, monoid_.identity());
                occupancy_.vacate(node);
            }
            repair(after, first, count, undo);
        });
    }

    //! Sets one leaf of a new tree; build() must follow.
    void fill(std::size_t slot, Partial value) {
        nodes_[node_of(slot)] = std::move(value);
        occupancy_.occupy(node_of(slot));
    }

    //! The inner nodes of a new tree whose first leaves were filled: fewer combines than leaves.
    void build(const Ring& ring) {
        NoUndo undo;
        repair(ring, 0, ring.length, undo);
    }

    //! Back to nothing; O(capacity).
    void clear() {
        for (Partial& node : nodes_) node = monoid_.identity();
        occupancy_ = Occupancy(capacity());
    }

    //! All leaves, in the order of the slots; one of them is occupied.
    const Partial& aggregate() const { return nodes_[1]; }
    //! Leaves up to slot `last`; at most log2(capacity) combines.
    Partial prefix(const Ring& ring, std::size_t last) const { return range(ring, 0, last); }
    //! Leaves from slot `first` on; at most log2(capacity) combines.
    Partial suffix(const Ring& ring, std::size_t first) const { return range(ring, first, capacity() - 1); }
    //! Leaves from slot `first` to slot `last`, around the end of the array where first > last.
    Partial range(const Ring& ring, std::size_t first, std::size_t last) const {
        Fold<M> total(monoid_);
        if (first > last) {
            gather(ring, first, capacity() - 1, total);
            first = 0;
        }
        gather(ring, first, last, total);
        return total.take();
    }
    //! Whether one of those leaves is occupied.
    bool any(const Ring& ring, std::size_t first, std::size_t last) const {
        bool found = false;
        const auto note = [&found](const Partial&) { found = true; };
        if (first > last) {
            visit(ring, first, capacity() - 1, note, note);
            first = 0;
        }
        visit(ring, first, last, note, note);
        return found;
    }

    void check_invariants(const Ring& ring) const {
        auto children = occupancy_.leaves(ring);
        auto level = children;
        level.up();
        for (std::size_t width = capacity() / 2; width != 0; width /= 2, children.up(), level.up()) {
            for (std::size_t node = width; node < 2 * width; ++node) {
                const bool left = children.occupied(2 * node);
                const bool right = children.occupied(2 * node + 1);
                // A node is occupied if and only if one of its children is.
                invariant(level.occupied(node) == (left || right), "an inner node is occupied as its children are");
                if (left || right) check_value(node, left, right);
            }
        }
    }

private:
    //! A small partial travels up in registers, and is combined sooner than a bit is tested.
    static constexpr bool kPlain = !M::fallible && std::is_trivially_copyable_v<Partial> && sizeof(Partial) <= 32;

    std::size_t node_of(std::size_t slot) const { return capacity() + slot; }

    auto make_undo() {
        if constexpr (kInPlace<M>) {
            return NoUndo{};
        } else {
            return Undo<M>(nodes_);
        }
    }

    //! Runs a change that marks leaves before it computes; a throw takes the marks back, too.
    template <class Change>
    void transact(Change change) {
        auto undo = make_undo();
        if constexpr (Occupancy::holes && !kInPlace<M>) {
            Occupancy before = occupancy_;
            try {
                change(undo);
            } catch (...) {
                occupancy_ = std::move(before);
                throw;
            }
        } else {
            change(undo);
        }
        undo.commit();
    }

    template <class U>
    void put(U& undo, std::size_t node, Partial value) {
        undo.save(node);
        nodes_[node] = std::move(value);
    }

    template <class U>
    void combine_children(U& undo, std::size_t node) {
        if constexpr (kInPlace<M>) {
            combine_into(monoid_, nodes_[node], nodes_[2 * node], nodes_[2 * node + 1]);
        } else {
            put(undo, node, monoid_.combine(nodes_[2 * node], nodes_[2 * node + 1]));
        }
    }

    //! Sets a node and its ancestors without asking which siblings are empty.
    void climb(std::size_t node, Partial value)
        requires kPlain
    {
        Partial* const nodes = nodes_.data();
        nodes[node] = value;
        for (; node > 1; node /= 2) {
            value = join(node, value, nodes[node ^ 1]);
            nodes[node / 2] = value;
        }
    }

    //! The value of the parent of `node`. By value, so that the choice is a move and not a jump: whether a node is a
    //! right child looks random to a predictor.
    Partial join(std::size_t node, Partial value, Partial sibling) const
        requires kPlain
    {
        if constexpr (M::commutative) return monoid_.combine(sibling, value);
        const bool right = node % 2 == 1;
        const Partial older = right ? sibling : value;
        const Partial newer = right ? value : sibling;
        return monoid_.combine(older, newer);
    }

    //! Recomputes the ancestors of a node that is occupied, marked or not. `level` is its level.
    template <class Level, class U>
    void climb(Level level, std::size_t node, U& undo) {
        for (; node != 1; node /= 2, level.up()) {
            if (level.occupied(node ^ 1)) {
                combine_children(undo, node / 2);
            } else {
                put(undo, node / 2, nodes_[node]);
            }
        }
    }

    //! Empties a leaf and the ancestors that lose their last entry. The next one up takes over its other child.
    void erase_path(const Ring& after, std::size_t node) {
        auto level = occupancy_.leaves(after);
        auto undo = make_undo();
        put(undo, node, monoid_.identity());
        for (; !level.occupied(node ^ 1); level.up()) put(undo, node /= 2, monoid_.identity());
        put(undo, node / 2, nodes_[node ^ 1]);
        level.up();
        climb(level, node / 2, undo);
        undo.commit();
    }

    //! Nodes of one level, [begin, end).
    struct Stretch {
        std::size_t begin;
        std::size_t end;
        //! An empty stretch must lie at a power of two to stay empty.
        Stretch parents() const { return {begin / 2, (end + 1) / 2}; }
    };

    //! Recomputes all that lies above `count` leaves from `first` on. Around the end of the array they are two
    //! stretches, which meet further up.
    template <class U>
    void repair(const Ring& after, std::size_t first, std::size_t count, U& undo) {
        const std::size_t linear = std::min(count, capacity() - first);
        Stretch high{node_of(first), node_of(first + linear)};
        Stretch low{capacity(), node_of(count - linear)};
        for (auto level = occupancy_.leaves(after); high.end > 2; level.up()) {
            low = low.parents();
            high = high.parents();
            high.begin = std::max(high.begin, low.end);
            for (std::size_t node = low.begin; node < low.end; ++node) recompute(level, node, undo);
            for (std::size_t node = high.begin; node < high.end; ++node) recompute(level, node, undo);
        }
    }

    //! `level` is the level of the node's children.
    template <class Level, class U>
    void recompute(const Level& level, std::size_t node, U& undo) {
        const bool left = level.occupied(2 * node);
        const bool right = level.occupied(2 * node + 1);
        if (left && right) {
            combine_children(undo, node);
        } else if (left || right) {
            put(undo, node, nodes_[2 * node + (right ? 1 : 0)]);
        } else {
            put(undo, node, monoid_.identity());
        }
    }

    //! Calls `left` and `right` on the occupied nodes that lie wholly inside the leaves [first, last]: the left ones
    //! from the oldest on, the right ones from the youngest back, at most one of each a level.
    template <class Left, class Right>
    void visit(const Ring& ring, std::size_t first, std::size_t last, Left left, Right right) const {
        auto level = occupancy_.leaves(ring);
        std::size_t begin = node_of(first);
        for (std::size_t end = node_of(last) + 1; begin < end; begin /= 2, end /= 2, level.up()) {
            if (begin % 2 == 1) {
                if (level.occupied(begin)) left(nodes_[begin]);
                ++begin;
            }
            if (end % 2 == 1) {
                --end;
                if (level.occupied(end)) right(nodes_[end]);
            }
        }
    }

    void gather(const Ring& ring, std::size_t first, std::size_t last, Fold<M>& older) const {
        Fold<M> newer(monoid_);
        const auto append = [&older](const Partial& partial) { older.append(partial); };
        const auto prepend = [&newer](const Partial& partial) { newer.prepend(partial); };
        visit(ring, first, last, append, prepend);
        older.append(newer);
    }

    //! Seen only where partials can be compared and combining is free of side effects.
    void check_value(std::size_t node, bool left, bool right) const {
        if constexpr (std::equality_comparable<Partial> && !M::fallible) {
            const Partial& older = nodes_[2 * node];
            const Partial& newer = nodes_[2 * node + 1];
            // A node over two entries or more combines its children, in either order where that is the same.
            bool holds = left && right && same(nodes_[node], monoid_.combine(older, newer));
            if (M::commutative && !holds) holds = left && right && same(nodes_[node], monoid_.combine(newer, older));
            // A node with one occupied child equals that child.
            if (left != right) holds = same(nodes_[node], left ? older : newer);
            invariant(holds, "an inner node combines its children");
        }
    }

    //! Equal, or both not a number.
    static bool same(const Partial& one, const Partial& other) {
        return one == other || (one != one && other != other);
    }

    [[no_unique_address]] M monoid_;
    std::vector<Partial> nodes_;
    [[no_unique_address]] Occupancy occupancy_;
};

}  // namespace sash::flatfat
