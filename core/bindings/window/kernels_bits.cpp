#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

//! `any` and `all` are the bits of 0 and 1.
std::unique_ptr<Kernel> make_bits(std::string_view kernel, const KernelOptions&, const AlgorithmOptions& algorithm) {
    return make_kernel(Bits(kernel == "bit_and" || kernel == "all"), algorithm);
}

}  // namespace sash::face
