//! How this program was built: a time from a debug build or a sanitized one is no time.
#pragma once

#include <string>

namespace sash::bench {

inline std::string build_type() {
#if defined(__OPTIMIZE__)
    std::string type = "Release";
#else
    std::string type = "Debug";
#endif
#if !defined(NDEBUG)
    type += ", assertions on";
#endif
#if defined(__SANITIZE_ADDRESS__)
    type += ", address sanitizer";
#endif
#if defined(__SANITIZE_THREAD__)
    type += ", thread sanitizer";
#endif
    // GCC does not tell a program that its undefined behaviour is checked; the build does.
#if defined(SASH_SANITIZE)
    type += ", sanitized";
#endif
    return type;
}

}  // namespace sash::bench
