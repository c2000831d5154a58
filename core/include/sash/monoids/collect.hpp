#pragma once

#include <vector>

#include "sash/number.hpp"

namespace sash {

//! Every value, oldest first.
template <class Value = Cell>
struct Collect {
    using Input = Value;
    using Partial = std::vector<Value>;
    using Output = std::vector<Value>;
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;

    Partial identity() const { return {}; }
    Partial lift(const Input& value) const { return {value}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        Partial both = older;
        append(both, newer);
        return both;
    }
    void append(Partial& older, const Partial& newer) const { older.insert(older.end(), newer.begin(), newer.end()); }
    Output lower(const Partial& partial) const { return partial; }
};

}  // namespace sash
