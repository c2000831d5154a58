//! The way back for a change of the tree that fails half way.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sash/monoid.hpp"

namespace sash::flatfat {

//! For monoids that combine in place, and for trees that are thrown away if it fails.
struct NoUndo {
    void save(std::size_t) {}
    void commit() {}
};

//! Keeps what is about to be overwritten, and puts it back unless the change is committed.
template <Monoid M>
class Undo {
public:
    using Partial = typename M::Partial;

    explicit Undo(std::vector<Partial>& nodes) : nodes_(nodes) {}
    Undo(const Undo&) = delete;
    Undo& operator=(const Undo&) = delete;
    ~Undo() {
        for (Saved& saved : saved_) nodes_[saved.node] = std::move(saved.value);
    }

    //! The node's new value must follow at once; a change sets a node once.
    void save(std::size_t node) { saved_.push_back({node, std::move(nodes_[node])}); }
    void commit() { saved_.clear(); }

private:
    struct Saved {
        std::size_t node;
        Partial value;
    };

    std::vector<Partial>& nodes_;
    std::vector<Saved> saved_;
};

}  // namespace sash::flatfat
