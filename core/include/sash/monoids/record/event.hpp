//! What a record reads of an event, and the results of its members.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "sash/number.hpp"
#include "sash/time.hpp"

namespace sash {

//! Partials of records are made of words.
using Word = std::int64_t;

//! One column of one event: a number in the two forms in which monoids read it.
struct Field {
    //! An integer, or a real by its order-preserving code.
    Cell cell = 0;
    double real = 0.0;
    //! A null is passed over by every member that reads it.
    bool present = false;
    //! An integer that is read as a real, beside reals.
    bool whole = false;
};

struct Event {
    Time time;
    std::span<const Field> fields;
};

//! A number by its code: the caller knows the kind of the column.
struct Coded {
    Cell cell;
};

//! A time, in ticks.
struct Instant {
    Time ticks;
};

//! monostate where there is no value.
using Scalar = std::variant<std::monostate, std::int64_t, double, Coded, Instant>;
//! The result of one member: a scalar, or several for a member whose result is a record of its own.
using PartResult = std::variant<std::monostate, std::int64_t, double, Coded, Instant, std::vector<Scalar>>;

}  // namespace sash
