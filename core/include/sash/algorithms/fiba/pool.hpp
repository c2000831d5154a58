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
    //! `groups` is how many a leaf has, or 0. An inner node has room for one child more than it may have.
    Pool(std::uint32_t leaf_capacity, std::uint32_t groups, std::uint32_t max_arity)
        : leaf_capacity_(leaf_capacity),
          pause_(leaf_capacity % kGroup == 0 ? kGroup - 1 : 0),
          groups_(groups),
          inner_capacity_(max_arity + 1),
          ids_at_(sizeof(InnerHead) + inner_capacity_ * sizeof(Time)),
          counts_at_(ids_at_ + (inner_capacity_ + 1) / 2 * sizeof(std::uint64_t)),
          leaves_(kTimesAt + leaf_capacity * sizeof(Time), leaf_capacity + groups),
          inners_(counts_at_ + inner_capacity_ * sizeof(std::uint64_t),
                  inner_capacity_ + (inner_capacity_ + kFan - 1) / kFan) {}
    Pool(const Pool& other)
        : leaf_capacity_(other.leaf_capacity_),
          pause_(other.pause_),
          groups_(other.groups_),
          inner_capacity_(other.inner_capacity_),
          ids_at_(other.ids_at_),
          counts_at_(other.counts_at_),
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
        std::swap(pause_, other.pause_);
        std::swap(groups_, other.groups_);
        std::swap(inner_capacity_, other.inner_capacity_);
        std::swap(ids_at_, other.ids_at_);
        std::swap(counts_at_, other.counts_at_);
        leaves_.swap(other.leaves_);
        inners_.swap(other.inners_);
        free_leaves_.swap(other.free_leaves_);
        free_inners_.swap(other.free_inners_);
        deferred_.swap(other.deferred_);
        std::swap(opened_, other.opened_);
    }

    std::uint32_t leaf_capacity() const { return leaf_capacity_; }
    //! A leaf has no room, or entries for a group, only where these bits of its end are zero.
    std::uint32_t pause() const { return pause_; }
    //! Whether leaves have groups, and the aggregates of those of a leaf.
    bool grouped() const { return groups_ > 0; }
    Partial* groups(const Leaf<Partial>& leaf) const { return leaf.partials + leaf_capacity_; }

    //! Where a node lies, for who comes back to it: to find that by its id takes a dozen instructions.
    [[gnu::always_inline]] std::byte* leaf_block(Id id) const { return leaves_[id]; }
    [[gnu::always_inline]] std::byte* inner_block(Id id) const { return inners_[id]; }

    Leaf<Partial> leaf(Id id) const { return leaf(leaves_[id]); }
    [[gnu::always_inline]] Leaf<Partial> leaf(std::byte* block) const {
        return {reinterpret_cast<Time*>(block + kTimesAt), leaves_.partials(block), reinterpret_cast<Extent*>(block)};
    }
    [[gnu::always_inline]] void prefetch_leaf(Id id) const {
        leaves_.prefetch(leaves_[id], std::min(leaves_.stride(), kMostAhead));
    }
    //! What a search reads of a leaf.
    [[gnu::always_inline]] void prefetch_times(const std::byte* leaf) const {
        leaves_.prefetch(leaf, std::min(kTimesAt + leaf_capacity_ * sizeof(Time), kMostAhead));
    }
    //! What an insert moves of a leaf, and its groups. Always as many lines: a loop over those that are needed would
    //! end where no branch can be predicted, and all that follows would wait for the search.
    [[gnu::always_inline]] void prefetch_partials(const Leaf<Partial>& leaf, std::uint32_t from) const {
        constexpr std::size_t lines = 4;
        const auto* const first = reinterpret_cast<const std::byte*>(leaf.partials + from);
        const auto* const last = reinterpret_cast<const std::byte*>(leaf.partials + leaf.end());
        for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(std::min(first + i * leaves_.kLine, last));
        __builtin_prefetch(groups(leaf));
    }
    //! What a search reads of the node.
    [[gnu::always_inline]] void prefetch_inner(Id id) const { prefetch_inner(inners_[id]); }
    [[gnu::always_inline]] void prefetch_inner(const std::byte* inner) const { inners_.prefetch(inner, counts_at_); }

    Inner<Partial> inner(Id id) const { return inner(inners_[id]); }
    [[gnu::always_inline]] Inner<Partial> inner(std::byte* block) const {
        auto* const head = reinterpret_cast<InnerHead*>(block);
        Partial* const aggregates = inners_.partials(block);
        return {.keys = reinterpret_cast<Time*>(block + sizeof(InnerHead)) + head->begin,
                .ids = reinterpret_cast<Id*>(block + ids_at_) + head->begin,
                .aggregates = aggregates + head->begin,
                .counts = reinterpret_cast<std::uint64_t*>(block + counts_at_) + head->begin,
                .head = head,
                .groups = aggregates + inner_capacity_};
    }

    //! An empty leaf. O(1): at most one subtree whose freeing was put off is opened.
    Id new_leaf() {
        if (free_leaves_.empty() && !deferred_.empty()) open_deferred();
        const Id id = free_leaves_.empty() ? leaves_.make() : taken(free_leaves_);
        *leaf(id).extent = {0, 0};
        leaf(id).open_groups();
        return id;
    }

    Id new_inner() {
        if (free_inners_.empty() && !deferred_.empty()) open_deferred();
        const Id id = free_inners_.empty() ? inners_.make() : taken(free_inners_);
        *reinterpret_cast<InnerHead*>(inners_[id]) = {0, 0, 0};
        return id;
    }

    void free_leaf(Id id) {
        leaf(id).release(0, leaf_capacity_);
        free_leaves_.push_back(id);
    }

    void free_inner(Id id) {
        inner(id).clear();
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

    //! So many bytes at most are asked for before they are looked at.
    static constexpr std::size_t kMostAhead = 2048;
    static constexpr std::size_t kTimesAt = (sizeof(LeafHead) + sizeof(Time) - 1) / sizeof(Time) * sizeof(Time);

    std::uint32_t leaf_capacity_;
    std::uint32_t pause_;
    std::uint32_t groups_;
    std::uint32_t inner_capacity_;
    //! An inner node is its head, keys, ids, counts, aggregates, and the aggregates of its groups.
    std::size_t ids_at_;
    std::size_t counts_at_;
    Blocks<Partial> leaves_;
    Blocks<Partial> inners_;
    std::vector<Id> free_leaves_;
    std::vector<Id> free_inners_;
    std::vector<Subtree> deferred_;
    std::uint64_t opened_ = 0;
    std::vector<Subtree>* held_ = nullptr;
};

}  // namespace sash::fiba
