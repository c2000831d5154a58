#include "catalog.hpp"
#include "kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_counted(std::string_view kernel, const KernelOptions&, const AlgorithmOptions& algorithm) {
    if (kernel == "min_count") return make_kernel(MinCount{}, algorithm);
    return make_kernel(MaxCount{}, algorithm);
}

}  // namespace sash::face
