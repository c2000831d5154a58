#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_counted(std::string_view kernel, const KernelOptions&, const AlgorithmOptions& algorithm) {
    return make_kernel(ExtremeCounts(kernel == "min_count"), algorithm);
}

}  // namespace sash::face
