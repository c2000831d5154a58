//! The flat fixed-size aggregator: a complete binary tree of partials in one array.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/flatfat/occupancy.hpp"
#include "sash/algorithms/fold.hpp"
#include "sash/algorithms/in_order.hpp"

namespace sash::flatfat {

//! Node 1 is the root, 2v and 2v + 1 are the children of v, and leaf i is node capacity + i. Node 0 holds the identity.
//!
//! A change is written to its leaf and noted. Nothing is combined before somebody asks: settle() then recomputes what
//! lies above all changes since, each node once. For m changes anywhere that is at most m (1 + ceil(log2(capacity /
//! m))) combines. A combine that throws leaves the changes noted, so that nothing is lost.
//!
//! A settled node over two occupied children holds their combination; over one, a copy of that one; over none, the
//! identity. So the identity need not be combined. Where a combine is cheaper than a test for emptiness (a small
//! partial, native code), a few updates combine it nevertheless.
//!
//! In an inverted buffer the nodes above both its front and its back have newer entries on their left than on their
//! right. No answer is read off them, unless order does not matter: they are left empty, so that combine is called in
//! the order of time alone.
//!
//! The tree does not know how full it is: the caller says it by the Ring.
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
    auto owned() const { return std::tie(nodes_); }
    std::size_t bytes() const {
        return nodes_.capacity() * sizeof(Partial) + occupancy_.bytes() +
               (changed_.capacity() + parents_.capacity()) * sizeof(std::size_t);
    }

    void set(std::size_t slot, Partial value) {
        note(node_of(slot));
        nodes_[node_of(slot)] = std::move(value);
        occupancy_.occupy(node_of(slot));
    }

    //! Empties a leaf; others stay.
    void erase(std::size_t slot) {
        note(node_of(slot));
        nodes_[node_of(slot)] = nodes_[0];
        occupancy_.vacate(node_of(slot));
    }

    //! Recomputes what the changes since the last time have made wrong. A ring of another shape is a change of the
    //! leaves at its old ends, so that what it makes right or wrong lies above them.
    void settle(const Ring& ring) {
        if (!all_ && changed_.empty()) return;
        if (all_) {
            build(ring);
        } else if (kPlain && changed_.size() <= 2) {
            for (const std::size_t node : changed_) climb(ring, node);
        } else {
            repair(ring);
        }
        all_ = false;
        changed_.clear();
    }

    //! Back to nothing; O(capacity).
    void clear() { *this = Tree(monoid_, capacity()); }

    // Of a settled tree:

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

    //! The levels above the leaves, the root's first: a node each, of which an empty one holds nothing. `span(first,
    //! last)` is the pair of the first and the last time among these slots, one of which is occupied.
    template <class Out, class Span>
    void describe(Out& out, const Ring& ring, std::size_t levels, Span span) const {
        const std::vector<char> known = known_nodes(ring);
        for (std::size_t width = 1; levels > 0; width *= 2, --levels) {
            const std::size_t slots = capacity() / width;
            out.begin("level");
            for (std::size_t i = 0; i < width; ++i) {
                out.begin("node");
                if (known[width + i] != kEmpty) {
                    const auto [first, last] = span(i * slots, (i + 1) * slots);
                    const bool stale = known[width + i] == kStale;
                    out.aggregate(stale ? "waits" : "", first, last, stale ? nullptr : &nodes_[width + i]);
                }
                out.end();
            }
            out.end();
        }
    }

    void check_invariants(const Ring& ring) const {
        auto children = occupancy_.leaves(ring);
        auto level = children;
        level.up();
        Mixed mixed(ring);
        for (std::size_t width = capacity() / 2; width != 0; width /= 2, children.up(), level.up()) {
            mixed.up();
            for (std::size_t node = width; node < 2 * width; ++node) {
                const bool left = children.occupied(2 * node);
                const bool right = children.occupied(2 * node + 1);
                // A node is occupied if and only if one of its children is.
                invariant(level.occupied(node) == (left || right), "an inner node is occupied as its children are");
                if ((left || right) && !mixed.holds(node)) check_value(node, left, right);
            }
        }
    }

private:
    //! A small partial travels up in registers, and is combined sooner than a bit is tested.
    static constexpr bool kPlain = !M::fallible && std::is_trivially_copyable_v<Partial> && sizeof(Partial) <= 32;

    std::size_t node_of(std::size_t slot) const { return capacity() + slot; }

    //! Follows the leaves of the front and of the back up the tree. A node above both, in an inverted buffer, has
    //! entries of both ends below it: the front's and the back's way up meet there, and nowhere else is the order
    //! wrong.
    class Mixed {
    public:
        explicit Mixed(const Ring& ring)
            : inverted_(!M::commutative && ring.inverted()),
              front_(ring.capacity + ring.front),
              back_(inverted_ ? ring.capacity + ring.back() : 0) {}
        void up() {
            front_ /= 2;
            back_ /= 2;
        }
        bool holds(std::size_t node) const { return inverted_ && node == front_ && node == back_; }

    private:
        bool inverted_;
        std::size_t front_;
        std::size_t back_;
    };

    static constexpr char kEmpty = 0;
    static constexpr char kStale = 1;
    static constexpr char kKnown = 2;

    //! Of each node: whether an entry lies below it, and its aggregate is that of all below it.
    std::vector<char> known_nodes(const Ring& ring) const {
        std::vector<char> known(nodes_.size(), kEmpty);
        auto level = occupancy_.leaves(ring);
        Mixed mixed(ring);
        for (std::size_t width = capacity(); width != 0; width /= 2, level.up(), mixed.up())
            for (std::size_t node = width; node < 2 * width; ++node)
                if (level.occupied(node) && !mixed.holds(node)) known[node] = all_ ? kStale : kKnown;
        for (std::size_t node : changed_)
            for (; node != 0; node /= 2)
                if (known[node] != kEmpty) known[node] = kStale;
        return known;
    }

    void note(std::size_t node) {
        if (all_) return;
        if (changed_.size() == capacity()) {
            all_ = true;
            changed_.clear();
        } else {
            changed_.push_back(node);
        }
    }

    void build(const Ring& ring) {
        auto level = occupancy_.leaves(ring);
        Mixed mixed(ring);
        for (std::size_t width = capacity() / 2; width != 0; width /= 2, level.up()) {
            mixed.up();
            for (std::size_t node = width; node < 2 * width; ++node) recompute(level, mixed, node);
        }
    }

    //! Level by level, each parent of a change once.
    void repair(const Ring& ring) {
        parents_ = changed_;
        std::sort(parents_.begin(), parents_.end());
        auto level = occupancy_.leaves(ring);
        Mixed mixed(ring);
        for (; parents_.front() != 1; level.up()) {
            mixed.up();
            for (std::size_t& node : parents_) node /= 2;
            parents_.erase(std::unique(parents_.begin(), parents_.end()), parents_.end());
            for (const std::size_t node : parents_) recompute(level, mixed, node);
        }
    }

    //! `level` is the level of the node's children.
    template <class Level>
    void recompute(const Level& level, const Mixed& mixed, std::size_t node) {
        const bool left = level.occupied(2 * node);
        const bool right = level.occupied(2 * node + 1);
        if (left && right && !mixed.holds(node)) {
            combine_into(monoid_, nodes_[node], nodes_[2 * node], nodes_[2 * node + 1]);
        } else {
            nodes_[node] = left == right ? nodes_[0] : nodes_[2 * node + (right ? 1 : 0)];
        }
    }

    //! Recomputes the ancestors of a leaf without asking which siblings are empty.
    void climb(const Ring& ring, std::size_t node) {
        if constexpr (kPlain) {
            Partial* const nodes = nodes_.data();
            Partial value = nodes[node];
            for (Mixed mixed(ring); node > 1; node /= 2) {
                mixed.up();
                if (mixed.holds(node / 2)) return;
                value = join(node, value, nodes[node ^ 1]);
                nodes[node / 2] = value;
            }
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
    //! The leaves that were changed; in a new tree, and when there are more changes than leaves, all of them.
    std::vector<std::size_t> changed_;
    bool all_ = true;
    //! Room for repair() to work in.
    std::vector<std::size_t> parents_;
};

}  // namespace sash::flatfat
