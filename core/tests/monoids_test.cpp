//! The laws of every built-in monoid, over random values and extreme ones; and what each promises beyond the laws.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sash/monoid.hpp"
#include "sash/monoids/arg.hpp"
#include "sash/monoids/bits.hpp"
#include "sash/monoids/bloom.hpp"
#include "sash/monoids/collect.hpp"
#include "sash/monoids/count.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/extrema.hpp"
#include "sash/monoids/mean.hpp"
#include "sash/monoids/moments.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/monoids/text.hpp"

using namespace sash;
using sash::testing::check;
using sash::testing::check_throws;

namespace {

using Random = std::mt19937_64;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

//! Equal numbers, equal NaNs, or reals that differ by rounding only.
bool same(std::int64_t a, std::int64_t b) {
    return a == b;
}
bool same(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}
bool same(const std::vector<Cell>& a, const std::vector<Cell>& b) {
    return a == b;
}
bool same(const Mean::Partial& a, const Mean::Partial& b) {
    return same(a.sum, b.sum) && a.count == b.count;
}
bool same(const Moments::Partial& a, const Moments::Partial& b) {
    return same(a.mean, b.mean) && same(a.spread, b.spread) && a.count == b.count;
}
bool same(const SumWide::Partial& a, const SumWide::Partial& b) {
    return a == b;
}
bool same(const ProductInt::Partial& a, const ProductInt::Partial& b) {
    return a == b;
}
bool same(const Range::Partial& a, const Range::Partial& b) {
    return a.least == b.least && a.greatest == b.greatest;
}
bool same(const Concat::Partial& a, const Concat::Partial& b) {
    return a.present == b.present && a.text == b.text;
}
bool same(const BloomPartial& a, const BloomPartial& b) {
    return Bloom().lower(a) == Bloom().lower(b);
}
template <class Partial>
    requires requires(Partial p) { p.extreme; }
bool same(const Partial& a, const Partial& b) {
    return a.extreme == b.extreme && a.count == b.count;
}
template <class Partial>
    requires requires(Partial p) { p.argument; }
bool same(const Partial& a, const Partial& b) {
    return a.present == b.present && (!a.present || (a.key == b.key && a.argument == b.argument));
}
template <class Partial>
    requires requires(Partial p) { p.value; }
bool same(const Partial& a, const Partial& b) {
    return a.present == b.present && (!a.present || a.value == b.value);
}

//! A partial as it occurs: of none, one or several values.
template <class M, class Draw>
typename M::Partial draw_partial(const M& monoid, Draw draw, Random& random) {
    typename M::Partial partial = monoid.identity();
    for (std::uint64_t count = random() % 4; count > 0; --count)
        partial = monoid.combine(partial, monoid.lift(draw(random)));
    return partial;
}

//! Associativity, identity, and the declared rest: commutativity, inverse, in-place combines equal to the plain one.
template <class M, class Draw>
void laws(const char* name, const M& monoid, Draw draw, int trials = 3000) {
    static_assert(Aggregation<M>);
    Random random(7);
    for (int trial = 0; trial < trials; ++trial) {
        const auto a = draw_partial(monoid, draw, random);
        const auto b = draw_partial(monoid, draw, random);
        const auto c = draw_partial(monoid, draw, random);
        const auto ab = monoid.combine(a, b);
        check(same(monoid.combine(ab, c), monoid.combine(a, monoid.combine(b, c))), name);
        check(same(monoid.combine(monoid.identity(), a), a) && same(monoid.combine(a, monoid.identity()), a), name);
        if constexpr (M::commutative) check(same(ab, monoid.combine(b, a)), name);
        if constexpr (Invertible<M>) check(same(monoid.inverse(ab, a), b), name);
        auto appended = a;
        append(monoid, appended, b);
        auto prepended = b;
        prepend(monoid, a, prepended);
        check(same(appended, ab) && same(prepended, ab), name);
    }
}

//! Any int64, often an extreme or its neighbour, often a tie.
Cell any_cell(Random& random) {
    static constexpr Cell kSpecial[] = {kLeast, kLeast + 1, -1, 0, 1, kGreatest - 1, kGreatest};
    switch (random() % 3) {
        case 0:
            return kSpecial[random() % std::size(kSpecial)];
        case 1:
            return static_cast<Cell>(random() % 3);
        default:
            return static_cast<Cell>(random());
    }
}

//! Reals from tiny to large, of both signs, whose sums and products of a few stay finite.
double any_real(Random& random) {
    const double size = std::exp2(static_cast<double>(random() % 40) - 20.0);
    return (static_cast<double>(random() % 2001) - 1000.0) / 1000.0 * size;
}

std::int64_t small_integer(Random& random) {
    return static_cast<std::int64_t>(random() % 201) - 100;
}

std::string any_text(Random& random) {
    return std::string(random() % 3, static_cast<char>('a' + random() % 26));
}

void numbers_obey() {
    laws("count", Count{}, any_cell);
    laws("sum of integers", SumInt{}, small_integer);
    laws("sum of any integers", SumWide{}, any_cell);
    laws("product of integers", ProductInt{}, [](Random& random) { return small_integer(random) / 30; });
    laws("sum of reals", SumReal{}, any_real);
    laws("product of reals", ProductReal{}, any_real);
    laws("mean", Mean{}, any_real);
    laws("geometric mean", Mean{true}, [](Random& random) { return std::abs(any_real(random)) + 1e-6; });
    laws("moments", Moments{}, any_real);
    laws("bit or", BitOr{}, any_cell);
    laws("bit and", BitAnd{}, any_cell);
}

void orders_obey() {
    laws("min", Min{}, any_cell);
    laws("max", Max{}, any_cell);
    laws("min count", MinCount{}, any_cell);
    laws("max count", MaxCount{}, any_cell);
    laws("range", Range{}, any_cell);
    const auto pair = [](Random& random) { return std::pair<Cell, Cell>(any_cell(random), any_cell(random)); };
    laws("arg min", ArgMin<>{}, pair);
    laws("arg max", ArgMax<>{}, pair);
    laws("first", First<>{}, any_cell);
    laws("last", Last<>{}, any_cell);
}

void collections_obey() {
    laws("concat", Concat{}, any_text);
    laws("concat with a separator", Concat{", "}, any_text);
    laws("collect", Collect<>{}, any_cell);
    laws("bloom", Bloom{}, [](Random& random) { return hash_integer(small_integer(random) / 50); }, 300);
}

//! Over values near the ends of int64 a result is exact or refused, never a wrong number. 128 bits hold the truth.
template <class M, class Truth>
void exact_or_refused(const M& monoid, Truth truth) {
    Random random(8);
    for (int trial = 0; trial < 3000; ++trial) {
        const auto a = any_cell(random), b = any_cell(random);
        const Wide expected = truth(a, b);
        const auto partial = monoid.combine(monoid.lift(a), monoid.lift(b));
        if (fits(expected)) {
            check(monoid.lower(partial) == static_cast<std::int64_t>(expected), "exact when it fits");
        } else {
            check_throws<std::overflow_error>([&] { static_cast<void>(monoid.lower(partial)); });
        }
    }
    check(monoid.lower(monoid.lift(kLeast)) == kLeast, "the least integer is one like others");
}

void sums_are_exact_or_refused() {
    exact_or_refused(SumWide{}, [](Wide a, Wide b) { return a + b; });
    const SumWide sum;
    const auto lost = sum.combine(sum.lift(kGreatest), sum.lift(kGreatest));
    check(sum.lower(sum.combine(lost, sum.lift(-kGreatest))) == kGreatest, "what does not fit comes back");
    check(sum.lower(sum.inverse(lost, sum.lift(kGreatest))) == kGreatest, "also by subtraction");
    check(sum.lower(sum.combine(sum.lift(kLeast), sum.lift(0))) == kLeast, "to the last integer");
}

void products_are_exact_or_refused() {
    exact_or_refused(ProductInt{}, [](Wide a, Wide b) { return a * b; });
    const ProductInt product;
    const auto of = [&](std::initializer_list<std::int64_t> values) {
        auto total = product.identity();
        for (const std::int64_t value : values) total = product.combine(total, product.lift(value));
        return total;
    };
    const std::int64_t half = std::int64_t{1} << 32;
    check(product.lower(of({half, half, half, 0})) == 0, "zero makes all of it zero, however large");
    check(product.lower(product.combine(product.lift(0), of({half, half, half}))) == 0, "on either side");
    check(product.lower(of({half, half / 2, -1})) == kLeast, "a size of 2^63 fits with a sign");
    check_throws<std::overflow_error>([&] { static_cast<void>(product.lower(of({half, half / 2}))); });
    check_throws<std::overflow_error>([&] { static_cast<void>(product.lower(of({half, half, -1, 1}))); });
}

template <class M>
auto over(const M& monoid, const std::vector<typename M::Input>& values) {
    typename M::Partial partial = monoid.identity();
    for (const auto& value : values) append(monoid, partial, monoid.lift(value));
    return partial;
}

void moments_are_stable() {
    const Moments sample{1, false}, population{0, false}, deviation{1, true};
    const std::vector<double> shifted{1e9, 1e9 + 1, 1e9 + 2};
    check(sample.lower(over(sample, shifted)) == 1.0, "sample variance of 1e9 + {0, 1, 2}");
    check(std::abs(population.lower(over(population, shifted)) - 2.0 / 3.0) < 1e-12, "population variance");
    check(deviation.lower(over(deviation, shifted)) == 1.0, "sample deviation");
    check(sample.lower(over(sample, {4.0, 4.0, 4.0, 4.0})) == 0.0, "equal values do not vary");
    check(!sample.defined(over(sample, {})) && !sample.defined(over(sample, {1.0})), "a sample of one has no variance");
    check(!population.defined(over(population, {})) && population.defined(over(population, {1.0})), "a population has");
    std::vector<double> many;
    for (int i = 0; i < 100'000; ++i) many.push_back(1e9 + i % 10);
    check(std::abs(population.lower(over(population, many)) - 8.25) < 1e-4, "100,000 values far from zero");
}

void means_are_means() {
    const Mean mean, geometric{true};
    check(mean.lower(over(mean, {-1.0, -2.0, -6.0})) == -3.0, "of negatives");
    check(std::abs(geometric.lower(over(geometric, {1.0, 8.0, 27.0})) - 6.0) < 1e-12, "geometric");
    check(geometric.lower(over(geometric, {0.0, 5.0})) == 0.0, "geometric with a zero");
    check(std::abs(geometric.lower(over(geometric, std::vector<double>(1000, 1e300))) / 1e300 - 1.0) < 1e-9,
          "geometric of huge values does not overflow");
}

void extremes_are_extreme() {
    const Max greatest{NumberKind::real};
    std::vector<Cell> cells;
    for (double value : {-kInfinity, -5.5, -1e300}) cells.push_back(encode_real(value));
    check(std::get<double>(greatest.lower(over(greatest, cells))) == -5.5, "the greatest of negatives");
    check(std::get<std::int64_t>(Max{}.lower(over(Max{}, {kLeast}))) == kLeast, "the least integer alone");
    check(MaxCount{}.lower(over(MaxCount{}, {kLeast, kLeast})) == 2, "an extreme equal to the neutral cell is counted");
    check(MaxCount{}.lower(over(MaxCount{}, {1, 3, 2, 3})) == 2 && MaxCount{}.lower(over(MaxCount{}, {})) == 0,
          "counts");
    check(std::get<std::int64_t>(Range{}.lower(over(Range{}, {3, -4, 9}))) == 13, "range");
    check_throws<std::overflow_error>([] { Range{}.lower(over(Range{}, {kLeast, kGreatest})); });
    check(ArgMax<>{}.lower(over(ArgMax<>{}, {{1, 10}, {7, 20}, {7, 30}})) == 20, "the oldest wins a tie");
    check(ArgMin<>{}.lower(over(ArgMin<>{}, {{kGreatest, 10}, {kGreatest, 20}})) == 10, "a tie at the neutral key");
    check(First<>{}.lower(over(First<>{}, {4, 5, 6})) == 4 && Last<>{}.lower(over(Last<>{}, {4, 5, 6})) == 6, "ends");
    check(Concat{"-"}.lower(over(Concat{"-"}, {"a", "", "b"})) == "a--b", "an empty string is a value");
}

void reals_keep_their_order_as_cells() {
    const double ladder[] = {-kInfinity, -1.7e308, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1.7e308, kInfinity};
    for (std::size_t i = 0; i < std::size(ladder); ++i) {
        check(decode_real(encode_real(ladder[i])) == ladder[i], "there and back");
        if (i > 0) check(encode_real(ladder[i - 1]) < encode_real(ladder[i]), "the order stays");
    }
    check(encode_real(-0.0) == encode_real(0.0), "-0.0 is 0.0");
}

void counting_counts() {
    std::int64_t combines = 0;
    const Counting<SumInt> sum(combines);
    std::int64_t total = sum.combine(1, 2);
    append(sum, total, 3);
    prepend(sum, 4, total);
    check(total == 10 && combines == 3, "each combine once");
    check(sum.inverse(total, 4) == 6 && combines == 4, "an inverse counts");
}

}  // namespace

int main() {
    numbers_obey();
    orders_obey();
    collections_obey();
    sums_are_exact_or_refused();
    products_are_exact_or_refused();
    moments_are_stable();
    means_are_means();
    extremes_are_extreme();
    reals_keep_their_order_as_cells();
    counting_counts();
    return sash::testing::report();
}
