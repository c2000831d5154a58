//! A window policy as sash.windows.config describes it, for both modules.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sash/windows/policy.hpp"

namespace sash::face {

namespace nb = nanobind;

//! Ticks and the same length as a real, of which one is meant.
using LengthSpec = std::pair<std::int64_t, double>;

template <class Value>
struct Named {
    std::string_view name;
    Value value;
};

template <class Value, std::size_t N>
Value named(const Named<Value> (&table)[N], nb::handle name) {
    const auto wanted = nb::cast<std::string>(name);
    for (const auto& [known, value] : table)
        if (known == wanted) return value;
    throw std::invalid_argument("the core knows nothing called " + wanted);
}

inline windows::Policy::Kind kind_of(nb::handle name) {
    const auto wanted = nb::cast<std::string>(name);
    const auto& names = windows::Policy::kNames;
    const auto found = std::find(std::begin(names), std::end(names), wanted);
    if (found == std::end(names)) throw std::invalid_argument("the core knows no window called " + wanted);
    return static_cast<windows::Policy::Kind>(found - std::begin(names));
}

inline Length length_of(const LengthSpec& spec) {
    return {spec.first, spec.second};
}

//! What a policy reads of an event, from what Python says: None, a bool or a number.
inline windows::Mark mark_of(nb::handle value) {
    if (value.is_none() || value.ptr() == Py_False) return {};
    if (PyLong_Check(value.ptr())) {
        int overflow = 0;
        const long long integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
        if (overflow == 0) return windows::Mark::of(static_cast<std::int64_t>(integer));
    }
    const double real = PyFloat_AsDouble(value.ptr());
    if (real == -1.0 && PyErr_Occurred()) throw nb::python_error();
    return windows::Mark::of(real);
}

//! From a sash.windows.config.PolicyConfig.
inline windows::Policy policy_of(nb::handle config, bool reals) {
    const Length length = length_of(nb::cast<LengthSpec>(config.attr("length")));
    const bool with_start = nb::cast<bool>(config.attr("with_start"));
    return {.kind = kind_of(config.attr("kind")),
            .span = {length, with_start, nb::cast<bool>(config.attr("with_end"))},
            .grid = {length, nb::cast<Time>(config.attr("origin")), reals},
            .left = with_start,
            .since = nb::cast<std::optional<Time>>(config.attr("since")),
            .count = nb::cast<std::size_t>(config.attr("count")),
            .delta = mark_of(config.attr("delta")),
            .counts = nb::cast<bool>(config.attr("counts"))};
}

}  // namespace sash::face
