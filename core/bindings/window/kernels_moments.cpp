#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_moments(std::string_view kernel, const KernelOptions& options,
                                     const AlgorithmOptions& algorithm) {
    if (kernel == "mean") return make_kernel(Mean{options.geometric}, algorithm);
    return make_kernel(Moments{options.ddof, options.root}, algorithm);
}

}  // namespace sash::face
