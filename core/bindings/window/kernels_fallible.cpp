//! Every algorithm over whatever monoid, with a way back should a combine fail.
#include "window/make_kernel.hpp"
#include "window/running_kernel.hpp"

namespace sash::face {

template std::unique_ptr<MonoidKernel> make_kernel(const AnyMonoid<true>&, const OperationsPtr&,
                                                   const AlgorithmOptions&);

std::unique_ptr<MonoidKernel> make_running(const AnyMonoid<true>& monoid, const OperationsPtr& operations,
                                           const AlgorithmOptions& options) {
    return std::make_unique<RunningKernelOf<Checked<Fiba<AnyMonoid<true>>, Order::any>>>(monoid, operations, options);
}

}  // namespace sash::face
