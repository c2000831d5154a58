#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_arg(std::string_view kernel, const KernelOptions&, const AlgorithmOptions& algorithm) {
    return make_kernel(ExtremeArguments(kernel == "arg_min"), algorithm);
}

}  // namespace sash::face
