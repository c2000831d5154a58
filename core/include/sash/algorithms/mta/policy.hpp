//! The programmable slide policy: how far from its old end may a window be cut?
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

#include "sash/algorithms/mta/level.hpp"

namespace sash::mta {

//! A window that knows the aggregates of some stretches. `starts_block(l, p)`: the block of level `l` that starts at
//! the leaf `p` is known; blocks of level 0 are the leaves. Then `block(l, p)` is its aggregate, and
//! `block_end(l, p)` the leaf after it.
template <class W>
concept Blocks = requires(const W& window, std::size_t level, Position position) {
    { window.begin() } -> std::same_as<Position>;
    { window.end() } -> std::same_as<Position>;
    { window.starts_block(level, position) } -> std::same_as<bool>;
    { window.block(level, position) } -> std::same_as<const typename W::Partial&>;
    { window.block_end(level, position) } -> std::same_as<Position>;
};

//! A prefix of the window that grows as long as a policy wants all of it gone.
template <Blocks W, class Policy>
class PrefixSearch {
public:
    using Partial = typename W::Partial;

    PrefixSearch(const W& window, const typename W::Monoid& monoid, Policy& policy)
        : window_(window), monoid_(monoid), policy_(policy), total_(window.query()), position_(window.begin()) {}

    //! The end of the longest prefix that the policy condemns.
    //!
    //! Blocks are tried from the oldest leaf on, and each may be one level larger than the one before; so a prefix of
    //! m leaves is found by O(log m) tries while blocks can grow, and by O(log n) in all.
    Position run() {
        while (position_ != window_.end()) {
            fit_level();
            if (!take()) break;
        }
        while (position_ != window_.end() && level_ > 0) {
            --level_;
            take();
        }
        return position_;
    }

private:
    void fit_level() {
        if (prefix_ && window_.starts_block(level_ + 1, position_)) ++level_;
        while (!window_.starts_block(level_, position_)) --level_;
    }

    bool take() {
        const Partial& block = window_.block(level_, position_);
        Partial longer = prefix_ ? monoid_.combine(*prefix_, block) : block;
        if (!policy_(total_, std::as_const(longer))) return false;
        prefix_ = std::move(longer);
        position_ = window_.block_end(level_, position_);
        return true;
    }

    const W& window_;
    const typename W::Monoid& monoid_;
    Policy& policy_;
    const Partial total_;
    std::optional<Partial> prefix_;
    Position position_;
    std::size_t level_ = 0;
};

}  // namespace sash::mta
