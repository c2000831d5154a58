//! Amortized MTA: a forest whose nodes are made once, and a stack of the results that evictions will need.
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

//! Insert and evict amortized O(1), O(log n) at worst; query O(1), one combine; bulk evict O(log n), whatever leaves.
//!
//!     level 1   |   3   |   3   |                    stack   3  the leftmost tree without its first level-1 node
//!     leaves    | 1 | 2 | 1 | 2 | 1 | 2 |                    5  the same without its first leaf
//!               |<- R0 = 6 ---->|<R1 = 3>|
//!
//! A node is stored once its pair below is complete and no longer the youngest of its level, so it is never changed.
//! That is: with e leaves in all, level l ends at (e + 1) / 2^l - 1. The youngest leaf is in no node, and an equal time
//! can still combine into it. Two shortcuts keep this in bounds: a pair that has lost its older half gets no parent,
//! and the oldest node of a level keeps its value when it loses some of its leaves; nobody reads it again.
//!
//! The leftmost tree ends where the top level ends, at `split_`. R0 and the stack cover it, R1 covers the rest.
template <Monoid M, template <class> class Queue = IndexedQueue>
    requires mta::Levels<M, Queue>
class Amta : public mta::Tree<M, Queue> {
    using Base = mta::Tree<M, Queue>;
    using Base::at, Base::grow_levels, Base::leaves_, Base::levels_, Base::monoid_, Base::node;
    using typename Base::Level;

public:
    using Base::begin, Base::end, Base::oldest, Base::size, Base::youngest;
    using typename Base::Partial, typename Base::Position;

    explicit Amta(M monoid = M{}) : Base(std::move(monoid)), front_(monoid_.identity()), back_(monoid_.identity()) {}
    //! A window whose levels are to be where these empty leaves are.
    Amta(M monoid, Queue<Entry<Partial>> leaves)
        : Base(std::move(monoid), std::move(leaves)), front_(monoid_.identity()), back_(monoid_.identity()) {}
    //! The window that `save` has put down there.
    template <class In>
    Amta(M monoid, Queue<Entry<Partial>> leaves, const In& in) : Amta(std::move(monoid), std::move(leaves)) {
        load_state(in);
    }

    std::size_t bytes() const {
        return sizeof(*this) + this->level_bytes() + (stack_.capacity() + fresh_.capacity()) * sizeof(Suffix);
    }

    auto owned() const { return std::tie(leaves_, levels_, stack_, front_, back_, fresh_); }

    Partial query() const { return has_front() ? monoid_.combine(front_, back_) : back_; }

    void insert(Time time, Partial partial) {
        this->free_some();
        if (!leaves_.empty() && time == youngest()) return combine_into_youngest(partial);
        const std::size_t carries = carries_of_next();
        mta::make_room(leaves_);
        if (carries == 0) return push_leaf(time, std::move(partial));
        push_with_carries(time, std::move(partial), carries);
    }

    void evict() {
        const Position next = begin() + 1;
        if (next % 2 == 1 && next < split_) return evict_left_leaf();
        evict_to(next);
    }

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
        stack_.clear();
        top_ = 0;
        split_ = end();
        front_ = monoid_.identity();
        back_ = monoid_.identity();
    }

    //! What is held here of a window whose levels live elsewhere.
    template <class Out>
    void save(Out& out) const {
        this->save_levels(out);
        out.number(top_);
        out.number(split_);
        out.number(stack_.size());
        for (const Suffix& suffix : stack_) {
            out.number(suffix.start);
            out.element(suffix.value);
        }
        out.element(front_);
        out.element(back_);
    }

    //! For the slide policy (mta/policy.hpp). Only whole nodes count.
    bool starts_block(std::size_t level, Position leaf) const {
        if (level == 0) return true;
        return level <= top_ && std::countr_zero(leaf) >= static_cast<int>(level) && at(level).holds(leaf >> level);
    }
    Position block_end(std::size_t level, Position leaf) const { return leaf + (Position{1} << level); }

    //! (R0, R1).
    std::pair<Partial, Partial> result_pair() const { return {front_, back_}; }
    //! The stack, its top first.
    std::vector<Partial> stack() const {
        std::vector<Partial> values;
        for (std::size_t i = stack_.size(); i-- > 0;) values.push_back(stack_[i].value);
        return values;
    }
    //! How many levels there are, the leaves included; and the nodes of one, oldest first.
    std::size_t levels() const { return leaves_.empty() ? 0 : top_ + 1; }
    std::vector<Partial> level(std::size_t level) const {
        std::vector<Partial> nodes;
        const Position first = level == 0 ? begin() : at(level).begin();
        for (Position p = first; p != level_end(level); ++p) nodes.push_back(node(level, p));
        return nodes;
    }

    template <class Out>
    void describe(Out& out) const {
        if (leaves_.empty()) return;
        for (std::size_t l = top_; l > 0; --l) this->describe_level(out, l, at(l).begin(), at(l).end(), true);
        this->describe_leaves(out);
        out.begin("stack");
        for (std::size_t i = stack_.size(); i-- > 0;)
            out.aggregate("stack", this->time_at(stack_[i].start), this->time_at(split_ - 1), &stack_[i].value);
        out.end();
        if (has_front()) out.aggregate("R0", oldest(), this->time_at(split_ - 1), &front_);
        out.aggregate("R1", has_front() ? this->time_at(split_) : oldest(), youngest(), &back_);
    }

    void check_invariants() const {
        this->check_leaves();
        check_levels();
        check_stack();
        if constexpr (mta::exact<M>) check_values();
    }

private:
    //! The aggregate of [start, split_).
    struct Suffix {
        Position start;
        Partial value;

        auto owned() const { return std::tie(value); }
    };
    //! A result pair and what goes with it. Its stack is in fresh_.
    struct Cover {
        std::size_t top;
        Position split;
        Partial front;
        Partial back;
    };

    Position level_end(std::size_t level) const { return level == 0 ? end() : at(level).end(); }
    bool has_front() const { return begin() < split_; }

    template <class In>
    void load_state(const In& in) {
        this->load_levels(in);
        top_ = in.number();
        split_ = in.number();
        in.check(top_ <= levels_.size() && split_ <= end(), "forest");
        for (std::size_t left = in.count(); left > 0; --left) {
            const Position start = in.number();
            stack_.push_back({start, in.template element<Partial>()});
        }
        front_ = in.template element<Partial>();
        back_ = in.template element<Partial>();
    }

    // ---- insert

    //! How many levels get a node when the next leaf comes: level l does when its tail pair is complete, which is when
    //! 2^l divides the new (e + 1), and the pair's leaves, the 2^l before the last 2^l - 1, are all in the window.
    std::size_t carries_of_next() const {
        const auto complete = static_cast<std::size_t>(std::countr_zero(end() + 2));
        const auto inside = static_cast<std::size_t>(std::bit_width(size() + 2)) - 2;
        return std::min(complete, inside);
    }

    void push_leaf(Time time, Partial partial) {
        if constexpr (M::fallible) {
            Partial back = leaves_.empty() ? partial : monoid_.combine(back_, partial);
            leaves_.push_back({time, std::move(partial)});
            back_ = std::move(back);
        } else {
            if (leaves_.empty()) {
                back_ = partial;
            } else {
                append(monoid_, back_, partial);
            }
            leaves_.push_back({time, std::move(partial)});
        }
    }

    //! What was pushed is popped again if anything fails.
    void push_with_carries(Time time, Partial partial, std::size_t carries) {
        const Position old_end = end();
        std::size_t pushed = 0;
        try {
            for (; pushed < carries; ++pushed) push_node(pushed + 1);
            // A new level takes over the tree that was leftmost, and R0 with it. A node at the top level, or the very
            // first one, extends the leftmost tree.
            if (top_ != 0 && carries != top_) {
                push_leaf(time, std::move(partial));
                top_ = std::max(top_, carries);
            } else {
                leaves_.push_back({time, std::move(partial)});
                adopt(cover(begin(), carries));
            }
        } catch (...) {
            if (end() != old_end) leaves_.pop_back();
            while (pushed > 0) at(pushed--).pop_back();
            throw;
        }
    }

    //! The parent of the pair of the level below that the next leaf completes.
    void push_node(std::size_t level) {
        const Position position = ((end() + 2) >> level) - 2;
        Partial partial = monoid_.combine(node(level - 1, 2 * position), node(level - 1, 2 * position + 1));
        grow_levels(level);
        at(level).push_back(position, std::move(partial));
    }

    //! The youngest leaf is in R1 and in no node.
    void combine_into_youngest(const Partial& partial) {
        if constexpr (M::fallible) {
            Partial youngest = monoid_.combine(leaves_.back().partial, partial);
            Partial back = monoid_.combine(back_, partial);
            leaves_.back().partial = std::move(youngest);
            back_ = std::move(back);
        } else {
            append(monoid_, leaves_.back().partial, partial);
            append(monoid_, back_, partial);
        }
    }

    // ---- evict

    //! Every other time: the leaf's sibling stays, so that all nodes stay, and the rest of the stack serves it.
    void evict_left_leaf() {
        front_ = std::move(stack_.back().value);
        stack_.pop_back();
        leaves_.drop_before(begin() + 1);
    }

    //! Everything before `cut` leaves. Nothing is changed until all is computed.
    void evict_to(Position cut) {
        this->free_later(cut);
        if (cut == end()) return clear();
        if (cut < split_) {
            advance(cut);
        } else {
            adopt(cover(cut, top_));
        }
        drop_before(cut);
    }

    //! Moves the beginning within the leftmost tree. The suffix that starts there is R0 if the stack has it, as it has
    //! for a single eviction; the stack then covers what lies between it and the next suffix.
    void advance(Position cut) {
        std::size_t keep = stack_.size();
        while (keep > 0 && stack_[keep - 1].start <= cut) --keep;
        const bool known = keep < stack_.size() && stack_[keep].start == cut;
        fresh_.clear();
        const Partial* below = keep > 0 ? &stack_[keep - 1].value : nullptr;
        descend(cut, keep > 0 ? stack_[keep - 1].start : split_, below);
        Partial front = known ? std::move(stack_[keep].value) : joined(leaves_[cut].partial, top_of_fresh(below));
        front_ = std::move(front);
        stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(keep), stack_.end());
        for (Suffix& suffix : fresh_) stack_.push_back(std::move(suffix));
    }

    //! Computes R0, R1 and the stack of the window that begins at `cut` and has nodes up to the level `top`.
    Cover cover(Position cut, std::size_t top) {
        while (top > 0 && at(top).end() << top <= cut) --top;
        fresh_.clear();
        if (top == 0) return {0, cut, monoid_.identity(), tails(cut, 0)};
        const Position end = at(top).end();
        const Position head = cut >> top;
        for (Position p = end - 1; p != head; --p) stack_up(top, p, nullptr);
        descend(cut, (head + 1) << top, nullptr);
        return {top, end << top, joined(leaves_[cut].partial, top_of_fresh(nullptr)), tails(end << top, top)};
    }

    //! The aggregate from `first` on, a position where the level `level` ends: one or two nodes of each level below.
    Partial tails(Position first, std::size_t level) const {
        const std::size_t start = level == 0 ? 0 : level - 1;
        Position position = first >> start;
        Partial total = node(start, position++);
        for (std::size_t l = start;; --l) {
            for (; position != level_end(l); ++position) append(monoid_, total, node(l, position));
            if (l == 0) return total;
            position *= 2;
        }
    }

    //! Stacks the right siblings on the way from the node that ends at `next` down to the leaf `cut` in it.
    void descend(Position cut, Position next, const Partial* below) {
        for (auto level = static_cast<std::size_t>(std::bit_width(cut ^ (next - 1))); level-- > 0;) {
            const Position position = cut >> level;
            if (position % 2 == 0) stack_up(level, position + 1, below);
        }
    }

    void stack_up(std::size_t level, Position position, const Partial* below) {
        fresh_.push_back({position << level, joined(node(level, position), top_of_fresh(below))});
    }
    const Partial* top_of_fresh(const Partial* below) const { return fresh_.empty() ? below : &fresh_.back().value; }
    Partial joined(const Partial& older, const Partial* newer) const {
        return newer ? monoid_.combine(older, *newer) : older;
    }

    void adopt(Cover cover) {
        top_ = cover.top;
        split_ = cover.split;
        front_ = std::move(cover.front);
        back_ = std::move(cover.back);
        stack_.swap(fresh_);
    }

    //! A node goes when the last of its leaves goes.
    void drop_before(Position cut) {
        const Position old = begin();
        leaves_.drop_before(cut);
        for (std::size_t l = 1; l <= levels_.size() && cut >> l != old >> l; ++l) at(l).drop_before(cut >> l);
    }

    // ---- invariants: mta/amta_check.hpp

    void check_levels() const;
    void check_stack() const;
    //! What is stored is what the leaves give.
    void check_values() const
        requires mta::exact<M>;

    //! The highest level with a node, 0 if there is none.
    std::size_t top_ = 0;
    //! The leftmost tree is [begin, split_); there is none if that is empty.
    Position split_ = 0;
    //! Suffixes of the leftmost tree, the shortest first; the one without the oldest leaf is the last.
    std::vector<Suffix> stack_;
    //! The result pair: R0 is the leftmost tree, R1 the rest, which always has the youngest leaf.
    Partial front_;
    Partial back_;
    //! Room to compute a stack in before anything is changed.
    std::vector<Suffix> fresh_;
};

}  // namespace sash

#include "sash/algorithms/mta/amta_check.hpp"
