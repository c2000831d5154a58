//! The table of monoids: one line each. An entry says what the value of the event at a given time is.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "sash/hash.hpp"
#include "sash/monoids/bloom.hpp"
#include "sash/monoids/extrema.hpp"
#include "sash/monoids/mean.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/time.hpp"

namespace sash::bench {

template <class M, class Value>
struct Case {
    std::string_view name;
    M monoid;
    Value input;
};
template <class M, class Value>
Case(std::string_view, M, Value) -> Case<M, Value>;

//! A number without pattern, less than 2^20.
inline std::int64_t scrambled(Time time) {
    return static_cast<std::int64_t>(hash_integer(time) >> 44);
}

inline const auto& monoids() {
    static const std::tuple table{
        Case{"sum_int", SumInt{}, [](Time time) { return time & 7; }},
        Case{"max", Max{}, scrambled},
        Case{"bloom", Bloom{}, hash_integer},
        Case{"geometric_mean", Mean{true}, [](Time time) { return static_cast<double>((time & 1023) + 1); }},
    };
    return table;
}

}  // namespace sash::bench
