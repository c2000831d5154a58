//! Where the nodes live: blocks that are freed as a whole, free ids, and subtrees whose freeing is put off.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/algorithms/fiba/node.hpp"

namespace sash::fiba {

//! Both kinds of node. Ids of a copy are what they were.
template <class Partial>
class Pool {
public:
    //! `groups` is how many of a leaf's groups are kept; 0 means none.
    Pool(std::uint32_t leaf_capacity, std::uint32_t groups, std::uint32_t inner_capacity)
        : leaf_capacity_(leaf_capacity),
          inner_capacity_(inner_capacity),
          groups_(groups),
          leaves_(sizeof(LeafHead) + leaf_capacity * sizeof(Time), leaf_capacity + groups),
          inners_(head(), inner_capacity) {}
    Pool(const Pool& other)
        : leaf_capacity_(other.leaf_capacity_),
          inner_capacity_(other.inner_capacity_),
          groups_(other.groups_),
          leaves_(other.leaves_),
          inners_(other.inners_),
          free_leaves_(other.free_leaves_),
          free_inners_(other.free_inners_),
          deferred_(other.deferred_) {}
    Pool(Pool&&) noexcept = default;
    Pool& operator=(Pool other) noexcept {
        swap(other);
        return *this;
    }
    ~Pool() = default;

    void swap(Pool& other) noexcept {
        std::swap(leaf_capacity_, other.leaf_capacity_);
        std::swap(inner_capacity_, other.inner_capacity_);
        std::swap(groups_, other.groups_);
        leaves_.swap(other.leaves_);
        inners_.swap(other.inners_);
        free_leaves_.swap(other.free_leaves_);
        free_inners_.swap(other.free_inners_);
        deferred_.swap(other.deferred_);
        std::swap(opened_, other.opened_);
    }

    std::uint32_t leaf_capacity() const { return leaf_capacity_; }
    //! Whether leaves keep aggregates of groups, and those of a leaf.
    bool grouped() const { return groups_ > 0; }
    Partial* groups(const Leaf<Partial>& leaf) const { return leaf.partials + leaf_capacity_; }

    Leaf<Partial> leaf(Id id) const {
        std::byte* const block = leaves_[id];
        return {reinterpret_cast<Time*>(block + sizeof(LeafHead)), leaves_.partials(block),
                reinterpret_cast<Extent*>(block)};
    }
    //! All of it but for the groups.
    [[gnu::always_inline]] void prefetch_leaf(Id id) const {
        constexpr std::size_t most = 2048;
        leaves_.prefetch(id, std::min(leaves_.stride() - groups_ * sizeof(Partial), most));
    }
    //! What a search reads of the node.
    [[gnu::always_inline]] void prefetch_inner(Id id) const { inners_.prefetch(id, counts_at()); }

    Inner<Partial> inner(Id id) const {
        std::byte* const block = inners_[id];
        return {reinterpret_cast<Time*>(block + kKeysAt), reinterpret_cast<Id*>(block + ids_at()),
                inners_.partials(block), reinterpret_cast<std::uint64_t*>(block + counts_at()),
                reinterpret_cast<std::uint32_t*>(block)};
    }

    //! An empty leaf. O(1): at most one subtree whose freeing was put off is opened.
    Id new_leaf() {
        if (free_leaves_.empty() && !deferred_.empty()) open_deferred();
        const Id id = free_leaves_.empty() ? leaves_.make() : taken(free_leaves_);
        *leaf(id).extent = {0, 0};
        leaf(id).touch(0);
        return id;
    }

    Id new_inner() {
        if (free_inners_.empty() && !deferred_.empty()) open_deferred();
        const Id id = free_inners_.empty() ? inners_.make() : taken(free_inners_);
        *inner(id).arity_ = 0;
        return id;
    }

    void free_leaf(Id id) {
        leaf(id).release(0, leaf_capacity_);
        free_leaves_.push_back(id);
    }

    void free_inner(Id id) {
        inner(id).resize(0);
        free_inners_.push_back(id);
    }

    //! Frees a whole subtree later: O(1) now, paid for by the inserts that reuse its nodes.
    void defer(Id id, std::uint32_t level) {
        if (held_ != nullptr) {
            held_->push_back({id, level});
        } else if (level == 0) {
            free_leaf(id);
        } else {
            deferred_.push_back({id, level});
        }
    }

    //! Subtrees whose freeing is asked for go here as they are, and stay; nullptr ends that.
    void hold(std::vector<Subtree>* held) { held_ = held; }

    //! How many subtrees were opened ever: what the freeing has cost so far.
    std::uint64_t opened() const { return opened_; }
    std::size_t leaves_made() const { return leaves_.made(); }
    std::size_t inners_made() const { return inners_.made(); }

    //! Opens everything that was put off and reports what is free, so that ids can be accounted for.
    void settle() {
        while (!deferred_.empty()) open_deferred();
    }
    const std::vector<Id>& free_leaves() const { return free_leaves_; }
    const std::vector<Id>& free_inners() const { return free_inners_; }

    std::size_t bytes() const {
        return (free_leaves_.capacity() + free_inners_.capacity()) * sizeof(Id) +
               deferred_.capacity() * sizeof(Subtree) + leaves_.bytes() + inners_.bytes();
    }

    //! Of every node, in use or not.
    template <class F>
    void for_each_slot(F f) const {
        leaves_.for_each_slot(f);
        inners_.for_each_slot(f);
    }

private:
    //! An inner node begins with its arity; its keys, ids and counts follow, then the aggregates.
    static constexpr std::size_t kKeysAt = sizeof(Time);
    std::size_t ids_at() const { return kKeysAt + inner_capacity_ * sizeof(Time); }
    std::size_t counts_at() const { return ids_at() + (inner_capacity_ + 1) / 2 * sizeof(std::uint64_t); }
    std::size_t head() const { return counts_at() + inner_capacity_ * sizeof(std::uint64_t); }

    static Id taken(std::vector<Id>& ids) {
        const Id id = ids.back();
        ids.pop_back();
        return id;
    }

    void open_deferred() {
        ++opened_;
        const Subtree top = deferred_.back();
        deferred_.pop_back();
        const Inner<Partial> node = inner(top.id);
        for (std::uint32_t i = 0; i < node.arity(); ++i) defer(node.ids[i], top.level - 1);
        free_inner(top.id);
    }

    std::uint32_t leaf_capacity_;
    std::uint32_t inner_capacity_;
    std::uint32_t groups_;
    Blocks<Partial> leaves_;
    Blocks<Partial> inners_;
    std::vector<Id> free_leaves_;
    std::vector<Id> free_inners_;
    std::vector<Subtree> deferred_;
    std::uint64_t opened_ = 0;
    std::vector<Subtree>* held_ = nullptr;
};

}  // namespace sash::fiba
