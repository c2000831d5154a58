//! recalc, subtract_on_evict, two_stacks, two_stacks_lite and aba against brute force; their bounds and refusals.
#include <algorithm>

#include "in_order_model.hpp"
#include "sash/algorithms/aba.hpp"
#include "sash/algorithms/recalc.hpp"
#include "sash/algorithms/subtract_on_evict.hpp"
#include "sash/algorithms/two_stacks.hpp"
#include "sash/algorithms/two_stacks_lite.hpp"
#include "sash/monoids/extrema.hpp"

namespace sash::testing {
namespace {

static_assert(WindowAlgorithm<Recalc<Concat>>);
static_assert(WindowAlgorithm<SubtractOnEvict<SumInt>>);
static_assert(WindowAlgorithm<TwoStacks<Concat>>);
static_assert(WindowAlgorithm<TwoStacksLite<Concat>>);
static_assert(WindowAlgorithm<Aba<Concat>>);

void check_subtract_on_evict() {
    drive(Pair::of<SubtractOnEvict<SumInt>>(), 1, 10'000, 1'200);
    breathe(Pair::of<SubtractOnEvict<SumInt>>());
    check_moves(Pair::of<SubtractOnEvict<SumInt>>());
    drive_refusals(Pair::of<SubtractOnEvict<Failing<SumInt>>>(), 5, 400, 24);
    std::int64_t count = 0;
    SubtractOnEvict<Counting<SumInt>> window{Counting<SumInt>(count)};
    for (Time t = 0; t != 1000; ++t) window.insert(t, 1);
    check(count == 999, "one combine an insert, none for the first");
    window.evict();
    check(count == 1000, "one inverse an evict");
    window.bulk_evict(989);
    check(count == 1009 && window.query() == 10, "a bulk eviction adds up what stays where that is less");
    window.bulk_evict(992);
    check(count == 1012 && window.query() == 7, "and takes out what leaves otherwise");
}

//! Late events, exact evictions and ranges, which only recalc offers here.
void check_recalc_out_of_order() {
    std::mt19937_64 random(7);
    Recalc<Concat> window;
    std::vector<Entry<std::string>> model;  // sorted by time
    for (std::int64_t step = 0; step != 3000; ++step) {
        const Time time = static_cast<Time>(random() % 60);
        const auto before = [](const auto& entry, Time t) { return entry.time < t; };
        const auto place = std::lower_bound(model.begin(), model.end(), time, before);
        const bool held = place != model.end() && place->time == time;
        if (random() % 2 == 0) {
            const auto partial = event(Concat{}, step);
            window.insert(time, partial);
            if (held) {
                place->partial += partial.text;
            } else {
                model.insert(place, {time, partial.text});
            }
        } else {
            check(window.evict(time) == held, "evict(t) says whether t was there");
            if (held) model.erase(place);
        }
        window.check_invariants();
        const Time from = static_cast<Time>(random() % 60), to = static_cast<Time>(random() % 60);
        std::string all, ranged;
        for (const auto& entry : model) {
            all += entry.partial;
            if (from <= entry.time && entry.time <= to) ranged += entry.partial;
        }
        check(window.query().text == all, "query after late events");
        check(window.query(from, to).text == ranged, "range query");
        check(window.query(kEarliest, kLatest).text == all, "open range");
    }
}

//! Amortized constant, with a flip that can be seen; 1 a query.
template <template <class> class Window>
void check_amortized_bounds() {
    std::int64_t count = 0;
    Window<Counting<SumInt>> window{Counting<SumInt>(count)};
    std::int64_t evictions = 0, worst_evict = 0, worst_insert = 0;
    std::mt19937_64 random(8);
    Time time = 0;
    const auto cost = [&](auto operation) {
        const std::int64_t before = count;
        operation();
        return count - before;
    };
    for (; time != 1000; ++time) window.insert(time, 1);
    for (int step = 0; step != 100'000; ++step) {
        if (random() % 2 == 0) {
            worst_insert = std::max(worst_insert, cost([&] { window.insert(++time, 1); }));
        } else if (window.size() != 0) {
            worst_evict = std::max(worst_evict, cost([&] { window.evict(); }));
            ++evictions;
        }
    }
    check(evictions > 40'000 && worst_insert == 1, "one combine an insert");
    check(worst_evict >= 900, "the flip is seen");
    check(count <= 2 * time, "one combine an entry when it comes and one when it is flipped");
    check(cost([&] { window.query(); }) <= 1, "one combine a query");
}

//! Many small bulk evictions from the back part flip it once, not once each.
template <template <class> class Window>
void check_bulk_is_amortized() {
    std::int64_t count = 0;
    Window<Counting<SumInt>> window{Counting<SumInt>(count)};
    for (Time t = 0; t != 10'000; ++t) window.insert(t, 1);
    count = 0;
    for (Time t = 0; t != 9'000; ++t) {
        window.bulk_evict(t);
        window.insert(10'000 + t, 1);
    }
    check(window.query() == 10'000, "contents after many bulk evictions");
    check(count <= 10'000 + 9'000 + 1, "each entry is flipped once");
}

//! Equal windows keep equal pairs, whatever their history.
void check_canonical() {
    TwoStacksLite<Concat> slid, fresh;
    const Concat monoid;
    for (Time t = 0; t != 100; ++t) {
        slid.insert(t, event(monoid, t));
        if (t >= 40) fresh.insert(t, event(monoid, t));
        if (t % 2 == 0 && t < 80) slid.evict();
    }
    check(slid.size() == fresh.size() && kept(slid) == kept(fresh), "the same pairs");
    check(kept(reloaded(slid)) == kept(fresh), "the same pairs after a load");
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash;
    using namespace sash::testing;
    check_algorithm<Recalc>();
    check_algorithm<TwoStacks>();
    check_algorithm<TwoStacksLite>();
    check_algorithm<Aba>();
    check_figure_one<TwoStacks<Max>>();
    check_figure_one<TwoStacksLite<Max>>();
    check_figure_one<Aba<Max>>();
    check_subtract_on_evict();
    check_recalc_out_of_order();
    check_amortized_bounds<TwoStacks>();
    check_amortized_bounds<TwoStacksLite>();
    check_amortized_bounds<Aba>();
    check_bulk_is_amortized<TwoStacks>();
    check_bulk_is_amortized<TwoStacksLite>();
    check_bulk_is_amortized<Aba>();
    check_canonical();
    return report();
}
