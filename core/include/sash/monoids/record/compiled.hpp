//! A user's aggregation as native functions: partials are records of numbers, and nothing of Python is called.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sash/monoids/record/group.hpp"

namespace sash {

//! The functions of one aggregation, and the shape of its partials and results. A number that is an integer lies in
//! its word bit by bit.
struct CompiledFunctions {
    //! Each returns 0; 1 where the user's function raised an error; lower returns 2 where there is no result.
    using Lift = int (*)(std::int64_t time, const double* inputs, double* out);
    using Combine = int (*)(const double* older, const double* newer, double* out);
    using Lower = int (*)(const double* partial, double* out);

    static constexpr std::size_t kMostWords = 63;
    static constexpr std::size_t kMostInputs = 8;

    Lift lift = nullptr;
    Combine combine = nullptr;
    Lower lower = nullptr;
    Combine inverse = nullptr;
    std::vector<Word> identity;
    //! Which inputs and which numbers of the result are integers.
    std::vector<bool> integer_inputs;
    std::vector<bool> integer_results;
    //! The result has several fields, even if it has one.
    bool several = false;
    //! Whether a function other than lower may raise an error.
    bool can_fail = true;
};

//! The user's function raised an error. Compiled code cannot say which; the same call in Python can.
class CompiledError : public std::runtime_error {
public:
    CompiledError() : std::runtime_error("a compiled function raised an error") {}
};

//! The one part of such an aggregation. Combining never throws: where the user's function raised an error, the partial
//! is marked as failed, whatever it is combined with is failed too, and the result is refused. So an eviction never
//! fails.
class CompiledGroup final : public Group {
public:
    CompiledGroup(CompiledFunctions functions, std::vector<std::uint16_t> columns)
        : functions_(std::move(functions)), columns_(std::move(columns)) {
        if (functions_.identity.empty() || functions_.identity.size() > CompiledFunctions::kMostWords ||
            columns_.size() > CompiledFunctions::kMostInputs)
            throw std::invalid_argument("a compiled partial has 1 to 63 numbers, and reads at most 8 columns");
    }

    std::size_t size() const override { return 1; }
    //! The user's numbers, and the mark.
    std::size_t width() const override { return numbers() + 1; }
    void identity(Word* out) const override {
        std::copy(functions_.identity.begin(), functions_.identity.end(), out);
        out[numbers()] = 0;
    }

    bool lift(const Event& event, Word* out) const override {
        std::array<double, CompiledFunctions::kMostInputs> inputs;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const Field& field = event.fields[columns_[i]];
            if (!field.present) return (identity(out), false);
            inputs[i] = functions_.integer_inputs[i] ? std::bit_cast<double>(field.cell) : field.real;
        }
        Numbers result;
        out[numbers()] = functions_.lift(event.time, inputs.data(), result.data()) != 0;
        store(result, out);
        return true;
    }

    void combine(const Word* older, const Word* newer, Word* out) const override {
        apply(functions_.combine, older, newer, out);
    }
    void inverse(const Word* whole, const Word* older, Word* out) const override {
        if (functions_.inverse == nullptr) throw std::logic_error("the compiled aggregation has no inverse");
        apply(functions_.inverse, whole, older, out);
    }

    PartResult lower(std::size_t, const Word* words) const override {
        if (failed(words)) throw CompiledError();
        Numbers result;
        const int status = functions_.lower(reals(words), result.data());
        // Not the result of an empty window, which may be another.
        if (status == 2) return std::vector<Scalar>(1);
        if (status != 0) throw CompiledError();
        if (!functions_.several) return scalar<PartResult>(result[0], functions_.integer_results[0]);
        std::vector<Scalar> several;
        for (std::size_t i = 0; i < functions_.integer_results.size(); ++i)
            several.push_back(scalar<Scalar>(result[i], functions_.integer_results[i]));
        return several;
    }
    void lower(const Word* words, std::span<const std::size_t> places, std::vector<PartResult>& out) const override {
        out[places[0]] = lower(0, words);
    }

    bool marks_failures() const override { return functions_.can_fail; }
    bool failed(const Word* words) const override { return words[numbers()] != 0; }
    bool can_fail() const override { return true; }
    double reach(std::span<const Field>, std::size_t) const override { return std::numeric_limits<double>::infinity(); }
    double reach(const Word*) const override { return std::numeric_limits<double>::infinity(); }
    void write(Writer& writer, const Word* words) const override {
        for (std::size_t i = 0; i < width(); ++i) writer.i64(words[i]);
    }
    void read(Reader& reader, Word* out) const override {
        for (std::size_t i = 0; i < width(); ++i) out[i] = reader.i64();
    }
    //! The user's functions see ticks as they are.
    void retime(Word*, const TimeMap&) const override {}
    Kinds kinds(std::size_t, const Word*) const override { return {}; }
    void convert(std::size_t, const Word* words, Form, Word* out) const override {
        std::copy(words, words + width(), out);
    }

private:
    using Numbers = std::array<double, CompiledFunctions::kMostWords>;

    std::size_t numbers() const { return functions_.identity.size(); }
    static const double* reals(const Word* words) { return reinterpret_cast<const double*>(words); }

    template <class S>
    static S scalar(double word, bool integer) {
        return integer ? S(std::bit_cast<std::int64_t>(word)) : S(word);
    }

    void store(const Numbers& result, Word* out) const { std::memcpy(out, result.data(), numbers() * sizeof(Word)); }

    void apply(CompiledFunctions::Combine function, const Word* older, const Word* newer, Word* out) const {
        const Word failed = older[numbers()] | newer[numbers()];
        Numbers result;
        const int status = function(reals(older), reals(newer), result.data());
        store(result, out);
        out[numbers()] = failed | Word{status != 0};
    }

    CompiledFunctions functions_;
    std::vector<std::uint16_t> columns_;
};

}  // namespace sash
