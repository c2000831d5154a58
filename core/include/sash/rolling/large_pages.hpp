//! Large blocks of memory on large pages, where the system has them.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sash::rolling {

//! Memory that was just allocated and will be written from end to end: in small pages the first touch of each would
//! cost more than what is written to it. A wish, which the system may leave unheard.
inline void wish_for_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
    constexpr std::size_t kWorthIt = std::size_t{4} << 20;
    constexpr std::uintptr_t kPage = 4096;
    if (bytes < kWorthIt) return;
    const auto start = (reinterpret_cast<std::uintptr_t>(data) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / kPage * kPage;
    madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);
#endif
}

}  // namespace sash::rolling
