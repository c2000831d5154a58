#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_product(std::string_view, const KernelOptions& options,
                                     const AlgorithmOptions& algorithm) {
    if (options.real) return make_kernel(ProductReal{}, algorithm);
    return make_kernel(ProductInt{}, algorithm);
}

}  // namespace sash::face
