//! Least and greatest, and means, by the algorithms of production.
#include "window/make_kernel.hpp"

namespace sash::face {

template std::unique_ptr<MonoidKernel> make_kernel(const Extremes&, const OperationsPtr&, const AlgorithmOptions&);
template std::unique_ptr<MonoidKernel> make_kernel(const Mean&, const OperationsPtr&, const AlgorithmOptions&);

}  // namespace sash::face
