//! Where the nodes live: slabs that are freed as a whole, free ids, and subtrees whose freeing is put off.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sash/algorithms/fiba/node.hpp"

namespace sash::fiba {

//! Both kinds of node. A copy copies slab by slab, so that ids stay what they are.
template <class Partial>
class Pool {
public:
    Pool(std::uint32_t leaf_capacity, std::uint32_t inner_capacity)
        : leaf_capacity_(leaf_capacity), inner_capacity_(inner_capacity) {}
    Pool(const Pool& other) : Pool(other.leaf_capacity_, other.inner_capacity_) { copy(other); }
    Pool(Pool&&) noexcept = default;
    Pool& operator=(Pool other) noexcept {
        swap(other);
        return *this;
    }
    ~Pool() = default;

    void swap(Pool& other) noexcept {
        std::swap(leaf_capacity_, other.leaf_capacity_);
        std::swap(inner_capacity_, other.inner_capacity_);
        leaf_slabs_.swap(other.leaf_slabs_);
        inner_slabs_.swap(other.inner_slabs_);
        inner_views_.swap(other.inner_views_);
        std::swap(leaves_, other.leaves_);
        std::swap(inners_, other.inners_);
        free_leaves_.swap(other.free_leaves_);
        free_inners_.swap(other.free_inners_);
        deferred_.swap(other.deferred_);
        std::swap(opened_, other.opened_);
    }

    std::uint32_t leaf_capacity() const { return leaf_capacity_; }

    Leaf<Partial> leaf(Id id) const {
        const Place place = place_of(id);
        const LeafSlab& slab = leaf_slabs_[place.slab];
        const std::size_t at = std::size_t{place.offset} * leaf_capacity_;
        return {slab.times.get() + at, slab.partials.get() + at, slab.extents.get() + place.offset};
    }

    //! Asks for a whole leaf before it is searched: its cache misses then overlap instead of following one another.
    void prefetch_leaf(Id id) const {
        const Leaf<Partial> node = leaf(id);
        __builtin_prefetch(node.extent);
        prefetch(node.times, leaf_capacity_ * sizeof(Time));
        prefetch(node.partials, leaf_capacity_ * sizeof(Partial));
    }

    Inner<Partial> inner(Id id) const { return inner_views_[id]; }

    //! An empty leaf. O(1): at most one subtree whose freeing was put off is opened.
    Id new_leaf() {
        if (free_leaves_.empty() && !deferred_.empty()) open_deferred();
        Id id;
        if (free_leaves_.empty()) {
            id = leaves_;
            if (place_of(id).offset == 0) add_leaf_slab(place_of(id).slab);
            ++leaves_;
        } else {
            id = free_leaves_.back();
            free_leaves_.pop_back();
        }
        *leaf(id).extent = {0, 0};
        return id;
    }

    Id new_inner() {
        if (free_inners_.empty() && !deferred_.empty()) open_deferred();
        Id id;
        if (free_inners_.empty()) {
            id = inners_;
            if (place_of(id).offset == 0) add_inner_slab(place_of(id).slab);
            ++inners_;
        } else {
            id = free_inners_.back();
            free_inners_.pop_back();
        }
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
    std::size_t leaves_made() const { return leaves_; }
    std::size_t inners_made() const { return inners_; }

    //! Opens everything that was put off and reports what is free, so that ids can be accounted for.
    void settle() {
        while (!deferred_.empty()) open_deferred();
    }
    const std::vector<Id>& free_leaves() const { return free_leaves_; }
    const std::vector<Id>& free_inners() const { return free_inners_; }

    std::size_t bytes() const {
        std::size_t total = (free_leaves_.capacity() + free_inners_.capacity()) * sizeof(Id) +
                            deferred_.capacity() * sizeof(Subtree) + leaf_slabs_.capacity() * sizeof(LeafSlab) +
                            inner_slabs_.capacity() * sizeof(InnerSlab) +
                            inner_views_.capacity() * sizeof(Inner<Partial>);
        for (std::size_t s = 0; s < leaf_slabs_.size(); ++s)
            total += slab_size(s) * (leaf_capacity_ * (sizeof(Time) + sizeof(Partial)) + sizeof(Extent));
        for (std::size_t s = 0; s < inner_slabs_.size(); ++s)
            total += slab_size(s) *
                     (inner_capacity_ * (sizeof(Time) + sizeof(Id) + sizeof(Partial) + sizeof(std::uint64_t)) + 4);
        return total;
    }

    //! Of every node, in use or not.
    template <class F>
    void for_each_slot(F f) const {
        for (std::size_t s = 0; s < leaf_slabs_.size(); ++s)
            std::for_each_n(leaf_slabs_[s].partials.get(), slab_size(s) * leaf_capacity_, f);
        for (std::size_t s = 0; s < inner_slabs_.size(); ++s)
            std::for_each_n(inner_slabs_[s].aggregates.get(), slab_size(s) * inner_capacity_, f);
    }

private:
    static void prefetch(const void* from, std::size_t bytes) {
        constexpr std::size_t line = 64;
        constexpr std::size_t most = 1024;
        for (std::size_t at = 0; at < std::min(bytes, most); at += line)
            __builtin_prefetch(static_cast<const char*>(from) + at);
    }

    struct LeafSlab {
        std::unique_ptr<Time[]> times;
        std::unique_ptr<Partial[]> partials;
        std::unique_ptr<Extent[]> extents;
    };
    struct InnerSlab {
        std::unique_ptr<Time[]> keys;
        std::unique_ptr<Id[]> ids;
        std::unique_ptr<Partial[]> aggregates;
        std::unique_ptr<std::uint64_t[]> counts;
        std::unique_ptr<std::uint32_t[]> arities;
    };
    void open_deferred() {
        ++opened_;
        const Subtree top = deferred_.back();
        deferred_.pop_back();
        const Inner<Partial> node = inner(top.id);
        for (std::uint32_t i = 0; i < node.arity(); ++i) defer(node.ids[i], top.level - 1);
        free_inner(top.id);
    }

    void add_leaf_slab(std::size_t slab) {
        const std::size_t nodes = slab_size(slab);
        leaf_slabs_.push_back({std::make_unique_for_overwrite<Time[]>(nodes * leaf_capacity_),
                               std::make_unique_for_overwrite<Partial[]>(nodes * leaf_capacity_),
                               std::make_unique_for_overwrite<Extent[]>(nodes)});
    }

    void add_inner_slab(std::size_t slab) {
        const std::size_t nodes = slab_size(slab);
        const std::size_t slots = nodes * inner_capacity_;
        inner_slabs_.push_back(
            {std::make_unique_for_overwrite<Time[]>(slots), std::make_unique_for_overwrite<Id[]>(slots),
             std::make_unique_for_overwrite<Partial[]>(slots), std::make_unique_for_overwrite<std::uint64_t[]>(slots),
             std::make_unique<std::uint32_t[]>(nodes)});
        const InnerSlab& made = inner_slabs_.back();
        for (std::size_t i = 0; i < nodes; ++i) {
            const std::size_t at = i * inner_capacity_;
            inner_views_.push_back({made.keys.get() + at, made.ids.get() + at, made.aggregates.get() + at,
                                    made.counts.get() + at, made.arities.get() + i});
        }
    }

    void copy(const Pool& other) {
        for (std::size_t s = 0; s < other.leaf_slabs_.size(); ++s) copy_leaf_slab(other.leaf_slabs_[s], s);
        for (std::size_t s = 0; s < other.inner_slabs_.size(); ++s) copy_inner_slab(other.inner_slabs_[s], s);
        leaves_ = other.leaves_;
        inners_ = other.inners_;
        free_leaves_ = other.free_leaves_;
        free_inners_ = other.free_inners_;
        deferred_ = other.deferred_;
    }

    void copy_leaf_slab(const LeafSlab& from, std::size_t slab) {
        add_leaf_slab(slab);
        const std::size_t nodes = slab_size(slab);
        std::copy_n(from.times.get(), nodes * leaf_capacity_, leaf_slabs_[slab].times.get());
        std::copy_n(from.partials.get(), nodes * leaf_capacity_, leaf_slabs_[slab].partials.get());
        std::copy_n(from.extents.get(), nodes, leaf_slabs_[slab].extents.get());
    }

    void copy_inner_slab(const InnerSlab& from, std::size_t slab) {
        add_inner_slab(slab);
        const std::size_t nodes = slab_size(slab);
        const std::size_t slots = nodes * inner_capacity_;
        InnerSlab& to = inner_slabs_[slab];
        std::copy_n(from.keys.get(), slots, to.keys.get());
        std::copy_n(from.ids.get(), slots, to.ids.get());
        std::copy_n(from.aggregates.get(), slots, to.aggregates.get());
        std::copy_n(from.counts.get(), slots, to.counts.get());
        std::copy_n(from.arities.get(), nodes, to.arities.get());
    }

    std::uint32_t leaf_capacity_;
    std::uint32_t inner_capacity_;
    std::vector<LeafSlab> leaf_slabs_;
    std::vector<InnerSlab> inner_slabs_;
    //! One view a node: inner nodes are few, and every search reads several.
    std::vector<Inner<Partial>> inner_views_;
    Id leaves_ = 0;
    Id inners_ = 0;
    std::vector<Id> free_leaves_;
    std::vector<Id> free_inners_;
    std::vector<Subtree> deferred_;
    std::uint64_t opened_ = 0;
    std::vector<Subtree>* held_ = nullptr;
};

}  // namespace sash::fiba
