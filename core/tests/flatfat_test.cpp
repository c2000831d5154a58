//! FlatFAT, with holes and first-in first-out, against brute force; the paper's example, thresholds and bounds.
#include "sash/algorithms/flatfat.hpp"

#include <bit>
#include <random>
#include <utility>

#include "in_order_model.hpp"
#include "range_model.hpp"
#include "sash/monoids/extrema.hpp"

namespace sash::testing {
namespace {

template <class M>
using Holed = FlatFat<M>;
template <class M>
using Fifo = FlatFatFifo<M>;

static_assert(WindowAlgorithm<Holed<Concat>> && WindowAlgorithm<Holed<SumInt>>);
static_assert(WindowAlgorithm<Fifo<Concat>> && WindowAlgorithm<Fifo<SumInt>>);
static_assert(EvictsExactly<Holed<Concat>> && !EvictsExactly<Fifo<Concat>>);

//! Sees to it that the walk met what makes this algorithm different.
template <class W>
void check_walk(std::uint64_t seed, int steps, std::size_t limit) {
    const Sights seen = roam(RangedPair::of<W>(), seed, steps, limit);
    check(seen.inverted > steps / 100, "the buffer was inverted");
    check(seen.evicted > steps / 10 || !EvictsExactly<W>, "entries left from anywhere");
}

template <template <class> class Window>
void check_anywhere() {
    check_walk<Window<Concat>>(11, 4'000, 70);
    check_walk<Window<ArgMax<>>>(12, 4'000, 150);
    check_walk<Window<First<>>>(13, 4'000, 100);
    check_walk<Window<SumInt>>(14, 4'000, 300);
    roam_refused(RangedPair::of<Window<Failing<Concat>>>(), 15, 300, 40);
    roam_refused(RangedPair::of<Window<Failing<First<>>>>(), 16, 200, 40);
    check_figure_one<Window<Max>>();
}

//! The Reactive Aggregator paper, Figure 5: the latest four numbers in four slots. After event 6 the slots hold
//! 9, 7, 3, 2 and the window is 7, 3, 2, 9.
template <template <class> class Window>
void check_figure_five() {
    Window<Concat> window{Concat{}};
    Time time = 0;
    const auto arrives = [&](const char* text) { window.insert(++time, Concat{}.lift(text)); };
    for (const char* text : {"4", "7", "3", "2"}) arrives(text);
    check(window.query().text == "4732" && window.capacity() == 4 && !window.inverted(), "events 1 to 4");
    window.evict();
    check(window.query().text == "732" && !window.inverted(), "5) 4 leaves");
    arrives("9");
    check(window.query().text == "7329" && window.capacity() == 4 && window.inverted(), "6) 9 arrives: inverted");
    check(window.query(3, 5).text == "329", "a range around the end of the buffer");
    check(window.query(2, 4).text == "732" && window.query(5, 9).text == "9", "ranges on either side of it");
    window.check_invariants();
    // A monoid that ignores order may take the root.
    Window<SumInt> sum;
    for (const int value : {4, 7, 3, 2}) sum.insert(++time, value);
    sum.evict();
    sum.insert(++time, 9);
    check(sum.inverted() && sum.query() == 21, "the sum of an inverted buffer");
}

//! The fixed-size aggregator alone, on the paper's eight leaves (Figure 3).
void check_tree() {
    std::int64_t count = 0;
    flatfat::Tree<Counting<Concat>, flatfat::Bitmap> tree(Counting<Concat>(count), 8);
    const flatfat::Ring full(8, 0, 8);
    const auto settled = [&]() -> const std::string& {
        count = 0;
        tree.settle(full);
        return tree.aggregate().text;
    };
    for (std::size_t slot = 0; slot != 8; ++slot) tree.set(slot, event(Concat{}, static_cast<Time>(slot)));
    check(count == 0, "changes wait");
    check(settled() == "abcdefgh" && count == 7, "new: n - 1 combines");
    count = 0;
    check(tree.prefix(full, 6).text == "abcdefg" && count == 2, "prefix(7) = T(e) T(c) a[7]");
    check(tree.suffix(full, 1).text == "bcdefgh" && count == 4, "suffix(2)");
    tree.set(2, Concat{}.lift("C"));
    check(settled() == "abCdefgh" && count == 3, "a[3] alters b, e and g");
    tree.set(6, Concat{}.lift("G"));
    tree.set(7, Concat{}.lift("H"));
    check(settled() == "abCdefGH" && count == 3, "two leaves: each parent once");
    tree.erase(5);
    check(settled() == "abCdeGH" && count == 2, "a hole is not combined");
    tree.erase(4);
    check(settled() == "abCdGH" && tree.range(full, 4, 5).text.empty(), "nor is a node over two holes");
    check(!tree.any(full, 4, 5) && tree.any(full, 4, 6), "any");
    tree.check_invariants(full);
}

void check_thresholds() {
    Holed<SumInt> window;
    check(window.capacity() == 0, "a window that never held anything has no buffer");
    Time time = 0;
    const auto insert = [&](int count) {
        for (int i = 0; i != count; ++i) window.insert(++time, 1);
    };
    insert(4);
    check(window.capacity() == 4, "full");
    insert(1);
    check(window.capacity() == 8, "doubled");
    insert(11);
    check(window.capacity() == 16 && window.size() == 16, "full again");
    for (const Time hole : {3, 5, 7, 9}) check(window.evict(hole), "a hole");
    check(!window.evict(5), "a hole is no entry");
    insert(1);
    check(window.capacity() == 16 && window.size() == 13, "three quarters full: compacted");
    insert(3);
    for (const Time hole : {4, 6, 8}) window.evict(hole);
    insert(1);
    check(window.capacity() == 32 && window.size() == 14, "more than three quarters full: doubled");
    while (window.size() > 8) window.evict();
    check(window.capacity() == 32, "a quarter full: kept");
    window.evict();
    check(window.capacity() == 16, "less than a quarter full: halved");
    window.check_invariants();
    window.evict(time);
    check(window.youngest() == time - 1, "the youngest leaves");
    // The last two entries but one leave first: the back steps over their holes.
    window.evict(time - 3);
    window.evict(time - 2);
    window.evict(time - 1);
    check(window.youngest() == time - 4 && window.size() == 3, "the back steps over holes");
    window.check_invariants();
    window.bulk_evict(time);
    check(window.size() == 0 && window.query() == 0, "empty");
    insert(1);
    check(window.size() == 1 && window.query() == 1, "refilled");
}

constexpr std::size_t kCapacity = 1024;
constexpr std::int64_t kLevels = 10;

//! Fills the buffer and slides until it begins at `offset`; single operations keep their bounds.
template <class W, class M>
void slide_to(W& window, std::int64_t& count, Time& time, Time offset) {
    for (; time != kCapacity; ++time) window.insert(time, event(M{}, time));
    window.query();
    const auto cost_of = [&](auto change) {
        count = 0;
        change();
        const std::int64_t changed = count;
        window.query();
        check(changed <= 1, "a change waits; an equal time is combined");
        return count;
    };
    // An inverted buffer pays for its two parts when it is asked, where the order counts.
    const std::int64_t inverted = M::commutative ? 0 : 2 * kLevels;
    for (; time != static_cast<Time>(kCapacity) + offset; ++time) {
        check(cost_of([&] { window.evict(); }) <= kLevels + inverted, "evict");
        check(cost_of([&] { window.insert(time, event(M{}, time)); }) <= kLevels + inverted, "insert");
    }
    check(cost_of([&] { window.insert(time - 1, event(M{}, 3)); }) <= kLevels + 1 + inverted, "an equal time");
}

//! m (1 + ceil(log2(n / m)))
std::int64_t update_bound(std::size_t m) {
    const auto quotient = static_cast<std::uint64_t>((kCapacity + m - 1) / m);
    return static_cast<std::int64_t>(m) * (1 + static_cast<std::int64_t>(std::bit_width(quotient - 1)));
}

//! Takes out m and puts in m, so that the buffer neither grows nor shrinks.
template <template <class> class Window, class M>
void check_bounds(std::size_t m, Time offset) {
    std::int64_t count = 0;
    Window<Counting<M>> window{Counting<M>(count)};
    Time time = 0;
    slide_to<Window<Counting<M>>, M>(window, count, time, offset);
    const auto asked = [&] {
        window.query();
        const std::int64_t cost = std::exchange(count, 0);
        window.query();
        return cost - std::exchange(count, 0);  // without what an inverted buffer pays each time
    };
    count = 0;
    window.bulk_evict(offset + static_cast<Time>(m) - 1);
    check(count == 0 && asked() <= 2 * kLevels, "bulk evict: the two ends of the gap");
    check(window.size() == kCapacity - m, "m have left");
    std::vector<Time> times;
    std::vector<typename M::Partial> partials;
    for (std::size_t i = 0; i != m; ++i, ++time) {
        times.push_back(time);
        partials.push_back(event(M{}, time));
    }
    count = 0;
    window.bulk_insert(times, partials);
    check(count == 0 && asked() <= update_bound(m), "an update of m");
    check(window.capacity() == kCapacity && window.size() == kCapacity, "no resizing");
    count = 0;
    window.query();
    check(count <= 2 * kLevels && (count == 0 || window.inverted()), "query");
    check(!M::commutative || count == 0, "a commutative monoid takes the root");
    window.check_invariants();
}

template <template <class> class Window>
void check_bounds() {
    for (const std::size_t m : {1u, 2u, 3u, 4u, 7u, 64u, 100u, 255u, 256u, 500u}) {
        for (const Time offset : {0, 1, 300, 511, 700, 1000}) {
            check_bounds<Window, SumInt>(m, offset);
            check_bounds<Window, Concat>(m, offset);
        }
    }
}

//! The paper's batches: m changes anywhere, asked about once, take m (1 + ceil(log2(n / m))) combines together.
void check_scattered() {
    for (const std::size_t m : {1u, 2u, 3u, 10u, 64u, 100u, 250u}) {
        std::int64_t count = 0;
        Holed<Counting<First<>>> window{Counting<First<>>(count)};
        for (Time t = 0; t != kCapacity; ++t) window.insert(t, event(First<>{}, t));
        window.query();
        count = 0;
        const Time step = static_cast<Time>(kCapacity / m);
        for (std::size_t i = 0; i != m; ++i) check(window.evict(1 + static_cast<Time>(i) * step), "it was there");
        check(count == 0, "evictions wait");
        window.query();
        check(count <= update_bound(m), "scattered evictions, asked about once");
        window.check_invariants();
    }
}

//! A combine may rely on the order of time: what is older ends before what is newer begins.
struct Span {
    struct Partial {
        Time first = 0;
        Time last = -1;
        bool operator==(const Partial&) const = default;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;
    static inline int wrong = 0;

    Partial identity() const { return {}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        wrong += older.last >= newer.first ? 1 : 0;
        return {older.first, newer.last};
    }
};

template <class W>
void check_order() {
    std::mt19937_64 random(17);
    W window;
    Time time = 0;
    for (int step = 0; step != 20'000; ++step) {
        const std::uint64_t pick = random() % 100;
        if (window.size() < 2 || pick < 45 + (step / 1'000 % 2 == 0 ? 10U : 0U)) {
            ++time;
            window.insert(time, {time, time});
        } else if (pick < 90) {
            window.evict();
        } else if constexpr (EvictsExactly<W>) {
            window.evict(window.oldest() + static_cast<Time>(random() % 20));
        }
        if (random() % 3 != 0) continue;
        const Span::Partial all = window.size() == 0 ? Span::Partial{} : window.query();
        check(window.size() == 0 || (all.first == window.oldest() && all.last == window.youngest()), "the whole");
    }
    check(Span::wrong == 0, "combine is called in the order of time");
}

//! Growing and shrinking are amortized O(1), beside the log2(n) of each single operation.
template <template <class> class Window>
void check_amortized() {
    std::int64_t count = 0;
    Window<Counting<First<>>> window{Counting<First<>>(count)};
    constexpr Time kEvents = 20'000;
    for (Time t = 0; t != kEvents; ++t) window.insert(t, event(First<>{}, t)), window.query();
    check(count <= kEvents * (15 + 2), "growing");
    count = 0;
    while (window.size() > 1) window.evict(), window.query();
    check(count <= kEvents * (15 + 2), "shrinking");
    check(window.capacity() == Window<Counting<First<>>>::kLeast, "the buffer shrank with it");
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash::testing;
    check_algorithm<Holed>();
    check_algorithm<Fifo>();
    check_anywhere<Holed>();
    check_anywhere<Fifo>();
    check_figure_five<Holed>();
    check_figure_five<Fifo>();
    check_tree();
    check_scattered();
    check_order<Holed<Span>>();
    check_order<Fifo<Span>>();
    check_thresholds();
    check_bounds<Holed>();
    check_bounds<Fifo>();
    check_amortized<Holed>();
    check_amortized<Fifo>();
    return report();
}
