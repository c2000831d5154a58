//! The way back from an insert whose combine fails: the nodes as they were, put back without a combine.
#pragma once

#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "sash/algorithms/fiba/pool.hpp"
#include "sash/algorithms/fiba/tree.hpp"

namespace sash {

namespace fiba {

//! What a call has changed of a pool. An insert only makes nodes and changes those on its way; it frees none.
template <class Partial>
class NodeImages {
public:
    void keep(const Leaf<Partial>& node, Id id) {
        leaves_.push_back({id,
                           *node.extent,
                           {node.times + node.begin(), node.times + node.end()},
                           {node.partials + node.begin(), node.partials + node.end()}});
    }
    void keep(const Inner<Partial>& node, Id id) {
        const std::uint32_t arity = node.arity();
        inners_.push_back({id,
                           {node.keys, node.keys + arity},
                           {node.ids, node.ids + arity},
                           {node.aggregates, node.aggregates + arity},
                           {node.counts, node.counts + arity},
                           {node.groups, node.groups + node.group_of(arity + kFan - 1)},
                           *node.head});
    }
    void made_leaf(Id id) { made_leaves_.push_back(id); }
    void made_inner(Id id) { made_inners_.push_back(id); }

    //! Latest first, since a node may have been kept more than once.
    void put_back(Pool<Partial>& pool) {
        for (; !leaves_.empty(); leaves_.pop_back()) put_back(pool.leaf(leaves_.back().id), leaves_.back());
        for (; !inners_.empty(); inners_.pop_back()) put_back(pool.inner(inners_.back().id), inners_.back());
        for (const Id id : made_leaves_) pool.free_leaf(id);
        for (const Id id : made_inners_) pool.free_inner(id);
    }

private:
    struct LeafImage {
        Id id;
        Extent extent;
        std::vector<Time> times;
        std::vector<Partial> partials;
    };
    struct InnerImage {
        Id id;
        std::vector<Time> keys;
        std::vector<Id> ids;
        std::vector<Partial> aggregates;
        std::vector<std::uint64_t> counts;
        std::vector<Partial> groups;
        InnerHead head;
    };

    static void put_back(Leaf<Partial> node, LeafImage& image) {
        node.release(node.begin(), node.end());
        std::copy(image.times.begin(), image.times.end(), node.times + image.extent.begin);
        std::move(image.partials.begin(), image.partials.end(), node.partials + image.extent.begin);
        *node.extent = image.extent;
        node.open_groups();
    }
    static void put_back(Inner<Partial> node, InnerImage& image) {
        node.clear(image.head.begin);
        for (std::uint32_t i = 0; i < image.ids.size(); ++i)
            node.insert(i, image.keys[i], image.ids[i], std::move(image.aggregates[i]), image.counts[i]);
        std::move(image.groups.begin(), image.groups.end(), node.groups);
        node.head->known = image.head.known;
    }

    std::vector<LeafImage> leaves_;
    std::vector<InnerImage> inners_;
    std::vector<Id> made_leaves_;
    std::vector<Id> made_inners_;
};

}  // namespace fiba

//! Everything that an insert may change beside the nodes.
template <Monoid M>
struct Fiba<M>::Undo {
    decltype(std::declval<Fiba&>().copied_state()) state;
    fiba::NodeImages<Partial> nodes = {};
};

//! Runs an insert of a fallible monoid. If a combine fails, or memory, all is put back as it was, aggregates too: O(1)
//! copies of a node for each one changed, and no combine.
template <Monoid M>
template <class Work>
void Fiba<M>::attempt(Work work) {
    ensure_fresh();
    undo_ = std::make_unique<Undo>(Undo{copied_state()});
    try {
        work();
    } catch (...) {
        failure_ = std::current_exception();
    }
    const std::unique_ptr<Undo> undo = std::exchange(undo_, nullptr);
    if (!failure_) return;
    undo->nodes.put_back(pool_);
    state() = std::move(undo->state);
    stale_ = left_touched_ = right_touched_ = false;
    forget_last();
    note_changed();
    find_finger_leaves();
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

//! To be called before a node that was there is changed.
template <Monoid M>
void Fiba<M>::keep_leaf(Id id) {
    if constexpr (M::fallible)
        if (undo_) undo_->nodes.keep(leaf(id), id);
}

template <Monoid M>
void Fiba<M>::keep_inner(Id id) {
    if constexpr (M::fallible)
        if (undo_) undo_->nodes.keep(inner(id), id);
}

template <Monoid M>
auto Fiba<M>::new_leaf() -> Id {
    const Id id = pool_.new_leaf();
    if constexpr (M::fallible)
        if (undo_) undo_->nodes.made_leaf(id);
    return id;
}

template <Monoid M>
auto Fiba<M>::new_inner() -> Id {
    const Id id = pool_.new_inner();
    if constexpr (M::fallible)
        if (undo_) undo_->nodes.made_inner(id);
    return id;
}

}  // namespace sash
