//! The brute-force window that the in-order algorithms are driven against, and monoids that make them honest.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sash/algorithm.hpp"
#include "sash/monoids/arg.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/monoids/text.hpp"

namespace sash::testing {

inline std::string show(std::int64_t partial) {
    return std::to_string(partial);
}
inline std::string show(const Concat::Partial& partial) {
    return partial.present ? '"' + partial.text + '"' : "none";
}
inline std::string show(const ArgMax<>::Partial& partial) {
    return partial.present ? show(partial.key) + "@" + show(partial.argument) : "none";
}
inline std::string show(const First<>::Partial& partial) {
    return partial.present ? show(partial.value) : "none";
}

//! The n-th event's partial: few different keys, so that ties are common, and arguments that tell events apart.
inline std::int64_t event(const SumInt&, std::int64_t n) {
    return n * 7919 % 1000 - 300;
}
inline Concat::Partial event(const Concat& monoid, std::int64_t n) {
    return monoid.lift(std::string(1, static_cast<char>('a' + n % 26)));
}
inline ArgMax<>::Partial event(const ArgMax<>& monoid, std::int64_t n) {
    return monoid.lift({n * 31 % 5, n});
}
inline First<>::Partial event(const First<>& monoid, std::int64_t n) {
    return monoid.lift(n);
}

//! Concat that combines in place, as monoids with wide partials do.
struct ConcatInPlace : Concat {
    void append(Partial& older, const Partial& newer) const {
        older.text += newer.text;
        older.present = older.present || newer.present;
    }
};

struct Refused : std::runtime_error {
    Refused() : std::runtime_error("combine refused") {}
};

//! Combines left until a Failing monoid throws; negative: it never does.
inline std::int64_t countdown = -1;

//! A callback that raises when the countdown ends. It never combines in place.
template <Monoid M>
struct Failing {
    using Partial = typename M::Partial;
    static constexpr bool commutative = M::commutative;
    static constexpr bool fallible = true;

    M base{};

    Partial identity() const { return base.identity(); }
    Partial combine(const Partial& older, const Partial& newer) const {
        tick();
        return base.combine(older, newer);
    }
    Partial inverse(const Partial& whole, const Partial& older) const
        requires Invertible<M>
    {
        tick();
        return base.inverse(whole, older);
    }

private:
    static void tick() {
        if (countdown >= 0 && --countdown < 0) throw Refused();
    }
};

template <Monoid M>
typename M::Partial event(const Failing<M>& monoid, std::int64_t n) {
    return event(monoid.base, n);
}

//! What a window should be: the entries in a vector, everything recomputed. `listed` is the listable of the algorithm
//! that it stands for: whether for_each gives the entries, or suffix aggregates and the youngest entry.
template <Monoid M, bool listed>
class Brute {
public:
    using Monoid = M;
    using Partial = typename M::Partial;

    explicit Brute(M monoid) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return entries_.size(); }
    Time oldest() const { return entries_.front().time; }
    Time youngest() const { return entries_.back().time; }
    Partial query() const { return fold(0, size()); }
    void insert(Time time, const Partial& partial) {
        if (!entries_.empty() && entries_.back().time == time) {
            entries_.back().partial = monoid_.combine(entries_.back().partial, partial);
        } else {
            entries_.push_back({time, partial});
        }
    }
    void evict() { entries_.erase(entries_.begin()); }
    void bulk_evict(Time time) {
        while (!entries_.empty() && entries_.front().time <= time) evict();
    }
    void load(Time, const Partial&) {}
    void clear() { entries_.clear(); }
    void check_invariants() const {}

    template <class F>
    void for_each(F f) const {
        for (std::size_t i = 0; i != size(); ++i) {
            const bool own = listed || i + 1 == size();
            f(entries_[i].time, own ? entries_[i].partial : fold(i, size() - 1));
        }
    }

private:
    Partial fold(std::size_t begin, std::size_t end) const {
        Partial total = monoid_.identity();
        for (std::size_t i = begin; i != end; ++i) total = monoid_.combine(total, entries_[i].partial);
        return total;
    }

    M monoid_;
    std::vector<Entry<Partial>> entries_;
};

//! Any window behind one face that speaks in strings, so that the drivers below are compiled once.
class Subject {
public:
    virtual ~Subject() = default;
    virtual std::size_t size() const = 0;
    virtual Time oldest() const = 0;
    virtual Time youngest() const = 0;
    virtual std::string query() const = 0;
    virtual std::vector<std::string> kept() const = 0;
    virtual void insert(Time time, std::int64_t n) = 0;
    virtual void evict() = 0;
    virtual void bulk_evict(Time time) = 0;
    virtual void clear() = 0;
    virtual void check_invariants() const = 0;
    virtual std::unique_ptr<Subject> copied() const = 0;
    virtual std::unique_ptr<Subject> moved() = 0;
    virtual std::unique_ptr<Subject> reloaded() const = 0;
};

template <class W>
std::vector<std::string> kept(const W& window) {
    std::vector<std::string> pairs;
    window.for_each([&](Time t, const auto& partial) { pairs.push_back(std::to_string(t) + ":" + show(partial)); });
    return pairs;
}

template <class W>
W reloaded(const W& window) {
    W copy{typename W::Monoid{}};
    window.for_each([&](Time time, const auto& partial) { copy.load(time, partial); });
    return copy;
}

template <class W>
class On final : public Subject {
public:
    explicit On(W window = W{typename W::Monoid{}}) : window_(std::move(window)) {}

    std::size_t size() const override { return window_.size(); }
    Time oldest() const override { return window_.oldest(); }
    Time youngest() const override { return window_.youngest(); }
    std::string query() const override { return show(window_.query()); }
    std::vector<std::string> kept() const override { return testing::kept(window_); }
    void insert(Time time, std::int64_t n) override { window_.insert(time, event(typename W::Monoid{}, n)); }
    void evict() override { window_.evict(); }
    void bulk_evict(Time time) override { window_.bulk_evict(time); }
    void clear() override { window_.clear(); }
    void check_invariants() const override { window_.check_invariants(); }
    std::unique_ptr<Subject> copied() const override { return std::make_unique<On>(window_); }
    std::unique_ptr<Subject> moved() override { return std::make_unique<On>(std::move(window_)); }
    std::unique_ptr<Subject> reloaded() const override { return std::make_unique<On>(testing::reloaded(window_)); }

private:
    W window_;
};

//! A window and its model, on which everything is done twice.
struct Pair {
    std::unique_ptr<Subject> window;
    std::unique_ptr<Subject> model;

    template <class W>
    static Pair of() {
        return {std::make_unique<On<W>>(), std::make_unique<On<Brute<typename W::Monoid, W::listable>>>()};
    }
    void both(const std::function<void(Subject&)>& operation) {
        operation(*window);
        operation(*model);
    }
    Pair copied() const { return {window->copied(), model->copied()}; }
};

//! One look from outside.
inline void check_face(const Pair& pair) {
    const Subject &window = *pair.window, &model = *pair.model;
    window.check_invariants();
    check(window.size() == model.size(), "size");
    if (model.size() != 0) {
        check(window.oldest() == model.oldest(), "oldest");
        check(window.youngest() == model.youngest(), "youngest");
    }
    check(window.query() == model.query(), "query");
}

//! All pairs, and a copy evicted to the end, so that every stored aggregate has its turn to answer.
inline void check_all(const Pair& pair) {
    check_face(pair);
    check(pair.window->kept() == pair.model->kept(), "for_each");
    Pair drained = pair.copied();
    while (drained.model->size() != 0) {
        drained.both([](Subject& s) { s.evict(); });
        check_face(drained);
    }
}

//! A random walk whose window grows, slides, shrinks, empties and grows again, up to about `limit` entries.
inline void drive(Pair pair, std::uint64_t seed, int steps, std::size_t limit) {
    std::mt19937_64 random(seed);
    Time time = -50;
    std::uint64_t growth = 70;  // inserts in a hundred operations
    for (int step = 0; step != steps; ++step) {
        const std::size_t size = pair.model->size();
        if (random() % 200 == 0 || size > limit) growth = size > limit ? 20 : 10 + random() % 80;
        if (random() % 100 < growth || size == 0) {
            if (random() % 8 != 0) time += 1 + static_cast<Time>(random() % 3);  // else an equal time
            pair.both([&](Subject& s) { s.insert(time, step); });
        } else if (random() % 25 == 0) {
            const std::uint64_t reach = random() % 8 == 0 ? 1000 : 20;
            const Time until = pair.model->oldest() - 1 + static_cast<Time>(random() % reach);
            pair.both([&](Subject& s) { s.bulk_evict(until); });
        } else {
            pair.both([](Subject& s) { s.evict(); });
        }
        check_face(pair);
        if (random() % 512 == 0) check_all(pair);
        if (random() % 256 == 0) pair.window = pair.window->reloaded();
        if (random() % 512 == 0) pair.window = pair.window->copied();
        if (random() % 512 == 0) pair.window = pair.window->moved();
        if (random() % 2048 == 0) pair.both([](Subject& s) { s.clear(); });
    }
    check_all(pair);
}

//! Fills to n, slides for a while, drains to nothing, and does it again: n around the powers of two.
inline void breathe(Pair pair) {
    Time time = 0;
    const auto insert = [&] {
        ++time;
        pair.both([&](Subject& s) { s.insert(time, time); });
        check_face(pair);
    };
    const auto evict = [&] {
        pair.both([](Subject& s) { s.evict(); });
        check_face(pair);
    };
    for (const int n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65}) {
        for (int i = 0; i != n; ++i) insert();
        check_all(pair);
        for (int i = 0; i != 2 * n; ++i) evict(), insert();
        for (int i = 0; i != n; ++i) evict();
    }
}

//! A moved-from window is an empty one, and can be used.
inline void check_moves(Pair pair) {
    Pair other = pair.copied();  // both empty
    for (Time t = 0; t != 40; ++t) {
        pair.both([&](Subject& s) { s.insert(t, t); });
        if (t % 3 == 0) pair.both([](Subject& s) { s.evict(); });
    }
    check_face(pair);  // fills what a query may cache
    std::unique_ptr<Subject> taken = pair.window->moved();
    std::swap(other.window, pair.window);  // the moved-from window meets an empty model
    check_all(other);
    for (Time t = 0; t != 20; ++t) {
        other.both([&](Subject& s) { s.insert(t, t); });
        if (t % 4 == 0) other.both([](Subject& s) { s.evict(); });
        check_all(other);
    }
    pair.window = std::move(taken);
    check_all(pair);
}

//! Runs `operation` on copies with a combine that fails at the first, the second, .. call until none fails. Each failed
//! call must leave the window as it was.
inline void check_refusals(const Pair& pair, const std::function<void(Subject&)>& operation) {
    for (std::int64_t k = 0;; ++k) {
        Pair copy = pair.copied();
        bool refused = false;
        countdown = k;
        try {
            operation(*copy.window);
        } catch (const Refused&) {
            refused = true;
        }
        countdown = -1;
        if (!refused) return;
        check_all(copy);
    }
}

//! A random walk in which every operation is first tried with every failure it can have.
inline void drive_refusals(Pair pair, std::uint64_t seed, int steps, std::size_t limit) {
    std::mt19937_64 random(seed);
    Time time = 0;
    const auto apply = [&](const std::function<void(Subject&)>& operation) {
        check_refusals(pair, operation);
        pair.both(operation);
        check_all(pair);
    };
    for (int step = 0; step != steps; ++step) {
        check_refusals(pair, [](Subject& s) { s.query(); });
        check_refusals(pair, [](Subject& s) { s.kept(); });
        if (pair.model->size() == 0 || (pair.model->size() < limit && random() % 100 < 55)) {
            time += random() % 6 != 0 ? 1 : 0;
            apply([&](Subject& s) { s.insert(time, step); });
        } else if (random() % 4 == 0) {
            const Time oldest = pair.model->oldest(), youngest = pair.model->youngest();
            const Time until = oldest + static_cast<Time>(random() % static_cast<std::uint64_t>(youngest - oldest + 1));
            apply([&](Subject& s) { s.bulk_evict(until); });
        } else {
            apply([](Subject& s) { s.evict(); });
        }
    }
}

//! Every bulk eviction from every small window, with every failure: what was turned meanwhile must be turned back.
inline void check_bulk_refusals(const Pair& empty) {
    Pair pair = empty.copied();
    for (Time n = 1; n != 26; ++n) {
        pair.both([&](Subject& s) { s.insert(n, n); });
        for (Time until = 1; until != n; ++until) check_refusals(pair, [&](Subject& s) { s.bulk_evict(until); });
    }
}

//! All of the above, for an algorithm that takes any monoid.
template <template <class> class Window>
void check_algorithm() {
    drive(Pair::of<Window<SumInt>>(), 1, 10'000, 1'200);
    drive(Pair::of<Window<ArgMax<>>>(), 2, 5'000, 300);
    drive(Pair::of<Window<First<>>>(), 3, 5'000, 300);
    drive(Pair::of<Window<Concat>>(), 4, 5'000, 150);
    drive(Pair::of<Window<ConcatInPlace>>(), 5, 5'000, 150);
    breathe(Pair::of<Window<SumInt>>());
    breathe(Pair::of<Window<ConcatInPlace>>());
    check_moves(Pair::of<Window<SumInt>>());
    check_moves(Pair::of<Window<Concat>>());
    drive_refusals(Pair::of<Window<Failing<Concat>>>(), 6, 400, 24);
    check_bulk_refusals(Pair::of<Window<Failing<Concat>>>());
}

//! The running example of the DABA paper, Figure 1: the maximum of 2 6 3 5 3, then evict and insert in turn.
template <class Window>
void check_figure_one() {
    Window window;
    Time time = 0;
    for (const std::int64_t value : {2, 6, 3, 5, 3}) window.insert(++time, value);
    check(window.query() == 6, "(a) 2 6 3 5 3");
    window.evict();
    check(window.query() == 6, "(b) 6 3 5 3");
    window.insert(++time, 1);
    check(window.query() == 6, "(c) 6 3 5 3 1");
    window.evict();
    check(window.query() == 5, "(d) 3 5 3 1: a lower maximum, without an inverse");
    window.insert(++time, 4);
    check(window.query() == 5, "(e) 3 5 3 1 4");
    window.evict();
    check(window.query() == 5, "(f) 5 3 1 4");
    window.insert(++time, 2);
    check(window.query() == 5, "(g) 5 3 1 4 2");
    window.evict();
    check(window.query() == 4, "(h) 3 1 4 2");
    window.insert(++time, 7);
    check(window.query() == 7, "(i) 3 1 4 2 7");
    window.check_invariants();
}

}  // namespace sash::testing
