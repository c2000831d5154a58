//! The body of add_runners: included by the files that instantiate it, and by no other.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "algorithms.hpp"
#include "cases.hpp"
#include "monoids.hpp"
#include "rounds.hpp"

namespace sash::bench {

template <class Algorithm, class Case>
void add_runner(std::vector<Runner>& runners, const Algorithm& algorithm, const Case& subject) {
    // Copies: a runner stands on its own.
    const auto measure_it = [=](const Row& row, const Effort& effort) {
        return measure(algorithm.make, subject, row, effort);
    };
    const auto loop_it = [=](const Row& row, std::int64_t rounds) {
        Slide slide(algorithm.make(subject.monoid), subject, row);
        round_loop(slide, row, rounds);
    };
    runners.push_back({algorithm.name, subject.name, algorithm.takes == Takes::late, measure_it, loop_it});
}

template <std::size_t Number>
void add_pair(std::vector<Runner>& runners) {
    constexpr std::size_t kMonoids = std::tuple_size_v<std::remove_cvref_t<decltype(monoids())>>;
    const auto& algorithm = std::get<Number / kMonoids>(algorithms());
    const auto& subject = std::get<Number % kMonoids>(monoids());
    if constexpr (requires { algorithm.make(subject.monoid); }) add_runner(runners, algorithm, subject);
}

template <std::size_t Part>
void add_runners(std::vector<Runner>& runners) {
    constexpr std::size_t kPairs = std::tuple_size_v<std::remove_cvref_t<decltype(monoids())>> *
                                   std::tuple_size_v<std::remove_cvref_t<decltype(algorithms())>>;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (add_pair<I * kParts + Part>(runners), ...);
    }(std::make_index_sequence<(kPairs - Part + kParts - 1) / kParts>{});
}

}  // namespace sash::bench
