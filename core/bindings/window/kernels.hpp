//! The kernels by name, one function a family. Each family is a source file of its own, so that they build side by
//! side.
#pragma once

#include <memory>
#include <string_view>

#include "window/kernel.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_sum(std::string_view kernel, const KernelOptions& options,
                                 const AlgorithmOptions& algorithm);
std::unique_ptr<Kernel> make_product(std::string_view kernel, const KernelOptions& options,
                                     const AlgorithmOptions& algorithm);
std::unique_ptr<Kernel> make_moments(std::string_view kernel, const KernelOptions& options,
                                     const AlgorithmOptions& algorithm);
std::unique_ptr<Kernel> make_extrema(std::string_view kernel, const KernelOptions& options,
                                     const AlgorithmOptions& algorithm);
std::unique_ptr<Kernel> make_counted(std::string_view kernel, const KernelOptions& options,
                                     const AlgorithmOptions& algorithm);
std::unique_ptr<Kernel> make_ends(std::string_view kernel, const KernelOptions& options,
                                  const AlgorithmOptions& algorithm);
std::unique_ptr<Kernel> make_arg(std::string_view kernel, const KernelOptions& options,
                                 const AlgorithmOptions& algorithm);
std::unique_ptr<Kernel> make_bits(std::string_view kernel, const KernelOptions& options,
                                  const AlgorithmOptions& algorithm);
std::unique_ptr<Kernel> make_sequence(std::string_view kernel, const KernelOptions& options,
                                      const AlgorithmOptions& algorithm);
std::unique_ptr<Kernel> make_bloom(std::string_view kernel, const KernelOptions& options,
                                   const AlgorithmOptions& algorithm);

}  // namespace sash::face
