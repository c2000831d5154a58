//! Integers read as reals: what becomes of the partials that were made from them.
#pragma once

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

inline Cell wide_cell(Cell cell, Cell mask = 0) {
    return encode_real(exact_real(cell ^ mask)) ^ mask;
}

//! What becomes of a partial: nothing; its integers are read as reals; its integers are kept in their full range, sums
//! in 128 bits; or they are found to need no more than 64.
enum class Form : std::uint8_t { same, real, wide, narrow };

//! A partial of integers as one of reals. Each of these maps is a homomorphism, so it makes no difference whether
//! events are combined before or after it.
inline double widen(const SumInt&, std::int64_t partial) {
    return exact_real(partial);
}
inline double widen(const SumWide& monoid, const SumWide::Partial& partial) {
    return exact_real(monoid.lower(partial));
}
inline double widen(const ProductInt& monoid, const ProductInt::Partial& partial) {
    return exact_real(monoid.lower(partial));
}
//! The neutral cell stays neutral: it is no number.
inline Cell widen(const Extremes& monoid, Cell partial) {
    return partial == monoid.identity() ? partial : wide_cell(partial, monoid.mask);
}
inline auto widen(const ExtremeCounts& monoid, ExtremeCounts::Partial partial) {
    if (partial.count != 0) partial.extreme = wide_cell(partial.extreme, monoid.mask);
    return partial;
}
inline Range::Partial widen(const Range&, const Range::Partial& partial) {
    if (partial.least > partial.greatest) return partial;
    return {wide_cell(partial.least), wide_cell(partial.greatest)};
}
inline auto widen(const ExtremeArguments& monoid, ExtremeArguments::Partial partial) {
    if (partial.present) partial.key = wide_cell(partial.key, monoid.mask);
    return partial;
}

//! A monoid that knows where its numbers lie.
template <class M>
    requires requires(const M& monoid, typename M::Partial& partial) { monoid.renumber(partial, encode_real); }
auto widen(const M& monoid, typename M::Partial partial) {
    monoid.renumber(partial, [](Cell cell) { return wide_cell(cell); });
    return partial;
}

inline Cell widen(const MarkedExtremes& monoid, const MarkedExtremes::Partial& partial) {
    return partial.present != 0 ? wide_cell(partial.cell, monoid.mask) : Extremes(false).identity();
}

//! A partial in its full range, and back.
inline SumWide::Partial spread(const SumInt&, std::int64_t partial) {
    return SumWide::Partial::of(partial);
}
inline MarkedExtremes::Partial spread(const Extremes& monoid, Cell partial) {
    return {partial, partial != monoid.identity()};
}
inline std::int64_t narrowed(const SumWide& monoid, const SumWide::Partial& partial) {
    return monoid.lower(partial);
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
