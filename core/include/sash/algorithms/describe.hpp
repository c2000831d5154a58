//! What a structure shows of itself: the algorithms write it down by `describe(out)`, once for every reader.
#pragma once

#include <cstddef>

#include "sash/time.hpp"

namespace sash {

//! `out` takes nodes within nodes, and in each what it holds, oldest first:
//!
//! - `begin(kind)`, `end()`: a node, within the one that is open.
//! - `entry(time, own)`: an entry and its own partial, null where an aggregate has taken the place of that. What
//! follows
//!   up to the next entry is kept beside it.
//! - `aggregate(name, first, last, partial)`: what is kept of the entries from first to last, both in; null where that
//!   is not right now, and the name says why.
//! - `pointer(name)`: something points at the open node.
//! - `omit(entries)`: so many are left out here. `brief()` says whether to leave out whatever there are many of.
template <class A, class Out>
concept Describes = requires(const A& window, Out& out) { window.describe(out); };

//! Of a run of n things, as many are shown at each end of a brief description.
inline constexpr std::size_t kShownEnd = 3;

//! A node in the place of several that are left out, with so many entries below them.
template <class Out>
void describe_omitted(Out& out, std::size_t entries) {
    out.begin("omitted");
    out.omit(entries);
    out.end();
}

//! Calls show(i) for those of a run of n entries that are shown.
template <class Out, class Show>
void describe_run(Out& out, std::size_t n, Show show) {
    const bool whole = !out.brief() || n <= 2 * kShownEnd + 1;
    for (std::size_t i = 0; i < n; ++i) {
        if (!whole && i == kShownEnd) {
            out.omit(n - 2 * kShownEnd);
            i = n - kShownEnd;
        }
        show(i);
    }
}

}  // namespace sash
