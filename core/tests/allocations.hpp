//! Counts what a program takes from the allocator and gives back. To be included once in a program: it replaces the
//! operators new and delete.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace sash::testing {

inline std::int64_t allocations = 0;
inline std::int64_t frees = 0;
//! The largest block since it was set to 0.
inline std::size_t largest = 0;

}  // namespace sash::testing

void* operator new(std::size_t size) {
    ++sash::testing::allocations;
    sash::testing::largest = std::max(sash::testing::largest, size);
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    sash::testing::frees += memory != nullptr ? 1 : 0;
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}
