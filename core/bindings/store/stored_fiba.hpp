//! FiBA over pages as a kernel. To be included after the monoid's ends and codec.
#pragma once

#include <memory>

#include "sash/store/fiba.hpp"
#include "store/stored_kernel.hpp"

namespace sash::face {

template <class M>
std::unique_ptr<KernelOver<M>> make_stored_fiba(const M& monoid, const AlgorithmOptions& options) {
    return std::make_unique<StoredKernel<Checked<store::PagedFiba<M>, Order::any>>>(monoid, options);
}

}  // namespace sash::face
