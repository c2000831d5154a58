//! The parameters of aggregations, as Python gives them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "monoids/row.hpp"
#include "sash/monoids/record/compiled.hpp"

namespace sash::face {

namespace {

template <class T>
T option(const nb::dict& options, const char* name, T otherwise) {
    return options.contains(name) ? nb::cast<T>(options[name]) : otherwise;
}

template <class Function>
Function function_at(const nb::dict& options, const char* name) {
    return reinterpret_cast<Function>(option(options, name, std::uintptr_t{0}));
}

//! Addresses of functions that the aggregation keeps alive.
std::shared_ptr<const CompiledFunctions> compiled_functions(const nb::dict& options) {
    if (!options.contains("combine")) return nullptr;
    auto functions = std::make_shared<CompiledFunctions>();
    functions->lift = function_at<CompiledFunctions::Lift>(options, "lift");
    functions->combine = function_at<CompiledFunctions::Combine>(options, "combine");
    functions->lower = function_at<CompiledFunctions::Lower>(options, "lower");
    functions->inverse = function_at<CompiledFunctions::Combine>(options, "inverse");
    functions->identity = nb::cast<std::vector<Word>>(options["identity"]);
    functions->integer_inputs = nb::cast<std::vector<bool>>(options["integer_inputs"]);
    functions->integer_results = nb::cast<std::vector<bool>>(options["integer_results"]);
    functions->several = option(options, "several", false);
    functions->can_fail = option(options, "can_fail", true);
    return functions;
}

}  // namespace

KernelOptions kernel_options(nb::handle given) {
    const auto options = nb::cast<nb::dict>(given);
    KernelOptions parsed;
    parsed.geometric = option(options, "geometric", false);
    parsed.root = option(options, "root", false);
    parsed.ddof = option(options, "ddof", 1);
    parsed.bits = option(options, "bits", std::size_t{1} << 14);
    parsed.hashes = option(options, "hashes", 3u);
    parsed.separator = option(options, "separator", std::string());
    parsed.bias = option(options, "bias", false);
    parsed.half_life = option(options, "half_life", 0.0);
    parsed.compiled = compiled_functions(options);
    return parsed;
}

}  // namespace sash::face
