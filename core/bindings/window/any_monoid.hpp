//! Whatever monoid as one type, so that the algorithms that need no speed are compiled once and not for each monoid.
#pragma once

#include <utility>

#include "sash/codec.hpp"
#include "window/operations.hpp"

namespace sash::face {

//! `can_fail` says whether it may be a monoid that is fallible: algorithms look at that when they are compiled.
template <bool can_fail>
class AnyMonoid {
public:
    using Partial = AnyPartial;
    using Output = Result;
    //! It may be, but only a monoid that is known gains from it.
    static constexpr bool commutative = false;
    static constexpr bool fallible = can_fail;
    static constexpr bool rounded = true;

    explicit AnyMonoid(OperationsPtr operations)
        : operations_(std::move(operations)), identity_(operations_->identity()) {}

    const Operations& operations() const { return *operations_; }
    const OperationsPtr& shared_operations() const { return operations_; }

    const Partial& identity() const { return identity_; }
    Partial combine(const Partial& older, const Partial& newer) const { return operations_->combine(older, newer); }
    void append(Partial& older, const Partial& newer) const { operations_->append(older, newer); }
    void prepend(const Partial& older, Partial& newer) const { operations_->prepend(older, newer); }
    bool may_fail() const { return can_fail && operations_->fallible(); }
    //! Asked for only where it has one: Operations::make sees to it.
    Partial inverse(const Partial& whole, const Partial& older) const { return operations_->inverse(whole, older); }
    Output lower(const Partial& partial) const { return operations_->lower(partial); }
    bool marks_failures() const { return operations_->marks_failures(); }
    bool failed(const Partial& partial) const { return operations_->failed(partial); }

private:
    OperationsPtr operations_;
    Partial identity_;
};

template <bool can_fail>
AnyPartial lift(const AnyMonoid<can_fail>& monoid, Time time, const Value& value) {
    return monoid.operations().lift(time, value);
}
template <bool can_fail>
Result lower(const AnyMonoid<can_fail>& monoid, const AnyPartial& partial) {
    return monoid.lower(partial);
}
template <bool can_fail>
bool is_neutral(const AnyMonoid<can_fail>& monoid, const AnyPartial& partial) {
    return monoid.operations().is_neutral(partial);
}

}  // namespace sash::face

namespace sash {

template <bool can_fail>
struct Codec<face::AnyMonoid<can_fail>> {
    using M = face::AnyMonoid<can_fail>;
    static void write(Writer& writer, const M& monoid, const face::AnyPartial& partial) {
        monoid.operations().write(writer, partial);
    }
    static face::AnyPartial read(Reader& reader, const M& monoid) { return monoid.operations().read(reader); }
};

}  // namespace sash
