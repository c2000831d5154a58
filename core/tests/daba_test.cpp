//! daba, with and without its caches, and daba_lite against brute force; their worst-case bounds and refusals.
#include <algorithm>

#include "in_order_model.hpp"
#include "sash/daba.hpp"
#include "sash/daba_lite.hpp"
#include "sash/monoids/extrema.hpp"
#include "sash/two_stacks_lite.hpp"

namespace sash::testing {
namespace {

static_assert(WindowAlgorithm<Daba<Concat>>);
static_assert(WindowAlgorithm<DabaUncached<Concat>>);
static_assert(WindowAlgorithm<DabaLite<Concat>>);

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
    void query() { tally.query_worst = std::max(tally.query_worst, cost_of([&] { window_.query(); })); }

    std::int64_t count_ = 0;
    Window<Counting<SumInt>> window_{Counting<SumInt>(count_)};
};

void check_worst(const Tally& tally, std::int64_t insert, std::int64_t evict) {
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
        const auto total = static_cast<double>(tally.insert_total + tally.evict_total);
        check(total <= (insert + evict + 0.005) * static_cast<double>(tally.inserts), "average of a round");
        check(static_cast<double>(tally.insert_total) <= (insert + 0.01) * static_cast<double>(tally.inserts), "insert");
        check(static_cast<double>(tally.evict_total) <= (evict + 0.01) * static_cast<double>(tally.evicts), "evict");
    }
}

//! An unchanged window answers from the cache.
void check_query_cache() {
    std::int64_t count = 0;
    Daba<Counting<SumInt>> window{Counting<SumInt>(count)};
    for (Time t = 0; t != 10; ++t) window.insert(t, 1);
    count = 0;
    check(window.query() == 10 && window.query() == 10 && count == 1, "the second query is free");
    const Daba<Counting<SumInt>> copy = window;
    check(copy.query() == 10 && count == 1, "a copy has the cache too");
    window.insert(9, 5);
    check(window.query() == 15, "an equal time ends it");
    window.evict();
    check(window.query() == 14, "an eviction ends it");
    window.clear();
    check(window.query() == 0, "clear ends it");
}

//! Equal windows keep equal pairs, whatever their history, and the same pairs as two_stacks_lite.
void check_canonical() {
    const Concat monoid;
    for (Time n = 0; n != 70; ++n) {
        DabaLite<Concat> slid, fresh;
        TwoStacksLite<Concat> stacks;
        for (Time t = 0; t != 100; ++t) {
            slid.insert(t, event(monoid, t));
            if (t + n >= 100) fresh.insert(t, event(monoid, t));
            if (t + n >= 100) stacks.insert(t, event(monoid, t));
            if (t % 3 == 0 && slid.size() > static_cast<std::size_t>(n)) slid.evict();
        }
        slid.bulk_evict(99 - n);
        check(kept(slid) == kept(fresh), "the same pairs");
        check(kept(slid) == kept(stacks), "the pairs of two_stacks_lite");
        check(kept(reloaded(slid)) == kept(fresh), "the same pairs after a load");
    }
}

//! A loaded window is as good as new: the bounds hold from its first operation on.
void check_loaded_bounds() {
    for (std::int64_t n = 1; n != 100; ++n) {
        std::int64_t count = 0;
        DabaLite<Counting<SumInt>> window{Counting<SumInt>(count)};
        for (std::int64_t i = 0; i != n; ++i) window.load(i, i + 1 == n ? 1 : n - 1 - i);
        check(count == 0, "a load combines nothing");
        window.check_invariants();
        for (std::int64_t i = 0; i != 3 * n; ++i) {
            count = 0;
            window.evict();
            check(count <= 2, "evict after a load");
            count = 0;
            window.insert(n + i, 1);
            check(count <= 3, "insert after a load");
            window.check_invariants();
            check(window.query() == n, "query after a load");
        }
    }
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash;
    using namespace sash::testing;
    check_algorithm<Daba>();
    check_algorithm<DabaUncached>();
    check_algorithm<DabaLite>();
    check_figure_one<Daba<Max>>();
    check_figure_one<DabaUncached<Max>>();
    check_figure_one<DabaLite<Max>>();
    check_worst_case<Daba>(3, 2);
    check_worst_case<DabaLite>(3, 2);
    check_worst_case<DabaUncached>(4, 3);
    check_average<Daba>(2, 1);
    check_average<DabaLite>(2, 1);
    check_query_cache();
    check_canonical();
    check_loaded_bounds();
    return report();
}
