//! What sash.operator.config says about an operator, as the core knows it.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "operator/result_shape.hpp"
#include "sash/operator/plan.hpp"
#include "windows/policy_config.hpp"

namespace sash::face {

//! From a sash.operator.config.Config.
OperatorPlan plan_of(nb::handle config, bool reals);
std::vector<OutputSpec> outputs_of(nb::handle config);
std::vector<EvictionRule> rules_of(nb::handle config);

}  // namespace sash::face
