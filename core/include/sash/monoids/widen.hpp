//! Integers read as reals: what becomes of the partials that were made from them.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "sash/monoids/mirrored.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/number.hpp"

namespace sash {

//! An integer that float64 cannot hold.
class Inexact : public std::invalid_argument {
public:
    explicit Inexact(std::int64_t number) : std::invalid_argument(std::to_string(number)), value(number) {}
    std::int64_t value;
};

//! The integer as a real, if nothing is lost.
inline double exact_real(std::int64_t value) {
    constexpr std::int64_t kLast = std::int64_t{1} << 53;
    if (value < -kLast || value > kLast) throw Inexact(value);
    return static_cast<double>(value);
}

inline Cell wide_cell(Cell cell) {
    return encode_real(exact_real(cell));
}

//! The integer that a real stands for, which was one before it became a real.
inline Cell whole_cell(Cell cell) {
    return static_cast<Cell>(decode_real(cell));
}

//! What becomes of a partial: nothing; its integers are read as reals; its integers are kept in their full range, sums
//! in 128 bits; or they are found to need no more than 64; or the integers, or the reals, that it is made of go on
//! beside numbers of the other kind.
enum class Form : std::uint8_t { same, real, wide, narrow, both_of_integers, both_of_reals };

//! The monoid over numbers of that kind, if it asks for the kind at all.
template <class M>
M with_kind(M monoid, NumberKind kind) {
    if constexpr (requires { monoid.kind; }) monoid.kind = kind;
    return monoid;
}

//! Whether a partial holds any value, where it can tell.
template <class M>
bool holds_any(const M& monoid, const typename M::Partial& partial) {
    if constexpr (requires { monoid.defined(partial); }) {
        return monoid.defined(partial);
    } else if constexpr (requires { partial.count; }) {
        return partial.count != 0;
    } else if constexpr (requires { partial.present; }) {
        return partial.present != 0;
    } else if constexpr (requires { partial.least; }) {
        return partial.least <= partial.greatest;
    } else if constexpr (std::derived_from<M, Max>) {
        return partial != monoid.identity();
    } else {
        return true;
    }
}

// A partial with every number in it mapped. The neutral cell stays neutral: it is no number.

template <class Map>
Cell renumbered(const Extremes& monoid, Cell partial, Map map) {
    return partial == monoid.identity() ? partial : map(partial ^ monoid.mask) ^ monoid.mask;
}
template <class Map>
auto renumbered(const ExtremeCounts& monoid, ExtremeCounts::Partial partial, Map map) {
    if (partial.count != 0) partial.extreme = map(partial.extreme ^ monoid.mask) ^ monoid.mask;
    return partial;
}
template <class Map>
Range::Partial renumbered(const Range&, const Range::Partial& partial, Map map) {
    if (partial.least > partial.greatest) return partial;
    return {map(partial.least), map(partial.greatest)};
}
template <class Map>
auto renumbered(const ExtremeArguments& monoid, ExtremeArguments::Partial partial, Map map) {
    if (partial.present) partial.key = map(partial.key ^ monoid.mask) ^ monoid.mask;
    return partial;
}
//! A monoid that knows where its numbers lie.
template <class M, class Map>
    requires requires(const M& monoid, typename M::Partial& partial, Map map) { monoid.renumber(partial, map); }
auto renumbered(const M& monoid, typename M::Partial partial, Map map) {
    monoid.renumber(partial, map);
    return partial;
}

template <class M>
concept Renumbers =
    requires(const M& monoid, const typename M::Partial& partial) { renumbered(monoid, partial, whole_cell); };

//! A partial of integers as one of reals. Each of these maps is a homomorphism, so it makes no difference whether
//! events are combined before or after it.
inline double widen(const SumInt&, std::int64_t partial) {
    return partial == 0 ? MarkedSumReal{}.identity() : exact_real(partial);
}
inline double widen(const SumWide& monoid, const SumWide::Partial& partial) {
    return widen(SumInt{}, monoid.lower(partial));
}
inline MarkedProductReal::Partial widen(const ProductInt& monoid, const ProductInt::Partial& partial) {
    return {exact_real(monoid.lower(partial)), partial != monoid.identity()};
}
template <Renumbers M>
auto widen(const M& monoid, const typename M::Partial& partial) {
    return renumbered(monoid, partial, [](Cell cell) { return wide_cell(cell); });
}
inline Cell widen(const MarkedExtremes& monoid, const MarkedExtremes::Partial& partial) {
    return partial.present != 0 ? wide_cell(partial.cell ^ monoid.mask) ^ monoid.mask : Extremes(false).identity();
}

// The monoid and a partial in their full range, and back.

inline SumWide spread(const SumInt&) {
    return {};
}
inline SumWide::Partial spread(const SumInt&, std::int64_t partial) {
    return SumWide::Partial::of(partial);
}
inline MarkedExtremes spread(const Extremes& monoid) {
    return {monoid.mask != 0, monoid.kind};
}
inline MarkedExtremes::Partial spread(const Extremes& monoid, Cell partial) {
    return {partial, partial != monoid.identity()};
}
inline SumInt narrowed(const SumWide&) {
    return {};
}
inline std::int64_t narrowed(const SumWide& monoid, const SumWide::Partial& partial) {
    return monoid.lower(partial);
}
inline Extremes narrowed(const MarkedExtremes& monoid) {
    return Extremes(monoid.mask != 0, Max{monoid.kind});
}
inline Cell narrowed(const MarkedExtremes&, const MarkedExtremes::Partial& partial) {
    return partial.present != 0 ? partial.cell : Extremes(false).identity();
}

template <class M>
concept Spreads = requires(const M& monoid, const typename M::Partial& partial) { spread(monoid, partial); };
template <class M>
concept Narrows = requires(const M& monoid, const typename M::Partial& partial) { narrowed(monoid, partial); };
template <class M>
concept Widens = requires(const M& monoid, const typename M::Partial& partial) { widen(monoid, partial); };

}  // namespace sash
