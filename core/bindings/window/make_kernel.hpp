//! The algorithms of the catalog over one monoid. Included where they are compiled, and nowhere else.
#pragma once

#include <memory>

#include "window/catalog.hpp"
#include "window/kernel_of.hpp"

namespace sash::face {

template <class M>
std::unique_ptr<MonoidKernel> make_kernel(const M& monoid, const OperationsPtr& operations,
                                          const AlgorithmOptions& options) {
    std::unique_ptr<MonoidKernel> kernel;
    with_algorithm<M>(options.name,
                      [&]<class C>(Type<C>) { kernel = std::make_unique<KernelOf<C>>(monoid, operations, options); });
    return kernel;
}

}  // namespace sash::face
