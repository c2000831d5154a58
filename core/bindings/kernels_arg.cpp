#include "catalog.hpp"
#include "kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_arg(std::string_view kernel, const KernelOptions&, const AlgorithmOptions& algorithm) {
    if (kernel == "arg_min") return make_kernel(ArgMin<Cell>{}, algorithm);
    return make_kernel(ArgMax<Cell>{}, algorithm);
}

}  // namespace sash::face
