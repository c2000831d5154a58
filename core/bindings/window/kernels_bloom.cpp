#include "window/catalog.hpp"
#include "window/kernels.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_bloom(std::string_view, const KernelOptions& options, const AlgorithmOptions& algorithm) {
    return make_kernel(Bloom(options.bits, options.hashes), algorithm);
}

}  // namespace sash::face
