#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_sequence(std::string_view kernel, const KernelOptions& options,
                                      const AlgorithmOptions& algorithm) {
    if (kernel == "concat") return make_kernel(Concat{options.separator}, algorithm);
    return make_kernel(Collect<Cell>{}, algorithm);
}

}  // namespace sash::face
