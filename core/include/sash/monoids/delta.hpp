#pragma once

#include <cstdint>
#include <stdexcept>
#include <tuple>

#include "sash/number.hpp"

namespace sash {

//! Later minus earlier number; an integer that does not fit in int64 is an error.
inline Number difference(Cell earlier, Cell later, NumberKind kind) {
    if (kind == NumberKind::real) return decode_real(later) - decode_real(earlier);
    std::int64_t result;
    if (__builtin_sub_overflow(later, earlier, &result))
        throw std::overflow_error("the result does not fit in 64 bits; pass floats, or scale the values down");
    return result;
}

//! The last value minus the first.
struct Delta {
    using Input = Cell;
    using Output = Number;
    struct Partial {
        Cell first;
        Cell last;
        std::int64_t present;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;

    NumberKind kind = NumberKind::integer;

    Partial identity() const { return {0, 0, 0}; }
    Partial lift(Input value) const { return {value, value, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.present == 0) return newer;
        if (newer.present == 0) return older;
        return {older.first, newer.last, 1};
    }
    bool defined(const Partial& partial) const { return partial.present != 0; }
    Output lower(const Partial& partial) const { return difference(partial.first, partial.last, kind); }

    //! Maps every stored number, such as integers that become reals.
    template <class Map>
    void renumber(Partial& partial, Map map) const {
        if (partial.present == 0) return;
        partial.first = map(partial.first);
        partial.last = map(partial.last);
    }
};

inline auto fields(Delta::Partial& partial) {
    return std::tie(partial.first, partial.last, partial.present);
}

}  // namespace sash
