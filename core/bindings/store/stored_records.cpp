//! In-order algorithms over a store, for records and for aggregations in Python.
#include "monoids/mixed_front.hpp"

// The ends and codecs come before the kernels that use them.
#include "store/stored_kernel.hpp"
#include "store/stored_monoids.hpp"

namespace sash::face {

// The algorithms in memory are made where their kernels are, not here once more.
#define SASH_ELSEWHERE(M) \
    extern template std::unique_ptr<KernelOver<M>> make_kernel<M>(const M&, const AlgorithmOptions&);
#define SASH_HERE(M) template std::unique_ptr<KernelOver<M>> make_stored<M>(const M&, const AlgorithmOptions&);

SASH_STORED_RECORDS(SASH_ELSEWHERE)
SASH_STORED_RECORDS(SASH_HERE)

}  // namespace sash::face
