//! The algorithms of production over whatever monoid has small partials.
#include "window/make_kernel.hpp"
#include "window/plain_monoid.hpp"

namespace sash::face {

template std::unique_ptr<MonoidKernel> make_kernel(const PlainMonoid&, const OperationsPtr&, const AlgorithmOptions&);

}  // namespace sash::face
