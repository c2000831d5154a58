//! Numbers whose order is the order of an int64: integers as they are, floats by an order-preserving map.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>

namespace sash {

//! An encoded number. One kernel compares integers and floats alike; the kind says how to read it back.
using Cell = std::int64_t;

enum class NumberKind : std::uint8_t { integer, real };

using Number = std::variant<std::int64_t, double>;

//! Monotone from the reals (with both infinities) to int64, and its own inverse on the bit patterns; -0.0 is 0.0.
//! A NaN with its sign clear lies above +inf, one with its sign set below -inf.
inline std::int64_t encode_real(double value) {
    const auto bits = std::bit_cast<std::int64_t>(value == 0.0 ? 0.0 : value);
    return bits >= 0 ? bits : bits ^ std::numeric_limits<std::int64_t>::max();
}

inline double decode_real(std::int64_t cell) {
    return std::bit_cast<double>(cell >= 0 ? cell : cell ^ std::numeric_limits<std::int64_t>::max());
}

//! The shortest text that reads back as the number.
inline std::string text_of(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

inline Number decode(Cell cell, NumberKind kind) {
    if (kind == NumberKind::integer) return Number{std::in_place_index<0>, cell};
    return Number{std::in_place_index<1>, decode_real(cell)};
}

}  // namespace sash
