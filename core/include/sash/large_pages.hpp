//! Large blocks of memory on large pages, where the system has them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sash {

struct Free {
    void operator()(void* data) const noexcept { std::free(data); }
};

//! Memory that whoever gets it writes from end to end. In small pages the first touch of each would cost more than what
//! is written to it; so a large block begins and ends where large pages do, and asks for them. That is a wish, which
//! the system may leave unheard.
inline std::unique_ptr<void, Free> allocate_block(std::size_t bytes) {
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kLargePage = std::size_t{2} << 20;
    constexpr std::size_t kWorthIt = 2 * kLargePage;
    const std::size_t unit = bytes < kWorthIt ? kLine : kLargePage;
    const std::size_t whole = (bytes + unit - 1) / unit * unit;
    std::unique_ptr<void, Free> block(std::aligned_alloc(unit, whole));
    if (block == nullptr && whole != 0) throw std::bad_alloc();
#ifdef __linux__
    if (unit == kLargePage) madvise(block.get(), whole, MADV_HUGEPAGE);
#endif
    return block;
}

}  // namespace sash
