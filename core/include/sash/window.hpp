//! The window with its preconditions checked: what the face in Python, and any careful user of the core, stands on.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "sash/algorithm.hpp"

namespace sash {

//! An event before the youngest one, given to an algorithm that takes events in order only.
class OutOfOrder : public std::invalid_argument {
public:
    OutOfOrder(Time event, Time newest)
        : std::invalid_argument("time " + std::to_string(event) + " is before the youngest, " + std::to_string(newest)),
          time(event),
          youngest(newest) {}
    Time time;
    Time youngest;
};

//! What only an event can give was asked of an empty window.
class EmptyWindow : public std::out_of_range {
public:
    EmptyWindow() : std::out_of_range("the window is empty") {}
};

//! The algorithm has no such operation.
class Unsupported : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

//! What an algorithm does with an event before the youngest one.
enum class Order : bool { in_order, any };

//! Optional operations. They light up where an algorithm has them.
template <class A>
concept EvictsAnywhere = requires(A& window, Time time) {
    { window.evict(time) } -> std::same_as<bool>;
};

template <class A>
concept QueriesRanges = requires(const A& window, Time time) {
    { window.query(time, time) } -> std::convertible_to<typename A::Partial>;
};

//! Counts what lies between two times, both ends in, in less than O(n).
template <class A>
concept CountsRanges = requires(const A& window, Time time) {
    { window.count(time, time) } -> std::same_as<std::size_t>;
};

//! Walks a part of the window, so that a walk can stop and go on.
template <class A>
concept WalksParts = requires(const A& window, Time time, std::size_t most) {
    window.for_each_from(time, most, [](Time, const typename A::Partial&) {});
};

template <class A>
concept EvictsByPolicy = requires(A& window) {
    window.evict_while([](const typename A::Partial&, const typename A::Partial&) { return true; });
};

template <class A>
concept Shrinks = requires(A& window) { window.shrink_to_fit(); };

template <class A>
concept InsertsInBulk = requires(A& window, std::span<const Time> times, std::span<typename A::Partial> partials) {
    window.bulk_insert(times, partials);
};

//! Its bulk insert takes all entries or, where a combine throws, none.
template <class A>
concept BulkIsAtomic = InsertsInBulk<A> && requires { requires A::bulk_is_atomic; };

//! A monoid whose combine may fail without throwing: it marks the partial, and all that is combined with it.
template <class M>
concept MarksFailures = requires(const M& monoid, const typename M::Partial& partial) {
    { monoid.failed(partial) } -> std::same_as<bool>;
};

//! Whether a monoid has to be watched for such marks: some know better than their type.
template <MarksFailures M>
bool marks_failures(const M& monoid) {
    if constexpr (requires { monoid.marks_failures(); }) {
        return monoid.marks_failures();
    } else {
        return true;
    }
}

//! An algorithm behind its checks. Whatever throws leaves the window as it was.
template <WindowAlgorithm A, Order order>
class Checked {
public:
    using Algorithm = A;
    using Monoid = typename A::Monoid;
    using Partial = typename A::Partial;
    static constexpr bool takes_late = order == Order::any;

    template <class... Options>
    explicit Checked(Monoid monoid, const Options&... options)
        : window_(monoid, options...), monoid_(std::move(monoid)) {}

    const A& algorithm() const { return window_; }
    const Monoid& monoid() const { return monoid_; }
    std::size_t size() const { return window_.size(); }
    std::size_t bytes() const { return window_.bytes() + sizeof(*this) - sizeof(A); }
    Time oldest() const { return needed().oldest(); }
    Time youngest() const { return needed().youngest(); }

    void insert(Time time, Partial partial) {
        check_order(time);
        if constexpr (MarksFailures<Monoid>)
            if (marks_failures(monoid_)) refuse_failure(monoid_.combine(window_.query(), partial));
        window_.insert(time, std::move(partial));
    }

    //! All of them or none. They may come in any order if the algorithm takes late events. Takes the partials out of
    //! the span.
    void bulk_insert(std::span<const Time> times, std::span<Partial> partials) {
        if (times.empty()) return;
        if constexpr (!takes_late) check_order(times);
        if constexpr (MarksFailures<Monoid>)
            if (marks_failures(monoid_)) check_failure(partials);
        if (BulkIsAtomic<A> || !may_fail(monoid_)) return insert_all(window_, times, partials);
        A copy = window_;
        insert_all(copy, times, partials);
        window_ = std::move(copy);
    }

    void evict() {
        needed();
        window_.evict();
    }

    //! Removes the entry of exactly `time`. An algorithm that takes out only the oldest is asked for no more than that.
    bool evict(Time time) {
        if (size() == 0 || time < window_.oldest() || time > window_.youngest()) return false;
        if constexpr (EvictsAnywhere<A>) {
            return window_.evict(time);
        } else {
            if (time != window_.oldest()) throw Unsupported("evict from the middle");
            window_.evict();
            return true;
        }
    }

    void bulk_evict(Time time) {
        if (size() != 0 && window_.oldest() <= time) window_.bulk_evict(time);
    }

    //! Evicts the longest prefix for which policy(total, prefix) holds; once false, it must stay false.
    template <class Policy>
    void evict_while(Policy policy) {
        if constexpr (EvictsByPolicy<A>) {
            if (size() != 0) window_.evict_while(policy);
        } else {
            throw Unsupported("evict by a policy");
        }
    }

    //! The identity when the window is empty.
    Partial query() const { return window_.query(); }

    //! The combination of the entries in [from, to], both ends in; the identity when there are none.
    Partial query(Time from, Time to) const {
        if constexpr (QueriesRanges<A>) {
            return size() == 0 || to < from ? monoid_.identity() : window_.query(from, to);
        } else {
            throw Unsupported("answer range queries");
        }
    }

    //! As WindowAlgorithm has them.
    template <class F>
    void for_each(F f) const {
        window_.for_each(f);
    }
    void load(Time time, Partial partial) { window_.load(time, std::move(partial)); }
    void clear() { window_.clear(); }
    void check_invariants() const { window_.check_invariants(); }

    //! Gives memory back where the algorithm keeps more than it needs.
    void shrink_to_fit() {
        if constexpr (Shrinks<A>) window_.shrink_to_fit();
    }

private:
    const A& needed() const {
        if (window_.size() == 0) throw EmptyWindow();
        return window_;
    }

    void check_order(Time time) const {
        if constexpr (!takes_late)
            if (size() != 0 && time < window_.youngest()) throw OutOfOrder(time, window_.youngest());
    }

    void check_order(std::span<const Time> times) const {
        check_order(times.front());
        const auto drop = std::adjacent_find(times.begin(), times.end(), std::greater<>());
        if (drop != times.end()) throw OutOfOrder(drop[1], drop[0]);
    }

    void refuse_failure(const Partial& total) const {
        // lower() throws for a mark; nothing else is wanted of it.
        if (monoid_.failed(total)) static_cast<void>(monoid_.lower(total));
    }

    void check_failure(std::span<const Partial> partials) const {
        Partial total = window_.query();
        for (const Partial& partial : partials) append(monoid_, total, partial);
        refuse_failure(total);
    }

    static void insert_all(A& window, std::span<const Time> times, std::span<Partial> partials) {
        if constexpr (InsertsInBulk<A>) {
            window.bulk_insert(times, partials);
        } else {
            for (std::size_t i = 0; i < times.size(); ++i) window.insert(times[i], std::move(partials[i]));
        }
    }

    A window_;
    //! A copy of the algorithm's own: lifting, lowering and the codec need it too.
    [[no_unique_address]] Monoid monoid_;
};

}  // namespace sash
