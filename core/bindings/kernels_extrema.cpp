#include "catalog.hpp"
#include "kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_extrema(std::string_view kernel, const KernelOptions& options, const AlgorithmOptions& algorithm) {
    const NumberKind kind = options.real ? NumberKind::real : NumberKind::integer;
    if (kernel == "min") return make_kernel(Min{kind}, algorithm);
    if (kernel == "max") return make_kernel(Max{kind}, algorithm);
    return make_kernel(Range{kind}, algorithm);
}

}  // namespace sash::face
