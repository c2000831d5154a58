#include "operator/config.hpp"

#include <optional>

namespace sash::face {

namespace {

constexpr Named<FiresOn> kFiresOn[] = {
    {"demand", FiresOn::demand}, {"events", FiresOn::events},           {"slides", FiresOn::slides},
    {"passed", FiresOn::passed}, {"session_end", FiresOn::session_end},
};
constexpr Named<Emit> kEmits[] = {{"arrival", Emit::arrival}, {"final", Emit::final}, {"update", Emit::update}};

std::optional<Length> optional_length(nb::handle spec) {
    if (spec.is_none()) return std::nullopt;
    return length_of(nb::cast<LengthSpec>(spec));
}

}  // namespace

OperatorPlan plan_of(nb::handle config, bool reals) {
    OperatorPlan plan;
    for (const nb::handle policy : nb::iter(config.attr("policies"))) plan.policies.push_back(policy_of(policy, reals));
    plan.fires_on = named(kFiresOn, config.attr("fires_on"));
    plan.emit = named(kEmits, config.attr("emit"));
    plan.every = nb::cast<std::size_t>(config.attr("every"));
    const nb::object slide = config.attr("slide");
    if (!slide.is_none()) plan.grid = {length_of(nb::cast<LengthSpec>(slide[0])), nb::cast<Time>(slide[1]), reals};
    const nb::object panes = config.attr("panes");
    if (!panes.is_none())
        plan.panes = {
            {length_of(nb::cast<LengthSpec>(panes.attr("length"))), nb::cast<Time>(panes.attr("origin")), reals},
            nb::cast<bool>(panes.attr("left")),
            reals};
    plan.lateness = optional_length(config.attr("lateness"));
    plan.expire = optional_length(config.attr("expire"));
    plan.changes_only = nb::cast<bool>(config.attr("changes_only"));
    if (const nb::object moves = config.attr("moves"); !moves.is_none()) plan.moves = mark_of(moves);
    plan.retracts = nb::cast<bool>(config.attr("retracts"));
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
