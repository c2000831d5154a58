//! Every algorithm by its name: the one list to add to.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

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
#include "sash/window.hpp"
#include "window/kernels.hpp"

namespace sash::face {

//! A type as a value.
template <class T>
using Type = std::type_identity<T>;

//! What an algorithm is for. Baselines are compiled over AnyMonoid<true> alone. What loses most by that, over small
//! partials too (PlainMonoid); those of production over AnyMonoid<false> and the specialised monoids as well; and what
//! records gain from, over records in place.
enum class Use { baseline, small, production, records };

//! The least use of the algorithms that are compiled over M.
template <class M>
inline constexpr Use kLeastUse = Use::production;
template <>
inline constexpr Use kLeastUse<AnyMonoid<true>> = Use::baseline;
template <class Storage>
inline constexpr Use kLeastUse<Record<Storage>> = Use::records;

//! `of` turns the type of a monoid into the type of the algorithm over it.
template <Order order, Use intended, class Of>
struct Listed {
    std::string_view name;
    Of of;

    static constexpr Use use = intended;
    template <class M>
    static constexpr bool takes = std::invocable<Of, Type<M>>;
    template <class M>
    using Over = Checked<typename std::invoke_result_t<Of, Type<M>>::type, order>;
};

template <Order order, Use use, class Of>
constexpr Listed<order, use, Of> listed(std::string_view name, Of of) {
    return {name, of};
}

template <class Of>
constexpr auto baseline(std::string_view name, Of of) {
    return listed<Order::in_order, Use::baseline>(name, of);
}
template <class Of>
constexpr auto production(std::string_view name, Of of) {
    return listed<Order::in_order, Use::production>(name, of);
}

inline constexpr std::tuple kCatalog{
    listed<Order::any, Use::baseline>("recalc", []<class M>(Type<M>) { return Type<Recalc<M>>{}; }),
    production("subtract_on_evict", []<Invertible M>(Type<M>) { return Type<SubtractOnEvict<M>>{}; }),
    baseline("two_stacks", []<class M>(Type<M>) { return Type<TwoStacks<M>>{}; }),
    production("two_stacks_lite", []<class M>(Type<M>) { return Type<TwoStacksLite<M>>{}; }),
    baseline("aba", []<class M>(Type<M>) { return Type<Aba<M>>{}; }),
    baseline("daba", []<class M>(Type<M>) { return Type<Daba<M>>{}; }),
    baseline("daba_uncached", []<class M>(Type<M>) { return Type<DabaUncached<M>>{}; }),
    production("daba_lite", []<class M>(Type<M>) { return Type<DabaLite<M>>{}; }),
    listed<Order::in_order, Use::small>("flatfat", []<class M>(Type<M>) { return Type<FlatFat<M>>{}; }),
    baseline("flatfat_fifo", []<class M>(Type<M>) { return Type<FlatFatFifo<M>>{}; }),
    baseline("base_intervals", []<class M>(Type<M>) { return Type<BaseIntervals<M>>{}; }),
    baseline("log_mta", []<class M>(Type<M>) { return Type<LogMta<M>>{}; }),
    production("amta", []<class M>(Type<M>) { return Type<Amta<M>>{}; }),
    listed<Order::any, Use::baseline>("btree", []<class M>(Type<M>) { return Type<BTree<M>>{}; }),
    listed<Order::any, Use::records>("fiba", []<class M>(Type<M>) { return Type<Fiba<M>>{}; }),
};

//! Calls f(Type<Checked window over M>) for the algorithm called `name`; false where there is no such algorithm for M
//! among those of that use.
template <class M, Use least = kLeastUse<M>, class F>
bool with_algorithm(std::string_view name, F f) {
    const auto matches = [&]<class Entry>(const Entry& entry) {
        if constexpr (Entry::use >= least && Entry::template takes<M>) {
            if (entry.name != name) return false;
            f(Type<typename Entry::template Over<M>>{});
            return true;
        } else {
            return false;
        }
    };
    return std::apply([&](const auto&... entries) { return (matches(entries) || ...); }, kCatalog);
}

}  // namespace sash::face
