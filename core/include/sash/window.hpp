//! The window with its preconditions checked: what the face in Python, and any careful user of the core, stands on.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/snapshot.hpp"

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

//! What only an event can answer was asked of an empty window.
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
concept AnswersRanges = requires(const A& window, Time time) {
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

//! A monoid one of whose partials stands for a lost number.
template <class M>
concept CanOverflow = requires(const M& monoid, const typename M::Partial& partial) {
    { monoid.overflowed(partial) } -> std::same_as<bool>;
};

//! An algorithm behind its checks. Whatever throws leaves the window as it was.
template <WindowAlgorithm A, Order order>
class Checked {
public:
    using Algorithm = A;
    using Monoid = typename A::Monoid;
    using Partial = typename A::Partial;

    static constexpr bool takes_late = order == Order::any;

    Checked(A window, Monoid monoid) : window_(std::move(window)), monoid_(std::move(monoid)) {}

    const A& algorithm() const { return window_; }
    const Monoid& monoid() const { return monoid_; }
    std::size_t size() const { return window_.size(); }
    Time oldest() const { return needed().oldest(); }
    Time youngest() const { return needed().youngest(); }

    void insert(Time time, Partial partial) {
        check_order(time);
        if constexpr (CanOverflow<Monoid>) refuse_overflow(monoid_.combine(window_.query(), partial));
        window_.insert(time, std::move(partial));
    }

    //! All of them or none. Late-taking algorithms get them by time; equal times keep their order of arrival.
    void bulk_insert(std::span<const Time> times, std::vector<Partial> partials) {
        if (times.empty()) return;
        if constexpr (order == Order::in_order) check_order(times);
        if constexpr (CanOverflow<Monoid>) check_overflow(partials);
        if constexpr (Monoid::fallible) {
            A copy = window_;
            insert_all(copy, times, partials);
            window_ = std::move(copy);
        } else {
            insert_all(window_, times, partials);
        }
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

    //! The identity when the window is empty.
    Partial query() const { return window_.query(); }

    //! The combination of the entries in [from, to], both ends in; the identity when there are none.
    Partial query(Time from, Time to) const {
        if constexpr (AnswersRanges<A>) {
            return size() == 0 || to < from ? monoid_.identity() : window_.query(from, to);
        } else {
            throw Unsupported("answer range queries");
        }
    }

    //! Whether there is an entry in [from, to]. O(n) where the algorithm offers no search.
    bool any(Time from, Time to) const {
        if (size() == 0 || to < from || to < window_.oldest() || from > window_.youngest()) return false;
        if constexpr (CountsRanges<A>) {
            return window_.count(from, to) != 0;
        } else {
            bool found = false;
            window_.for_each([&](Time time, const Partial&) { found = found || (from <= time && time <= to); });
            return found;
        }
    }

    //! Calls f(time, partial) on the entries from `from` on, oldest first: at most `most` of them where the algorithm
    //! can stop, else all.
    template <class F>
    void for_each_entry(Time from, std::size_t most, F f) const {
        if constexpr (!A::listable) {
            throw Unsupported("list its entries");
        } else if constexpr (WalksParts<A>) {
            if (size() != 0) window_.for_each_from(from, most, f);
        } else {
            window_.for_each([&](Time time, const Partial& partial) {
                if (time >= from) f(time, partial);
            });
        }
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

    //! Gives memory back where the algorithm keeps more than it needs.
    void shrink_to_fit() {
        if constexpr (Shrinks<A>) window_.shrink_to_fit();
    }

    template <class F>
    void for_each(F f) const {
        window_.for_each(f);
    }
    void load(Time time, Partial partial) { window_.load(time, std::move(partial)); }
    void clear() { window_.clear(); }
    void check_invariants() const { window_.check_invariants(); }
    std::size_t bytes() const { return window_.bytes() + sizeof(*this) - sizeof(A); }

    //! The number of entries, the times, the partials: the same bytes for the same window, whatever its history.
    template <class Codec>
    void save(Writer& writer) const {
        Writer partials;
        writer.u64(size());
        window_.for_each([&](Time time, const Partial& partial) {
            writer.i64(time);
            Codec::write(partials, monoid_, partial);
        });
        writer.raw(partials.bytes());
    }

    //! Fills this window, which is empty, with what save wrote.
    template <class Codec>
    void restore(Reader& reader) {
        std::vector<Time> times(reader.count(sizeof(Time) + 1));
        for (Time& time : times) time = reader.i64();
        if (std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) != times.end())
            throw DamagedSnapshot("its times do not rise");
        for (const Time time : times) window_.load(time, Codec::read(reader, monoid_));
        if (reader.left() != 0) throw DamagedSnapshot("bytes follow its last entry");
    }

private:
    const A& needed() const {
        if (window_.size() == 0) throw EmptyWindow();
        return window_;
    }

    void check_order(Time time) const {
        if constexpr (order == Order::in_order)
            if (size() != 0 && time < window_.youngest()) throw OutOfOrder(time, window_.youngest());
    }

    void check_order(std::span<const Time> times) const {
        check_order(times.front());
        const auto drop = std::adjacent_find(times.begin(), times.end(), std::greater<>());
        if (drop != times.end()) throw OutOfOrder(drop[1], drop[0]);
    }

    void refuse_overflow(const Partial& total) const {
        // lower() throws for the lost number; nothing else is wanted of it.
        if (monoid_.overflowed(total)) static_cast<void>(monoid_.lower(total));
    }

    void check_overflow(std::span<const Partial> partials) const {
        Partial total = window_.query();
        for (const Partial& partial : partials) append(monoid_, total, partial);
        refuse_overflow(total);
    }

    static void insert_all(A& window, std::span<const Time> times, std::span<Partial> partials) {
        if constexpr (order == Order::any) {
            if (!std::is_sorted(times.begin(), times.end())) return insert_sorted(window, times, partials);
        }
        insert_run(window, times, partials);
    }

    static void insert_run(A& window, std::span<const Time> times, std::span<Partial> partials) {
        if constexpr (InsertsInBulk<A>) {
            window.bulk_insert(times, partials);
        } else {
            for (std::size_t i = 0; i < times.size(); ++i) window.insert(times[i], std::move(partials[i]));
        }
    }

    static void insert_sorted(A& window, std::span<const Time> times, std::span<Partial> partials) {
        std::vector<std::size_t> by_time(times.size());
        std::iota(by_time.begin(), by_time.end(), std::size_t{0});
        std::stable_sort(by_time.begin(), by_time.end(), [&](auto a, auto b) { return times[a] < times[b]; });
        std::vector<Time> sorted_times;
        std::vector<Partial> sorted_partials;
        sorted_times.reserve(times.size());
        sorted_partials.reserve(times.size());
        for (const std::size_t i : by_time) {
            sorted_times.push_back(times[i]);
            sorted_partials.push_back(std::move(partials[i]));
        }
        insert_run(window, sorted_times, sorted_partials);
    }

    A window_;
    //! A copy of the algorithm's own: lifting, lowering and the codec need it too.
    [[no_unique_address]] Monoid monoid_;
};

}  // namespace sash
