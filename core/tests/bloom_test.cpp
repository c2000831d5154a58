//! The Bloom filter: its bits against a plain set of positions, its sizes, its memory, and the hashes that feed it.
#include "sash/monoids/bloom.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "sash/algorithms/two_stacks_lite.hpp"
#include "sash/monoid.hpp"

using namespace sash;
using sash::testing::check;
using sash::testing::check_throws;

static_assert(Aggregation<Bloom>);

namespace {

using Words = std::vector<std::uint64_t>;

//! The filter of some hashes by definition: every bit of every one.
Words model(const BloomShape& shape, const std::vector<Hash>& hashes) {
    Words words(shape.words());
    for (Hash hash : hashes)
        shape.for_each_bit(hash, [&](std::size_t bit) { words[bit / 64] |= std::uint64_t{1} << bit % 64; });
    return words;
}

//! Combines [first, last) as a random tree, by a random one of combine, append and prepend at each node.
BloomPartial combined(const Bloom& bloom, const std::vector<Hash>& hashes, std::size_t first, std::size_t last,
                      std::mt19937_64& random) {
    if (first == last) return bloom.identity();
    if (last - first == 1) return bloom.lift(hashes[first]);
    const std::size_t middle = first + random() % (last - first + 1);
    if (middle == first || middle == last) {
        BloomPartial rest = combined(bloom, hashes, first, last - 1, random);
        bloom.append(rest, bloom.lift(hashes[last - 1]));
        return rest;
    }
    BloomPartial older = combined(bloom, hashes, first, middle, random);
    BloomPartial newer = combined(bloom, hashes, middle, last, random);
    switch (random() % 3) {
        case 0:
            return bloom.combine(older, newer);
        case 1:
            bloom.append(older, newer);
            return older;
        default:
            bloom.prepend(older, newer);
            return newer;
    }
}

void any_bracketing_gives_the_same_bits() {
    std::mt19937_64 random(1);
    for (std::size_t bits = BloomShape::kFewestBits; bits <= 1 << 15; bits *= 2) {
        const Bloom bloom(bits, 1 + static_cast<unsigned>(random() % 16));
        for (std::size_t count = 0; count < 24; ++count) {
            std::vector<Hash> hashes(count);
            for (Hash& hash : hashes) hash = hash_integer(static_cast<std::int64_t>(random() % 6));
            const BloomPartial partial = combined(bloom, hashes, 0, count, random);
            check(bloom.lower(partial).words() == model(bloom.shape, hashes), "the bits of all the hashes");
            // The form depends on the hashes alone, so that equal windows give equal snapshots.
            const bool one = count > 0 && std::set<Hash>(hashes.begin(), hashes.end()).size() == 1;
            check(partial.single == one, "one hash is kept as it is");
            check(partial.empty() == (count == 0), "no hash is the identity");
        }
    }
}

void a_filter_answers() {
    const Bloom bloom;
    BloomPartial partial = bloom.identity();
    check(bloom.lower(partial).empty() && bloom.lower(partial).estimated_count() == 0.0, "empty");
    check(!bloom.lower(partial).contains(hash_integer(1)), "nothing is in an empty filter");
    for (std::int64_t i = 0; i < 1000; ++i) bloom.append(partial, bloom.lift(hash_integer(i)));
    const BloomFilter filter = bloom.lower(partial);
    int wrong = 0;
    for (std::int64_t i = 0; i < 1000; ++i) check(filter.contains(hash_integer(i)), "no false negative");
    for (std::int64_t i = 1000; i < 21000; ++i) wrong += filter.contains(hash_integer(i)) ? 1 : 0;
    check(wrong > 20 && wrong < 200, "about one false positive in 200");
    check(std::abs(filter.estimated_count() - 1000) < 50, "the count is estimated within 5 %");
    check(std::abs(filter.false_positive_rate() - 0.0047) < 0.001, "the rate of false positives");
    const BloomFilter one = bloom.lower(bloom.lift(hash_text("a")));
    check(one.contains(hash_text("a")) && !one.contains(hash_text("b")), "a single value");
    check(one.bits_set() == 3 && std::abs(one.estimated_count() - 1.0) < 0.01, "a single value counts one");
    const Bloom tiny(64, 16);
    BloomPartial full = tiny.identity();
    for (std::int64_t i = 0; i < 200; ++i) tiny.append(full, tiny.lift(hash_integer(i)));
    check(std::isinf(tiny.lower(full).estimated_count()), "a full filter has no estimate");
}

void shapes_are_checked() {
    for (std::size_t bits : {std::size_t{0}, std::size_t{1}, std::size_t{32}, std::size_t{100}, std::size_t{1} << 25})
        check_throws<std::invalid_argument>([&] { Bloom{bits}; });
    check_throws<std::invalid_argument>([] { Bloom(64, 0); });
    check_throws<std::invalid_argument>([] { Bloom(64, 17); });
    const Bloom widest(BloomShape::kMostBits);
    const BloomPartial two = widest.combine(widest.lift(mix(1)), widest.lift(mix(2)));
    check(widest.lower(two).bits_set() == 6, "2^24 bits");
    check(widest.combine(two, two).array.size() * 512 == BloomShape::kMostBits, "2^24 bits are that long");
}

void words_make_a_partial_again() {
    const Bloom bloom(512, 4);
    const BloomPartial two = bloom.combine(bloom.lift(mix(1)), bloom.lift(mix(2)));
    const Words words = bloom.lower(two).words();
    check(bloom.lower(bloom.from_words(words)) == bloom.lower(two), "there and back");
    check(bloom.from_words(Words(8)).empty(), "no bits are the identity");
    check_throws<std::invalid_argument>([&] { bloom.from_words(Words(7)); });
    check(!(bloom.lower(two) == Bloom(512, 3).lower(two)), "filters of two shapes differ");
}

void copies_are_independent() {
    const Bloom bloom;
    BloomPartial two = bloom.combine(bloom.lift(mix(1)), bloom.lift(mix(2)));
    BloomPartial copy = two;
    bloom.append(copy, bloom.lift(mix(3)));
    check(!bloom.lower(two).contains(mix(3)) && bloom.lower(copy).contains(mix(3)), "a copy has its own bits");
    BloomPartial& self = copy;
    copy = self;
    bloom.append(copy, self);
    check(bloom.lower(copy).contains(mix(3)), "assigned and appended to itself");
    const BloomPartial moved = std::move(two);
    check(bloom.lower(moved).contains(mix(1)), "a move takes the bits");
    two = bloom.lift(mix(9));
    check(bloom.lower(two).contains(mix(9)) && !bloom.lower(two).contains(mix(1)), "and leaves something to assign to");
    copy = bloom.identity();
    check(copy.empty(), "back to nothing");
}

void arrays_cross_threads() {
    const Bloom bloom;
    std::vector<BloomPartial> made;
    std::thread maker([&] {
        for (std::uint64_t i = 0; i < 100; ++i)
            made.push_back(bloom.combine(bloom.lift(mix(i)), bloom.lift(mix(i + 1))));
    });
    maker.join();
    std::thread([&] { made.resize(50); }).join();
    check(bloom.lower(made[49]).contains(mix(50)), "an array outlives the thread that made it");
    made.clear();
    // More than a thread keeps idle.
    std::vector<BloomPartial> many(6000, bloom.combine(bloom.lift(mix(1)), bloom.lift(mix(2))));
    many.clear();
    check(detail::IdleArrays::of_this_thread().lines <= detail::IdleArrays::kMostLines, "idle arrays are bounded");
}

void every_kernel_ors() {
    std::mt19937_64 random(2);
    for (std::size_t lines : {1, 2, 3, 32}) {
        std::vector<BitLine> a(lines), b(lines), out(lines), wide(lines);
        for (auto* side : {&a, &b})
            for (BitLine& line : *side)
                for (std::uint64_t& word : line.words) word = random();
        detail::or_lines_plain(out.data(), a.data(), b.data(), lines);
        or_lines(wide.data(), a.data(), b.data(), lines);
        bool right = true;
        for (std::size_t i = 0; i < lines * 8; ++i) {
            const std::uint64_t expected = a[i / 8].words[i % 8] | b[i / 8].words[i % 8];
            right = right && out[i / 8].words[i % 8] == expected && wide[i / 8].words[i % 8] == expected;
        }
        check(right, "plain and wide agree with the definition");
    }
}

void hashes_are_stable() {
    // Fixed for good: filters are kept and compared across processes and versions.
    check(mix(0) == 0 && mix(1) == 0x5692161d100b05e5u, "mix");
    check(hash_integer(0) == 0xe220a8397b1dcdafu, "SplitMix64's first output from seed 0");
    check(hash_real(1.0) == hash_integer(1) && hash_real(-0.0) == hash_integer(0), "equal numbers hash equal");
    check(hash_real(-0x1p63) == hash_integer(std::numeric_limits<std::int64_t>::min()), "down to -2^63");
    check(hash_real(0x1p63) != hash_integer(std::numeric_limits<std::int64_t>::max()), "2^63 is no int64");
    check(hash_real(0.5) != hash_real(0.25) && hash_real(0.5) != hash_integer(0), "fractions");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    check(hash_real(nan) == hash_real(-nan), "NaN is NaN");
    check(hash_real(std::numeric_limits<double>::infinity()) != hash_real(-std::numeric_limits<double>::infinity()));
    check(hash_text("a") != hash_bytes("a"), "text and bytes are strangers");
    std::set<Hash> seen;
    std::string text;
    for (int length = 0; length < 40; ++length, text += '\0') seen.insert(hash_text(text));
    check(seen.size() == 40, "zeros of different lengths differ");
    for (std::int64_t i = 0; i < 100'000; ++i) seen.insert(hash_integer(i - 50'000));
    for (int i = 0; i < 100'000; ++i) seen.insert(hash_bytes("key " + std::to_string(i)));
    check(seen.size() == 200'040, "no collision among 200,000 neighbours");
}

void low_bits_are_spread() {
    std::vector<int> buckets(1024);
    for (int i = 0; i < 1 << 20; ++i) ++buckets[hash_text(std::to_string(i)) & 1023];
    const auto [least, greatest] = std::minmax_element(buckets.begin(), buckets.end());
    check(*least > 850 && *greatest < 1200, "the low bits of similar strings are even");
}

void a_window_slides() {
    const Bloom bloom;
    TwoStacksLite<Bloom> window(bloom);
    for (std::int64_t t = 0; t < 3000; ++t) {
        window.insert(t, bloom.lift(hash_integer(t)));
        if (window.size() > 100) window.evict();
        if (t % 37 != 0) continue;
        std::vector<Hash> hashes;
        for (std::int64_t u = std::max<std::int64_t>(0, t - 99); u <= t; ++u) hashes.push_back(hash_integer(u));
        check(bloom.lower(window.query()).words() == model(bloom.shape, hashes), "the filter of the window");
    }
}

}  // namespace

int main() {
    any_bracketing_gives_the_same_bits();
    a_filter_answers();
    shapes_are_checked();
    words_make_a_partial_again();
    copies_are_independent();
    arrays_cross_threads();
    every_kernel_ors();
    hashes_are_stable();
    low_bits_are_spread();
    a_window_slides();
    return sash::testing::report();
}
