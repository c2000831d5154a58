//! Reproducible sums: whatever the order and the brackets, the same bits; and what they give beside wider arithmetic.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sash/codec.hpp"
#include "sash/monoids/reproducible/by_name.hpp"
#include "sash/snapshot.hpp"

using namespace sash;
using sash::testing::check;

namespace {

using Random = std::mt19937_64;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

template <class Partial>
bool same(const Partial& one, const Partial& other) {
    return std::memcmp(&one, &other, sizeof one) == 0;
}

//! Combined by brackets that are drawn at random.
template <class M>
typename M::Partial folded(const M& monoid, std::span<const typename M::Partial> partials, Random& random) {
    if (partials.empty()) return monoid.identity();
    if (partials.size() == 1) return partials.front();
    const std::size_t cut = random() % (partials.size() + 1);
    return monoid.combine(folded(monoid, partials.first(cut), random), folded(monoid, partials.subspan(cut), random));
}

//! Any double at all, or one of a size near 1, or a whole number; infinities and NaN where they are wanted.
double any_double(Random& random, bool finite) {
    switch (random() % 6) {
        case 0:
            return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -60);
        case 1:
            return static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000);
        case 2:
            return random() % 2 == 0 ? 0.0 : -0.0;
        case 3:
            return std::array{kLargest, -kLargest, kSmallest, -kSmallest, 1e9 + 1, 1e16}[random() % 6];
        default:
            break;
    }
    const auto value = std::bit_cast<double>(random());
    return finite && !std::isfinite(value) ? 1.5 : value;
}

std::vector<double> doubles(Random& random, bool finite) {
    std::vector<double> values(random() % 12);
    for (double& value : values) value = any_double(random, finite);
    return values;
}

template <class M>
typename M::Partial lifted(const M& monoid, double value, double other, Time time) {
    if constexpr (requires { monoid.lift(time, value); }) {
        return monoid.lift(time, value);
    } else if constexpr (std::is_same_v<typename M::Input, double>) {
        return monoid.lift(std::is_same_v<M, reproducible::Averaged<HarmonicMean>> ? std::fabs(value) : value);
    } else {
        const bool weight = std::is_same_v<M, reproducible::WeightedMean>;
        return monoid.lift({value, weight ? std::fmod(std::fabs(other), 1e9) : other});
    }
}

template <class M>
void check_order(const M& monoid, Random& random) {
    for (int round = 0; round < 2000; ++round) {
        const bool finite = random() % 2 == 0;
        const std::vector<double> values = doubles(random, finite);
        std::vector<typename M::Partial> partials;
        for (std::size_t i = 0; i < values.size(); ++i)
            partials.push_back(lifted(monoid, values[i], any_double(random, true), static_cast<Time>(i)));
        const auto first = folded(monoid, std::span<const typename M::Partial>(partials), random);
        if constexpr (M::commutative) std::shuffle(partials.begin(), partials.end(), random);
        const auto second = folded(monoid, std::span<const typename M::Partial>(partials), random);
        check(same(first, second), "the order shows");
        // The fields of a snapshot cover every word.
        Writer writer;
        Codec<M>::write(writer, monoid, first);
        const auto bytes = writer.take();
        Reader reader(bytes);
        check(same(Codec<M>::read(reader, monoid), first), "a word is lost");
    }
}

double sum_of(const std::vector<double>& values) {
    const reproducible::SumReal monoid;
    auto total = monoid.identity();
    for (const double value : values) total = monoid.combine(total, monoid.lift(value));
    return monoid.lower(total);
}

double variance_of(const std::vector<double>& values, int ddof = 1) {
    const reproducible::Moments monoid{{ddof, false}};
    auto total = monoid.identity();
    for (const double value : values) total = monoid.combine(total, monoid.lift(value));
    return monoid.lower(total);
}

void sums_are_rounded_once() {
    check(sum_of({}) == 0.0 && !std::signbit(sum_of({-0.0})), "the sum of nothing, and of zeros, is 0");
    check(sum_of({0.1, 0.2, 0.3}) == 0.6, "rounded once");
    check(sum_of({1e16, 1.0, -1e16}) == 1.0, "nothing is lost beside numbers that cancel");
    check(sum_of({kLargest, kLargest, -kLargest}) == kLargest, "no overflow on the way");
    check(sum_of({kLargest, kLargest}) == kInfinity, "an overflow at the end");
    check(sum_of({kSmallest, kSmallest}) == 2 * kSmallest, "subnormal numbers");
    check(sum_of({kInfinity, 1.0}) == kInfinity && sum_of({-kInfinity, kLargest}) == -kInfinity, "infinities");
    check(std::isnan(sum_of({kInfinity, -kInfinity})) && std::isnan(sum_of({std::nan(""), 1.0})), "NaN");
    Random random(1);
    for (int round = 0; round < 20000; ++round) {
        // All that is less than 2^-64 of the largest may be lost, and nothing else: here nothing is.
        std::vector<double> values(random() % 20);
        __float128 exact = 0;
        for (double& value : values) {
            value =
                std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 30));
            exact += value;
        }
        check(sum_of(values) == static_cast<double>(exact), "the nearest double");
    }
}

void single_values_come_back() {
    Random random(2);
    for (int round = 0; round < 20000; ++round) {
        const double value = any_double(random, true) + 0.0;
        check(std::bit_cast<std::uint64_t>(sum_of({value})) == std::bit_cast<std::uint64_t>(value),
              "one value is whole");
    }
}

void variances_do_not_cancel() {
    for (const double offset : {0.0, 1e9, -1e12, 1e15})
        check(variance_of({offset, offset + 1, offset + 2}) == 1.0, "an offset does not matter");
    check(variance_of({0.1, 0.1, 0.1, 0.1}) == 0.0, "equal values have no variance");
    check(variance_of({1e-160, 3e-160}) == 2e-320 && variance_of({1e155, -1e155}) == kInfinity, "small and large ones");
    check(std::isnan(variance_of({1.0, kInfinity})) && variance_of({5.0}, 0) == 0.0, "infinities, and one value");
    Random random(3);
    for (int round = 0; round < 2000; ++round) {
        std::vector<double> values(2 + random() % 20);
        const double offset = std::ldexp(1.0, static_cast<int>(random() % 40));
        __float128 mean = 0, spread = 0;
        for (double& value : values) value = offset + std::ldexp(static_cast<double>(random() >> 11), -53);
        for (const double value : values) mean += value;
        mean /= values.size();
        for (const double value : values) spread += (value - mean) * (value - mean);
        const auto exact = static_cast<double>(spread / (values.size() - 1));
        check(std::fabs(variance_of(values) - exact) <= 4e-16 * exact, "as exact as doubles are");
    }
}

template <class M>
double lowered(const M& monoid, const std::vector<double>& values) {
    auto total = monoid.identity();
    for (const double value : values) total = monoid.combine(total, monoid.lift(value));
    return monoid.lower(total);
}

void shapes_are_those_of_the_definitions() {
    Random random(4);
    for (int round = 0; round < 2000; ++round) {
        std::vector<double> values(4 + random() % 20);
        const double offset = std::ldexp(1.0, static_cast<int>(random() % 30));
        for (double& value : values) value = offset + std::ldexp(static_cast<double>(random() >> 11), -53);
        __float128 mean = 0, second = 0, third = 0, fourth = 0;
        for (const double value : values) mean += value;
        mean /= values.size();
        for (const double value : values) {
            const __float128 apart = value - mean;
            second += apart * apart;
            third += apart * apart * apart;
            fourth += apart * apart * apart * apart;
        }
        const auto n = static_cast<double>(values.size()), two = static_cast<double>(second);
        const double skewness = static_cast<double>(third) / two / std::sqrt(two) * std::sqrt(n);
        const double kurtosis = static_cast<double>(fourth / second / second * values.size()) - 3;
        using Form = Shape::Form;
        check(std::fabs(lowered(reproducible::Shape{{Form::skewness, true}}, values) - skewness) < 1e-14, "skewness");
        check(std::fabs(lowered(reproducible::Shape{{Form::kurtosis, true}}, values) - kurtosis) < 1e-14, "kurtosis");
    }
}

void pairs_are_those_of_the_definitions() {
    Random random(5);
    for (int round = 0; round < 2000; ++round) {
        const double offset = std::ldexp(1.0, static_cast<int>(random() % 40));
        std::vector<std::pair<double, double>> pairs(2 + random() % 20);
        __float128 mean_x = 0, mean_y = 0, spread_x = 0, spread_y = 0, joint = 0;
        for (auto& [x, y] : pairs) {
            x = offset + std::ldexp(static_cast<double>(random() >> 11), -53);
            y = 3 * x + std::ldexp(static_cast<double>(random() >> 11), -53);
            mean_x += x / static_cast<__float128>(pairs.size());
            mean_y += y / static_cast<__float128>(pairs.size());
        }
        for (const auto& [x, y] : pairs) {
            spread_x += (x - mean_x) * (x - mean_x);
            spread_y += (y - mean_y) * (y - mean_y);
            joint += (x - mean_x) * (y - mean_y);
        }
        const reproducible::CoMoments covariance{{CoMoments::Form::covariance, 1}};
        const reproducible::CoMoments correlation{{CoMoments::Form::correlation, 1}};
        auto total = covariance.identity();
        for (const auto& pair : pairs) total = covariance.combine(total, covariance.lift(pair));
        const auto wanted = static_cast<double>(joint / static_cast<__float128>(pairs.size() - 1));
        check(std::fabs(covariance.lower(total)[0] - wanted) <= 1e-14 * std::fabs(wanted), "covariance");
        const auto related =
            static_cast<double>(joint) / std::sqrt(static_cast<double>(spread_x) * static_cast<double>(spread_y));
        check(std::fabs(correlation.lower(total)[0] - related) < 1e-14, "correlation");
    }
}

}  // namespace

int main() {
    Random random(0);
    int kinds = 0;
    for (const char* kernel : {"sum", "mean", "harmonic_mean", "weighted_mean", "moments", "skewness", "kurtosis",
                               "covariance", "correlation", "rate", "time_weighted_mean"})
        kinds += reproducible::with_twin(kernel, {}, [&](const auto& monoid) { check_order(monoid, random); });
    check(kinds == 11 && !reproducible::with_twin("max", {}, [](const auto&) {}), "who has a twin");
    sums_are_rounded_once();
    single_values_come_back();
    variances_do_not_cancel();
    shapes_are_those_of_the_definitions();
    pairs_are_those_of_the_definitions();
    return sash::testing::report();
}
