//! Integers and reals in one window. Each kind is remembered, so that a partial without reals is one of integers again:
//! results, and the bytes of a snapshot, are those of the numbers that are there, whatever was there before.
#pragma once

#include <concepts>
#include <cstdint>

#include "sash/monoids/sum.hpp"
#include "sash/monoids/widen.hpp"
#include "sash/number.hpp"
#include "sash/time.hpp"

namespace sash {

//! The kinds of numbers that a partial is made of, as bits.
inline constexpr std::int64_t kIntegers = 1;
inline constexpr std::int64_t kReals = 2;

//! Which kinds of numbers a partial is made of.
struct Kinds {
    bool integers = false;
    bool reals = false;

    static Kinds of(std::int64_t bits) { return {(bits & kIntegers) != 0, (bits & kReals) != 0}; }
    Kinds operator|(const Kinds& other) const { return {integers || other.integers, reals || other.reals}; }
    bool operator==(const Kinds&) const = default;
};

//! What a monoid reads of a number by its code as a real, and whether it is an integer.
template <class Number>
struct Either {
    Number number;
    bool whole;
};

//! A monoid over the codes of numbers, which reads all of them as reals.
template <class M>
struct OfBoth {
    using Input = Either<typename M::Input>;
    using Output = typename M::Output;
    struct Partial {
        typename M::Partial numbers;
        std::int64_t kinds;
    };
    static constexpr bool commutative = M::commutative;
    static constexpr bool fallible = false;
    static constexpr bool timed = requires { requires M::timed; };

    M monoid;

    Partial identity() const { return {monoid.identity(), 0}; }
    Partial lift(const Input& input) const
        requires(!timed)
    {
        return {monoid.lift(input.number), input.whole ? kIntegers : kReals};
    }
    Partial lift(Time time, const Input& input) const
        requires timed
    {
        return {monoid.lift(time, input.number), input.whole ? kIntegers : kReals};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {monoid.combine(older.numbers, newer.numbers), older.kinds | newer.kinds};
    }
    Kinds kinds(const Partial& partial) const { return Kinds::of(partial.kinds); }
    //! How often the extreme occurs is known of nothing, too.
    bool defined(const Partial& partial) const { return partial.kinds != 0 || std::same_as<M, ExtremeCounts>; }
    Output lower(const Partial& partial) const {
        return kinds(partial).reals ? monoid.lower(partial.numbers) : over_integers().lower(as_integers(partial));
    }

    //! The monoid over one kind alone, and a partial of that kind as one of it.
    M over_integers() const { return with_kind(monoid, NumberKind::integer); }
    typename M::Partial as_integers(const Partial& partial) const {
        return renumbered(monoid, partial.numbers, whole_cell);
    }
    M over_reals() const { return monoid; }
    typename M::Partial as_reals(const Partial& partial) const { return partial.numbers; }

    template <class Map>
    void retime(Partial& partial, Map map) const
        requires timed
    {
        monoid.retime(partial.numbers, map);
    }
};

//! Integers are summed apart from reals, in 128 bits: no rounding but that of the reals, and that of the result.
//! Integers that add up to 0 are as good as none; a record does not know how many of them there were.
struct SumBoth {
    using Input = Either<double>;
    using Output = Number;
    struct Partial {
        SumWide::Partial integers;
        double reals;
        //! How many there are of them: a sum without reals is an integer.
        std::int64_t real_count;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return {{0, 0}, 0.0, 0}; }
    Partial lift(const Input& input) const {
        if (input.whole) return {SumWide{}.lift(static_cast<std::int64_t>(input.number)), 0.0, 0};
        return {{0, 0}, input.number + 0.0, 1};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {SumWide{}.combine(older.integers, newer.integers), older.reals + newer.reals,
                older.real_count + newer.real_count};
    }
    //! What is left of no reals is nothing, however they were rounded.
    Partial inverse(const Partial& whole, const Partial& older) const {
        const std::int64_t left = whole.real_count - older.real_count;
        return {SumWide{}.inverse(whole.integers, older.integers), left == 0 ? 0.0 : whole.reals - older.reals, left};
    }
    Kinds kinds(const Partial& partial) const {
        return {partial.integers != SumWide::Partial{0, 0}, partial.real_count != 0};
    }
    Output lower(const Partial& partial) const {
        if (partial.real_count == 0) return SumWide{}.lower(partial.integers);
        return as_reals(partial);
    }

    SumWide over_integers() const { return {}; }
    SumWide::Partial as_integers(const Partial& partial) const { return partial.integers; }
    MarkedSumReal over_reals() const { return {}; }
    double as_reals(const Partial& partial) const {
        if (!kinds(partial).integers && !kinds(partial).reals) return over_reals().identity();
        return static_cast<double>(partial.integers.number()) + partial.reals;
    }
};

//! The integers apart, and all numbers as reals: integers whose product is beyond 64 bits have one beside reals.
//! Integers whose product is 1 are as good as none.
struct ProductBoth {
    using Input = Either<double>;
    using Output = Number;
    struct Partial {
        ProductInt::Partial integers;
        double all;
        //! Whether there are reals.
        std::int64_t real;
    };
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    Partial identity() const { return {{1, 1}, 1.0, 0}; }
    Partial lift(const Input& input) const {
        if (input.whole) return {ProductInt{}.lift(static_cast<std::int64_t>(input.number)), input.number, 0};
        return {{1, 1}, input.number, 1};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        return {ProductInt{}.combine(older.integers, newer.integers), older.all * newer.all, older.real | newer.real};
    }
    Kinds kinds(const Partial& partial) const {
        return {partial.integers != ProductInt::Partial{1, 1}, partial.real != 0};
    }
    Output lower(const Partial& partial) const {
        if (partial.real == 0) return ProductInt{}.lower(partial.integers);
        return partial.all;
    }

    ProductInt over_integers() const { return {}; }
    ProductInt::Partial as_integers(const Partial& partial) const { return partial.integers; }
    MarkedProductReal over_reals() const { return {}; }
    MarkedProductReal::Partial as_reals(const Partial& partial) const { return {partial.all, partial.real}; }
};

//! A monoid over numbers of both kinds.
template <class M>
concept OverBoth = requires(const M& monoid, const typename M::Partial& partial) {
    { monoid.kinds(partial) } -> std::same_as<Kinds>;
};

}  // namespace sash
