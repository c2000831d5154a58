//! The table of algorithms: one line each.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <tuple>

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
#include "sharing.hpp"

namespace sash::bench {

//! Whether an algorithm takes events before its youngest one.
enum class Takes : bool { ordered, late };

//! `make(monoid)` gives an empty window. A monoid that the algorithm refuses is one that `make` does not accept.
template <class Make>
struct Named {
    std::string_view name;
    Takes takes;
    Make make;
};
template <class Make>
Named(std::string_view, Takes, Make) -> Named<Make>;

//! Some entries take only these, to keep the build short.
template <class M>
concept Plain = std::same_as<typename M::Partial, std::int64_t>;

inline const auto& algorithms() {
    using enum Takes;
    static const std::tuple table{
        Named{"recalc", ordered, []<class M>(M m) -> Recalc<M> { return Recalc<M>(m); }},
        Named{"subtract_on_evict", ordered, []<class M>(M m) -> SubtractOnEvict<M> { return SubtractOnEvict<M>(m); }},
        Named{"two_stacks", ordered, []<class M>(M m) -> TwoStacks<M> { return TwoStacks<M>(m); }},
        Named{"two_stacks_lite", ordered, []<class M>(M m) -> TwoStacksLite<M> { return TwoStacksLite<M>(m); }},
        Named{"aba", ordered, []<class M>(M m) -> Aba<M> { return Aba<M>(m); }},
        Named{"daba", ordered, []<class M>(M m) -> Daba<M> { return Daba<M>(m); }},
        Named{"daba_uncached", ordered, []<class M>(M m) -> DabaUncached<M> { return DabaUncached<M>(m); }},
        Named{"daba_lite", ordered, []<class M>(M m) -> DabaLite<M> { return DabaLite<M>(m); }},
        Named{"flatfat", ordered, []<class M>(M m) -> FlatFat<M> { return FlatFat<M>(m); }},
        Named{"flatfat_fifo", ordered, []<class M>(M m) -> FlatFatFifo<M> { return FlatFatFifo<M>(m); }},
        Named{"base_intervals", ordered, []<class M>(M m) -> BaseIntervals<M> { return BaseIntervals<M>(m); }},
        Named{"log_mta", ordered, []<class M>(M m) -> LogMta<M> { return LogMta<M>(m); }},
        Named{"amta", ordered, []<class M>(M m) -> Amta<M> { return Amta<M>(m); }},
        Named{"btree", late, []<class M>(M m) -> BTree<M> { return BTree<M>(m); }},
        Named{"fiba", late, []<class M>(M m) -> Fiba<M> { return Fiba<M>(m); }},
        Named{"fiba_shared", ordered, []<Plain M>(M m) -> Shared<Fiba<M>> { return Shared<Fiba<M>>(m); }},
        Named{"fiba_separate", ordered, []<Plain M>(M m) -> Separate<Fiba<M>> { return Separate<Fiba<M>>(m); }},
    };
    return table;
}

}  // namespace sash::bench
