//! Running totals of rows, forwards and backwards.
#pragma once

#include <cstddef>
#include <type_traits>

#include "sash/monoid.hpp"

namespace sash::batch {

//! How many rows a scan of light partials takes at once.
inline constexpr std::size_t kTogether = 4;

//! Partials that are one number. To combine them costs next to nothing, but the next cannot begin before the last is
//! done: a chain of additions takes four cycles a row, in which a machine could do eight.
template <class M>
concept Light = Monoid<M> && std::is_arithmetic_v<typename M::Partial> && !M::fallible;

namespace detail {

//! Four rows at a time: their own totals wait for nothing before them, and each is then combined once more with what
//! came before. 7 combines instead of 4, of which only one is in the chain.
template <Light M, class Lift, class Write>
void scan_fours(const M& monoid, std::size_t begin, std::size_t end, Lift lift, typename M::Partial& total,
                Write write) {
    for (std::size_t i = begin; i != end; i += kTogether) {
        const auto one = lift(i);
        const auto two = monoid.combine(one, lift(i + 1));
        const auto three = monoid.combine(two, lift(i + 2));
        const auto four = monoid.combine(three, lift(i + 3));
        write(i, monoid.combine(total, one));
        write(i + 1, monoid.combine(total, two));
        write(i + 2, monoid.combine(total, three));
        total = monoid.combine(total, four);
        write(i + 3, total);
    }
}

//! The same from the end, down to `begin`.
template <Light M, class Lift, class Write>
void scan_back_fours(const M& monoid, std::size_t begin, std::size_t end, Lift lift, typename M::Partial& total,
                     Write write) {
    for (std::size_t i = end; i != begin; i -= kTogether) {
        const auto one = lift(i - 1);
        const auto two = monoid.combine(lift(i - 2), one);
        const auto three = monoid.combine(lift(i - 3), two);
        const auto four = monoid.combine(lift(i - 4), three);
        write(i - 1, monoid.combine(one, total));
        write(i - 2, monoid.combine(two, total));
        write(i - 3, monoid.combine(three, total));
        total = monoid.combine(four, total);
        write(i - 4, total);
    }
}

}  // namespace detail

//! Calls write(position, everything in `total` and the rows from `begin` to there) for each of [begin, end); `total`
//! then has them all.
template <Monoid M, class Lift, class Write>
void scan(const M& monoid, std::size_t begin, std::size_t end, Lift lift, typename M::Partial& total, Write write) {
    std::size_t i = begin;
    if constexpr (Light<M>) {
        i = end - (end - begin) % kTogether;
        detail::scan_fours(monoid, begin, i, lift, total, write);
    }
    // A total of its own can stay in registers.
    typename M::Partial running = std::move(total);
    for (; i != end; ++i) {
        append(monoid, running, lift(i));
        write(i, running);
    }
    total = std::move(running);
}

//! Calls write(position, the rows from there to `end`) for each of [begin, end), the last one first.
template <Monoid M, class Lift, class Write>
void scan_back(const M& monoid, std::size_t begin, std::size_t end, Lift lift, Write write) {
    typename M::Partial total = monoid.identity();
    std::size_t i = end;
    if constexpr (Light<M>) {
        i = begin + (end - begin) % kTogether;
        detail::scan_back_fours(monoid, i, end, lift, total, write);
    }
    while (i-- != begin) {
        prepend(monoid, lift(i), total);
        write(i, total);
    }
}

}  // namespace sash::batch
