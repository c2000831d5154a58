//! The classic augmented B-tree against a sorted map, step by step; failing combines; counted combines.
#include "sash/algorithms/btree.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "sash/monoids/arg.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/monoids/text.hpp"

namespace {

using namespace sash;
using namespace sash::testing;
using Random = std::mt19937_64;

static_assert(WindowAlgorithm<BTree<SumInt>>);
static_assert(WindowAlgorithm<BTree<Concat>>);
static_assert(std::is_nothrow_move_constructible_v<BTree<SumInt>>);

std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// One lifted value and one comparison for each monoid of the random runs.

SumInt::Partial value(const SumInt& m, Random& random) {
    return m.lift(draw(random, -99, 99));
}
Concat::Partial value(const Concat& m, Random& random) {
    return m.lift(std::string(1, static_cast<char>(draw(random, 'a', 'z'))));
}
//! Few keys, so that ties are common.
ArgMax<>::Partial value(const ArgMax<>& m, Random& random) {
    return m.lift({draw(random, 0, 3), draw(random, 0, 1000)});
}
First<>::Partial value(const First<>& m, Random& random) {
    return m.lift(draw(random, 0, 1000));
}

struct Same {
    bool operator()(std::int64_t a, std::int64_t b) const { return a == b; }
    bool operator()(const Concat::Partial& a, const Concat::Partial& b) const {
        return a.text == b.text && a.present == b.present;
    }
    bool operator()(const ArgMax<>::Partial& a, const ArgMax<>::Partial& b) const {
        return a.present == b.present && (!a.present || (a.key == b.key && a.argument == b.argument));
    }
    bool operator()(const First<>::Partial& a, const First<>::Partial& b) const {
        return a.present == b.present && (!a.present || a.value == b.value);
    }
};

//! Throws at the combine that uses up `*left`; never while it is negative.
template <class M>
struct Fragile : M {
    using Partial = typename M::Partial;
    static constexpr bool fallible = true;
    std::int64_t* left = nullptr;

    Partial combine(const Partial& older, const Partial& newer) const {
        if (*left >= 0 && (*left)-- == 0) throw std::runtime_error("combine failed");
        return M::combine(older, newer);
    }
};

//! The naive window: a sorted map.
template <class M>
struct Model {
    using Partial = typename M::Partial;

    M monoid;
    std::map<Time, Partial> entries;

    void insert(Time time, const Partial& partial) {
        const auto [at, fresh] = entries.emplace(time, partial);
        if (!fresh) at->second = monoid.combine(at->second, partial);
    }
    Partial query(Time from = kEarliest, Time to = kLatest) const {
        Partial total = monoid.identity();
        for (const auto& [time, partial] : entries)
            if (from <= time && time <= to) total = monoid.combine(total, partial);
        return total;
    }
    void bulk_evict(Time time) { entries.erase(entries.begin(), entries.upper_bound(time)); }
};

template <class M>
void check_equal(const BTree<M>& tree, const Model<M>& model) {
    tree.check_invariants(Same{});
    check(tree.size() == model.entries.size(), "size");
    auto expected = model.entries.begin();
    bool equal = true;
    tree.for_each([&](Time time, const typename M::Partial& partial) {
        equal = equal && expected != model.entries.end() && expected->first == time;
        equal = equal && Same{}(expected->second, partial);
        if (equal) ++expected;
    });
    check(equal && expected == model.entries.end(), "entries");
    check(Same{}(tree.query(), model.query()), "query");
    if (model.entries.empty()) return;
    check(tree.oldest() == model.entries.begin()->first, "oldest");
    check(tree.youngest() == model.entries.rbegin()->first, "youngest");
}

//! Drives a tree and its model through the same random steps.
template <class M>
class Run {
public:
    Run(M monoid, std::size_t min_arity, std::uint64_t seed)
        : tree_(monoid, min_arity), model_{monoid, {}}, random_(seed) {}

    void steps(int count) {
        bulk_insert(300);
        for (int i = 0; i != count; ++i) {
            // Long stretches of growth and of shrinkage, so that all heights are met, the empty tree too.
            if (i % 200 == 0) grow_ = draw(random_, 0, 2) != 0;
            if (draw(random_, 0, 9) < (grow_ ? 7 : 2)) {
                insert();
            } else {
                remove();
            }
            if (i % 10 == 0) other();
            highest_ = std::max(highest_, tree_.height());
            check_equal(tree_, model_);
            check_range();
        }
    }

    std::size_t highest() const { return highest_; }

private:
    using Partial = typename M::Partial;

    Partial some() { return value(model_.monoid, random_); }

    //! A time that is in, beside one that is in, before all, after all, or anywhere.
    Time some_time() {
        const bool empty = model_.entries.empty();
        switch (draw(random_, 0, 5)) {
            case 0:
                return empty ? 0 : model_.entries.rbegin()->first + draw(random_, 1, 5);
            case 1:
                return empty ? 0 : model_.entries.begin()->first - draw(random_, 1, 5);
            case 2:
                return empty ? 0 : present() + draw(random_, -1, 1);
            case 3:
                return empty ? 0 : present();
            default:
                return draw(random_, -1000, 1000);
        }
    }

    Time present() {
        auto at = model_.entries.lower_bound(draw(random_, -1000, 1000));
        return at == model_.entries.end() ? model_.entries.rbegin()->first : at->first;
    }

    void insert() {
        if (draw(random_, 0, 19) == 0) return bulk_insert(draw(random_, 0, 40));
        const Time time = some_time();
        const Partial partial = some();
        tree_.insert(time, partial);
        model_.insert(time, partial);
    }

    void bulk_insert(std::int64_t count) {
        std::vector<Time> times;
        std::vector<Partial> partials;
        for (int i = 0; i != count; ++i) {
            times.push_back(!times.empty() && draw(random_, 0, 3) == 0 ? times[times.size() / 2] : some_time());
            partials.push_back(some());
            model_.insert(times.back(), partials.back());
        }
        tree_.bulk_insert(times, partials);
    }

    void remove() {
        if (model_.entries.empty()) {
            check(!tree_.evict(5), "nothing to evict");
            return;
        }
        switch (draw(random_, 0, 9)) {
            case 0:
                return bulk_evict();
            case 1:
            case 2:
            case 3:
                tree_.evict();
                model_.entries.erase(model_.entries.begin());
                return;
            default:
                return evict_at(some_time());
        }
    }

    void evict_at(Time time) {
        const bool there = model_.entries.erase(time) == 1;
        check(tree_.evict(time) == there, "evict says whether it was there");
    }

    void bulk_evict() {
        auto at = model_.entries.begin();
        std::advance(at, draw(random_, 0, std::min<std::int64_t>(20, std::ssize(model_.entries) - 1)));
        const Time time = at->first + draw(random_, -1, 1);
        tree_.bulk_evict(time);
        model_.bulk_evict(time);
    }

    //! Copies, moves, reloads: the tree that comes back must be as good as the old one.
    void other() {
        switch (draw(random_, 0, 3)) {
            case 0: {
                BTree<M> copy = tree_;
                tree_.clear();
                check(tree_.size() == 0, "cleared");
                tree_.insert(3, some());
                tree_ = copy;
                break;
            }
            case 1: {
                BTree<M> moved = std::move(tree_);
                check(tree_.size() == 0, "moved from, empty");
                tree_ = std::move(moved);
                break;
            }
            case 2: {
                BTree<M> loaded(model_.monoid, tree_.min_arity());
                tree_.for_each([&](Time time, const Partial& partial) { loaded.load(time, partial); });
                tree_ = loaded;
                break;
            }
            default:
                evict_while();
        }
    }

    //! A policy on the length of the text; the other monoids have no measure that grows with the prefix.
    void evict_while() {
        if constexpr (std::is_same_v<M, Concat>) {
            const auto letters = static_cast<std::size_t>(draw(random_, 0, 12));
            tree_.evict_while([&](const Partial& total, const Partial& prefix) {
                check(Same{}(total, model_.query()), "the policy sees the total");
                return prefix.text.size() <= letters;
            });
            std::size_t sum = 0;
            auto at = model_.entries.begin();
            while (at != model_.entries.end() && (sum += at->second.text.size()) <= letters) ++at;
            model_.entries.erase(model_.entries.begin(), at);
        }
    }

    void check_range() {
        const Time a = some_time();
        const Time b = draw(random_, 0, 3) == 0 ? a : some_time();
        check(Same{}(tree_.query(a, b), model_.query(a, b)), "range");
        check(Same{}(tree_.query(b, a), model_.query(b, a)), "range, ends swapped");
        check(Same{}(tree_.query(kEarliest, b), model_.query(kEarliest, b)), "open below");
        check(Same{}(tree_.query(a, kLatest), model_.query(a, kLatest)), "open above");
    }

    BTree<M> tree_;
    Model<M> model_;
    Random random_;
    bool grow_ = true;
    std::size_t highest_ = 0;
};

template <class M>
void test_random(M monoid = M{}) {
    for (const std::size_t min_arity : {2u, 3u, 4u, 8u}) {
        Run<M> run(monoid, min_arity, 7 + min_arity);
        run.steps(1500);
        check(run.highest() >= (min_arity == 2 ? 5u : min_arity == 8 ? 2u : 3u), "the run reached a high tree");
    }
}

//! All ranges over small trees of every size: each kind of boundary is among them.
void test_all_ranges() {
    Random random(3);
    for (int n = 0; n <= 40; ++n) {
        BTree<Concat> tree({}, 2);
        Model<Concat> model;
        for (int i = 0; i != n; ++i) {
            const auto partial = value(Concat{}, random);
            tree.insert((i * 7 % 41) * 2, partial);
            model.insert((i * 7 % 41) * 2, partial);
        }
        for (Time from = -1; from <= 83; from += n > 20 ? 3 : 1)
            for (Time to = from - 1; to <= 83; ++to)
                check(Same{}(tree.query(from, to), model.query(from, to)), "every range");
    }
}

//! The two ends of time are ordinary times.
void test_extreme_times() {
    BTree<Concat> tree({}, 2);
    for (const Time time : {kLatest, Time{0}, kEarliest, kLatest - 1, kEarliest + 1}) tree.insert(time, {"x", true});
    tree.check_invariants(Same{});
    check(tree.oldest() == kEarliest && tree.youngest() == kLatest, "ends");
    check(tree.query(kEarliest, kEarliest).text == "x" && tree.query(kLatest, kLatest).text == "x", "one end");
    check(tree.query(kEarliest, kLatest).text == "xxxxx", "all");
    tree.bulk_evict(kEarliest);
    check(tree.size() == 4, "the earliest is evicted alone");
    tree.bulk_evict(kLatest);
    check(tree.size() == 0 && !tree.query().present, "all evicted");
}

//! The entries of Figure 1, a to u with MIN_ARITY 2, out of order; then one combined, one evicted.
void test_paper_example() {
    BTree<Concat> tree({}, 2);
    std::string all;
    for (char c = 'a'; c <= 'u'; ++c) all += c;
    for (int i = 0; i != 21; ++i) {
        const int at = i * 8 % 21;
        tree.insert(at + 1, {std::string(1, all[static_cast<std::size_t>(at)]), true});
        tree.check_invariants(Same{});
    }
    check(tree.height() == 3 || tree.height() == 4, "the height of 21 entries");
    check(tree.query().text == all, "ab..u");
    check(tree.query(8, 14).text == "hijklmn", "the inner subtree");
    tree.insert(7, {"G", true});
    check(tree.query(7, 7).text == "gG", "an equal time combines, old first");
    check(tree.evict(15) && !tree.evict(15), "evicted once");
    check(tree.query(14, 16).text == "np", "without o");
}

//! In-order sliding, sorted, reverse: the patterns that keep hitting one edge of the tree.
void test_patterns() {
    for (const std::size_t min_arity : {2u, 3u, 8u}) {
        BTree<SumInt> tree({}, min_arity);
        std::int64_t sum = 0;
        for (Time t = 0; t != 3000; ++t) {
            tree.insert(t, t);
            sum += t;
            if (t >= 500) {
                tree.evict();
                sum -= t - 500;
            }
            check(tree.query() == sum, "sliding");
            if (t % 64 == 0) tree.check_invariants();
        }
        for (Time t = 2000; t-- > 0;) tree.insert(t, 1);
        tree.check_invariants();
        check(tree.query() == sum + 2000 && tree.size() == 2500, "inserted backwards");
        while (tree.size() != 0) {
            check(tree.evict(tree.youngest()), "from the young end");
            if (tree.size() % 64 == 0) tree.check_invariants();
        }
        check(tree.query() == 0 && tree.height() == 0, "empty again");
    }
}

//! A tree that breathes reuses its nodes; clear gives them back.
void test_memory() {
    BTree<SumInt> tree({}, 4);
    const std::size_t empty = tree.bytes();
    std::size_t full = 0;
    for (int cycle = 0; cycle != 10; ++cycle) {
        for (Time t = 0; t != 2000; ++t) tree.insert(t * 37 % 2003, 1);
        full = cycle == 0 ? tree.bytes() : full;
        check(tree.bytes() == full, "no growth from cycle to cycle");
        while (tree.size() > 3) tree.evict();
        tree.check_invariants();
    }
    tree.clear();
    check(tree.bytes() == empty, "cleared");
}

void test_bad_arity() {
    check_throws<std::invalid_argument>([] { BTree<SumInt>({}, 0); });
    check_throws<std::invalid_argument>([] { BTree<SumInt>({}, 1); });
    check_throws<std::invalid_argument>([] { BTree<SumInt>({}, std::size_t{1} << 40); });
}

//! Policies over sums: the longest prefix, none, all; a policy that throws changes nothing.
void test_evict_while() {
    for (std::int64_t limit = -1; limit <= 130; ++limit) {
        BTree<SumInt> tree({}, 2);
        for (Time t = 0; t != 128; ++t) tree.insert(t, 1);
        tree.evict_while([&](std::int64_t total, std::int64_t prefix) { return total == 128 && prefix <= limit; });
        check(static_cast<std::int64_t>(tree.size()) == 128 - std::clamp<std::int64_t>(limit, 0, 128), "what stays");
        tree.check_invariants();
    }
    BTree<SumInt> tree({}, 2);
    tree.evict_while([](std::int64_t, std::int64_t) { return true; });
    for (Time t = 0; t != 50; ++t) tree.insert(t, 1);
    check_throws<std::runtime_error>([&] {
        tree.evict_while(
            [](std::int64_t, std::int64_t prefix) { return prefix < 20 ? true : throw std::runtime_error("policy"); });
    });
    check(tree.size() == 50 && tree.query() == 50, "nothing changed");
}

using Frail = Fragile<Concat>;

//! Runs `change` on copies of `tree`, its k-th combine failing, for each k until it succeeds. A change that throws
//! leaves the model's entries; one that does not leaves those of `after`.
template <class Change>
int fail_at_each(const BTree<Frail>& tree, const Model<Frail>& before, const Model<Frail>& after, std::int64_t& left,
                 Change change) {
    int thrown = 0;
    for (std::int64_t k = 0;; ++k) {
        left = -1;
        BTree<Frail> copy = tree;
        bool failed_here = false;
        left = k;
        try {
            change(copy);
        } catch (const std::runtime_error&) {
            failed_here = true;
            ++thrown;
        }
        const bool reached = left < 0;
        left = -1;
        copy.check_invariants(Same{});
        check_equal(copy, failed_here ? before : after);
        if (!reached) return thrown;
    }
}

void test_failing_combines() {
    std::int64_t left = -1;
    Frail monoid;
    monoid.left = &left;
    Random random(11);
    for (const std::size_t min_arity : {2u, 3u}) {
        for (int n = 0; n <= 60; n += 1 + n / 8) {
            BTree<Frail> tree(monoid, min_arity);
            Model<Frail> before{monoid, {}};
            for (int i = 0; i != n; ++i) {
                const auto partial = value(monoid, random);
                tree.insert((i * 11 % 61) * 2, partial);
                before.insert((i * 11 % 61) * 2, partial);
            }
            for (const Time time : {-1, 0, 22, 31, 60, 120, 121}) {
                Model<Frail> after = before;
                after.insert(time, {"new", true});
                fail_at_each(tree, before, after, left, [&](auto& t) { t.insert(time, {"new", true}); });
                after = before;
                after.entries.erase(time);
                const int thrown = fail_at_each(tree, before, after, left, [&](auto& t) { t.evict(time); });
                check(thrown == 0, "an evict never fails");
                after = before;
                after.bulk_evict(time);
                check(fail_at_each(tree, before, after, left, [&](auto& t) { t.bulk_evict(time); }) == 0, "nor a bulk");
            }
            // A bulk is all or nothing, with new times, old ones, and repeated ones in it.
            const std::vector<Time> times{130, 22, 22, 7, -5, 7, 22, 131};
            std::vector<Frail::Partial> partials(times.size());
            Model<Frail> after = before;
            for (std::size_t i = 0; i != times.size(); ++i) after.insert(times[i], {std::to_string(i), true});
            fail_at_each(tree, before, after, left, [&](auto& t) {
                for (std::size_t i = 0; i != times.size(); ++i) partials[i] = {std::to_string(i), true};
                t.bulk_insert(times, partials);
            });
        }
    }
}

//! After an evict whose combines failed, queries fail as long as combines do, then are right.
void test_stale_queries() {
    std::int64_t left = -1;
    Frail monoid;
    monoid.left = &left;
    BTree<Frail> tree(monoid, 2);
    for (Time t = 0; t != 40; ++t) tree.insert(t, {"x", true});
    left = 0;
    tree.evict(20);
    for (int i = 0; i != 3; ++i) {
        left = 0;
        check_throws<std::runtime_error>([&] { (void)tree.query(); });
        left = 0;
        check_throws<std::runtime_error>([&] { (void)tree.query(3, 30); });
        left = 0;
        check_throws<std::runtime_error>([&] { tree.insert(20, {"y", true}); });
        left = 0;
        check_throws<std::runtime_error>([&] { tree.evict_while([](const auto&, const auto&) { return true; }); });
        tree.check_invariants(Same{});
        check(tree.size() == 39, "nothing changed");
    }
    left = 0;
    tree.evict();
    left = -1;
    check(tree.query().text == std::string(38, 'x') && tree.query(18, 22).text == "xxxx", "right again");
    left = 0;
    check(tree.query().text.size() == 38, "and kept: no combine any more");
}

//! Random changes, a third of them with a combine that fails somewhere, must keep up with the model all the same.
void test_failing_run() {
    std::int64_t left = -1;
    Frail monoid;
    monoid.left = &left;
    Random random(23);
    BTree<Frail> tree(monoid, 2);
    Model<Frail> model{monoid, {}};
    for (int i = 0; i != 4000; ++i) {
        const Time time = draw(random, 0, 150);
        const auto partial = value(monoid, random);
        const bool inserts = draw(random, 0, 2) != 0;
        bool done = true;
        left = draw(random, 0, 2) == 0 ? draw(random, 0, 25) : -1;
        try {
            if (inserts) {
                tree.insert(time, partial);
            } else {
                tree.evict(time);
            }
        } catch (const std::runtime_error&) {
            done = false;
        }
        left = -1;
        if (done && inserts) model.insert(time, partial);
        if (!inserts) model.entries.erase(time);
        tree.check_invariants(Same{});
        if (i % 3 == 0) check_equal(tree, model);
        if (i % 500 == 499) {
            tree.bulk_evict(100);
            model.bulk_evict(100);
        }
    }
    check_equal(tree, model);
}

struct Costs {
    std::int64_t insert = 0;
    std::int64_t evict = 0;
    std::int64_t range = 0;
    std::int64_t policy = 0;
};

//! The most combines of one operation on a tree of n entries.
Costs worst(std::size_t n, std::size_t min_arity) {
    std::int64_t count = 0;
    BTree<Counting<SumInt>> tree(Counting<SumInt>(count), min_arity);
    Random random(5);
    const auto far = static_cast<Time>(8 * n);
    const auto take = [&count](std::int64_t& most) {
        most = std::max(most, count);
        count = 0;
    };
    while (tree.size() != n) tree.insert(draw(random, 0, far), 1);
    Costs most;
    count = 0;
    for (int i = 0; i != 300; ++i) {
        tree.insert(draw(random, 0, far), 1);
        take(most.insert);
        if (i % 2 == 0)
            tree.evict();
        else
            tree.evict(tree.youngest());
        take(most.evict);
        (void)tree.query(draw(random, 0, far / 2), draw(random, far / 2, far));
        take(most.range);
        BTree<Counting<SumInt>> copy = tree;
        copy.evict_while([&](std::int64_t, std::int64_t prefix) { return prefix < 2; });
        take(most.policy);
        (void)tree.query();
        check(count == 0, "a query combines nothing");
    }
    return most;
}

//! Per level an operation computes two nodes anew at most, and a node costs two combines a child at most.
void test_costs() {
    for (const std::size_t min_arity : {2u, 8u}) {
        for (std::size_t n = 1 << 6; n <= 1 << 14; n <<= 4) {
            const Costs most = worst(n, min_arity);
            const double levels = 1 + std::log(static_cast<double>(n)) / std::log(static_cast<double>(min_arity));
            const auto bound = static_cast<std::int64_t>(4.0 * 2.0 * static_cast<double>(min_arity) * levels);
            check(most.insert <= bound, "insert is O(log n)");
            check(most.evict <= bound, "evict is O(log n)");
            check(most.range <= bound, "a range query is O(log n)");
            check(most.policy <= 4 * bound, "a search by policy is O(log n)");
        }
    }
}

//! In order, an insert costs about a combine a level.
void test_append_cost() {
    std::int64_t count = 0;
    BTree<Counting<SumInt>> tree((Counting<SumInt>(count)));
    const std::int64_t n = 1 << 14;
    for (Time t = 0; t != n; ++t) tree.load(t, 1);
    tree.check_invariants();
    check(tree.query() == n, "loaded");
    check(count <= 16 * n, "few combines an append");
}

}  // namespace

int main() {
    test_random<Concat>();
    test_random<ArgMax<>>();
    test_random<First<>>();
    test_random<SumInt>();
    test_all_ranges();
    test_extreme_times();
    test_paper_example();
    test_patterns();
    test_memory();
    test_bad_arity();
    test_evict_while();
    test_failing_combines();
    test_stale_queries();
    test_failing_run();
    test_costs();
    test_append_cost();
    return report();
}
