//! Bounds by counting combines over adversarial runs: what the worst-case algorithms promise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "allocations.hpp"
#include "check.hpp"
#include "sash/monoid.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/time.hpp"

namespace sash::testing {

//! How many combines the operations of a run took.
struct Tally {
    std::int64_t inserts = 0, insert_total = 0, insert_worst = 0;
    std::int64_t evicts = 0, evict_total = 0, evict_worst = 0;
    std::int64_t query_worst = 0;
};

template <template <class> class Window>
class Counted {
public:
    void insert(Time time) {
        const std::int64_t cost = cost_of([&] { window_.insert(time, 1); });
        ++tally.inserts;
        tally.insert_total += cost;
        tally.insert_worst = std::max(tally.insert_worst, cost);
        query();
    }
    void evict() {
        const std::int64_t cost = cost_of([&] { window_.evict(); });
        ++tally.evicts;
        tally.evict_total += cost;
        tally.evict_worst = std::max(tally.evict_worst, cost);
        query();
    }
    std::size_t size() const { return window_.size(); }

    Tally tally;

private:
    template <class Operation>
    std::int64_t cost_of(Operation operation) {
        const std::int64_t before = count_;
        operation();
        return count_ - before;
    }
    void query() {
        tally.query_worst = std::max(tally.query_worst, cost_of([&] { window_.query(); }));
    }

    std::int64_t count_ = 0;
    Window<Counting<SumInt>> window_{Counting<SumInt>(count_)};
};

inline void check_worst(const Tally& tally, std::int64_t insert, std::int64_t evict) {
    check(tally.insert_worst <= insert, "worst insert");
    check(tally.evict_worst <= evict, "worst evict");
    check(tally.query_worst <= 1, "worst query");
}

//! Growth, slides, drains, saws and random walks: whatever the order of operations, no single one is dear.
template <template <class> class Window>
void check_worst_case(std::int64_t insert, std::int64_t evict) {
    Counted<Window> window;
    std::mt19937_64 random(9);
    Time time = 0;
    for (int i = 0; i != 5'000; ++i) window.insert(++time);
    while (window.size() != 1) window.evict();
    for (std::size_t peak = 1; peak != 130; ++peak) {  // up to the peak, down to nothing
        while (window.size() < peak) window.insert(++time);
        while (window.size() != 0) window.evict();
    }
    for (std::size_t burst = 1; burst != 60; ++burst) {  // a burst in, a burst out
        for (std::size_t i = 0; i != burst; ++i) window.insert(++time);
        for (std::size_t i = 0; i != burst / 2; ++i) window.evict();
    }
    for (int i = 0; i != 100'000; ++i) {
        if (window.size() == 0 || random() % 1000 < 500 + (i / 10'000 % 2 ? 30U : 0U)) {
            window.insert(time += static_cast<Time>(random() % 10 != 0));  // sometimes an equal time
        } else {
            window.evict();
        }
    }
    check_worst(window.tally, insert, evict);
}

//! Sliding windows of every small size and some large ones, over many turns.
template <template <class> class Window>
void check_average(double insert, double evict) {
    for (const std::size_t n : {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 100, 1023, 1024, 1025}) {
        Counted<Window> window;
        Time time = 0;
        while (window.size() != n) window.insert(++time);
        window.tally = {};
        for (std::size_t i = 0; i != 100 * n; ++i) {
            window.evict();
            window.insert(++time);
        }
        // An unfinished reversal has done at most n / 2 combines before their time.
        const Tally& tally = window.tally;
        const auto rounds = static_cast<double>(tally.inserts);
        check(static_cast<double>(tally.insert_total) <= (insert + 0.01) * rounds, "average insert");
        check(static_cast<double>(tally.evict_total) <= (evict + 0.01) * rounds, "average evict");
    }
}

//! Constant in time, too: an operation takes one chunk from the allocator or gives two back, whatever the size of the
//! window, and nothing else. So there is no directory to copy. The program must count its allocations
//! (allocations.hpp).
template <class Window>
void check_constant_memory_work(Time n) {
    Window window;
    std::int64_t most_taken = 0, most_freed = 0;
    const auto watch = [&](auto operation) {
        const std::int64_t taken = allocations, freed = frees;
        operation();
        most_taken = std::max(most_taken, allocations - taken);
        most_freed = std::max(most_freed, frees - freed);
    };
    largest = 0;
    for (Time t = 0; t != n; ++t) watch([&] { window.insert(t, {}); });
    for (Time t = n; t != n + n / 4; ++t) watch([&] { window.insert(t, {}), window.evict(); });
    for (Time t = 0; t != n / 4; ++t) watch([&] { window.evict(); });
    check(most_taken == 1 && most_freed <= 2, "one chunk in, two chunks out");
    check(largest <= 8192 + 64 + sizeof(typename Window::Partial) * 16, "nothing but chunks");
    watch([&] { window.clear(); });
    check(most_freed <= 2, "nor does emptying it take longer");
}

}  // namespace sash::testing
