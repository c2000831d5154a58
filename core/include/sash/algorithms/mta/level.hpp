//! What the two Monoid Tree Aggregators share: levels of a binary tree, each one a queue.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "sash/algorithm.hpp"

namespace sash::mta {

//! Node `j` of level `l` covers the leaves [j * 2^l, (j + 1) * 2^l). Positions are absolute: they count every leaf
//! since the window was made. So a node's pair, its parent and its children follow from its position alone, and
//! nothing but partials is stored.
using Position = std::uint64_t;

//! The seam for levels that do not live in memory as a whole. Elements are read anywhere, and changed at the two ends
//! only. A reference stays valid until the next call that changes the queue, or the second read after it.
template <class Q, class T>
concept LevelQueue = std::copyable<Q> && requires(Q queue, const Q& view, Position position, T value) {
    { view.begin() } -> std::same_as<Position>;
    { view.end() } -> std::same_as<Position>;
    { view.size() } -> std::same_as<std::size_t>;
    { view.empty() } -> std::same_as<bool>;
    { view[position] } -> std::same_as<const T&>;
    { view.front() } -> std::same_as<const T&>;
    { view.back() } -> std::same_as<const T&>;
    { queue.back() } -> std::same_as<T&>;
    { view.bytes() } -> std::same_as<std::size_t>;
    queue.push_back(std::move(value));
    queue.pop_back();
    queue.drop_before(position);
};

//! A queue that has a place other than memory.
template <class Q>
concept Elsewhere = requires(const Q& queue) { queue.space(); };

//! Whether stored aggregates can be checked against recomputation: equality is exact, and nobody's callback runs.
template <class M>
inline constexpr bool exact = !M::fallible && !Rounded<M> && std::equality_comparable<typename M::Partial> &&
                              !std::floating_point<typename M::Partial>;

//! Where a push may have to wait for a place elsewhere, it waits here: this may throw, and the next push then does not.
template <class Queue>
void make_room(Queue& queue) {
    if constexpr (requires { queue.make_room(); }) queue.make_room();
}

//! Gives memory back that a queue holds without need.
template <class Queue>
void shrink_to_fit(Queue& queue) {
    if constexpr (requires { queue.shrink_to_fit(); }) queue.shrink_to_fit();
}

//! The same, a piece at a time. Returns whether there is more.
template <class Queue>
bool free_some(Queue& queue) noexcept {
    if constexpr (requires { queue.free_some(); }) {
        return queue.free_some();
    } else {
        return false;
    }
}

//! A level above the leaves. It may begin at any position: `base_` moves the queue's own count there.
template <class Partial, class Queue>
    requires LevelQueue<Queue, Partial>
class Level {
public:
    Level() = default;
    //! The level `level`, in the place where the leaves have theirs.
    template <class Leaves>
    Level(const Leaves& leaves, std::size_t level) : nodes_(leaves.template beside<Queue>(level)) {}

    //! Meaningless while the level is empty.
    Position begin() const { return nodes_.begin() + base_; }
    Position end() const { return nodes_.end() + base_; }
    bool empty() const { return nodes_.empty(); }
    std::size_t size() const { return nodes_.size(); }
    std::size_t bytes() const { return nodes_.bytes(); }
    auto owned() const { return std::tie(nodes_); }
    bool holds(Position node) const { return node - begin() < size(); }

    const Partial& operator[](Position node) const { return nodes_[node - base_]; }
    const Partial& back() const { return nodes_.back(); }
    Partial& back() { return nodes_.back(); }
    void set_front(Partial partial) {
        if constexpr (requires { nodes_.set_front(std::move(partial)); }) {
            nodes_.set_front(std::move(partial));
        } else {
            nodes_.front() = std::move(partial);
        }
    }
    void make_room() { mta::make_room(nodes_); }
    void shrink_to_fit() { mta::shrink_to_fit(nodes_); }
    bool free_some() noexcept { return mta::free_some(nodes_); }

    //! `node` is end(), or anything if the level is empty.
    void push_back(Position node, Partial partial) {
        const Position base = empty() ? node - nodes_.end() : base_;
        nodes_.push_back(std::move(partial));
        base_ = base;
    }
    void pop_back() { nodes_.pop_back(); }

    //! Drops what lies before `node`, which need not be here.
    void drop_before(Position node) {
        if (!empty() && node > begin()) nodes_.drop_before(std::min(node, end()) - base_);
    }
    void clear() { nodes_.drop_before(nodes_.end()); }

    //! For levels that live elsewhere: what of them is here.
    template <class Out>
    void save(Out& out) const {
        out.number(base_);
        nodes_.save(out);
    }
    template <class In>
    void load(const In& in) {
        base_ = in.number();
        nodes_.load(in);
    }

private:
    Queue nodes_;
    Position base_ = 0;
};

}  // namespace sash::mta
