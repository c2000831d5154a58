//! Memory for the columns of a batch, which the next batch gets again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "sash/large_pages.hpp"

namespace sash::batch {

//! Asks for large pages where they fit between the ends of a block. That is a wish.
inline void wish_for_large_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
    constexpr std::uintptr_t kLargePage = std::uintptr_t{2} << 20;
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
    const std::uintptr_t last = (begin + bytes) / kLargePage * kLargePage;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

//! Memory that whoever gets it writes from end to end. The first touch of a large page costs less than that of
//! all small ones in it. malloc keeps what is given back to it, up to some size, unless it was asked for a beginning on
//! a large page: so the first and the last of a block may be small. Beyond that size each block is found anew.
inline std::unique_ptr<void, Free> allocate_column(std::size_t bytes) {
    constexpr std::size_t kUsedAgain = std::size_t{32} << 20, kLine = 64;
    if (bytes >= kUsedAgain) return allocate_block(bytes);
    const std::size_t whole = (bytes + kLine - 1) / kLine * kLine;
    std::unique_ptr<void, Free> block(std::aligned_alloc(kLine, whole));
    if (block == nullptr && whole != 0) throw std::bad_alloc();
    wish_for_large_pages(block.get(), whole);
    return block;
}

}  // namespace sash::batch
