//! Two aggregations by one kernel. ~x turns the order of the integers around, so the least is the greatest of the
//! complements; and by De Morgan's law the bits set in all are the complement of those set in any complement. It halves
//! the code of such kernels, and costs a combine nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "sash/monoids/arg.hpp"
#include "sash/monoids/bits.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/extrema.hpp"

namespace sash {

//! M, or its mirror image. The partials of the mirror image hold complements.
template <class M>
struct Mirrored : M {
    using typename M::Input;
    using typename M::Output;
    using typename M::Partial;

    //! All bits set in the mirror image, none in M itself.
    Cell mask = 0;

    explicit Mirrored(bool mirror, M monoid = M{}) : M(monoid), mask(mirror ? Cell{-1} : Cell{0}) {}

    Partial lift(Input input) const {
        if constexpr (std::is_same_v<Input, Cell>) {
            return M::lift(input ^ mask);
        } else {
            return M::lift({input.first ^ mask, input.second});
        }
    }
    Output lower(const Partial& partial) const {
        if constexpr (std::is_same_v<Partial, Cell>) {
            return M::lower(partial ^ mask);
        } else {
            return M::lower(partial);
        }
    }
};

//! First and Last: which of the two is known at run time.
struct Ends : First<Cell> {
    bool youngest = false;

    explicit Ends(bool last) : youngest(last) {}

    Partial combine(const Partial& older, const Partial& newer) const {
        if (!newer.present) return older;
        return !youngest && older.present ? older : newer;
    }
};

using Extremes = Mirrored<Max>;
using ExtremeCounts = Mirrored<MaxCount>;

//! Extremes with a mark that says whether there is any: the one cell that stands for nothing in Extremes is a value
//! here.
struct MarkedExtremes {
    using Input = Cell;
    using Output = Number;
    struct Partial {
        Cell cell;
        std::int64_t present;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Cell mask;
    NumberKind kind;

    MarkedExtremes(bool least, NumberKind numbers) : mask(least ? Cell{-1} : Cell{0}), kind(numbers) {}

    Partial identity() const { return {Max{}.identity(), 0}; }
    Partial lift(Input value) const { return {value ^ mask, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {std::max(older.cell, newer.cell), older.present | newer.present};
    }
    Output lower(const Partial& partial) const { return decode(partial.cell ^ mask, kind); }
};
using ExtremeArguments = Mirrored<ArgMax<Cell>>;
using Bits = Mirrored<BitOr>;

}  // namespace sash
