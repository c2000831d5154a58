//! Every algorithm by its name: the one list to add to.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "window/kernel_of.hpp"
#include "sash/algorithms/aba.hpp"
#include "sash/algorithms/amta.hpp"
#include "sash/algorithms/base_intervals.hpp"
#include "sash/algorithms/btree.hpp"
#include "sash/algorithms/daba.hpp"
#include "sash/algorithms/daba_lite.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/algorithms/flatfat.hpp"
#include "sash/algorithms/log_mta.hpp"
#include "sash/algorithms/recalc.hpp"
#include "sash/algorithms/subtract_on_evict.hpp"
#include "sash/algorithms/two_stacks.hpp"
#include "sash/algorithms/two_stacks_lite.hpp"

namespace sash::face {

//! A type as a value.
template <class T>
using Type = std::type_identity<T>;

//! A record whose words lie in place comes in several sizes, and runs as FiBA alone: there it pays.
template <class M>
inline constexpr bool kOnlyFiba = false;
template <std::size_t N>
inline constexpr bool kOnlyFiba<Record<std::array<std::int64_t, N>>> = true;

template <class M>
concept RunsAnywhere = !kOnlyFiba<M>;

//! `of` turns the type of a monoid into the type of the algorithm over it.
template <Order order, class Of>
struct Listed {
    std::string_view name;
    Of of;

    template <class M>
    static constexpr bool takes = std::invocable<Of, Type<M>>;
    template <class M>
    using Over = Checked<typename std::invoke_result_t<Of, Type<M>>::type, order>;
};

template <Order order, class Of>
constexpr Listed<order, Of> listed(std::string_view name, Of of) {
    return {name, of};
}

inline constexpr std::tuple kCatalog{
    listed<Order::any>("recalc", []<RunsAnywhere M>(Type<M>) { return Type<Recalc<M>>{}; }),
    listed<Order::in_order>(
        "subtract_on_evict",
        []<RunsAnywhere M>(Type<M>)
            requires Invertible<M>
        { return Type<SubtractOnEvict<M>>{}; }),
        listed<Order::in_order>("two_stacks", []<RunsAnywhere M>(Type<M>) { return Type<TwoStacks<M>>{}; }),
        listed<Order::in_order>("two_stacks_lite", []<RunsAnywhere M>(Type<M>) { return Type<TwoStacksLite<M>>{}; }),
        listed<Order::in_order>("aba", []<RunsAnywhere M>(Type<M>) { return Type<Aba<M>>{}; }),
        listed<Order::in_order>("daba", []<RunsAnywhere M>(Type<M>) { return Type<Daba<M>>{}; }),
        listed<Order::in_order>("daba_uncached", []<RunsAnywhere M>(Type<M>) { return Type<DabaUncached<M>>{}; }),
        listed<Order::in_order>("daba_lite", []<RunsAnywhere M>(Type<M>) { return Type<DabaLite<M>>{}; }),
        listed<Order::in_order>("flatfat", []<RunsAnywhere M>(Type<M>) { return Type<FlatFat<M>>{}; }),
        listed<Order::in_order>("base_intervals", []<RunsAnywhere M>(Type<M>) { return Type<BaseIntervals<M>>{}; }),
        listed<Order::in_order>("log_mta", []<RunsAnywhere M>(Type<M>) { return Type<LogMta<M>>{}; }),
        listed<Order::in_order>("amta", []<RunsAnywhere M>(Type<M>) { return Type<Amta<M>>{}; }),
        listed<Order::any>("btree", []<RunsAnywhere M>(Type<M>) { return Type<BTree<M>>{}; }),
        listed<Order::any>("fiba", []<class M>(Type<M>) { return Type<Fiba<M>>{}; }),
    };

//! Calls f(Type<Checked window over M>) for the algorithm called `name`, and gives what it gives; nothing (false) where
//! there is no such algorithm for M.
template <class M, class F>
bool with_algorithm(std::string_view name, F f) {
    const auto matches = [&]<class Entry>(const Entry& entry) {
        if constexpr (Entry::template takes<M>) {
            if (entry.name != name) return false;
            f(Type<typename Entry::template Over<M>>{});
            return true;
        } else {
            return false;
        }
    };
    return std::apply([&](const auto&... entries) { return (matches(entries) || ...); }, kCatalog);
}

//! The same over a store: defined in stored_kernel.hpp, and made for every monoid in stored_kernels.cpp and where the
//! monoid is defined.
template <class M>
std::unique_ptr<KernelOver<M>> make_stored(const M& monoid, const AlgorithmOptions& options);

//! Never inlined, so that the files of stored kernels can link to it instead of making every algorithm once more.
template <class M>
[[gnu::noinline]] std::unique_ptr<KernelOver<M>> make_kernel(const M& monoid, const AlgorithmOptions& options) {
    if constexpr (RunsAnywhere<M>)
        if (options.store) return make_stored(monoid, options);
    std::unique_ptr<KernelOver<M>> kernel;
    const bool known = with_algorithm<M>(
        options.name, [&]<class C>(Type<C>) { kernel = std::make_unique<KernelOf<C>>(monoid, options); });
    if (!known) throw Unsupported("run as " + options.name);
    return kernel;
}

}  // namespace sash::face
