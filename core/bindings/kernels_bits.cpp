#include "catalog.hpp"
#include "kernels.hpp"

namespace sash::face {

//! `any` and `all` are the bits of 0 and 1.
std::unique_ptr<Kernel> make_bits(std::string_view kernel, const KernelOptions&, const AlgorithmOptions& algorithm) {
    if (kernel == "bit_or" || kernel == "any") return make_kernel(BitOr{}, algorithm);
    return make_kernel(BitAnd{}, algorithm);
}

}  // namespace sash::face
