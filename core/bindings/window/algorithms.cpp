//! What each algorithm can do, read off the algorithms themselves.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>

#include "window/catalog.hpp"
#include "window/face.hpp"

namespace sash::face {

namespace {

constexpr auto kNames = std::apply([](const auto&... entries) { return std::array{entries.name...}; }, kCatalog);

}  // namespace

std::span<const std::string_view> algorithm_names() {
    return kNames;
}

Abilities abilities_of(std::string_view name) {
    Abilities abilities{};
    // Count has an inverse, so every algorithm takes it; Max has none.
    with_algorithm<Count, Use::baseline>(name, [&]<class C>(Type<C>) {
        using A = typename C::Algorithm;
        abilities = {C::takes_late, EvictsAnywhere<A>, QueriesRanges<A>, A::listable, EvictsByPolicy<A>, false};
    });
    abilities.needs_inverse = !with_algorithm<Max, Use::baseline>(name, [](auto) {});
    return abilities;
}

void bind_algorithms(nb::module_& module) {
    module.def("algorithms", [] {
        nb::dict known;
        for (const std::string_view name : kNames) {
            const Abilities can = abilities_of(name);
            nb::dict abilities;
            abilities["late"] = can.late;
            abilities["evicts_anywhere"] = can.evicts_anywhere;
            abilities["ranges"] = can.ranges;
            abilities["lists"] = can.lists;
            abilities["policies"] = can.policies;
            abilities["needs_inverse"] = can.needs_inverse;
            known[nb::str(name.data(), name.size())] = abilities;
        }
        return known;
    });
}

}  // namespace sash::face
