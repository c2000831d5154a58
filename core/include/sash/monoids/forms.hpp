//! The forms that a monoid of numbers has, and how its partials go from one to another.
#pragma once

#include <concepts>
#include <cstdint>

#include "sash/monoids/both.hpp"
#include "sash/monoids/widen.hpp"

namespace sash {

// The monoid that continues when integers are read as reals; widen carries the partials over.

inline MarkedSumReal widened(const SumInt&) {
    return {};
}
inline MarkedSumReal widened(const SumWide&) {
    return {};
}
inline MarkedProductReal widened(const ProductInt&) {
    return {};
}
inline Extremes widened(const MarkedExtremes& monoid) {
    return Extremes(monoid.mask != 0, Max{NumberKind::real});
}
template <Renumbers M>
M widened(const M& monoid) {
    return with_kind(monoid, NumberKind::real);
}

// The one that continues over numbers of both kinds, and a partial of integers, or of reals, as one of it.

inline SumBoth over_both(const MarkedSumReal&) {
    return {};
}
inline ProductBoth over_both(const MarkedProductReal&) {
    return {};
}
template <Renumbers M>
OfBoth<M> over_both(const M& monoid) {
    return {with_kind(monoid, NumberKind::real)};
}

inline SumBoth::Partial of_integers(const SumInt&, std::int64_t partial) {
    return {SumWide::Partial::of(partial), 0.0, 0};
}
inline SumBoth::Partial of_integers(const SumWide&, const SumWide::Partial& partial) {
    return {partial, 0.0, 0};
}
inline ProductBoth::Partial of_integers(const ProductInt& monoid, const ProductInt::Partial& partial) {
    return {partial, exact_real(monoid.lower(partial)), 0};
}
template <Widens M>
auto of_integers(const M& monoid, const typename M::Partial& partial) {
    using Both = decltype(over_both(widened(monoid)));
    return typename Both::Partial{widen(monoid, partial), holds_any(monoid, partial) ? kIntegers : 0};
}

inline SumBoth::Partial of_reals(const MarkedSumReal& monoid, double partial) {
    return {{0, 0}, partial + 0.0, monoid.defined(partial)};
}
inline ProductBoth::Partial of_reals(const MarkedProductReal&, const MarkedProductReal::Partial& partial) {
    return {{1, 1}, partial.product, partial.present};
}
template <Renumbers M>
typename OfBoth<M>::Partial of_reals(const M& monoid, const typename M::Partial& partial) {
    return {partial, holds_any(monoid, partial) ? kReals : 0};
}

template <class M>
concept HoldsReals = requires(const M& monoid, const typename M::Partial& partial) { of_reals(monoid, partial); };

template <class M, class Take>
bool reform(const M& monoid, const typename M::Partial& partial, Form form, Take take);

//! The integers of a partial that holds no reals, in their full range or not.
template <OverBoth M, class Take>
bool to_integers(const M& monoid, const typename M::Partial& partial, Form form, Take take) {
    const auto over = monoid.over_integers();
    const auto integers = monoid.as_integers(partial);
    if (!reform(over, integers, form, take)) take(over, integers);
    return true;
}

//! Calls take(monoid, partial) with the monoid of that form, and the partial as one of it. False where the monoid has
//! no such form. Throws Inexact where an integer is no real.
template <class M, class Take>
bool reform(const M& monoid, const typename M::Partial& partial, Form form, Take take) {
    switch (form) {
        case Form::same:
            return false;
        case Form::real:
            if constexpr (OverBoth<M>) return take(monoid.over_reals(), monoid.as_reals(partial)), true;
            if constexpr (Widens<M>) return take(widened(monoid), widen(monoid, partial)), true;
            return false;
        case Form::wide:
            if constexpr (OverBoth<M>) return to_integers(monoid, partial, form, take);
            if constexpr (Spreads<M>) return take(spread(monoid), spread(monoid, partial)), true;
            return false;
        case Form::narrow:
            if constexpr (OverBoth<M>) return to_integers(monoid, partial, form, take);
            if constexpr (Narrows<M>) return take(narrowed(monoid), narrowed(monoid, partial)), true;
            return false;
        case Form::both_of_integers:
            if constexpr (Widens<M> && !OverBoth<M>) {
                // Integers that no float holds are refused, whatever could be made of them.
                static_cast<void>(widen(monoid, partial));
                return take(over_both(widened(monoid)), of_integers(monoid, partial)), true;
            }
            return false;
        case Form::both_of_reals:
            if constexpr (HoldsReals<M>) return take(over_both(monoid), of_reals(monoid, partial)), true;
            return false;
    }
    return false;
}

}  // namespace sash
