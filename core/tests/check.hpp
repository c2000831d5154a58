//! The whole test harness: a check that fails names its place, and the program's exit code counts the failures.
#pragma once

#include <cstdio>
#include <source_location>

namespace sash::testing {

inline int passed = 0;
inline int failed = 0;

inline void check(bool holds, const char* what = "", std::source_location where = std::source_location::current()) {
    if (holds) {
        ++passed;
        return;
    }
    ++failed;
    std::fprintf(stderr, "%s:%u: failed: %s\n", where.file_name(), static_cast<unsigned>(where.line()), what);
}

template <class Exception, class F>
void check_throws(F f, std::source_location where = std::source_location::current()) {
    try {
        f();
    } catch (const Exception&) {
        ++passed;
        return;
    }
    ++failed;
    std::fprintf(stderr, "%s:%u: failed: no exception\n", where.file_name(), static_cast<unsigned>(where.line()));
}

//! Closes a test program: prints the tally and gives main its exit code. Nothing checked is a failure.
inline int report() {
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace sash::testing
