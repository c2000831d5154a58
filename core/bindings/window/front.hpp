//! The two ends of a built-in monoid: a Value goes in, a Result comes out; and what becomes of its partials when the
//! window's integers turn into reals or into Python objects.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sash/codec.hpp"
#include "sash/monoids/forms.hpp"
#include "sash/window.hpp"
#include "window/kernel.hpp"

namespace sash {

template <class Storage>
class Record;

}  // namespace sash

namespace sash::face {

//! A monoid that is made of parts, laid out at run time.
template <class M>
concept OfParts = requires(const M& monoid, const LayoutPtr& layout) {
    { monoid.over(layout) } -> std::same_as<M>;
};

template <class Input>
Input input_of(const Value& value) {
    if constexpr (std::same_as<Input, double>) {
        return value.real;
    } else if constexpr (std::same_as<Input, std::string>) {
        return std::string(value.text);
    } else if constexpr (std::same_as<Input, std::pair<Cell, Cell>>) {
        return {value.cell, value.argument};
    } else {
        return static_cast<Input>(value.cell);
    }
}

template <class M>
typename M::Partial lift(const M& monoid, Time, const Value& value) {
    using Input = typename M::Input;
    if constexpr (OverBoth<M>) {
        return monoid.lift({input_of<decltype(Input::number)>(value), value.whole});
    } else {
        return monoid.lift(input_of<Input>(value));
    }
}

//! The ends of a record; defined in record_front.hpp.
template <class Storage>
Storage lift(const Record<Storage>& record, Time time, const Value& value);
template <class Storage>
Result lower(const Record<Storage>& record, const Storage& partial);

//! A monoid that calls Python, and whose partials are Python's.
template <class M>
concept HoldsObjects = requires(const M& monoid, const typename M::Partial& partial, const ReferenceVisitor& visitor) {
    monoid.visit_references(visitor);
    monoid.visit_references(partial, visitor);
};

//! Monoids whose result is one of the values, by its code.
template <class M>
inline constexpr bool kGivesCode = false;
template <>
inline constexpr bool kGivesCode<Ends> = true;
template <>
inline constexpr bool kGivesCode<ExtremeArguments> = true;
template <>
inline constexpr bool kGivesCode<OfBoth<ExtremeArguments>> = true;

template <class M>
Result lower(const M& monoid, const typename M::Partial& partial) {
    if constexpr (kGivesCode<M>) {
        return Coded{monoid.lower(partial)};
    } else if constexpr (std::same_as<typename M::Output, Number>) {
        return std::visit([](auto number) { return Result(number); }, monoid.lower(partial));
    } else if constexpr (requires { monoid.defined(partial); }) {
        return monoid.defined(partial) ? Result(monoid.lower(partial)) : Result();
    } else {
        return monoid.lower(partial);
    }
}

//! Whether a partial may be the identity, and has then no result. A sum's identity has one, the sum of nothing; and the
//! neutral cell of an extremum may as well be a value.
template <class M>
bool is_neutral(const M&, const typename M::Partial&) {
    return false;
}
inline bool is_neutral(const Extremes& monoid, Cell partial) {
    return partial == monoid.identity();
}
inline bool is_neutral(const Range&, const Range::Partial& partial) {
    return partial.least > partial.greatest;
}
inline bool is_neutral(const Mean&, const Mean::Partial& partial) {
    return partial.count == 0;
}
inline bool is_neutral(const Concat&, const Concat::Partial& partial) {
    return !partial.present;
}
inline bool is_neutral(const Ends&, const Ends::Partial& partial) {
    return !partial.present;
}
inline bool is_neutral(const ExtremeArguments&, const ExtremeArguments::Partial& partial) {
    return !partial.present;
}
template <class M>
bool is_neutral(const OfBoth<M>& monoid, const typename OfBoth<M>::Partial& partial) {
    return !monoid.defined(partial);
}

//! The values that a partial stands for, oldest first, where it still has them.
inline std::vector<Value> values_of(const Ends&, const Ends::Partial& partial) {
    return {Value{.cell = partial.value}};
}
inline std::vector<Value> values_of(const ExtremeArguments& monoid, const ExtremeArguments::Partial& partial) {
    return {Value{.cell = partial.key ^ monoid.mask, .argument = partial.argument}};
}
inline std::vector<Value> values_of(const OfBoth<ExtremeArguments>& monoid,
                                    const OfBoth<ExtremeArguments>::Partial& partial) {
    // The key is one of its own kind only where all of them are.
    std::vector<Value> values = values_of(monoid.monoid, partial.numbers);
    values.front().whole = !monoid.kinds(partial).reals;
    return values;
}
inline std::vector<Value> values_of(const Collect<Cell>&, const std::vector<Cell>& partial) {
    std::vector<Value> values;
    values.reserve(partial.size());
    for (const Cell cell : partial) values.push_back(Value{.cell = cell});
    return values;
}

template <class M>
concept KeepsValues = requires(const M& monoid, const typename M::Partial& partial) { values_of(monoid, partial); };

}  // namespace sash::face
