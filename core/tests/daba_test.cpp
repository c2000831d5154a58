//! daba, with and without its caches, against brute force; its worst-case bounds and refusals.
#include "sash/algorithms/daba.hpp"

#include <array>

#include "combine_tally.hpp"
#include "in_order_model.hpp"
#include "sash/monoids/extrema.hpp"

namespace sash::testing {
namespace {

static_assert(WindowAlgorithm<Daba<Concat>>);
static_assert(WindowAlgorithm<DabaUncached<Concat>>);

//! A partial of 1 KiB.
struct LargePartial {
    using Partial = std::array<std::int64_t, 128>;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;
    Partial identity() const { return {}; }
    Partial combine(const Partial& older, const Partial&) const { return older; }
};

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

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash;
    using namespace sash::testing;
    check_algorithm<Daba>();
    check_algorithm<DabaUncached>();
    check_figure_one<Daba<Max>>();
    check_figure_one<DabaUncached<Max>>();
    check_worst_case<Daba>(3, 2);
    check_worst_case<DabaUncached>(4, 3);
    check_average<Daba>(2, 1);
    check_query_cache();
    check_constant_memory_work<Daba<SumInt>>(300'000);
    check_constant_memory_work<Daba<LargePartial>>(3'000);
    return report();
}
