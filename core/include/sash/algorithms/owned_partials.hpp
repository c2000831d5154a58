//! Every partial that a structure owns, wherever it lies: what a garbage collector asks for.
#pragma once

#include <concepts>
#include <ranges>
#include <tuple>

namespace sash {

//! Calls f(partial) once for each partial that is a part of `structure`: entries, aggregates, caches, and what was
//! dropped and waits to be freed. An algorithm names its members that have partials by `owned()`, a tuple of
//! references; a container that is no range has `for_each_slot`. Whatever has neither owns none. O(what is owned).
template <class Partial, class T, class F>
void for_each_owned(const T& structure, F& f) {
    const auto within = [&f](const auto& part) { for_each_owned<Partial>(part, f); };
    if constexpr (std::same_as<T, Partial>) {
        f(structure);
    } else if constexpr (requires { structure.owned(); }) {
        std::apply([&](const auto&... parts) { (within(parts), ...); }, structure.owned());
    } else if constexpr (requires { structure.for_each_slot(within); }) {
        structure.for_each_slot(within);
    } else if constexpr (std::ranges::range<const T>) {
        for (const auto& part : structure) within(part);
    } else if constexpr (requires { *structure, static_cast<bool>(structure); }) {
        if (structure) within(*structure);
    }
}

}  // namespace sash
