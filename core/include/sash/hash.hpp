//! 64-bit hashes of values: the same in every process, on every platform, in every version of Sash.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace sash {

using Hash = std::uint64_t;

//! A bijection of 64 bits in which each input bit flips each output bit half of the time: the finalizer of SplitMix64
//! (Steele, Lea, Flood 2014, with Stafford's constants).
constexpr Hash mix(Hash bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

//! One seed a kind of value, so that 1, "1" and b"1" are strangers. Numbers of one value are not: see hash_real.
namespace hash_seed {
inline constexpr Hash integer = 0x9e3779b97f4a7c15u;
inline constexpr Hash real = 0xd1b54a32d192ed03u;
inline constexpr Hash text = 0x8cb92ba72f3d8dd7u;
inline constexpr Hash bytes = 0xaef17502108ef2d9u;
}  // namespace hash_seed

constexpr Hash hash_integer(std::int64_t value) {
    return mix(static_cast<Hash>(value) + hash_seed::integer);
}

//! Equal numbers hash equal: 1.0 as 1, -0.0 as 0. All NaNs hash alike.
constexpr Hash hash_real(double value) {
    constexpr double kPastInt64 = 0x1p63;
    if (value >= -kPastInt64 && value < kPastInt64) {
        const auto whole = static_cast<std::int64_t>(value);
        if (static_cast<double>(whole) == value) return hash_integer(whole);
    }
    const double canonical = value == value ? value : std::numeric_limits<double>::quiet_NaN();
    return mix(std::bit_cast<Hash>(canonical) + hash_seed::real);
}

namespace detail {

//! Up to eight bytes as a little-endian number, whatever the machine's own order.
constexpr Hash little_endian(std::string_view bytes) {
    Hash word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        word |= static_cast<Hash>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return word;
}

//! A chain of mixes, one a word of eight bytes. The length is mixed in first, so the zeros that pad the last word
//! are no ambiguity.
constexpr Hash hash_chain(std::string_view bytes, Hash seed) {
    Hash hash = mix(seed + bytes.size());
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) hash = mix(hash ^ little_endian(bytes.substr(0, 8))) + seed;
    return bytes.empty() ? hash : mix(hash ^ little_endian(bytes)) + seed;
}

}  // namespace detail

//! UTF-8 text.
constexpr Hash hash_text(std::string_view text) {
    return detail::hash_chain(text, hash_seed::text);
}

constexpr Hash hash_bytes(std::string_view bytes) {
    return detail::hash_chain(bytes, hash_seed::bytes);
}

}  // namespace sash
