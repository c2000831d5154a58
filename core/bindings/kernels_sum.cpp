#include "catalog.hpp"
#include "kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_sum(std::string_view kernel, const KernelOptions& options, const AlgorithmOptions& algorithm) {
    if (kernel == "count") return make_kernel(Count{}, algorithm);
    if (options.real) return make_kernel(SumReal{}, algorithm);
    return make_kernel(SumInt{}, algorithm);
}

}  // namespace sash::face
