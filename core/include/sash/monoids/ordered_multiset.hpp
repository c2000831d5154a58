//! Values in order, any number of them equal: the k-th is found as fast as one is put in or taken out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sash/algorithm.hpp"

namespace sash {

namespace multiset {

//! An array of its own size.
template <class Item, std::uint32_t capacity>
struct Run {
    static constexpr std::uint32_t kMost = capacity;

    std::uint32_t size = 0;
    std::array<Item, capacity> items = {};

    Item* begin() { return items.data(); }
    Item* end() { return items.data() + size; }
    const Item* begin() const { return items.data(); }
    const Item* end() const { return items.data() + size; }

    void insert(std::uint32_t at, const Item& item) {
        std::move_backward(begin() + at, end(), end() + 1);
        items[at] = item;
        ++size;
    }
    void erase(std::uint32_t at) {
        std::move(begin() + at + 1, end(), begin() + at);
        --size;
    }
    //! The items of this run and of the one that follows it, shared so that this one has the `first` of them.
    void share(Run& next, std::uint32_t first) {
        if (first < size) {
            std::move_backward(next.begin(), next.end(), next.end() + (size - first));
            std::copy(begin() + first, end(), next.begin());
        } else {
            std::copy(next.begin(), next.begin() + (first - size), end());
            std::move(next.begin() + (first - size), next.end(), next.begin());
        }
        next.size += size - first;
        size = first;
    }
};

}  // namespace multiset

//! A counted B-tree: values lie in leaves, and a parent has each child's count and least value beside its id. Every
//! operation goes down once, and visits O(log n) nodes, in each of which it looks at a constant number of items.
//! Whatever throws leaves it as it was.
template <class T, class Less = std::less<T>>
class OrderedMultiset {
public:
    explicit OrderedMultiset(Less less = {}) : less_(less) { clear(); }

    std::size_t size() const { return size_; }
    //! How many nodes lie above a leaf.
    std::uint32_t height() const { return height_; }
    std::size_t bytes() const {
        return sizeof(*this) + leaves_.bytes() - sizeof(leaves_) + inners_.bytes() - sizeof(inners_);
    }

    void clear() {
        leaves_ = {};
        inners_ = {};
        size_ = height_ = 0;
        root_ = leaves_.make();
    }

    void insert(const T& value) {
        leaves_.reserve(1);
        inners_.reserve(height_ + 2);
        if (is_full(root_, height_)) grow();
        Id id = root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            std::uint32_t at = child_of(inners_[id], value);
            if (is_full(inners_[id].items[at].id, level - 1)) {
                split(inners_[id], at, level - 1);
                at = child_of(inners_[id], value);
            }
            Child& child = inners_[id].items[at];
            ++child.count;
            if (less_(value, child.least)) child.least = value;
            id = child.id;
        }
        Leaf& leaf = leaves_[id];
        leaf.insert(static_cast<std::uint32_t>(std::upper_bound(leaf.begin(), leaf.end(), value, less_) - leaf.begin()),
                    value);
        ++size_;
    }

    //! Takes out one that equals the value, which must be there.
    void erase(const T& value) {
        erase_below(root_, height_, value);
        --size_;
        if (height_ == 0 || inners_[root_].size > 1) return;
        const Id old = root_;
        root_ = inners_[old].items[0].id;
        inners_.free(old);
        --height_;
    }

    //! The k-th, from 0; there are more than k.
    const T& at(std::size_t k) const {
        Id id = root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            const Child* child = inners_[id].begin();
            for (; k >= child->count; ++child) k -= child->count;
            id = child->id;
        }
        return leaves_[id].items[k];
    }

    //! How many are less than the value, and how many are not greater.
    std::size_t below(const T& value) const {
        return count_while([&](const T& member) { return less_(member, value); });
    }
    std::size_t upto(const T& value) const {
        return count_while([&](const T& member) { return !less_(value, member); });
    }

    void check_invariants() const {
        invariant(count_checked(root_, height_) == size_, "the counts add up to the size");
        for (std::size_t k = 1; k < size_; ++k) invariant(!less_(at(k), at(k - 1)), "values are in order");
    }

private:
    using Id = std::uint32_t;
    struct Child {
        T least;
        std::size_t count;
        Id id;
    };
    using Leaf = multiset::Run<T, 64>;
    using Inner = multiset::Run<Child, 16>;

    //! Nodes by their ids, and those that are free.
    template <class Node>
    class Pool {
    public:
        Node& operator[](Id id) { return nodes_[id]; }
        const Node& operator[](Id id) const { return nodes_[id]; }
        //! So many can be made, and all can be freed, without memory.
        void reserve(std::size_t more) {
            if (free_.size() >= more) return;
            if (nodes_.capacity() < nodes_.size() + more) nodes_.reserve(2 * nodes_.size() + more);
            free_.reserve(nodes_.capacity());
        }
        Id make() {
            if (free_.empty()) {
                nodes_.emplace_back();
                return static_cast<Id>(nodes_.size() - 1);
            }
            const Id id = free_.back();
            free_.pop_back();
            nodes_[id].size = 0;
            return id;
        }
        void free(Id id) { free_.push_back(id); }
        std::size_t bytes() const {
            return sizeof(*this) + nodes_.capacity() * sizeof(Node) + free_.capacity() * sizeof(Id);
        }

    private:
        std::vector<Node> nodes_;
        std::vector<Id> free_;
    };

    //! Calls f with the pool in which the nodes of a level are.
    template <class F>
    auto in_level(std::uint32_t level, F f) {
        return level == 0 ? f(leaves_) : f(inners_);
    }

    bool is_full(Id id, std::uint32_t level) {
        return in_level(level, [&](auto& pool) { return pool[id].size == pool[id].kMost; });
    }

    //! The last child that begins at or before the value: the one in which an equal value is, if there is one.
    std::uint32_t child_of(const Inner& node, const T& value) const {
        std::uint32_t at = node.size - 1;
        while (at > 0 && less_(value, node.items[at].least)) --at;
        return at;
    }

    //! What a parent has of a node.
    Child about(Id id, std::uint32_t level) const {
        if (level == 0) return {leaves_[id].items[0], leaves_[id].size, id};
        Child child{inners_[id].items[0].least, 0, id};
        for (const Child& below : inners_[id]) child.count += below.count;
        return child;
    }

    //! How many come before the first for which it does not hold.
    template <class Holds>
    std::size_t count_while(Holds holds) const {
        std::size_t count = 0;
        Id id = root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            // A child is passed over as a whole if the next one begins with a value for which it holds.
            const Child* child = inners_[id].begin();
            for (; child + 1 != inners_[id].end() && holds(child[1].least); ++child) count += child->count;
            id = child->id;
        }
        const Leaf& leaf = leaves_[id];
        return count + static_cast<std::size_t>(std::partition_point(leaf.begin(), leaf.end(), holds) - leaf.begin());
    }

    void grow() {
        const Id id = inners_.make();
        inners_[id].insert(0, about(root_, height_));
        split(inners_[id], 0, height_);
        root_ = id;
        ++height_;
    }

    void split(Inner& parent, std::uint32_t at, std::uint32_t level) {
        const Id id = parent.items[at].id;
        const Id next = in_level(level, [&](auto& pool) {
            const Id made = pool.make();
            pool[id].share(pool[made], pool[id].size / 2);
            return made;
        });
        parent.items[at] = about(id, level);
        parent.insert(at + 1, about(next, level));
    }

    void erase_below(Id id, std::uint32_t level, const T& value) {
        if (level == 0) {
            Leaf& leaf = leaves_[id];
            return leaf.erase(
                static_cast<std::uint32_t>(std::lower_bound(leaf.begin(), leaf.end(), value, less_) - leaf.begin()));
        }
        Inner& node = inners_[id];
        const std::uint32_t at = child_of(node, value);
        erase_below(node.items[at].id, level - 1, value);
        mend(node, at, level - 1);
    }

    //! After a child has lost a value: what the parent has of it, and a child that is too small joins a neighbour.
    void mend(Inner& parent, std::uint32_t at, std::uint32_t level) {
        Child& child = parent.items[at];
        --child.count;
        const bool small = in_level(level, [&](auto& pool) { return pool[child.id].size < pool[child.id].kMost / 4; });
        if (small) return join(parent, at == 0 ? 0 : at - 1, level);
        child.least = level == 0 ? leaves_[child.id].items[0] : inners_[child.id].items[0].least;
    }

    //! A child and the next become one, or share what they have.
    void join(Inner& parent, std::uint32_t at, std::uint32_t level) {
        const Id id = parent.items[at].id, next = parent.items[at + 1].id;
        const bool one = in_level(level, [&](auto& pool) {
            const std::uint32_t both = pool[id].size + pool[next].size;
            const bool fits = both <= pool[id].kMost / 4 * 3;
            pool[id].share(pool[next], fits ? both : both / 2);
            if (fits) pool.free(next);
            return fits;
        });
        parent.items[at] = about(id, level);
        one ? parent.erase(at + 1) : void(parent.items[at + 1] = about(next, level));
    }

    std::size_t count_checked(Id id, std::uint32_t level) const {
        if (level == 0) return leaves_[id].size;
        const Inner& node = inners_[id];
        invariant(node.size >= (id == root_ ? 2 : Inner::kMost / 4), "an inner node is a quarter full");
        std::size_t count = 0;
        for (const Child& child : node) {
            const Child found = about(child.id, level - 1);
            invariant(level > 1 || leaves_[child.id].size >= Leaf::kMost / 4, "a leaf is a quarter full");
            invariant(!less_(found.least, child.least) && !less_(child.least, found.least), "a least value is right");
            invariant(count_checked(child.id, level - 1) == child.count, "a count is right");
            count += child.count;
        }
        return count;
    }

    [[no_unique_address]] Less less_;
    Pool<Leaf> leaves_;
    Pool<Inner> inners_;
    Id root_ = 0;
    std::uint32_t height_ = 0;
    std::size_t size_ = 0;
};

}  // namespace sash
