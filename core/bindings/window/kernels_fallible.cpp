//! Every algorithm over whatever monoid, with a way back should a combine fail.
#include "window/make_kernel.hpp"

namespace sash::face {

template std::unique_ptr<MonoidKernel> make_kernel(const AnyMonoid<true>&, const OperationsPtr&,
                                                   const AlgorithmOptions&);

}  // namespace sash::face
