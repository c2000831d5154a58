//! Where kernels are made: each function here has a file of its own, since it takes long to compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "sash/codec.hpp"
#include "sash/monoids/mirrored.hpp"
#include "window/any_monoid.hpp"
#include "window/monoid_kernel.hpp"

namespace sash {

template <class Storage>
class Record;

}  // namespace sash

namespace sash::face {

//! The monoids for which the algorithms of production are compiled themselves: those that most windows run. A record
//! whose words lie in place runs so as FiBA alone.
template <class M>
inline constexpr bool kSpecialised = false;
template <>
inline constexpr bool kSpecialised<SumInt> = true;
template <>
inline constexpr bool kSpecialised<MarkedSumReal> = true;
template <>
inline constexpr bool kSpecialised<Mean> = true;
template <>
inline constexpr bool kSpecialised<Extremes> = true;
template <std::size_t N>
inline constexpr bool kSpecialised<Record<std::array<std::int64_t, N>>> = true;

//! An empty kernel of the named algorithm over the monoid itself; nothing where that is not compiled. Over
//! AnyMonoid<true> every algorithm is.
template <class M>
std::unique_ptr<MonoidKernel> make_kernel(const M& monoid, const OperationsPtr& operations,
                                          const AlgorithmOptions& options);

// Each in a file of its own, kernels_*.cpp.
extern template std::unique_ptr<MonoidKernel> make_kernel(const AnyMonoid<false>&, const OperationsPtr&,
                                                          const AlgorithmOptions&);
extern template std::unique_ptr<MonoidKernel> make_kernel(const AnyMonoid<true>&, const OperationsPtr&,
                                                          const AlgorithmOptions&);

//! FiBA over a monoid that defers, with the running form of all entries beside it.
std::unique_ptr<MonoidKernel> make_running(const AnyMonoid<true>& monoid, const OperationsPtr& operations,
                                           const AlgorithmOptions& options);

//! The same with its pages in a store.
std::unique_ptr<MonoidKernel> make_stored(const AnyMonoid<true>& monoid, const AlgorithmOptions& options);

}  // namespace sash::face
