#pragma once

#include <string>
#include <utility>

namespace sash {

//! The strings one after another, oldest first, with a separator between them.
struct Concat {
    using Input = std::string;
    using Output = std::string;
    struct Partial {
        std::string text;
        bool present = false;
        bool operator==(const Partial&) const = default;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;

    std::string separator;

    Partial identity() const { return {}; }
    Partial lift(Input value) const { return {std::move(value), true}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (!older.present) return newer;
        if (!newer.present) return older;
        return {older.text + separator + newer.text, true};
    }
    Output lower(const Partial& partial) const { return partial.text; }
};

}  // namespace sash
