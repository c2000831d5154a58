//! Log MTA and Amortized MTA against brute force.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sash/algorithms/amta.hpp"
#include "sash/algorithms/log_mta.hpp"
#include "sash/monoids/arg.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/monoids/text.hpp"

namespace {

using namespace sash;
using testing::check;

//! Strings one after another, as bare strings: equality is exact, so check_invariants() recomputes every aggregate.
struct Strings {
    using Input = std::string;
    using Partial = std::string;
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;
    Partial identity() const { return {}; }
    Partial lift(const Input& value) const { return value; }
    Partial combine(const Partial& older, const Partial& newer) const { return older + newer; }
    std::string lower(const Partial& partial) const { return partial; }
};

//! The least that the levels ask of their queue.
template <class T>
class PlainQueue {
public:
    using Position = std::uint64_t;
    Position begin() const { return begin_; }
    Position end() const { return begin_ + items_.size(); }
    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    const T& operator[](Position p) const { return items_[p - begin_]; }
    const T& front() const { return items_.front(); }
    const T& back() const { return items_.back(); }
    T& front() { return items_.front(); }
    T& back() { return items_.back(); }
    std::size_t bytes() const { return items_.size() * sizeof(T); }
    void push_back(T value) { items_.push_back(std::move(value)); }
    void pop_back() { items_.pop_back(); }
    void drop_before(Position p) {
        for (; begin_ != p; ++begin_) items_.pop_front();
    }

private:
    std::deque<T> items_;
    Position begin_ = 0;
};

//! Concatenation, arg_max, first and sum of one value at once: one run tries them all.
struct Mixed {
    using Input = std::int64_t;
    struct Partial {
        Concat::Partial text;
        ArgMax<>::Partial arg;
        First<>::Partial first;
        SumInt::Partial sum = 0;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;
    Partial identity() const { return {text.identity(), arg.identity(), first.identity(), sum.identity()}; }
    //! Few keys, so that ties abound; arguments that tell events apart.
    Partial lift(Input value) const {
        const std::string digit = std::to_string(value % 10);
        return {text.lift(digit), arg.lift({value % 4, value}), first.lift(value), sum.lift(value)};
    }
    Partial combine(const Partial& a, const Partial& b) const {
        return {text.combine(a.text, b.text), arg.combine(a.arg, b.arg), first.combine(a.first, b.first),
                sum.combine(a.sum, b.sum)};
    }
    auto lower(const Partial& p) const {
        return std::tuple(text.lower(p.text), arg.lower(p.arg), first.lower(p.first), sum.lower(p.sum));
    }

    Concat text;
    ArgMax<> arg;
    First<> first;
    SumInt sum;
};

template <class M>
typename M::Input value_from(std::mt19937_64& random) {
    const std::uint64_t dice = random() % 1'000;
    if constexpr (std::is_same_v<typename M::Input, std::string>) {
        return std::string(1 + dice % 2, static_cast<char>('a' + dice % 26));
    } else {
        return static_cast<std::int64_t>(dice);
    }
}

//! The window and a list of its entries, side by side.
template <class W>
struct Pair {
    using M = typename W::Monoid;
    using Partial = typename M::Partial;

    W window;
    M monoid;
    std::deque<std::pair<Time, Partial>> model;
    std::mt19937_64 random;
    Time time = 0;

    explicit Pair(std::uint64_t seed = 1) : random(seed) {}

    void insert(bool equal = false) {
        if (!equal || model.empty()) time += 1 + static_cast<Time>(random() % 3);
        const Partial partial = monoid.lift(value_from<M>(random));
        if (!model.empty() && model.back().first == time) {
            model.back().second = monoid.combine(model.back().second, partial);
        } else {
            model.emplace_back(time, partial);
        }
        window.insert(time, partial);
        verify();
    }
    void evict() {
        window.evict();
        model.pop_front();
        verify();
    }
    void bulk_evict(Time until) {
        window.bulk_evict(until);
        while (!model.empty() && model.front().first <= until) model.pop_front();
        verify();
    }
    void evict_oldest(std::size_t k) { bulk_evict(k == 0 ? model.front().first - 1 : model[k - 1].first); }
    void fill(std::size_t size) {
        while (model.size() < size) insert();
    }

    void verify() const {
        window.check_invariants();
        check(window.size() == model.size(), "size");
        Partial total = monoid.identity();
        for (const auto& [unused, partial] : model) total = monoid.combine(total, partial);
        check(monoid.lower(window.query()) == monoid.lower(total), "query");
        std::size_t i = 0;
        window.for_each([&](Time at, const Partial& partial) {
            check(at == model[i].first && monoid.lower(partial) == monoid.lower(model[i].second), "entry");
            ++i;
        });
        if (model.empty()) return;
        check(window.oldest() == model.front().first && window.youngest() == model.back().first, "ends");
    }
};

//! Every size about the powers of two: fill, slide, bulk evictions of every length from a copy, refill.
template <class W>
void sizes() {
    Pair<W> pair;
    for (std::size_t size : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 32u, 33u}) {
        pair.fill(size);
        for (std::size_t i = 0; i < 2 * size + 3; ++i) {
            pair.insert();
            pair.insert(true);
            pair.evict();
        }
        for (std::size_t k = 0; k <= size; ++k) {
            Pair<W> copy = pair;
            copy.evict_oldest(k);
            copy.fill(4);
            copy.insert(true);
            copy.evict();
        }
        pair.verify();
        while (pair.window.size() > size % 3) pair.evict();
    }
}

//! Phases of growth, balance and shrinkage, with every operation mixed in.
template <class W>
void random_run(std::uint64_t seed, int steps) {
    Pair<W> pair(seed);
    for (int step = 0; step < steps; ++step) {
        const std::uint64_t inserts = std::vector<std::uint64_t>{7, 5, 3}[static_cast<std::size_t>(step / 200 % 3)];
        const std::uint64_t dice = pair.random() % 10;
        if (pair.model.empty() || dice < inserts) {
            pair.insert(pair.random() % 5 == 0);
        } else if (pair.random() % 8 == 0) {
            const std::size_t all = pair.model.size();
            const std::size_t most = pair.random() % 4 == 0 ? all : std::min<std::size_t>(5, all);
            pair.evict_oldest(pair.random() % (most + 1));
        } else if (pair.random() % 64 == 0) {
            // Between two entries, before all, after all.
            pair.bulk_evict(pair.model.front().first - 2 + static_cast<Time>(pair.random() % (3 * pair.model.size())));
        } else {
            pair.evict();
        }
    }
}

//! Empty windows, one entry, and values that are copied, moved, cleared and reloaded.
template <class W>
void values() {
    Pair<W> pair(7);
    pair.verify();
    pair.bulk_evict(kLatest);
    pair.insert();
    pair.insert(true);
    pair.evict();
    pair.fill(21);
    for (int i = 0; i < 5; ++i) pair.evict();

    Pair<W> copy = pair;
    copy.evict();
    copy.insert();
    pair.verify();
    W reloaded;
    pair.window.for_each([&](Time at, const auto& partial) { reloaded.load(at, partial); });
    pair.window = std::move(reloaded);
    pair.verify();
    pair.insert();
    pair.evict();
    check(pair.window.bytes() > sizeof(W), "the queues are counted");

    pair.bulk_evict(kLatest);
    pair.window.evict_while([](const auto&, const auto&) { return true; });
    pair.verify();
    pair.fill(9);
    pair.window.clear();
    pair.model.clear();
    pair.verify();
    pair.fill(9);
    pair.window.evict_while([](const auto&, const auto&) { return true; });
    pair.model.clear();
    pair.verify();
}

template <class W>
void against_brute_force() {
    values<W>();
    sizes<W>();
    random_run<W>(11, 6'000);
    random_run<W>(12, 6'000);
}

}  // namespace

int main() {
    against_brute_force<LogMta<Strings>>();
    against_brute_force<LogMta<Mixed>>();
    random_run<LogMta<SumInt, PlainQueue>>(13, 2'000);
    against_brute_force<Amta<Strings>>();
    against_brute_force<Amta<Mixed>>();
    random_run<Amta<SumInt, PlainQueue>>(13, 2'000);
    return sash::testing::report();
}
