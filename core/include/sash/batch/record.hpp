//! A user's compiled aggregation over a whole batch: partials are records of 64-bit words, combined by native
//! functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "sash/time.hpp"

namespace sash::batch {

//! The user's function raised an error. Compiled code cannot say which; the same call in Python can.
struct CompiledError {};

//! What a function returns: its result is there, it raised an error, or (of lower) there is no result.
enum class Outcome : int { done = 0, failed = 1, nothing = 2 };

//! Numbers that are integers lie in their words bit by bit.
struct RecordFunctions {
    using Lift = int (*)(std::int64_t time, const double* inputs, double* out);
    using Combine = int (*)(const double* older, const double* newer, double* out);
    using Lower = int (*)(const double* partial, double* out);

    Lift lift = nullptr;
    Combine combine = nullptr;
    Lower lower = nullptr;
    //! The words of the neutral partial; their number is that of every partial.
    std::vector<double> identity;
    //! How many words a result has.
    std::size_t results = 1;
};

//! `Words` is the room for a partial: its own words may be fewer.
template <std::size_t Words>
class RecordMonoid {
public:
    using Partial = std::array<double, Words>;
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;

    explicit RecordMonoid(const RecordFunctions& functions) : functions_(&functions) {
        if (functions.identity.size() > Words) throw std::invalid_argument("the partial has too many words");
    }

    Partial identity() const {
        Partial partial{};
        std::memcpy(partial.data(), functions_->identity.data(), functions_->identity.size() * sizeof(double));
        return partial;
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        Partial both{};
        if (functions_->combine(older.data(), newer.data(), both.data()) != 0) throw CompiledError{};
        return both;
    }
    Partial lift(Time time, const double* inputs) const {
        Partial partial{};
        if (functions_->lift(time, inputs, partial.data()) != 0) throw CompiledError{};
        return partial;
    }
    //! Whether there is a result.
    bool lower(const Partial& partial, double* out) const {
        const auto outcome = static_cast<Outcome>(functions_->lower(partial.data(), out));
        if (outcome == Outcome::failed) throw CompiledError{};
        return outcome == Outcome::done;
    }

private:
    const RecordFunctions* functions_;
};

}  // namespace sash::batch
