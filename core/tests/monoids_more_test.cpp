//! The laws of the fixed-size monoids of two columns, of shapes and of times; what each gives beside a direct
//! computation; and that the snapshot fields cover every word of a partial.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sash/monoid.hpp"
#include "sash/monoids/comoments.hpp"
#include "sash/monoids/decayed_sum.hpp"
#include "sash/monoids/delta.hpp"
#include "sash/monoids/event_count.hpp"
#include "sash/monoids/harmonic_mean.hpp"
#include "sash/monoids/increasing_run.hpp"
#include "sash/monoids/m4.hpp"
#include "sash/monoids/rate.hpp"
#include "sash/monoids/shape.hpp"
#include "sash/monoids/tick_scale.hpp"
#include "sash/monoids/time_weighted_mean.hpp"
#include "sash/monoids/weighted_mean.hpp"

using namespace sash;
using sash::testing::check;
using sash::testing::check_throws;

namespace {

using Random = std::mt19937_64;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

bool near(double a, double b, double tolerance = 1e-9) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

//! One field of two partials: reals within rounding, all else exactly.
bool same_field(double a, double b) {
    return near(a, b, 1e-7);
}
bool same_field(std::int64_t a, std::int64_t b) {
    return a == b;
}
bool same_field(EventCount a, EventCount b) {
    return a.value == b.value;
}

template <class Partial>
bool same(Partial a, Partial b) {
    const auto left = fields(a);
    const auto right = fields(b);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return (same_field(std::get<I>(left), std::get<I>(right)) && ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(left)>>());
}

//! The partial of one event; its time is used where the monoid uses times.
template <class M>
typename M::Partial lift(const M& monoid, Time time, const typename M::Input& value) {
    if constexpr (requires { monoid.lift(time, value); }) {
        return monoid.lift(time, value);
    } else {
        return monoid.lift(value);
    }
}

template <class M>
auto over(const M& monoid, const std::vector<std::pair<Time, typename M::Input>>& events) {
    typename M::Partial partial = monoid.identity();
    for (const auto& [time, value] : events) append(monoid, partial, lift(monoid, time, value));
    return partial;
}

//! The values at times 0, 1, 2, ...
template <class M>
auto over_values(const M& monoid, const std::vector<typename M::Input>& values) {
    typename M::Partial partial = monoid.identity();
    Time time = 0;
    for (const auto& value : values) append(monoid, partial, lift(monoid, time++, value));
    return partial;
}

//! A partial of 8-byte fields only, each of which is written to snapshots.
template <class M>
void is_a_record_of_words() {
    using Partial = typename M::Partial;
    static_assert(Monoid<M> && !M::fallible);
    static_assert(std::is_trivially_copyable_v<Partial> && sizeof(Partial) % 8 == 0);
    static_assert(std::tuple_size_v<decltype(fields(std::declval<Partial&>()))> == sizeof(Partial) / 8);
}

//! Associativity, identity, and commutativity where it is declared, over events in the order of their times.
template <class M, class Draw>
void laws(const char* name, const M& monoid, Draw draw, int trials = 2000) {
    is_a_record_of_words<M>();
    Random random(11);
    for (int trial = 0; trial < trials; ++trial) {
        Time time = static_cast<Time>(random() % 100) - 50;
        const auto next = [&] {
            typename M::Partial partial = monoid.identity();
            for (std::uint64_t count = random() % 4; count > 0; --count) {
                time += static_cast<Time>(random() % 3);
                partial = monoid.combine(partial, lift(monoid, time, draw(random)));
            }
            return partial;
        };
        const auto a = next(), b = next(), c = next();
        check(same(monoid.combine(monoid.combine(a, b), c), monoid.combine(a, monoid.combine(b, c))), name);
        check(same(monoid.combine(monoid.identity(), a), a) && same(monoid.combine(a, monoid.identity()), a), name);
        if constexpr (M::commutative) check(same(monoid.combine(a, b), monoid.combine(b, a)), name);
    }
}

double any_real(Random& random) {
    return (static_cast<double>(random() % 2001) - 1000.0) / 100.0;
}
double positive_real(Random& random) {
    return static_cast<double>(random() % 1000) / 100.0;
}
std::pair<double, double> any_pair(Random& random) {
    return {any_real(random), positive_real(random)};
}
//! Few different ones, so that there are ties; sometimes an extreme.
Cell any_cell(Random& random) {
    static constexpr Cell kSpecial[] = {kLeast, kGreatest, kLeast + 1};
    return random() % 8 == 0 ? kSpecial[random() % std::size(kSpecial)] : static_cast<Cell>(random() % 5);
}
Cell real_cell(Random& random) {
    static constexpr double kSpecial[] = {-kInfinity, kInfinity, kNan, -0.0};
    return encode_real(random() % 6 == 0 ? kSpecial[random() % std::size(kSpecial)] : any_real(random));
}

void all_obey() {
    laws("skewness", Shape{}, any_real);
    laws("weighted mean", WeightedMean{}, any_pair);
    laws("harmonic mean", HarmonicMean{}, positive_real);
    laws("co-moments", CoMoments{}, any_pair);
    laws("delta", Delta{}, any_cell);
    laws("decayed sum", DecayedSum{{}, 2.0}, any_real);
    laws("decayed sum over reals", DecayedSum{{1.0, true}, 2.0}, any_real);
    laws("rate", Rate{}, any_real);
    laws("time-weighted mean", TimeWeightedMean{{0.001, false}}, any_real);
    laws("m4", M4{}, any_cell);
    laws("m4 of reals", M4{{}, NumberKind::real}, real_cell);
    laws("longest increasing run", LongestIncreasingRun{}, any_cell);
    laws("longest increasing run of reals", LongestIncreasingRun{{}, NumberKind::real}, real_cell);
}

void shapes_are_those_of_the_textbook() {
    const Shape skew{Shape::Form::skewness, true}, sample_skew{};
    const Shape kurt{Shape::Form::kurtosis, true}, sample_kurt{Shape::Form::kurtosis, false};
    const std::vector<double> values{1, 2, 6, 7, 19};
    double mean = 0, second = 0, third = 0, fourth = 0;
    for (const double value : values) mean += value / 5;
    for (const double value : values) {
        const double d = value - mean;
        second += d * d / 5, third += d * d * d / 5, fourth += d * d * d * d / 5;
    }
    check(near(skew.lower(over_values(skew, values)), third / std::pow(second, 1.5)), "g1");
    check(near(kurt.lower(over_values(kurt, values)), fourth / (second * second) - 3), "g2");
    std::vector<double> far = values;
    for (double& value : far) value += 1e9;
    check(near(skew.lower(over_values(skew, far)), skew.lower(over_values(skew, values)), 1e-6), "far from zero");
    check(near(sample_kurt.lower(over_values(sample_kurt, far)), sample_kurt.lower(over_values(sample_kurt, values)),
               1e-6),
          "far from zero");
    check(near(sample_kurt.lower(over_values(sample_kurt, {1, 2, 3, 4})), -1.2), "unbiased kurtosis");
    check(!sample_skew.defined(over_values(sample_skew, {1, 2})) && sample_skew.defined(over_values(sample_skew, far)),
          "three at least");
    check(!sample_kurt.defined(over_values(sample_kurt, {1, 2, 3})), "four at least");
    check(!kurt.defined(over_values(kurt, {})) && kurt.defined(over_values(kurt, {1})), "one is a population");
    check(sample_skew.lower(over_values(sample_skew, {4, 4, 4})) == 0.0, "equal values have no skew");
}

void pairs_move_together() {
    const CoMoments sample{}, population{CoMoments::Form::covariance, 0};
    const CoMoments correlation{CoMoments::Form::correlation}, line{CoMoments::Form::line};
    const std::vector<std::pair<double, double>> pairs{{1e9, 5}, {1e9 + 1, 7}, {1e9 + 2, 9}};
    check(near(sample.lower(over_values(sample, pairs))[0], 2.0, 1e-6), "covariance far from zero");
    check(near(population.lower(over_values(population, pairs))[0], 4.0 / 3, 1e-6), "of a population");
    check(near(correlation.lower(over_values(correlation, pairs))[0], 1.0), "correlation");
    const auto found = line.lower(over_values(line, {{0, 1}, {1, 3}, {2, 5}, {3, 7}}));
    check(near(found[0], 2.0) && near(found[1], 1.0) && near(found[2], 1.0), "slope, intercept, r squared");
    check(line.lower(over_values(line, {{0, 4}, {1, 4}}))[2] == 1.0, "a flat line explains all there is");
    check(!sample.defined(over_values(sample, {{1, 2}})), "a sample of one has no covariance");
    check(!correlation.defined(over_values(correlation, {{1, 2}, {3, 2}})), "y does not vary");
    check(line.defined(over_values(line, {{1, 2}, {3, 2}})) && !line.defined(over_values(line, {{1, 2}, {1, 3}})),
          "x has to vary");
    check(line.width() == 3 && sample.width() == 1, "how many results");
}

void means_are_means() {
    const WeightedMean weighted;
    check(weighted.lower(over_values(weighted, {{10, 1}, {20, 3}})) == 17.5, "weighted");
    check(!weighted.defined(over_values(weighted, {})) && !weighted.defined(over_values(weighted, {{5, 0}})),
          "no weight");
    const HarmonicMean harmonic;
    check(harmonic.lower(over_values(harmonic, {2, 6})) == 3.0, "harmonic");
    check(harmonic.lower(over_values(harmonic, {-0.0, 6})) == 0.0, "a zero makes it zero, whatever its sign");
    check(harmonic.lower(over_values(harmonic, {kInfinity})) == kInfinity, "of infinity");
}

void differences_are_exact_or_refused() {
    const Delta integers, reals{NumberKind::real};
    check(std::get<std::int64_t>(integers.lower(over_values(integers, {4, 9, 7}))) == 3, "last minus first");
    check(std::get<double>(reals.lower(over_values(reals, {encode_real(0.5), encode_real(-2.0)}))) == -2.5, "of reals");
    check_throws<std::overflow_error>([&] { integers.lower(over_values(integers, {kLeast, 1})); });
    check(!integers.defined(integers.identity()), "of nothing");
    auto partial = over_values(integers, {1, 3});
    integers.renumber(partial, [](Cell cell) { return encode_real(static_cast<double>(cell)); });
    check(std::get<double>(reals.lower(partial)) == 2.0, "integers that became reals");
}

void ticks_have_a_length() {
    check(TickScale{1e-6}.between(0, 2'500'000) == 2.5, "microseconds");
    check(TickScale{}.between(5, 2) == -3.0, "backwards");
    check(TickScale{}.between(kLeast, kGreatest) == 18446744073709551615.0, "the longest way");
    const TickScale real{1.0, true};
    check(real.between(encode_real(-1.5), encode_real(2.0)) == 3.5, "codes of reals");
    check(real.between(encode_real(kInfinity), encode_real(kInfinity)) == 0.0, "infinity to itself");
}

void times_count() {
    const DecayedSum decayed{{}, 10.0};
    check(decayed.lower(over(decayed, {{0, 8.0}, {20, 1.0}})) == 3.0, "two half lives");
    check(decayed.lower(over(decayed, {{20, 1.0}, {0, 8.0}})) == 3.0, "in any order");
    check(decayed.lower(decayed.identity()) == 0.0 && decayed.defined(decayed.identity()), "the sum of nothing");
    check(decayed.lower(over(decayed, {{0, 8.0}, {kGreatest, 1.0}})) == 1.0, "faded away");
    const Rate rate;
    check(rate.lower(over(rate, {{0, 1.0}, {1, 1.0}, {4, 1.0}})) == 0.5, "events a second");
    check(!rate.defined(over(rate, {{3, 1.0}, {3, 1.0}})) && !rate.defined(rate.identity()), "no time, no rate");
    const TimeWeightedMean level;
    check(level.lower(over(level, {{0, 10.0}, {1, 40.0}, {3, 0.0}})) == 30.0, "held until the next");
    check(level.lower(over(level, {{3, kInfinity}, {3, 7.0}})) == 7.0, "no time has passed");
    check(!level.defined(level.identity()), "of nothing");
}

void m4_keeps_the_oldest_extremes() {
    const M4 chart;
    const auto found = chart.lower(over(chart, {{1, 5}, {2, 0}, {3, 5}, {4, 0}}));
    check(found.first.time == 1 && found.last.time == 4 && found.least.time == 2 && found.greatest.time == 1, "times");
    check(std::get<std::int64_t>(found.greatest.value) == 5, "value");
    const M4 reals{{}, NumberKind::real};
    const auto nan = reals.lower(over(reals, {{1, encode_real(kInfinity)}, {2, encode_real(kNan)}}));
    check(nan.least.time == 2 && nan.greatest.time == 2, "NaN is the most extreme at either end");
    auto partial = over(chart, {{1, 5}, {2, 0}});
    chart.retime(partial, [](Time time) { return time * 10; });
    check(chart.lower(partial).least.time == 20, "every stored time is mapped");
    auto nothing = chart.identity();
    chart.retime(nothing, [](Time time) { return time + 1; });
    check(same(nothing, chart.identity()), "no event, no time");
}

//! The longest strictly rising run by looking at every start: start, end, length.
std::tuple<Time, Time, std::int64_t> longest_run(const std::vector<Cell>& values) {
    std::tuple<Time, Time, std::int64_t> best{0, 0, 0};
    for (std::size_t start = 0; start < values.size(); ++start) {
        std::size_t end = start;
        while (end + 1 < values.size() && values[end] < values[end + 1]) ++end;
        const auto length = static_cast<std::int64_t>(end - start + 1);
        if (length > std::get<2>(best)) best = {static_cast<Time>(start), static_cast<Time>(end), length};
    }
    return best;
}

void runs_are_the_longest() {
    const LongestIncreasingRun rise;
    Random random(3);
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<Cell> values;
        for (std::uint64_t size = 1 + random() % 12; size > 0; --size)
            values.push_back(static_cast<Cell>(random() % 5));
        const auto [start, end, length] = longest_run(values);
        const auto found = rise.lower(over_values(rise, values));
        check(found.start == start && found.end == end && found.length == length, "by brute force");
        check(std::get<std::int64_t>(found.span) ==
                  values[static_cast<std::size_t>(end)] - values[static_cast<std::size_t>(start)],
              "span");
    }
    const LongestIncreasingRun reals{{}, NumberKind::real};
    const auto broken = reals.lower(over_values(reals, {encode_real(1.0), encode_real(kNan), encode_real(kInfinity)}));
    check(broken.length == 1 && broken.start == 0, "a NaN is no rise");
    check_throws<std::overflow_error>([&] { rise.lower(over_values(rise, {kLeast, kGreatest})); });
    auto partial = over_values(rise, {1, 2});
    rise.retime(partial, [](Time time) { return time + 100; });
    rise.renumber(partial, [](Cell cell) { return cell * 3; });
    check(rise.lower(partial).end == 101 && std::get<std::int64_t>(rise.lower(partial).span) == 3, "maps");
}

}  // namespace

int main() {
    all_obey();
    shapes_are_those_of_the_textbook();
    pairs_move_together();
    means_are_means();
    differences_are_exact_or_refused();
    ticks_have_a_length();
    times_count();
    m4_keeps_the_oldest_extremes();
    runs_are_the_longest();
    return sash::testing::report();
}
