//! What an aggregation must give to the algorithms: an associative combine with an identity.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

namespace sash {

//! An instance may hold parameters (a width, a callback); it is cheap to copy.
//!
//! - `combine(older, newer)` is associative; it is never assumed commutative or invertible.
//! - `identity()` is neutral on both sides.
//! - `fallible` says that combine may throw for a reason other than lack of memory (a user's callback).
//!   The algorithms then compute before they commit, so that a failed call changes nothing.
template <class M>
concept Monoid = std::copy_constructible<M> && std::copyable<typename M::Partial> &&
                 requires(const M& monoid, const typename M::Partial& partial) {
                     { monoid.identity() } -> std::convertible_to<typename M::Partial>;
                     { monoid.combine(partial, partial) } -> std::convertible_to<typename M::Partial>;
                     { M::commutative } -> std::convertible_to<bool>;
                     { M::fallible } -> std::convertible_to<bool>;
                 };

//! A monoid with a front and a back: values are lifted in, results are lowered out.
template <class M>
concept Aggregation =
    Monoid<M> && requires(const M& monoid, const typename M::Input& input, const typename M::Partial& partial) {
        { monoid.lift(input) } -> std::convertible_to<typename M::Partial>;
        { monoid.lower(partial) } -> std::convertible_to<typename M::Output>;
    };

//! `inverse(whole, older)` is the rest: combine(older, rest) == whole.
template <class M>
concept Invertible = Monoid<M> && requires(const M& monoid, const typename M::Partial& partial) {
    { monoid.inverse(partial, partial) } -> std::convertible_to<typename M::Partial>;
};

//! A monoid whose combine may round, so that two ways to one aggregate may differ in the last bits.
template <class M>
concept Rounded = requires { requires M::rounded; };

//! Whether a combine may fail: a monoid that is known at run time only knows better than its type.
template <Monoid M>
bool may_fail(const M& monoid) {
    if constexpr (requires { monoid.may_fail(); }) {
        return monoid.may_fail();
    } else {
        return M::fallible;
    }
}

//! older = older (x) newer, in place where the monoid can (wide partials gain from it).
template <Monoid M>
void append(const M& monoid, typename M::Partial& older, const typename M::Partial& newer) {
    if constexpr (requires { monoid.append(older, newer); }) {
        monoid.append(older, newer);
    } else {
        older = monoid.combine(older, newer);
    }
}

//! newer = older (x) newer, in place where the monoid can.
template <Monoid M>
void prepend(const M& monoid, const typename M::Partial& older, typename M::Partial& newer) {
    if constexpr (requires { monoid.prepend(older, newer); }) {
        monoid.prepend(older, newer);
    } else {
        newer = monoid.combine(older, newer);
    }
}

//! Counts the combines of any monoid: bounds are tested by it, not by a clock.
template <Monoid M>
class Counting {
public:
    using Partial = typename M::Partial;
    static constexpr bool commutative = M::commutative;
    static constexpr bool fallible = M::fallible;

    explicit Counting(std::int64_t& counter, M monoid = M{}) : monoid_(std::move(monoid)), counter_(&counter) {}

    Partial identity() const { return monoid_.identity(); }
    Partial combine(const Partial& older, const Partial& newer) const {
        ++*counter_;
        return monoid_.combine(older, newer);
    }
    void append(Partial& older, const Partial& newer) const {
        ++*counter_;
        sash::append(monoid_, older, newer);
    }
    void prepend(const Partial& older, Partial& newer) const {
        ++*counter_;
        sash::prepend(monoid_, older, newer);
    }
    Partial inverse(const Partial& whole, const Partial& older) const
        requires Invertible<M>
    {
        ++*counter_;
        return monoid_.inverse(whole, older);
    }
    const M& base() const { return monoid_; }

private:
    M monoid_;
    std::int64_t* counter_;
};

}  // namespace sash
