//! Log MTA: one binary tree whose levels are queues; every stored node is right at all times.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/mta/policy.hpp"
#include "sash/algorithms/mta/tree.hpp"

namespace sash {

//! Insert, evict and bulk evict O(log n), whatever is evicted; query O(1), at most one combine.
//!
//!     level 2   |       6       |       3       |       the root level: the lowest one of at most two nodes
//!     level 1   |   3   |   3   |   3   |
//!     leaves    | 1 | 2 | 1 | 2 | 1 | 2 |
//!
//! A node is the aggregate of those of its leaves that are in the window. So an insert adds to the youngest node of
//! each level, and an eviction, of one or of many, repairs the oldest node of each level.
template <Monoid M, template <class> class Queue = IndexedQueue>
    requires mta::Levels<M, Queue>
class LogMta : public mta::Tree<M, Queue> {
    using Base = mta::Tree<M, Queue>;
    using Base::at, Base::grow_levels, Base::leaves_, Base::levels_, Base::monoid_, Base::node;
    using typename Base::Level;

public:
    using Base::begin, Base::end, Base::oldest, Base::size, Base::youngest;
    using typename Base::Partial, typename Base::Position;

    explicit LogMta(M monoid = M{}) : Base(std::move(monoid)) {}
    //! A window whose levels are to be where these empty leaves are.
    LogMta(M monoid, Queue<Entry<Partial>> leaves) : Base(std::move(monoid), std::move(leaves)) {}
    //! The window that `save` has put down there.
    template <class In>
    LogMta(M monoid, Queue<Entry<Partial>> leaves, const In& in) : LogMta(std::move(monoid), std::move(leaves)) {
        load_state(in);
    }

    std::size_t bytes() const { return sizeof(*this) + this->level_bytes() + heads_.capacity() * sizeof(Partial); }
    auto owned() const { return std::tie(leaves_, levels_, heads_); }

    Partial query() const {
        if (leaves_.empty()) return monoid_.identity();
        const Position first = begin() >> root_;
        const Partial& oldest_node = node(root_, first);
        return first == last_node(root_) ? oldest_node : monoid_.combine(oldest_node, node(root_, first + 1));
    }

    void insert(Time time, Partial partial) {
        this->free_some();
        if (!leaves_.empty() && time == youngest()) return combine_into_youngest(partial);
        const bool grows = outgrown();
        make_room();
        if (grows) grow();
        if constexpr (M::fallible) {
            std::vector<Partial> tails;
            try {
                tails = tails_with(partial);
            } catch (...) {
                if (grows) at(root_--).clear();
                throw;
            }
            add_to_tails(partial, [&](std::size_t level) { at(level).back() = std::move(tails[level]); });
        } else {
            add_to_tails(partial, [&](std::size_t level) { append(monoid_, at(level).back(), partial); });
        }
        leaves_.push_back({time, std::move(partial)});
    }

    void evict() { evict_to(begin() + 1); }

    void bulk_evict(Time time) {
        if (!leaves_.empty() && oldest() <= time) evict_to(first_after(leaves_, time));
    }

    //! Evicts the longest prefix for which `policy(total, prefix)` holds, in O(log n). If the policy holds for a
    //! prefix, it must hold for the shorter ones.
    template <class P>
    void evict_while(P policy) {
        const Position cut = mta::PrefixSearch(*this, monoid_, policy).run();
        if (cut != begin()) evict_to(cut);
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    void clear() {
        this->clear_levels();
        root_ = 0;
    }

    //! What is held here of a window whose levels live elsewhere.
    template <class Out>
    void save(Out& out) const {
        this->save_levels(out);
        out.number(root_);
    }

    //! For the slide policy (mta/policy.hpp). The oldest node of a level starts at the oldest leaf.
    bool starts_block(std::size_t level, Position leaf) const {
        return level <= root_ && (leaf == begin() || std::countr_zero(leaf) >= static_cast<int>(level));
    }
    Position block_end(std::size_t level, Position leaf) const {
        return std::min(((leaf >> level) + 1) << level, end());
    }

    //! How many levels there are, the leaves included; and the nodes of one, oldest first.
    std::size_t levels() const { return leaves_.empty() ? 0 : root_ + 1; }
    std::vector<Partial> level(std::size_t level) const {
        std::vector<Partial> nodes;
        for (Position p = begin() >> level; p <= last_node(level); ++p) nodes.push_back(node(level, p));
        return nodes;
    }

    template <class Out>
    void describe(Out& out) const {
        if (leaves_.empty()) return;
        for (std::size_t l = root_; l > 0; --l) this->describe_level(out, l, at(l).begin(), at(l).end(), false);
        this->describe_leaves(out);
    }

    void check_invariants() const {
        this->check_leaves();
        // The root level is the lowest one of at most two nodes.
        invariant(leaves_.empty() ? root_ == 0 : root_ == root_level(begin()), "the root level fits the size");
        // A level holds exactly the nodes with a leaf in the window; above the root there is nothing.
        for (std::size_t l = 1; l <= levels_.size(); ++l) {
            invariant((l > root_) == at(l).empty(), "levels end at the root");
            if (l > root_) continue;
            invariant(at(l).begin() == begin() >> l && at(l).end() == last_node(l) + 1, "a level covers the leaves");
        }
        // A node is the aggregate of its children.
        if constexpr (mta::exact<M>) check_nodes();
    }

private:
    Position last_node(std::size_t level) const { return (end() - 1) >> level; }

    template <class In>
    void load_state(const In& in) {
        this->load_levels(in);
        root_ = in.number();
        in.check(root_ <= levels_.size(), "tree");
    }

    //! The next leaf may open a node at every level.
    void make_room() {
        mta::make_room(leaves_);
        for (std::size_t l = 1; l <= root_; ++l) at(l).make_room();
    }

    //! Where the root is if the window begins at `first`.
    std::size_t root_level(Position first) const {
        std::size_t level = 0;
        while (last_node(level) - (first >> level) > 1) ++level;
        return level;
    }
    //! Whether the next leaf makes a third node at the root level.
    bool outgrown() const { return !leaves_.empty() && (end() >> root_) - (begin() >> root_) > 1; }

    //! A new root level over the two nodes of the old one. They are both full on their right side, for the next leaf
    //! does not enter them.
    void grow() {
        const Position first = begin() >> root_;
        const bool siblings = first % 2 == 0;
        Partial older = siblings ? monoid_.combine(node(root_, first), node(root_, first + 1)) : node(root_, first);
        grow_levels(root_ + 1);
        Level& above = levels_[root_];
        above.push_back(first >> 1, std::move(older));
        if (!siblings) above.push_back((first + 1) >> 1, node(root_, first + 1));
        ++root_;
    }

    //! The next leaf, which is `partial`, opens a node at some levels and enters the youngest node of the others.
    template <class Enter>
    void add_to_tails(const Partial& partial, Enter enter) {
        for (std::size_t l = 1; l <= root_; ++l) {
            if (opens(l)) {
                at(l).push_back(end() >> l, partial);
            } else {
                enter(l);
            }
        }
    }
    bool opens(std::size_t level) const { return end() >> level == at(level).end(); }

    //! By level, the youngest nodes as they are once `partial` has entered them.
    std::vector<Partial> tails_with(const Partial& partial) const {
        std::vector<Partial> tails{partial};
        for (std::size_t l = 1; l <= root_; ++l)
            tails.push_back(opens(l) ? partial : monoid_.combine(at(l).back(), partial));
        return tails;
    }

    void combine_into_youngest(const Partial& partial) {
        if constexpr (M::fallible) {
            std::vector<Partial> tails{monoid_.combine(leaves_.back().partial, partial)};
            for (std::size_t l = 1; l <= root_; ++l) tails.push_back(monoid_.combine(at(l).back(), partial));
            leaves_.back().partial = std::move(tails[0]);
            for (std::size_t l = 1; l <= root_; ++l) at(l).back() = std::move(tails[l]);
        } else {
            append(monoid_, leaves_.back().partial, partial);
            for (std::size_t l = 1; l <= root_; ++l) append(monoid_, at(l).back(), partial);
        }
    }

    //! Everything before `cut` leaves. The nodes that lose some of their leaves are the oldest of their levels.
    void evict_to(Position cut) {
        this->free_later(cut);
        if (cut == end()) return clear();
        const std::size_t root = root_level(cut);
        const std::size_t whole = std::min(root, static_cast<std::size_t>(std::countr_zero(cut)));
        compute_heads(cut, whole, root);
        leaves_.drop_before(cut);
        for (std::size_t l = 1; l <= root; ++l) {
            at(l).drop_before(cut >> l);
            if (l > whole) at(l).set_front(std::move(heads_[l - whole - 1]));
        }
        for (std::size_t l = root + 1; l <= root_; ++l) at(l).clear();
        root_ = root;
    }

    //! The oldest nodes of the levels (whole, root] of the window that begins at `cut`: each is the one below, with
    //! its sibling if that is to its right; below the root there are three nodes or more, so it exists. The node at
    //! `whole` loses nothing.
    void compute_heads(Position cut, std::size_t whole, std::size_t root) {
        heads_.clear();
        const Partial* below = &node(whole, cut >> whole);
        heads_.reserve(root - whole);
        for (std::size_t l = whole; l < root; ++l) {
            const Position child = cut >> l;
            heads_.push_back(child % 2 == 0 ? monoid_.combine(*below, node(l, child + 1)) : *below);
            below = &heads_.back();
        }
    }

    void check_nodes() const
        requires mta::exact<M>
    {
        for (std::size_t l = 1; l <= root_; ++l) {
            for (Position p = at(l).begin(); p != at(l).end(); ++p) {
                const Position first = std::max(2 * p, begin() >> (l - 1));
                const Position last = std::min(2 * p + 1, last_node(l - 1));
                const Partial whole =
                    first == last ? node(l - 1, first) : monoid_.combine(node(l - 1, first), node(l - 1, last));
                invariant(at(l)[p] == whole, "a node is the aggregate of its children");
            }
        }
    }

    std::size_t root_ = 0;
    //! Room for an eviction to compute in before it changes anything.
    std::vector<Partial> heads_;
};

}  // namespace sash
