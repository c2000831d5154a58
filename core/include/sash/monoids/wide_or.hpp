//! The or of two bit arrays with the widest instructions of the machine that runs it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sash {

//! A cache line of bits: the unit in which bit arrays are allocated and combined.
struct alignas(64) BitLine {
    std::uint64_t words[8];
};

namespace detail {

using OrLines = void (*)(BitLine* out, const BitLine* a, const BitLine* b, std::size_t lines);

//! What the build's own target offers: SSE2 on x86-64, NEON on AArch64. `out` may be `a` or `b`.
inline void or_lines_plain(BitLine* out, const BitLine* a, const BitLine* b, std::size_t lines) {
    using Vector [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;
    for (std::size_t i = 0; i < lines * 4; ++i)
        reinterpret_cast<Vector*>(out)[i] =
            reinterpret_cast<const Vector*>(a)[i] | reinterpret_cast<const Vector*>(b)[i];
}

#if defined(__x86_64__)

// Each version spells its vector out: a body shared by inlining would be cut into narrow pieces before it is inlined.
[[gnu::target("avx2")]] inline void or_lines_avx2(BitLine* out, const BitLine* a, const BitLine* b, std::size_t lines) {
    using Vector [[gnu::vector_size(32), gnu::may_alias]] = std::uint64_t;
    for (std::size_t i = 0; i < lines * 2; ++i)
        reinterpret_cast<Vector*>(out)[i] =
            reinterpret_cast<const Vector*>(a)[i] | reinterpret_cast<const Vector*>(b)[i];
}

[[gnu::target("avx512f")]] inline void or_lines_avx512(BitLine* out, const BitLine* a, const BitLine* b,
                                                       std::size_t lines) {
    using Vector [[gnu::vector_size(64), gnu::may_alias]] = std::uint64_t;
    for (std::size_t i = 0; i < lines; ++i)
        reinterpret_cast<Vector*>(out)[i] =
            reinterpret_cast<const Vector*>(a)[i] | reinterpret_cast<const Vector*>(b)[i];
}

inline OrLines widest_or_lines() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return or_lines_avx512;
    return __builtin_cpu_supports("avx2") ? or_lines_avx2 : or_lines_plain;
}

#else

inline OrLines widest_or_lines() {
    return or_lines_plain;
}

#endif

}  // namespace detail

//! out = a | b. `out` may be `a` or `b`, not a shifted part of them.
inline void or_lines(BitLine* out, const BitLine* a, const BitLine* b, std::size_t lines) {
    static const detail::OrLines chosen = detail::widest_or_lines();
    chosen(out, a, b, lines);
}

}  // namespace sash
