//! What sash.operator.config says about an operator, as the core knows it.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "operator/result_shape.hpp"
#include "sash/operator/plan.hpp"

namespace sash::face {

//! From a sash.operator.config.Config.
OperatorPlan plan_of(nb::handle config, bool reals);
std::vector<OutputSpec> outputs_of(nb::handle config);
std::vector<EvictionRule> rules_of(nb::handle config);

//! What a policy reads of an event, from what Python says: None, a bool or a number.
windows::Mark mark_of(nb::handle value);

}  // namespace sash::face
