//! The B-tree without its aggregates: order, balance, and which aggregates a change made stale.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "sash/algorithms/btree/pool.hpp"

namespace sash::btree {

//! The way from the root to a node.
class Path {
public:
    //! `index` is the child that the path goes on to; in the last step, the entry that was meant.
    struct Step {
        Id node;
        std::uint32_t index;
    };

    //! An inner node has two children or more, and ids have 32 bits: no path is longer.
    static constexpr std::size_t kMaxHeight = 33;

    void push(Id node, std::uint32_t index) { steps_[size_++] = {node, index}; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const Step& operator[](std::size_t depth) const { return steps_[depth]; }
    const Step& back() const { return steps_[size_ - 1]; }
    const Step* begin() const { return steps_.data(); }
    const Step* end() const { return steps_.data() + size_; }

    //! The search met its time: it is the entry of the last step.
    bool found = false;

private:
    std::array<Step, kMaxHeight> steps_;
    std::size_t size_ = 0;
};

//! Entries in all nodes, ordered by time, all leaves at one depth, MIN_ARITY to 2 MIN_ARITY children (2 at least at
//! the root), one entry fewer. Rebalancing comes after the fact: a node overflows or underflows by one, then is split,
//! merged or given a neighbour's entry.
//!
//! Nothing here combines. Each change marks stale every node whose subtree it touched. So a stale node's ancestors are
//! stale too, and a node that is not stale has a true aggregate. An insertion can fail only for lack of memory, before
//! it changes anything; an erasure cannot fail.
template <class Partial>
class Shape {
public:
    using Pool = NodePool<Partial>;

    //! A node overflows to one entry more than it may keep: 2 MIN_ARITY of them.
    explicit Shape(std::size_t min_arity) noexcept : min_arity_(min_arity), pool_(2 * min_arity) {}

    Shape(const Shape&) = default;
    Shape(Shape&& other) noexcept : Shape(other.min_arity_) { swap(other); }
    Shape& operator=(Shape other) noexcept {
        swap(other);
        return *this;
    }
    ~Shape() = default;

    void swap(Shape& other) noexcept {
        std::swap(min_arity_, other.min_arity_);
        std::swap(pool_, other.pool_);
        std::swap(root_, other.root_);
        std::swap(size_, other.size_);
        std::swap(height_, other.height_);
    }

    std::size_t min_arity() const { return min_arity_; }
    std::size_t size() const { return size_; }
    //! Levels; 0 when empty.
    std::size_t height() const { return height_; }
    //! kNone when empty.
    Id root() const { return root_; }
    const Pool& pool() const { return pool_; }
    auto operator[](Id id) const { return pool_[id]; }
    Partial& partial(const Path::Step& at) { return pool_[at.node].partial(at.index); }

    //! Root-down search: to the entry at `time`, or to the place in a leaf where it belongs.
    Path find(Time time) const {
        Path path;
        for (Id id = root_; id != kNone;) {
            const auto node = pool_[id];
            const std::uint32_t i = node.lower(time);
            path.push(id, i);
            path.found = i != node.count() && node.time(i) == time;
            id = path.found || node.leaf() ? kNone : node.child(i);
        }
        return path;
    }

    //! The way to the oldest entry of a tree that is not empty.
    Path first() const {
        Path path;
        path.found = true;
        for (Id id = root_; id != kNone; id = pool_[id].leaf() ? kNone : pool_[id].child(0)) path.push(id, 0);
        return path;
    }

    Time oldest() const {
        Id id = root_;
        while (!pool_[id].leaf()) id = pool_[id].child(0);
        return pool_[id].time(0);
    }

    Time youngest() const {
        Id id = root_;
        while (!pool_[id].leaf()) id = pool_[id].child(pool_[id].count());
        return pool_[id].time(pool_[id].count() - 1);
    }

    //! Whether an entry inserted at the end of `path` is the youngest and splits nothing.
    bool only_appends(const Path& path) const {
        for (const auto& [id, index] : path)
            if (index != pool_[id].count()) return false;
        return !path.empty() && pool_[path.back().node].count() != most_entries();
    }

    //! Puts an entry where find() ended without finding it.
    void insert(const Path& path, Time time, Partial partial) {
        pool_.reserve(path.size() + 1);
        ++size_;
        if (path.empty()) return plant(time, std::move(partial));
        mark_stale(path);
        pool_[path.back().node].insert(path.back().index, time, std::move(partial), kNone);
        for (std::size_t depth = path.size(); depth-- > 0 && overflows(path[depth].node);) split(path, depth);
    }

    //! Removes the entry that `path` found.
    void erase(Path path) noexcept {
        --size_;
        const auto node = pool_[path.back().node];
        if (!node.leaf()) pull_predecessor(path);
        mark_stale(path);
        pool_[path.back().node].erase(path.back().index);
        for (std::size_t depth = path.size(); --depth > 0 && underflows(path[depth].node);) refill(path[depth - 1]);
        if (pool_[root_].count() == 0) lower_root();
    }

    void mark_stale(const Path& path) const {
        for (const auto& step : path) pool_[step.node].head().stale = true;
    }

    std::size_t least_entries() const { return min_arity_ - 1; }
    std::size_t most_entries() const { return 2 * min_arity_ - 1; }

private:
    bool overflows(Id id) const { return pool_[id].count() > most_entries(); }
    bool underflows(Id id) const { return pool_[id].count() < least_entries(); }
    bool can_lend(Id id) const { return pool_[id].count() > least_entries(); }

    void plant(Time time, Partial partial) {
        root_ = pool_.take(true);
        height_ = 1;
        pool_[root_].insert(0, time, std::move(partial), kNone);
    }

    //! The middle entry goes up, what lies behind it goes to a new node on the right.
    void split(const Path& path, std::size_t depth) {
        const auto left = pool_[path[depth].node];
        const std::size_t middle = left.count() / 2;
        const Id id = pool_.take(left.leaf());
        const auto right = pool_[id];
        if (!left.leaf()) right.child(0) = left.child(middle + 1);
        right.take_tail(left, middle + 1);
        if (depth == 0) raise_root();
        const Path::Step above = depth == 0 ? Path::Step{root_, 0} : path[depth - 1];
        pool_[above.node].insert(above.index, left.time(middle), std::move(left.partial(middle)), id);
        left.truncate(middle);
    }

    //! A new root, without entries yet, over the old one.
    void raise_root() {
        const Id id = pool_.take(false);
        pool_[id].child(0) = root_;
        root_ = id;
        ++height_;
    }

    //! A root without entries makes way for its only child, or for the empty tree.
    void lower_root() {
        const Id id = root_;
        root_ = pool_[id].leaf() ? kNone : pool_[id].child(0);
        pool_.give_back(id);
        --height_;
    }

    //! The entry to be erased is not in a leaf: the one just before it, which is, takes its place.
    void pull_predecessor(Path& path) {
        const auto [target, index] = path.back();
        for (Id id = pool_[target].child(index); id != kNone;) {
            const auto node = pool_[id];
            path.push(id, node.leaf() ? node.count() - 1 : node.count());
            id = node.leaf() ? kNone : node.child(node.count());
        }
        const auto& [leaf, last] = path.back();
        pool_[target].time(index) = pool_[leaf].time(last);
        pool_[target].partial(index) = std::move(pool_[leaf].partial(last));
    }

    //! The child that `at` names has an entry too few: a neighbour lends one, or the two are merged.
    void refill(const Path::Step& at) {
        const auto parent = pool_[at.node];
        const bool has_left = at.index != 0;
        const bool has_right = at.index != parent.count();
        if (has_left && can_lend(parent.child(at.index - 1))) return move_right(at.node, at.index - 1);
        if (has_right && can_lend(parent.child(at.index + 1))) return move_left(at.node, at.index);
        merge(at.node, has_left ? at.index - 1 : at.index);
    }

    //! The last entry left of the parent's i-th goes up, and that one down to the right.
    void move_right(Id above, std::size_t i) {
        const auto parent = pool_[above];
        const auto left = pool_[parent.child(i)];
        const auto right = pool_[parent.child(i + 1)];
        const std::size_t last = left.count() - 1;
        right.insert(0, parent.time(i), std::move(parent.partial(i)), right.child(0));
        if (!left.leaf()) right.child(0) = left.child(last + 1);
        parent.time(i) = left.time(last);
        parent.partial(i) = std::move(left.partial(last));
        left.truncate(last);
        left.head().stale = true;
    }

    //! The first entry right of the parent's i-th goes up, and that one down to the left.
    void move_left(Id above, std::size_t i) {
        const auto parent = pool_[above];
        const auto left = pool_[parent.child(i)];
        const auto right = pool_[parent.child(i + 1)];
        left.insert(left.count(), parent.time(i), std::move(parent.partial(i)), right.child(0));
        parent.time(i) = right.time(0);
        parent.partial(i) = std::move(right.partial(0));
        if (!right.leaf()) right.child(0) = right.child(1);
        right.erase(0);
        right.head().stale = true;
    }

    //! The nodes beside the parent's i-th entry become one, with that entry between them.
    void merge(Id above, std::size_t i) {
        const auto parent = pool_[above];
        const Id gone = parent.child(i + 1);
        const auto left = pool_[parent.child(i)];
        const auto right = pool_[gone];
        left.insert(left.count(), parent.time(i), std::move(parent.partial(i)), right.child(0));
        left.take_tail(right, 0);
        left.head().stale = true;
        parent.erase(i);
        pool_.give_back(gone);
    }

    std::size_t min_arity_;
    Pool pool_;
    Id root_ = kNone;
    std::size_t size_ = 0;
    std::size_t height_ = 0;
};

}  // namespace sash::btree
