#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_sum(std::string_view, const KernelOptions& options, const AlgorithmOptions& algorithm) {
    // A count is a sum of ones: the reader makes them.
    if (options.real) return make_kernel(SumReal{}, algorithm);
    return make_kernel(SumInt{}, algorithm);
}

}  // namespace sash::face
