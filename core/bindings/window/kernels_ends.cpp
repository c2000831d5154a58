#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_ends(std::string_view kernel, const KernelOptions&, const AlgorithmOptions& algorithm) {
    return make_kernel(Ends(kernel == "last"), algorithm);
}

}  // namespace sash::face
