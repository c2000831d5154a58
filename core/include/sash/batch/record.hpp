//! Aggregations over a whole batch whose partials are records of 64-bit words: a user's, compiled, and reproducible
//! ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/time.hpp"

namespace sash::batch {

//! The user's function raised an error. Compiled code cannot say which; the same call in Python can.
struct CompiledError {};

//! What a function returns: its result is there, it raised an error, or (of lower) there is no result.
enum class Outcome : int { done = 0, failed = 1, nothing = 2 };

//! What makes partials of words, combines them and makes results of them. Numbers that are integers lie in their words
//! bit by bit. All throw CompiledError where they fail.
class RecordFunctions {
public:
    //! The words of the neutral partial; their number is that of every partial.
    std::vector<double> identity;
    //! How many words a result has.
    std::size_t results = 1;

    RecordFunctions(std::vector<double> identity, std::size_t results)
        : identity(std::move(identity)), results(results) {}
    RecordFunctions(const RecordFunctions&) = delete;
    RecordFunctions& operator=(const RecordFunctions&) = delete;
    virtual ~RecordFunctions() = default;

    virtual void lift(Time time, const double* inputs, double* out) const = 0;
    virtual void combine(const double* older, const double* newer, double* out) const = 0;
    //! Whether there is a result.
    virtual bool lower(const double* partial, double* out) const = 0;
};

//! Those of a user, compiled.
class CompiledFunctions final : public RecordFunctions {
public:
    using Lift = int (*)(std::int64_t time, const double* inputs, double* out);
    using Combine = int (*)(const double* older, const double* newer, double* out);
    using Lower = int (*)(const double* partial, double* out);

    CompiledFunctions(Lift lift, Combine combine, Lower lower, std::vector<double> identity, std::size_t results)
        : RecordFunctions(std::move(identity), results), lift_(lift), combine_(combine), lower_(lower) {}

    void lift(Time time, const double* inputs, double* out) const override { checked(lift_(time, inputs, out)); }
    void combine(const double* older, const double* newer, double* out) const override {
        checked(combine_(older, newer, out));
    }
    bool lower(const double* partial, double* out) const override {
        return checked(lower_(partial, out)) != Outcome::nothing;
    }

private:
    static Outcome checked(int outcome) {
        if (static_cast<Outcome>(outcome) == Outcome::failed) throw CompiledError{};
        return static_cast<Outcome>(outcome);
    }

    Lift lift_;
    Combine combine_;
    Lower lower_;
};

//! Those of a monoid over one real or two. The first number of its result counts.
template <class M>
class MonoidFunctions final : public RecordFunctions {
public:
    using Partial = typename M::Partial;
    static_assert(std::is_trivially_copyable_v<Partial> && sizeof(Partial) % sizeof(double) == 0);

    explicit MonoidFunctions(M monoid) : RecordFunctions(words_of(monoid.identity()), 1), monoid_(monoid) {}

    void lift(Time time, const double* inputs, double* out) const override {
        if constexpr (requires { monoid_.refuses(input(inputs)); }) {
            if (monoid_.refuses(input(inputs))) throw CompiledError{};
        }
        if constexpr (requires { monoid_.lift(time, input(inputs)); }) {
            put(out, monoid_.lift(time, input(inputs)));
        } else {
            put(out, monoid_.lift(input(inputs)));
        }
    }
    void combine(const double* older, const double* newer, double* out) const override {
        put(out, monoid_.combine(get(older), get(newer)));
    }
    bool lower(const double* partial, double* out) const override {
        if (!monoid_.defined(get(partial))) return false;
        const auto result = monoid_.lower(get(partial));
        std::memcpy(out, &result, sizeof(double));
        return true;
    }

private:
    static typename M::Input input(const double* inputs) {
        if constexpr (std::is_same_v<typename M::Input, double>) {
            return inputs[0];
        } else {
            return {inputs[0], inputs[1]};
        }
    }
    static Partial get(const double* words) {
        Partial partial;
        std::memcpy(&partial, words, sizeof partial);
        return partial;
    }
    static void put(double* words, const Partial& partial) { std::memcpy(words, &partial, sizeof partial); }
    static std::vector<double> words_of(const Partial& partial) {
        std::vector<double> words(sizeof partial / sizeof(double));
        put(words.data(), partial);
        return words;
    }

    M monoid_;
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
        functions_->combine(older.data(), newer.data(), both.data());
        return both;
    }
    Partial lift(Time time, const double* inputs) const {
        Partial partial{};
        functions_->lift(time, inputs, partial.data());
        return partial;
    }
    bool lower(const Partial& partial, double* out) const { return functions_->lower(partial.data(), out); }

private:
    const RecordFunctions* functions_;
};

}  // namespace sash::batch
