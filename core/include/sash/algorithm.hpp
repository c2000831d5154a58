//! What every in-order algorithm offers: the abstract data type of the papers, one file each behind it.
#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>

#include "sash/monoid.hpp"
#include "sash/time.hpp"

namespace sash {

//! One event as the algorithms keep it.
template <class Partial>
struct Entry {
    Time time;
    Partial partial;

    auto owned() const { return std::tie(partial); }
};

//! Preconditions are the caller's to check (Checked in window.hpp does it once for all of them):
//!
//! - `insert(time, partial)`: the window is empty or time >= youngest(). An equal time combines into the youngest
//!   entry, so times are unique.
//! - `evict()`, `oldest()`, `youngest()`: the window is not empty.
//!
//! Whatever throws leaves the window as it was. `query()` is the combination of all entries, oldest first, or the
//! identity. `for_each(f)` calls f(time, partial) on what is kept, oldest first, and `load(time, partial)` of those
//! pairs in that order into an empty window makes an equal window: snapshots are made of this pair. `listable` says
//! that the kept partials are the entries' own, not aggregates of several.
template <class A>
concept WindowAlgorithm =
    std::copyable<A> && requires(A window, const A& view, Time time, typename A::Partial partial) {
        typename A::Monoid;
        { A::listable } -> std::convertible_to<bool>;
        { view.size() } -> std::same_as<std::size_t>;
        { view.oldest() } -> std::same_as<Time>;
        { view.youngest() } -> std::same_as<Time>;
        { view.query() } -> std::convertible_to<typename A::Partial>;
        { window.insert(time, std::move(partial)) } -> std::same_as<void>;
        { window.evict() } -> std::same_as<void>;
        { window.bulk_evict(time) } -> std::same_as<void>;
        { window.load(time, std::move(partial)) } -> std::same_as<void>;
        {
            view.for_each([](Time, const typename A::Partial&) {})
        } -> std::same_as<void>;
        { view.check_invariants() } -> std::same_as<void>;
        { view.bytes() } -> std::same_as<std::size_t>;
    };

//! One clause of check_invariants: a broken one names itself.
inline void invariant(bool holds, const char* clause) {
    if (!holds) throw std::logic_error(std::string("invariant broken: ") + clause);
}

}  // namespace sash
