//! The brute-force window for what some in-order algorithms offer beyond the rest: ranges, bulks, evictions anywhere.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "in_order_model.hpp"

namespace sash::testing {

//! Entries in a vector; everything is recomputed.
template <Monoid M>
class RangeBrute {
public:
    using Monoid = M;
    using Partial = typename M::Partial;

    explicit RangeBrute(M monoid) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return entries_.size(); }
    Time time_of(std::size_t i) const { return entries_[i].time; }
    Partial query() const { return query(kEarliest, kLatest); }
    Partial query(Time from, Time to) const {
        Partial total = monoid_.identity();
        for (const auto& entry : entries_)
            if (from <= entry.time && entry.time <= to) total = monoid_.combine(total, entry.partial);
        return total;
    }
    bool any(Time from, Time to) const {
        return std::any_of(entries_.begin(), entries_.end(),
                           [&](const auto& entry) { return from <= entry.time && entry.time <= to; });
    }
    void insert(Time time, const Partial& partial) {
        if (!entries_.empty() && entries_.back().time == time) {
            entries_.back().partial = monoid_.combine(entries_.back().partial, partial);
        } else {
            entries_.push_back({time, partial});
        }
    }
    void evict() { entries_.erase(entries_.begin()); }
    bool evict(Time time) {
        return std::erase_if(entries_, [&](const auto& entry) { return entry.time == time; }) != 0;
    }
    void bulk_evict(Time time) {
        std::erase_if(entries_, [&](const auto& entry) { return entry.time <= time; });
    }
    void check_invariants() const {}
    template <class F>
    void for_each(F f) const {
        for (const auto& entry : entries_) f(entry.time, entry.partial);
    }

private:
    M monoid_;
    std::vector<Entry<Partial>> entries_;
};

//! A window or its model behind one face that speaks in strings, so that the drivers below are compiled once.
class Ranged {
public:
    virtual ~Ranged() = default;
    virtual std::size_t size() const = 0;
    virtual std::string query() const = 0;
    virtual std::string query(Time from, Time to) const = 0;
    virtual bool any(Time from, Time to) const = 0;
    virtual std::vector<std::string> kept() const = 0;
    virtual void insert(Time time, std::int64_t n) = 0;
    virtual void bulk_insert(const std::vector<Time>& times, std::int64_t n) = 0;
    virtual void evict() = 0;
    virtual bool evict(Time time) = 0;
    virtual void bulk_evict(Time time) = 0;
    virtual bool inverted() const = 0;
    virtual void check_invariants() const = 0;
    virtual std::unique_ptr<Ranged> copied() const = 0;
};

template <class W>
concept EvictsExactly = requires(W& window, Time time) {
    { window.evict(time) } -> std::same_as<bool>;
};

template <class W>
class RangedOn final : public Ranged {
public:
    explicit RangedOn(W window = W{typename W::Monoid{}}) : window_(std::move(window)) {}

    const W& window() const { return window_; }
    std::size_t size() const override { return window_.size(); }
    std::string query() const override { return show(window_.query()); }
    std::string query(Time from, Time to) const override { return show(window_.query(from, to)); }
    bool any(Time from, Time to) const override { return window_.any(from, to); }
    std::vector<std::string> kept() const override {
        std::vector<std::string> pairs;
        window_.for_each([&](Time time, const auto& p) { pairs.push_back(std::to_string(time) + ":" + show(p)); });
        return pairs;
    }
    void insert(Time time, std::int64_t n) override { window_.insert(time, event(typename W::Monoid{}, n)); }
    void bulk_insert(const std::vector<Time>& times, std::int64_t n) override {
        if constexpr (requires(W& w, std::span<typename W::Partial> p) { w.bulk_insert(times, p); }) {
            std::vector<typename W::Partial> partials;
            for (std::size_t i = 0; i != times.size(); ++i) partials.push_back(event(typename W::Monoid{}, n++));
            window_.bulk_insert(times, partials);
        } else {
            for (const Time time : times) insert(time, n++);
        }
    }
    void evict() override { window_.evict(); }
    bool evict([[maybe_unused]] Time time) override {
        if constexpr (EvictsExactly<W>) return window_.evict(time);
        return false;
    }
    void bulk_evict(Time time) override { window_.bulk_evict(time); }
    bool inverted() const override {
        if constexpr (requires { window_.inverted(); }) return window_.inverted();
        return false;
    }
    void check_invariants() const override { window_.check_invariants(); }
    std::unique_ptr<Ranged> copied() const override { return std::make_unique<RangedOn>(window_); }

private:
    W window_;
};

struct RangedPair {
    std::unique_ptr<Ranged> window;
    std::unique_ptr<Ranged> model;
    //! The model's times, for choosing among them.
    std::function<Time(const Ranged&, std::size_t)> time_of;
    bool exact;

    template <class W>
    static RangedPair of() {
        using Model = RangedOn<RangeBrute<typename W::Monoid>>;
        const auto time_of = [](const Ranged& model, std::size_t i) {
            return static_cast<const Model&>(model).window().time_of(i);
        };
        return {std::make_unique<RangedOn<W>>(), std::make_unique<Model>(), time_of, EvictsExactly<W>};
    }
    void both(const std::function<void(Ranged&)>& operation) {
        operation(*window);
        operation(*model);
    }
    Time time_at(std::size_t i) const { return time_of(*model, i); }
    Time any_time(std::mt19937_64& random) const { return time_at(random() % model->size()); }
};

//! Every kind of end: before, on, between and after the entries, open, and ends that cross.
inline void check_ranges(const RangedPair& pair, std::mt19937_64& random) {
    const bool empty = pair.model->size() == 0;
    const Time first = empty ? 0 : pair.time_at(0) - 2;
    const Time width = empty ? 5 : pair.time_at(pair.model->size() - 1) - first + 4;
    for (int i = 0; i != 6; ++i) {
        const Time from = i == 0 ? kEarliest : first + static_cast<Time>(random() % static_cast<std::uint64_t>(width));
        const Time to = i == 1 ? kLatest : first + static_cast<Time>(random() % static_cast<std::uint64_t>(width));
        check(pair.window->query(from, to) == pair.model->query(from, to), "query(from, to)");
        check(pair.window->any(from, to) == pair.model->any(from, to), "any(from, to)");
    }
}

inline void check_ranged(const RangedPair& pair) {
    pair.window->check_invariants();
    check(pair.window->size() == pair.model->size(), "size");
    check(pair.window->query() == pair.model->query(), "query");
    check(pair.window->kept() == pair.model->kept(), "for_each");
}

//! Up to `limit` times from `time` on, some of them equal, the first maybe to the youngest.
inline std::vector<Time> some_times(Time& time, std::size_t limit, std::mt19937_64& random) {
    std::vector<Time> times(random() % (limit + 1));
    for (Time& each : times) each = time += random() % 4 == 0 ? 0 : 1 + static_cast<Time>(random() % 2);
    return times;
}

//! Takes out a time, mostly one that is there; whether it was.
inline bool evict_exactly(RangedPair& pair, std::mt19937_64& random) {
    const bool youngest = random() % 3 == 0;
    const Time there = youngest ? pair.time_at(pair.model->size() - 1) : pair.any_time(random);
    const Time target = random() % 4 == 0 ? there + 1 : there;
    const bool found = pair.model->evict(target);
    check(pair.window->evict(target) == found, "evict(t) says whether t was there");
    return found;
}

//! What a walk met on its way.
struct Sights {
    int inverted = 0;
    int evicted = 0;
};

//! A random walk of single inserts, bulks and evictions anywhere, with ranges asked after each step.
inline Sights roam(RangedPair pair, std::uint64_t seed, int steps, std::size_t limit) {
    std::mt19937_64 random(seed);
    Time time = 0;
    Sights seen;
    for (int step = 0; step != steps; ++step) {
        const std::uint64_t dice = random() % 100;
        if (dice < 6) {
            const auto times = some_times(time, random() % 3 == 0 ? limit / 2 : 6, random);
            pair.both([&](Ranged& r) { r.bulk_insert(times, step); });
        } else if (dice < 50 || pair.model->size() == 0) {
            time += random() % 8 == 0 ? 0 : 1;
            pair.both([&](Ranged& r) { r.insert(time, step); });
        } else if (dice < 80 && pair.exact) {
            seen.evicted += evict_exactly(pair, random) ? 1 : 0;
        } else if (dice < 82 || pair.model->size() > limit) {
            const Time until = pair.any_time(random) - static_cast<Time>(random() % 2);
            pair.both([&](Ranged& r) { r.bulk_evict(until); });
        } else {
            pair.both([](Ranged& r) { r.evict(); });
        }
        seen.inverted += pair.window->inverted() ? 1 : 0;
        check_ranged(pair);
        check_ranges(pair, random);
    }
    return seen;
}

//! Runs `operation` on copies with a combine that fails at the first, the second, .. call until none fails; then in
//! earnest. Each failed call must leave the window as it was.
inline void try_and_do(RangedPair& pair, std::mt19937_64& random, const std::function<void(Ranged&)>& operation) {
    for (std::int64_t k = 0;; ++k) {
        RangedPair copy{pair.window->copied(), pair.model->copied(), pair.time_of, pair.exact};
        bool refused = false;
        countdown = k;
        try {
            operation(*copy.window);
        } catch (const Refused&) {
            refused = true;
        }
        countdown = -1;
        if (!refused) break;
        check_ranged(copy);
        check_ranges(copy, random);
    }
    pair.both(operation);
    check_ranged(pair);
}

//! Bulks, ranges and evictions anywhere, first tried with every failure they can have.
inline void roam_refused(RangedPair pair, std::uint64_t seed, int steps, std::size_t limit) {
    std::mt19937_64 random(seed);
    Time time = 0;
    for (int step = 0; step != steps; ++step) {
        try_and_do(pair, random, [&](Ranged& r) { r.query(time - 7, time - 2); });
        if (pair.model->size() < limit && random() % 3 != 0) {
            const auto times = some_times(time, 5, random);
            try_and_do(pair, random, [&](Ranged& r) { r.bulk_insert(times, step); });
        } else if (pair.model->size() != 0) {
            const Time target = pair.any_time(random);
            try_and_do(pair, random, [&](Ranged& r) { pair.exact ? (void)r.evict(target) : r.bulk_evict(target); });
        }
    }
}

}  // namespace sash::testing
