#include "operator/config.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sash::face {

namespace {

using windows::Mark;
using windows::Policy;

//! Ticks and the same length as a real, of which one is meant.
using LengthSpec = std::pair<std::int64_t, double>;

template <class Value>
struct Named {
    std::string_view name;
    Value value;
};

constexpr Named<Policy::Kind> kPolicies[] = {
    {"time", Policy::Kind::time},
    {"tumbling", Policy::Kind::tumbling},
    {"session", Policy::Kind::session},
    {"landmark", Policy::Kind::landmark},
    {"count", Policy::Kind::count},
    {"tumbling_count", Policy::Kind::tumbling_count},
    {"punctuated", Policy::Kind::punctuated},
    {"delta", Policy::Kind::delta},
    {"programmable", Policy::Kind::programmable},
    {"adaptive", Policy::Kind::adaptive},
};
constexpr Named<FiresOn> kFiresOn[] = {
    {"demand", FiresOn::demand}, {"events", FiresOn::events},           {"slides", FiresOn::slides},
    {"passed", FiresOn::passed}, {"session_end", FiresOn::session_end},
};
constexpr Named<Emit> kEmits[] = {{"arrival", Emit::arrival}, {"final", Emit::final}, {"update", Emit::update}};

template <class Value, std::size_t N>
Value named(const Named<Value> (&table)[N], nb::handle name) {
    const auto wanted = nb::cast<std::string>(name);
    for (const auto& [known, value] : table)
        if (known == wanted) return value;
    throw std::invalid_argument("the core knows nothing called " + wanted);
}

Length length_of(const LengthSpec& spec) {
    return {spec.first, spec.second};
}
std::optional<Length> length_of(nb::handle spec) {
    if (spec.is_none()) return std::nullopt;
    return length_of(nb::cast<LengthSpec>(spec));
}

Policy policy_of(nb::handle spec, bool reals) {
    const Length length = length_of(nb::cast<LengthSpec>(spec.attr("length")));
    const bool with_start = nb::cast<bool>(spec.attr("with_start"));
    return {.kind = named(kPolicies, spec.attr("kind")),
            .span = {length, with_start, nb::cast<bool>(spec.attr("with_end"))},
            .grid = {length, nb::cast<Time>(spec.attr("origin")), reals},
            .left = with_start,
            .since = nb::cast<std::optional<Time>>(spec.attr("since")),
            .count = nb::cast<std::size_t>(spec.attr("count")),
            .delta = mark_of(spec.attr("delta"))};
}

}  // namespace

Mark mark_of(nb::handle value) {
    if (value.is_none() || value.ptr() == Py_False) return {};
    if (PyLong_Check(value.ptr())) {
        int overflow = 0;
        const long long integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
        if (overflow == 0) return Mark::of(static_cast<std::int64_t>(integer));
    }
    const double real = PyFloat_AsDouble(value.ptr());
    if (real == -1.0 && PyErr_Occurred()) throw nb::python_error();
    return Mark::of(real);
}

OperatorPlan plan_of(nb::handle config, bool reals) {
    OperatorPlan plan;
    for (const nb::handle policy : nb::iter(config.attr("policies"))) plan.policies.push_back(policy_of(policy, reals));
    plan.fires_on = named(kFiresOn, config.attr("fires_on"));
    plan.emit = named(kEmits, config.attr("emit"));
    plan.every = nb::cast<std::size_t>(config.attr("every"));
    const nb::object slide = config.attr("slide");
    if (!slide.is_none())
        plan.grid = {length_of(nb::cast<LengthSpec>(slide[0])), nb::cast<Time>(slide[1]), reals};
    plan.lateness = length_of(config.attr("lateness"));
    plan.expire = length_of(config.attr("expire"));
    plan.changes_only = nb::cast<bool>(config.attr("changes_only"));
    plan.min_periods = nb::cast<std::size_t>(config.attr("min_periods"));
    plan.reals = reals;
    return plan;
}

std::vector<OutputSpec> outputs_of(nb::handle config) {
    std::vector<OutputSpec> outputs;
    for (const nb::handle output : nb::iter(config.attr("outputs")))
        outputs.push_back({output.attr("aggregation"), nb::cast<std::size_t>(output.attr("first")),
                           nb::cast<std::size_t>(output.attr("last")), nb::cast<bool>(output.attr("composite"))});
    return outputs;
}

std::vector<EvictionRule> rules_of(nb::handle config) {
    std::vector<EvictionRule> rules;
    for (const nb::handle policy : nb::iter(config.attr("policies")))
        rules.push_back({policy.attr("evict_when"), nb::cast<std::size_t>(policy.attr("output"))});
    return rules;
}

}  // namespace sash::face
