//! Base intervals against brute force; what is kept on each level, and the bounds.
#include "sash/algorithms/base_intervals.hpp"

#include "in_order_model.hpp"
#include "range_model.hpp"
#include "sash/monoids/extrema.hpp"

namespace sash::testing {
namespace {

static_assert(WindowAlgorithm<BaseIntervals<Concat>> && WindowAlgorithm<BaseIntervals<SumInt>>);

//! A stream much longer than its window makes no interval that the window cannot use.
void check_long_stream() {
    std::int64_t count = 0;
    BaseIntervals<Counting<SumInt>> window{Counting<SumInt>(count)};
    for (Time t = 0; t != 100'000; ++t) {
        window.insert(t, 1);
        if (window.size() > 3) window.evict();
    }
    window.check_invariants();
    check(count <= 50'000, "intervals of two and no wider");
    check(window.query() == 3, "three ones");
    const std::size_t bytes = window.bytes();
    for (Time t = 100'000; t != 200'000; ++t) window.insert(t, 1), window.evict();
    check(window.bytes() <= bytes, "nothing is left behind");
}

void check_bounds() {
    constexpr std::int64_t kLevels = 10;
    std::int64_t count = 0;
    BaseIntervals<Counting<First<>>> window{Counting<First<>>(count)};
    std::int64_t inserts = 0;
    for (Time t = 0; t != 20'000; ++t) {
        count = 0;
        window.insert(t, event(First<>{}, t));
        check(count <= kLevels, "an insert: log2(n)");
        inserts += count;
        count = 0;
        if (window.size() > 1024) window.evict();
        check(count == 0, "an evict combines nothing");
        window.query();
        check(count <= 2 * kLevels + 1, "a query: 2 log2(n) + 1");
        if (t % 3000 == 2999) {
            count = 0;
            window.bulk_evict(t - 77);
            check(count == 0 && window.size() == 77, "a bulk evict combines nothing");
            window.check_invariants();
        }
    }
    check(inserts <= 20'000, "an insert: one combine amortized");
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash::testing;
    using sash::BaseIntervals;
    check_algorithm<BaseIntervals>();
    check_figure_one<BaseIntervals<sash::Max>>();
    // Windows of several sizes share one structure by range queries.
    roam(RangedPair::of<BaseIntervals<sash::Concat>>(), 7, 4'000, 100);
    roam(RangedPair::of<BaseIntervals<sash::ArgMax<>>>(), 8, 4'000, 300);
    check_long_stream();
    check_bounds();
    return report();
}
