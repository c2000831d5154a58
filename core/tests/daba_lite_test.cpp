//! daba_lite against brute force; its worst-case bounds, refusals and canonical form.
#include "sash/algorithms/daba_lite.hpp"

#include "combine_tally.hpp"
#include "in_order_model.hpp"
#include "sash/algorithms/two_stacks_lite.hpp"
#include "sash/monoids/extrema.hpp"

namespace sash::testing {
namespace {

static_assert(WindowAlgorithm<DabaLite<Concat>>);

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
    check_algorithm<DabaLite>();
    check_figure_one<DabaLite<Max>>();
    check_worst_case<DabaLite>(3, 2);
    check_average<DabaLite>(2, 1);
    check_canonical();
    check_loaded_bounds();
    check_constant_memory_work<DabaLite<SumInt>>(300'000);
    return report();
}
