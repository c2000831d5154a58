//! Log MTA and Amortized MTA: the examples of their paper, the slide policy, and their bounds by counted combines.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "allocations.hpp"
#include "check.hpp"
#include "sash/algorithms/amta.hpp"
#include "sash/algorithms/log_mta.hpp"
#include "sash/monoids/extrema.hpp"
#include "sash/monoids/sum.hpp"

namespace {

using namespace sash;
using testing::check;
using Ints = std::vector<std::int64_t>;

static_assert(WindowAlgorithm<LogMta<SumInt>> && WindowAlgorithm<Amta<SumInt>>);
static_assert(LogMta<SumInt>::listable && Amta<SumInt>::listable);

//! The aliases hide the queue, which is not what varies here.
template <class M>
using Log = LogMta<M>;
template <class M>
using Amortized = Amta<M>;

//! Times 0, 1, 2, ...
template <class W>
W window_of(const std::vector<typename W::Partial>& partials) {
    W window;
    for (std::size_t i = 0; i < partials.size(); ++i) window.insert(static_cast<Time>(i), partials[i]);
    window.check_invariants();
    return window;
}

template <class W>
std::vector<typename W::Partial> contents(const W& window) {
    std::vector<typename W::Partial> partials;
    window.for_each([&](Time, const auto& partial) { partials.push_back(partial); });
    return partials;
}

// ---- the paper's examples

//! Figure 1: a full binary tree over six leaves; the root pair is <6, 3>.
void log_mta_structure() {
    const auto window = window_of<LogMta<SumInt>>({1, 2, 1, 2, 1, 2});
    check(window.levels() == 3);
    check(window.level(0) == Ints{1, 2, 1, 2, 1, 2});
    check(window.level(1) == Ints{3, 3, 3});
    check(window.level(2) == Ints{6, 3}, "the root pair");
    check(window.query() == 9);
}

//! Figure 4: the last pair has no parent yet, so the leftmost tree has four leaves.
void amta_structure() {
    auto window = window_of<Amta<SumInt>>({1, 2, 1, 2, 1, 2});
    check(window.levels() == 2);
    check(window.level(0) == Ints{1, 2, 1, 2, 1, 2});
    check(window.level(1) == Ints{3, 3});
    check(window.result_pair() == std::pair<std::int64_t, std::int64_t>(6, 3), "R0 and R1");
    check(window.stack() == Ints{5, 3}, "6 - 1, then 6 - 3");
    check(window.query() == 9);

    window.insert(6, 1);
    check(window.result_pair() == std::pair<std::int64_t, std::int64_t>(6, 4), "an insert goes to R1");
    check(window.level(1) == Ints{3, 3, 3} && window.level(2) == Ints{6}, "and gives the pair before its parent");
    window.evict();
    check(window.result_pair() == std::pair<std::int64_t, std::int64_t>(5, 4), "an eviction takes R0 from the stack");
    check(window.stack() == Ints{3});
    window.check_invariants();
}

//! Figure 5: two single evictions. The first only pops the stack; the second refills it from the pair <2, 1>.
void amta_single_evictions() {
    auto window = window_of<Amta<SumInt>>({1, 3, 2, 1, 2, 1, 1, 0, 3, 1});
    check(window.query() == 15);
    check(window.result_pair() == std::pair<std::int64_t, std::int64_t>(7, 8));
    check(window.stack() == Ints{6, 3});

    window.evict();
    check(window.result_pair() == std::pair<std::int64_t, std::int64_t>(6, 8));
    check(window.query() == 14, "6 + 8 = 15 - 1");
    check(window.stack() == Ints{3});
    check(window.level(1) == Ints{4, 3, 3, 1}, "no value is updated");

    window.evict();
    check(window.result_pair() == std::pair<std::int64_t, std::int64_t>(3, 8));
    check(window.stack() == Ints{1}, "1 + nothing");
    check(window.level(1) == Ints{3, 3, 1}, "a node without leaves leaves");
    window.check_invariants();
}

//! Section 4.2.3: when the first tree is gone the second takes its place, and R1 is computed again.
void amta_next_tree() {
    auto window = window_of<Amta<SumInt>>({1, 3, 2, 1, 2, 1, 1, 0, 3, 1});
    for (int i = 0; i < 4; ++i) window.evict();
    check(window.levels() == 2);
    check(window.result_pair() == std::pair<std::int64_t, std::int64_t>(4, 4), "<2, 1> and <1, 0>; then <3, 1>");
    check(window.stack() == Ints{2, 1});
    window.check_invariants();
}

//! Figure 2: timestamps under max, a window of 4 time units. 8 arrives, and all others go in one bulk eviction.
template <template <class> class W>
void bulk_eviction_by_policy() {
    auto window = window_of<W<Max>>({1, 2, 3, 4});
    const auto policy = [](Cell total, Cell old) { return total - old >= 4; };
    window.evict_while(policy);
    check(window.size() == 4, "nothing is too old yet");
    window.insert(4, 8);
    check(window.levels() == 3 || window.levels() == 2);
    window.evict_while(policy);
    check(contents(window) == Ints{8});
    check(window.query() == 8);
    window.check_invariants();
}

//! Section 3.2: the maximum of the youngest values that add up to at most 10. Several aggregates share one window.
struct SumMaxLast {
    struct Partial {
        std::int64_t sum = 0;
        std::int64_t max = 0;
        std::int64_t last = 0;
        bool operator==(const Partial&) const = default;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;
    static Partial lift(std::int64_t value) { return {value, value, value}; }
    Partial identity() const { return {}; }
    Partial combine(const Partial& a, const Partial& b) const {
        return {a.sum + b.sum, std::max(a.max, b.max), b == Partial{} ? a.last : b.last};
    }
};

//! An event is out if it and all after it add up to more than 10.
constexpr auto at_most_ten = [](const SumMaxLast::Partial& total, const SumMaxLast::Partial& old) {
    return total.sum - old.sum + old.last > 10;
};

template <template <class> class W>
void sum_at_most_ten() {
    W<SumMaxLast> window;
    Time time = 0;
    for (std::int64_t value : {2, 2, 3, 3}) window.insert(time++, SumMaxLast::lift(value));
    window.evict_while(at_most_ten);
    check(window.size() == 4 && window.query().max == 3, "2 + 2 + 3 + 3 = 10 is within");
    window.insert(time++, SumMaxLast::lift(4));
    window.evict_while(at_most_ten);
    Ints values;
    for (const auto& partial : contents(window)) values.push_back(partial.last);
    check(values == Ints{3, 3, 4});
    check(window.query().max == 4);
    window.insert(time++, SumMaxLast::lift(11));
    window.evict_while(at_most_ten);
    check(window.size() == 0, "an event larger than the bound does not stay itself");
    window.check_invariants();
}

//! Listing 1: the last hour, in milliseconds. An event exactly an hour old is out.
template <template <class> class W>
void last_hour() {
    W<Max> window;
    const auto policy = [](Cell total, Cell old) { return total - old >= 3'600'000; };
    std::mt19937_64 random(1);
    Ints model;
    std::int64_t now = 0;
    for (int i = 0; i < 3'000; ++i) {
        // Now and then a long silence, so that evictions come in bulk.
        now += static_cast<std::int64_t>(random() % 100 == 0 ? random() % 4'000'000 : random() % 60'000) + 1;
        window.insert(now, now);
        window.evict_while(policy);
        model.push_back(now);
        std::erase_if(model, [&](std::int64_t then) { return now - then >= 3'600'000; });
        check(contents(window) == model);
        window.check_invariants();
    }
    window.insert(model.back() + 1, model.back() + 1);
    const std::int64_t oldest = window.oldest();
    window.insert(oldest + 3'600'000, oldest + 3'600'000);
    const std::size_t before = window.size();
    window.evict_while(policy);
    check(window.size() == before - 1, "exactly an hour old is out");
}

// ---- the slide policy in general

//! A policy that wants exactly the k oldest gone, for every k, size and alignment.
template <template <class> class W>
void every_prefix() {
    for (std::int64_t skipped : {0, 1, 2, 3, 5, 8}) {
        for (std::int64_t size = 0; size <= 40; ++size) {
            W<SumInt> window;
            for (Time time = 0; time < skipped + size; ++time) window.insert(time, 1);
            for (std::int64_t i = 0; i < skipped; ++i) window.evict();
            for (std::int64_t k = 0; k <= size; ++k) {
                auto copy = window;
                copy.evict_while([&](std::int64_t total, std::int64_t old) {
                    check(total == size, "the policy sees the total");
                    return old <= k;
                });
                check(copy.query() == size - k && copy.size() == static_cast<std::size_t>(size - k));
                copy.check_invariants();
            }
        }
    }
}

// ---- bounds

std::int64_t ceil_log2(std::size_t n) {
    return n <= 1 ? 0 : std::bit_width(n - 1);
}

//! Drives a window and keeps the count of every call's combines.
template <template <class> class W>
struct Meter {
    std::int64_t count = 0;
    std::int64_t total = 0;
    std::int64_t calls = 0;
    Time time = 0;
    W<Counting<SumInt>> window{Counting<SumInt>(count)};

    template <class F>
    std::int64_t cost(F call) {
        const std::int64_t before = count;
        call();
        total += count - before;
        ++calls;
        return count - before;
    }
    std::int64_t insert() {
        return cost([&] { window.insert(time++, 1); });
    }
    std::int64_t insert_equal() {
        return cost([&] { window.insert(time - 1, 1); });
    }
    std::int64_t evict() {
        return cost([&] { window.evict(); });
    }
    std::int64_t query() {
        return cost([&] { (void)window.query(); });
    }
    //! Not counted as an amortized call: it has a bound of its own.
    std::int64_t bulk_evict(std::size_t m) {
        const std::int64_t before = count;
        window.bulk_evict(window.oldest() + static_cast<Time>(m) - 1);
        return count - before;
    }
    void fill(std::size_t size) {
        while (window.size() < size) insert();
    }
};

//! Sizes around each power of two, then a slide of that size, then the way down.
template <class Visit>
void visit_sizes(std::size_t largest, Visit visit) {
    for (std::size_t power = 1; power <= largest; power *= 2)
        for (std::size_t size : {power - 1, power, power + 1})
            if (size > 0) visit(size);
}

void log_mta_bound() {
    Meter<Log> meter;
    const auto bound = [&](std::size_t size) { return 2 * ceil_log2(size) + 2; };
    visit_sizes(4'096, [&](std::size_t size) {
        meter.fill(size);
        for (std::size_t i = 0; i < 2 * size; ++i) {
            check(meter.insert() <= bound(meter.window.size()), "insert");
            check(meter.insert_equal() <= bound(meter.window.size()), "insert at an equal time");
            check(meter.query() <= 1, "query");
            const std::size_t before = meter.window.size();
            check(meter.evict() <= bound(before), "evict");
            check(meter.query() <= 1, "query");
        }
        for (std::size_t m = 1; m <= size; m = m * 2 + 1) {
            meter.fill(size);
            check(meter.bulk_evict(m) <= bound(size), "bulk evict");
        }
    });
}

//! At most this many combines a call on average, and 3 ceil(log2 n) + 3 in one.
constexpr std::int64_t kAmortized = 2;

void check_amortized(const Meter<Amortized>& meter, const char* what) {
    check(meter.total <= kAmortized * meter.calls, what);
}

void amta_slides() {
    visit_sizes(4'096, [](std::size_t size) {
        Meter<Amortized> meter;
        meter.fill(size);
        for (std::size_t i = 0; i < 6 * size + 100; ++i) {
            check(meter.insert() <= 3 * ceil_log2(size + 1) + 3, "insert at worst");
            check(meter.insert_equal() <= 2, "insert at an equal time");
            check(meter.query() <= 1, "query");
            check(meter.evict() <= 3 * ceil_log2(size + 1) + 3, "evict at worst");
        }
        check_amortized(meter, "a window that slides");
    });
}

//! Grow to each size and shrink to nothing, so that every call is an insert or an eviction.
void amta_breathes() {
    Meter<Amortized> meter;
    visit_sizes(4'096, [&](std::size_t size) {
        for (int cycle = 0; cycle < 4; ++cycle) {
            meter.fill(size);
            while (meter.window.size() > static_cast<std::size_t>(cycle)) meter.evict();
        }
    });
    check_amortized(meter, "a window that breathes");
}

//! Rock to and fro about a place where trees merge or end, at every offset.
void amta_rocks() {
    for (std::size_t size = 1; size <= 66; ++size) {
        for (std::size_t swing = 1; swing <= 9; ++swing) {
            Meter<Amortized> meter;
            meter.fill(size + swing);
            for (int i = 0; i < 200; ++i) {
                for (std::size_t j = 0; j < swing; ++j) meter.evict();
                for (std::size_t j = 0; j < swing; ++j) meter.insert();
            }
            check_amortized(meter, "a window that rocks");
        }
    }
}

//! A bulk eviction costs O(log n) whatever it takes, and leaves no debt to the single calls between.
void amta_bulk_bound() {
    std::mt19937_64 random(2);
    for (std::size_t size : {100u, 1'000u, 4'096u, 65'536u}) {
        Meter<Amortized> meter;
        meter.fill(size);
        std::int64_t bulks = 0;
        std::int64_t paid = 0;
        for (std::size_t m = 1; m < size; m = m * 3 / 2 + 1) {
            for (int repeat = 0; repeat < 5; ++repeat, ++bulks) {
                const std::int64_t cost = meter.bulk_evict(m - (m > 4 ? random() % 4 : 0));
                check(cost <= 3 * ceil_log2(size) + 3, "bulk evict");
                paid += 3 * ceil_log2(size) + 3;
                for (std::size_t i = random() % 8; i > 0 && meter.window.size() > 1; --i) meter.evict();
                meter.fill(size);
            }
        }
        check(meter.total <= kAmortized * meter.calls + paid, "bulk and single evictions");
    }
}

template <template <class> class W>
void policy_bound() {
    for (std::size_t size : {1u, 2u, 7u, 64u, 1'000u, 4'097u}) {
        Meter<W> meter;
        meter.fill(size);
        for (std::size_t k = 0; k <= size; k = k * 2 + 1) {
            auto copy = meter.window;
            const std::int64_t before = meter.count;
            copy.evict_while([&](std::int64_t, std::int64_t old) { return old <= static_cast<std::int64_t>(k); });
            check(copy.size() == size - k);
            check(meter.count - before <= 6 * ceil_log2(size) + 6, "policy");
        }
    }
}

//! An eviction frees two chunks a level at most, whatever it drops; what waits is used again or freed by later calls.
template <template <class> class W>
void deferred_frees() {
    constexpr std::int64_t kAll = 200'000;
    const auto bound = 2 * static_cast<std::int64_t>(ceil_log2(kAll)) + 2;
    for (const std::int64_t part : {kAll / 4, kAll / 2, kAll - 1, kAll}) {
        W<SumInt> window;
        for (Time t = 0; t != kAll; ++t) window.insert(t, 1);
        const std::int64_t before = testing::frees;
        window.bulk_evict(part - 1);
        check(testing::frees - before <= bound, "a bulk eviction frees as much as a small one");
        std::int64_t worst = 0;
        for (Time t = kAll; t != 2 * kAll; ++t) {
            const std::int64_t freed = testing::frees;
            window.insert(t, 1);
            window.evict();
            worst = std::max(worst, testing::frees - freed);
        }
        check(worst <= 2 * bound, "no call pays for many");
        check(window.bytes() <= static_cast<std::size_t>(48 * (kAll - part) + 600'000), "in the end all is given back");
    }
}

template <template <class> class W>
void for_both() {
    deferred_frees<W>();
    bulk_eviction_by_policy<W>();
    sum_at_most_ten<W>();
    last_hour<W>();
    every_prefix<W>();
    policy_bound<W>();
}

}  // namespace

int main() {
    log_mta_structure();
    amta_structure();
    amta_single_evictions();
    amta_next_tree();
    for_both<Log>();
    for_both<Amortized>();
    log_mta_bound();
    amta_slides();
    amta_breathes();
    amta_rocks();
    amta_bulk_bound();
    return sash::testing::report();
}
