//! Windows that share one tree: ranges that slide are answered by hands, in O(1) combines, whatever else happens.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "in_order_model.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/monoids/text.hpp"

using namespace sash;
using namespace sash::testing;

namespace {

using sash::testing::event;
using sash::testing::show;

//! Concat whose partials are objects elsewhere, as those of Python are: an entry that was evicted has none, and
//! combining it is a fault even where the result is thrown away.
struct Referred {
    struct Partial {
        std::shared_ptr<const Concat::Partial> object;
        bool operator==(const Partial& other) const { return object && other.object && *object == *other.object; }
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;

    static Partial of(Concat::Partial partial) { return {std::make_shared<Concat::Partial>(std::move(partial))}; }
    Partial identity() const { return of(Concat{}.identity()); }
    Partial combine(const Partial& older, const Partial& newer) const {
        const bool there = older.object && newer.object;
        check(there, "only entries that are there are combined");
        return there ? of(Concat{}.combine(*older.object, *newer.object)) : identity();
    }
};
Referred::Partial event(const Referred&, std::int64_t n) {
    return Referred::of(event(Concat{}, n));
}
std::string show(const Referred::Partial& partial) {
    return show(*partial.object);
}

//! The entries and a tree over them, which must give the same.
template <class M>
class Twins {
public:
    explicit Twins(FibaOptions options) : tree_(M{}, options) {}

    void insert(Time time) {
        const typename M::Partial one = event(M{}, ++events_);
        const auto found = entries_.find(time);
        if (found == entries_.end()) {
            entries_.emplace(time, one);
        } else {
            found->second = M{}.combine(found->second, one);
        }
        tree_.insert(time, one);
    }
    void evict(Time time) {
        entries_.erase(time);
        tree_.evict(time);
    }
    void bulk_evict(Time time) {
        entries_.erase(entries_.begin(), entries_.upper_bound(time));
        tree_.bulk_evict(time);
    }
    void ask(Time from, Time to) {
        typename M::Partial total = M{}.identity();
        if (from <= to)
            for (auto at = entries_.lower_bound(from); at != entries_.upper_bound(to); ++at)
                total = M{}.combine(total, at->second);
        check(show(tree_.query(from, to)) == show(total), "the range is the entries'");
    }
    void check_invariants() const { tree_.check_invariants(); }
    bool empty() const { return entries_.empty(); }
    Time some(std::mt19937_64& random) const {
        return std::next(entries_.begin(), static_cast<long>(random() % entries_.size()))->first;
    }

private:
    Fiba<M> tree_;
    std::map<Time, typename M::Partial> entries_;
    std::int64_t events_ = 0;
};

//! Three windows slide over a tree, two up to the youngest and one up to some way behind it, while events come late,
//! leave from the middle, and whole parts go at once.
template <class M>
void slide(FibaOptions options, unsigned seed, unsigned one_late_in) {
    std::mt19937_64 random(seed);
    Twins<M> twins(options);
    Time now = 0;
    for (int round = 0; round < 600; ++round) {
        now += static_cast<Time>(random() % 3);
        twins.insert(now);
        if (random() % one_late_in == 0) twins.insert(now - static_cast<Time>(random() % 150));
        if (random() % one_late_in == 0) twins.insert(now - static_cast<Time>(random() % 5));
        if (random() % (2 * one_late_in) == 0) twins.evict(twins.some(random));
        if (random() % 7 == 0) twins.bulk_evict(now - 200);
        if (random() % 97 == 0) twins.bulk_evict(now - static_cast<Time>(random() % 100));
        for (const Time length : {3, 10, 60}) twins.ask(now - length, now);
        // Nothing is there.
        twins.ask(now + 1, now + 4);
        twins.ask(now - 130, now - 17);
        if (random() % 20 == 0)
            twins.ask(now - static_cast<Time>(random() % 200), now - static_cast<Time>(random() % 99));
        twins.check_invariants();
    }
}

std::int64_t combines = 0;

template <class M>
using Counted = Counting<M>;
using OwnFirst = Failing<First<>>;

//! In order, each window that shares the tree costs O(1) combines an event, whatever its length, at either end.
template <class M>
void shared_windows_are_constant(Time behind) {
    for (const Time n : {Time{1} << 8, Time{1} << 12, Time{1} << 16}) {
        Fiba<Counted<M>> window{Counted<M>(combines)};
        const std::vector<Time> lengths{n / 8, n / 2, 3 * n / 4};
        Time time = 0;
        const auto round = [&] {
            window.insert(time, event(M{}, time));
            if (time >= n) window.evict();
            const std::int64_t before = combines;
            for (const Time length : lengths) window.query(time - length, time - behind);
            ++time;
            return combines - before;
        };
        while (time < 2 * n) round();
        std::int64_t total = 0;
        const Time rounds = 4000;
        for (Time i = 0; i < rounds; ++i) total += round();
        const double a_query = static_cast<double>(total) / static_cast<double>(rounds * 3);
        std::printf("n = %lld, %lld behind: %.2f combines a query\n", static_cast<long long>(n),
                    static_cast<long long>(behind), a_query);
        check(a_query <= 8.0, "a window that shares the tree costs O(1) combines");
        if (n < Time{1} << 16) continue;
        Fiba<Counted<M>> longest{Counted<M>(combines)};
        for (Time i = time - n; i < time; ++i) longest.insert(i, event(M{}, i));
        check(10 * window.bytes() <= 12 * longest.bytes(), "and hardly any memory beside the longest");
    }
}

//! A hand knew an entry that has left with its leaf; an older one makes the window reach back before that time.
void an_older_event_after_all_left() {
    Twins<Concat> twins({2, 4});
    for (Time time = 0; time < 40; ++time) twins.insert(time);
    for (const Time from : {1, 5, 9, 14}) twins.ask(from, 30);
    twins.bulk_evict(37);
    twins.insert(3);
    twins.check_invariants();
    for (const Time from : {1, 5, 9, 14}) twins.ask(from, 39);
    for (Time time = 40; time < 80; ++time) twins.insert(time);
    for (const Time from : {1, 5, 9, 14, 38, 60}) twins.ask(from, 70);
    twins.check_invariants();
}

//! Events at the last time that 64 bits hold.
void the_end_of_time() {
    Twins<Concat> twins({2, 2});
    for (Time back = 20; back >= 0; --back) {
        twins.insert(kLatest - back);
        for (const Time from : {19, 8, 3, 1, 0})
            for (const Time to : {7, 2, 1, 0}) twins.ask(kLatest - from, kLatest - to);
        twins.check_invariants();
    }
}

//! Any range, wherever its ends lie: a logarithm of the entries between, and what is in the two leaves that it cuts.
//! Where leaves are wide, those that were cut before know their groups of eight.
template <class M>
void ranges_are_logarithmic(bool late, bool cut_before, double most) {
    constexpr double most_a_bit = 3;
    std::mt19937_64 random(7);
    const Time n = Time{1} << 16;
    Fiba<Counted<M>> window{Counted<M>(combines)};
    for (Time i = 0; i < n; ++i) {
        const Time time = late ? static_cast<Time>(random() % static_cast<std::uint64_t>(8 * n)) : 8 * i;
        window.insert(time, event(M{}, time));
    }
    if (cut_before)
        for (Time at = 0; at < 8 * n; at += 128) window.query(at, at + 4 * n);
    double worst = -1e9;
    for (int bits = 3; bits <= 16; ++bits) {
        for (int i = 0; i < 1000; ++i) {
            const auto span = (Time{8} << bits) - 1;
            const auto from =
                static_cast<Time>(random() % static_cast<std::uint64_t>(8 * n - std::min(span, 8 * n - 1)));
            const double between = static_cast<double>(window.count(from, from + span));
            const std::int64_t before = combines;
            window.query(from, from + span);
            const double over = static_cast<double>(combines - before) - most_a_bit * std::log2(std::max(between, 1.0));
            worst = std::max(worst, over);
        }
    }
    std::printf("%s%s: any range at most %.1f log2 and %.1f combines\n", late ? "late" : "in order",
                cut_before ? ", cut before" : "", most_a_bit, worst);
    check(worst <= most, "a range costs a logarithm of its entries");
}

//! Whatever happens to a leaf that knows its groups, ranges over it are right: entries that come before, among and at
//! others, that leave from the front and from within, leaves that are split, joined and shared out.
void groups_follow_changes() {
    std::mt19937_64 random(11);
    Twins<First<>> first({});
    Twins<ArgMax<>> greatest({2, 32});
    const auto both = [&](auto change) {
        change(first);
        change(greatest);
    };
    const auto some_time = [&](Time span) { return static_cast<Time>(random() % static_cast<std::uint64_t>(span)); };
    for (Time time = 0; time < 3000; time += 3) both([&](auto& twins) { twins.insert(time); });
    for (int round = 0; round < 2000; ++round) {
        const Time at = some_time(3000);
        both([&](auto& twins) { twins.insert(at); });
        if (round % 2 == 0) {
            std::mt19937_64 same(random());
            both([&, same](auto& twins) mutable { twins.evict(twins.some(same)); });
        }
        if (round % 100 == 99) both([&](auto& twins) { twins.bulk_evict(round); });
        for (int i = 0; i < 4; ++i) {
            const Time from = some_time(3000);
            const Time to = from + some_time(500);
            both([&](auto& twins) { twins.ask(from, to); });
        }
        both([&](auto& twins) { twins.check_invariants(); });
    }
}

//! A combine that fails in a query leaves the tree and later answers right.
void a_query_may_fail() {
    using M = Failing<Concat>;
    for (std::int64_t k = 0; k < 60; ++k) {
        Fiba<M> window{M{}, {2, 4}};
        std::string text;
        for (Time time = 0; time < 60; ++time) {
            window.insert(time, event(M{}, time));
            text += event(M{}, time).text;
        }
        window.query(20, 55);
        countdown = k;
        try {
            window.query(23, 58);
        } catch (const Refused&) {
        }
        countdown = -1;
        check(window.query(24, 59).text == text.substr(24), "up to the youngest");
        check(window.query(23, 58).text == text.substr(23, 36), "the one that failed");
        window.check_invariants();
    }
}

//! So may one for the last few entries, which are combined where they lie: the query throws.
void a_query_of_the_last_may_fail() {
    using M = Failing<Concat>;
    for (Time n = 8; n < 80; ++n) {
        Fiba<M> window{M{}, {}};
        for (Time time = 0; time < n; ++time) window.insert(time, event(M{}, time));
        bool refused = false;
        countdown = 0;
        try {
            window.query(n - 3, n - 1);
        } catch (const Refused&) {
            refused = true;
        }
        countdown = -1;
        check(refused, "a combine that fails is not passed over");
        window.check_invariants();
    }
}

//! A hand whose range was evicted, in a leaf that is still there, begins behind what has left.
void evicted_entries_are_not_combined() {
    Twins<Referred> twins({});
    for (Time time = 0; time < 10; ++time) twins.insert(time);
    twins.ask(1, 2);
    twins.bulk_evict(4);
    twins.ask(6, 7);
    twins.ask(6, 8);
}

}  // namespace

int main() {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const unsigned one_late_in = seed % 2 == 0 ? 1000 : 4;
        slide<Concat>({2, 4}, seed, one_late_in);
        slide<Concat>({2, 0}, seed, one_late_in);
        slide<ArgMax<>>({}, seed, one_late_in);
        slide<Failing<Concat>>({}, seed, one_late_in);
        slide<Referred>({}, seed, one_late_in);
        slide<Referred>({2, 4}, seed, one_late_in);
    }
    for (const Time behind : {0, 1, 20}) {
        shared_windows_are_constant<SumInt>(behind);
        shared_windows_are_constant<First<>>(behind);
        shared_windows_are_constant<OwnFirst>(behind);
    }
    for (const bool late : {false, true}) {
        ranges_are_logarithmic<OwnFirst>(late, false, 40);
        // Leaves are wide where a combine is a few instructions.
        ranges_are_logarithmic<First<>>(late, false, 2 * 64);
        ranges_are_logarithmic<First<>>(late, true, 40);
        ranges_are_logarithmic<SumInt>(late, true, 40);
    }
    groups_follow_changes();
    an_older_event_after_all_left();
    evicted_entries_are_not_combined();
    the_end_of_time();
    a_query_may_fail();
    a_query_of_the_last_may_fail();
    return report();
}
