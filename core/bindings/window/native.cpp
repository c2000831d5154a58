//! The built-in kernels by name.
#include <stdexcept>
#include <string>
#include <utility>

#include "window/face.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_native(const Spec& spec, bool real) {
    using Maker = std::unique_ptr<Kernel> (*)(std::string_view, const KernelOptions&, const AlgorithmOptions&);
    constexpr std::pair<std::string_view, Maker> kKernels[] = {
        {"count", make_sum},         {"sum", make_sum},           {"product", make_product}, {"mean", make_moments},
        {"moments", make_moments},   {"min", make_extrema},       {"max", make_extrema},     {"range", make_extrema},
        {"min_count", make_counted}, {"max_count", make_counted}, {"first", make_ends},      {"last", make_ends},
        {"arg_min", make_arg},       {"arg_max", make_arg},       {"bit_or", make_bits},     {"bit_and", make_bits},
        {"any", make_bits},          {"all", make_bits},          {"concat", make_sequence}, {"collect", make_sequence},
        {"bloom", make_bloom}};
    KernelOptions options = spec.options;
    options.real = real;
    for (const auto& [name, maker] : kKernels)
        if (name == spec.kernel) return maker(name, options, spec.algorithm);
    throw std::invalid_argument("no kernel is called " + spec.kernel);
}

}  // namespace sash::face
