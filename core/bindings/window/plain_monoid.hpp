//! A monoid that is known at run time and whose partials are no more than three words: they are copied as bytes, and a
//! combine is one call. To AnyMonoid it is what a number is to an object.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "window/catalog.hpp"

namespace sash::face {

struct Plain {
    alignas(void*) std::array<std::byte, 24> bytes;

    //! The bytes behind the value are zero.
    template <class T>
    static Plain of(const T& value) {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Plain));
        Plain plain{};
        std::memcpy(plain.bytes.data(), &value, sizeof value);
        return plain;
    }
    template <class T>
    T as() const {
        T value;
        std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
};

class PlainMonoid {
public:
    using Partial = Plain;
    using Output = Result;
    //! Of a monoid that the caller keeps.
    using Combine = Plain (*)(const Operations& operations, const Plain& older, const Plain& newer);
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;
    static constexpr bool rounded = true;

    PlainMonoid(OperationsPtr operations, Combine combine, Combine inverse)
        : operations_(std::move(operations)),
          combine_(combine),
          inverse_(inverse),
          identity_(operations_->identity().as<Plain>()) {}

    const Operations& operations() const { return *operations_; }
    const Partial& identity() const { return identity_; }
    Partial combine(const Partial& older, const Partial& newer) const { return combine_(*operations_, older, newer); }
    //! Asked for only where it has one: Operations::make sees to it.
    Partial inverse(const Partial& whole, const Partial& older) const { return inverse_(*operations_, whole, older); }
    Output lower(const Partial& partial) const { return operations_->lower(AnyPartial::of(partial)); }
    bool marks_failures() const { return operations_->marks_failures(); }
    bool failed(const Partial& partial) const { return operations_->failed(AnyPartial::of(partial)); }

private:
    OperationsPtr operations_;
    Combine combine_;
    Combine inverse_;
    Partial identity_;
};

inline Plain lift(const PlainMonoid& monoid, Time time, const Value& value) {
    return monoid.operations().lift(time, value).as<Plain>();
}
inline Result lower(const PlainMonoid& monoid, const Plain& partial) {
    return monoid.lower(partial);
}
inline bool is_neutral(const PlainMonoid& monoid, const Plain& partial) {
    return monoid.operations().is_neutral(AnyPartial::of(partial));
}

//! Whether the partials of a monoid are such.
template <class M>
inline constexpr bool kPlain =
    !M::fallible && std::is_trivially_copyable_v<typename M::Partial> && sizeof(typename M::Partial) <= sizeof(Plain);
template <>
inline constexpr Use kLeastUse<PlainMonoid> = Use::small;

extern template std::unique_ptr<MonoidKernel> make_kernel(const PlainMonoid&, const OperationsPtr&,
                                                          const AlgorithmOptions&);

}  // namespace sash::face
