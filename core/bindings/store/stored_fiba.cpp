//! FiBA over a store, for the built-in monoids.
#include "store/stored_fiba.hpp"

#include "store/stored_monoids.hpp"

namespace sash::face {

// The algorithms in memory are made where their kernels are, not here once more.
#define SASH_ELSEWHERE(M) \
    extern template std::unique_ptr<KernelOver<M>> make_kernel<M>(const M&, const AlgorithmOptions&);
#define SASH_HERE(M) template std::unique_ptr<KernelOver<M>> make_stored_fiba<M>(const M&, const AlgorithmOptions&);

SASH_STORED_MONOIDS(SASH_ELSEWHERE)
SASH_STORED_MONOIDS(SASH_HERE)

}  // namespace sash::face
