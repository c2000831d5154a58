#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_extrema(std::string_view kernel, const KernelOptions& options,
                                     const AlgorithmOptions& algorithm) {
    const NumberKind kind = options.real ? NumberKind::real : NumberKind::integer;
    if (kernel == "range") return make_kernel(Range{kind}, algorithm);
    return make_kernel(Extremes(kernel == "min", Max{kind}), algorithm);
}

}  // namespace sash::face
