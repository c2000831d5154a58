//! The papers' costs, by counting combines and nodes: never by a clock.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "in_order_model.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/sum.hpp"

using namespace sash;
using sash::testing::check;

namespace {

std::int64_t combines = 0;

using Sum = Counting<SumInt>;
using FirstOf = Counting<First<>>;
//! As an aggregation in Python is: its combine may fail.
using OwnFirst = Counting<sash::testing::Failing<First<>>>;

std::int64_t make(const Sum&, Time time) {
    return time & 7;
}
First<>::Partial make(const FirstOf&, Time time) {
    return {time, true};
}
First<>::Partial make(const OwnFirst&, Time time) {
    return {time, true};
}

template <class M>
Fiba<M> window_of(Time from, Time to, Time step = 1) {
    Fiba<M> window{M(combines)};
    for (Time time = from; time < to; time += step) window.insert(time, make(M(combines), time));
    return window;
}

template <class F>
std::int64_t counted(F f) {
    const std::int64_t before = combines;
    f();
    return combines - before;
}

double log2_of(double value) {
    return std::log2(std::max(value, 1.0));
}

//! In order, a round of insert, evict and query costs at most 6 combines, however large the window.
void in_order_costs_do_not_grow() {
    double least = 1e9;
    double most = 0;
    for (const Time n : {Time{1} << 10, Time{1} << 16, Time{1} << 22}) {
        auto window = window_of<Sum>(0, n);
        const Time rounds = 100'000;
        const auto total = counted([&] {
            for (Time time = n; time < n + rounds; ++time) {
                window.evict();
                window.insert(time, time & 7);
                window.query();
            }
        });
        const double a_round = static_cast<double>(total) / static_cast<double>(rounds);
        std::printf("in order, n = %lld: %.2f combines a round\n", static_cast<long long>(n), a_round);
        check(a_round <= 6.0, "at most 6 combines a round");
        least = std::min(least, a_round);
        most = std::max(most, a_round);
    }
    check(most <= 1.25 * least, "independent of n");
}

//! A query is at most 3 combines at any moment.
void queries_are_constant() {
    auto window = window_of<Sum>(0, 1000);
    std::int64_t worst = 0;
    for (Time time = 1000; time < 5000; ++time) {
        window.insert(time, 1);
        if (time % 3 != 0) window.evict();
        worst = std::max(worst, counted([&] { window.query(); }));
    }
    check(worst <= 3, "a query is at most 3 combines");
}

//! Evicting m at once grows with log m: neither with m nor with n.
void bulk_evict_is_logarithmic() {
    for (int n_bits = 12; n_bits <= 20; n_bits += 4) {
        const Time n = Time{1} << n_bits;
        for (int m_bits = 0; m_bits <= std::min(n_bits - 2, 18); m_bits += 2) {
            const Time m = Time{1} << m_bits;
            auto window = window_of<Sum>(0, n);
            Time oldest = 0;
            Time youngest = n;
            const Time rounds = 32;
            std::int64_t total = 0;
            for (Time round = 0; round < rounds; ++round) {
                oldest += m;
                total += counted([&] { window.bulk_evict(oldest - 1); });
                for (Time i = 0; i < m; ++i) window.insert(youngest++, 1);
            }
            const double mean = static_cast<double>(total) / static_cast<double>(rounds);
            check(mean <= 80.0 + 10.0 * log2_of(static_cast<double>(m)), "bulk evict grows with log m only");
            check(window.size() == static_cast<std::size_t>(n), "the size is kept");
        }
    }
}

//! An insert at distance d grows with log d, for commutative monoids and for others.
template <class M>
void insert_is_logarithmic_in_distance(double constant, double slope) {
    const Time n = Time{1} << 18;
    for (int bits = 0; bits <= 16; bits += 4) {
        const Time d = Time{1} << bits;
        auto window = window_of<M>(0, 2 * n, 2);
        const Time rounds = 2000;
        const auto total = counted([&] {
            for (Time i = 0; i < rounds; ++i) {
                const Time at = 2 * (n - d) - 2 * (i * 7919 % std::max<Time>(d / 4, 1)) + 1;
                window.insert(at, make(M(combines), at));
                window.evict(at);
            }
        });
        const double mean = static_cast<double>(total) / static_cast<double>(2 * rounds);
        std::printf("insert + evict at d = %lld: %.1f combines\n", static_cast<long long>(d), mean);
        check(mean <= constant + slope * log2_of(static_cast<double>(d)), "insert grows with log d");
    }
}

//! A batch never costs more than its entries one by one, and about m log(d/m).
template <class M>
void bulk_insert_shares_its_way() {
    const Time n = Time{1} << 18;
    for (const Time m : {Time{1}, Time{2}, Time{4}, Time{9}, Time{16}, Time{17}, Time{256}, Time{4096}}) {
        for (const Time d : {Time{0}, Time{64}, Time{4096}, Time{65536}}) {
            auto window = window_of<M>(0, 2 * n, 2);
            auto twin = window;
            std::vector<Time> times;
            std::vector<typename M::Partial> partials;
            const Time spread = std::max<Time>(1, d / std::max<Time>(m, 1));
            for (Time i = 0; i < m; ++i) {
                const Time at = d == 0 ? 2 * n + i : 2 * (n - d) + 2 * i * spread + 1;
                times.push_back(at);
                partials.push_back(make(M(combines), at));
            }
            auto copies = partials;
            const auto bulk = counted([&] { window.bulk_insert(times, copies); });
            const auto single = counted([&] {
                for (std::size_t i = 0; i < times.size(); ++i) twin.insert(times[i], partials[i]);
            });
            check(bulk <= single, "a batch costs no more than its entries");
            const double sites = static_cast<double>(m);
            const double bound = 160.0 + sites * (90.0 + 16.0 * log2_of(static_cast<double>(d) / sites));
            check(static_cast<double>(bulk) <= bound, "a batch costs about m log(d/m)");
            window.check_invariants();
        }
    }
}

//! A batch that is scattered over a large window is sorted and goes in by one pass: where order does not matter, an
//! event costs a combine for each node on its way, and each node is noted once, however many of them go below it.
void a_scattered_batch_is_one_pass() {
    const Time n = Time{1} << 18;
    const Time m = 1024;
    auto window = window_of<Sum>(0, 4 * n, 4);
    std::vector<Time> times;
    for (Time i = 0; i < m; ++i) times.push_back(4 * (i * 7919 % m) * (n / m) + 1);
    std::vector<std::int64_t> partials(times.size(), 1);
    const auto total = counted([&] { window.bulk_insert(times, partials); });
    const double an_event = static_cast<double>(total) / static_cast<double>(m);
    // Full leaves are split by it: both halves are folded. Those off the way are not looked at.
    std::printf("scattered batch: %.1f combines an event\n", an_event);
    check(an_event <= 64 + 2 * window.height(), "leaves are folded once, nodes noted once");
    const auto again = counted([&] {
        for (Time& time : times) ++time;
        window.bulk_insert(times, partials);
    });
    std::printf("again, without a split: %.1f combines an event\n",
                static_cast<double>(again) / static_cast<double>(m));
    check(again <= m * (1 + 2 * window.height()), "a combine or two for each node on the way");
    check(window.size() == static_cast<std::size_t>(n + 2 * m), "each time is new");
    window.check_invariants();
}

//! Freed nodes are opened a few at a time by the inserts that follow.
void freeing_is_put_off() {
    const Time n = Time{1} << 22;
    auto window = window_of<Sum>(0, n);
    window.bulk_evict(n / 2);
    std::uint64_t most = 0;
    for (Time time = n; time < n + 1000; ++time) {
        const std::uint64_t before = window.nodes_opened();
        window.insert(time, 1);
        most = std::max(most, window.nodes_opened() - before);
    }
    check(most <= 4, "an insert opens O(1) freed nodes");
}

//! A window that breathes keeps its high-water mark; one that shrank gives its memory back when asked.
void memory_is_bounded() {
    Fiba<Sum> window{Sum(combines)};
    Time next = 0;
    std::size_t after_first = 0;
    std::vector<Time> times(1'000'000);
    std::vector<std::int64_t> partials(times.size(), 1);
    for (int cycle = 0; cycle < 100; ++cycle) {
        std::iota(times.begin(), times.end(), next);
        next += static_cast<Time>(times.size());
        window.bulk_insert(times, partials);
        if (cycle == 0) after_first = window.nodes_made();
        window.bulk_evict(next - 11);
        check(window.size() == 10, "ten stay");
    }
    check(window.nodes_made() <= after_first + after_first / 20, "no more nodes than at the first high tide");
    const std::size_t before = window.bytes();
    window.shrink_to_fit();
    check(window.bytes() * 100 < before, "shrink_to_fit gives memory back");
    check(window.query() == 10, "and keeps the entries");
}

}  // namespace

int main() {
    in_order_costs_do_not_grow();
    queries_are_constant();
    bulk_evict_is_logarithmic();
    insert_is_logarithmic_in_distance<Sum>(90, 6);
    insert_is_logarithmic_in_distance<FirstOf>(160, 12);
    bulk_insert_shares_its_way<Sum>();
    bulk_insert_shares_its_way<FirstOf>();
    bulk_insert_shares_its_way<OwnFirst>();
    a_scattered_batch_is_one_pass();
    freeing_is_put_off();
    memory_is_bounded();
    return sash::testing::report();
}
