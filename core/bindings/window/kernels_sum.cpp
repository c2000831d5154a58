//! Sums and counts by the algorithms of production.
#include "window/make_kernel.hpp"

namespace sash::face {

template std::unique_ptr<MonoidKernel> make_kernel(const SumInt&, const OperationsPtr&, const AlgorithmOptions&);
template std::unique_ptr<MonoidKernel> make_kernel(const MarkedSumReal&, const OperationsPtr&, const AlgorithmOptions&);

}  // namespace sash::face
