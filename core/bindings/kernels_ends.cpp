#include "catalog.hpp"
#include "kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_ends(std::string_view kernel, const KernelOptions&, const AlgorithmOptions& algorithm) {
    if (kernel == "first") return make_kernel(First<Cell>{}, algorithm);
    return make_kernel(Last<Cell>{}, algorithm);
}

}  // namespace sash::face
