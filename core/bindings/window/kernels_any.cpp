//! The algorithms of production over whatever monoid cannot fail.
#include "window/make_kernel.hpp"

namespace sash::face {

template std::unique_ptr<MonoidKernel> make_kernel(const AnyMonoid<false>&, const OperationsPtr&,
                                                   const AlgorithmOptions&);

}  // namespace sash::face
