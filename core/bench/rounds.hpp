//! One row: fill a window, check its answers, count its combines, time its rounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "row.hpp"
#include "sash/algorithm.hpp"
#include "sash/monoid.hpp"
#include "stream.hpp"
#include "timing.hpp"

namespace sash::bench {

template <class Window>
concept InsertsInBulk = requires(Window window, std::span<const Time> times,
                                 std::span<typename Window::Partial> partials) { window.bulk_insert(times, partials); };

//! A window and the stream that it slides over. `Case` says what an event's value is (monoids.hpp).
//!
//! Only round() is inlined where it is timed. The rest is not, to keep the build of so many pairs short.
template <class Window, class Case>
class Slide {
public:
    using Partial = typename Window::Partial;

    Slide(Window window, const Case& subject, const Row& row)
        : window_(std::move(window)), case_(subject), row_(row), stream_(row) {
        fill();
    }

    const Window& window() const { return window_; }
    Partial event(Time time) const { return case_.monoid.lift(case_.input(time)); }

    //! The round of the papers.
    void round() {
        step();
        keep(window_.query());
    }

    //! A round of the row, by single calls or by bulks, without its query, for which recalc would pay dearly.
    [[gnu::noinline]] void any_step() {
        if (row_.m == 1) return step();
        prepare_bulk();
        evict_bulk();
        insert_bulk();
    }

    //! The next m events. Made before the clock starts: a user has them in arrays.
    [[gnu::noinline]] void prepare_bulk() {
        times_.clear();
        partials_.clear();
        for (std::int64_t i = 0; i < row_.m; ++i) {
            times_.push_back(stream_.next());
            partials_.push_back(event(times_.back()));
        }
    }

    //! The oldest entries have consecutive times, so the m-th oldest is m - 1 after the oldest. Scattered ones have
    //! not.
    [[gnu::noinline]] void evict_bulk() {
        if (row_.late != Late::scattered) return window_.bulk_evict(window_.oldest() + row_.m - 1);
        for (std::int64_t i = 0; i < row_.m; ++i) window_.evict();
    }

    [[gnu::noinline]] void insert_bulk() {
        if constexpr (InsertsInBulk<Window>) {
            window_.bulk_insert(std::span<const Time>(times_), std::span<Partial>(partials_));
        } else {
            for (std::size_t i = 0; i < times_.size(); ++i) window_.insert(times_[i], std::move(partials_[i]));
        }
    }

    [[gnu::noinline]] Partial query() const { return window_.query(); }

private:
    [[gnu::noinline]] void fill() {
        for (std::int64_t i = 0; i < row_.n; ++i) insert(stream_.filling(i, row_.n));
        for (std::int64_t i = 0; i < stream_.warm_up(); ++i) any_step();
    }

    void step() {
        window_.evict();
        insert(stream_.next());
    }

    void insert(Time time) { window_.insert(time, event(time)); }

    Window window_;
    Case case_;
    Row row_;
    Stream stream_;
    std::vector<Time> times_;
    std::vector<Partial> partials_;
};

template <class T>
bool agree(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) {
        return a == b || std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
    } else {
        return a == b;
    }
}

inline void require(bool holds, const Row& row, const char* what) {
    if (!holds) throw std::runtime_error(row.algorithm + " over " + row.monoid + ": " + what);
}

//! The combination of these events by definition.
template <class Case>
auto recalculated(const Case& subject, const std::vector<Time>& times) {
    auto total = subject.monoid.identity();
    for (const Time time : times) append(subject.monoid, total, subject.monoid.lift(subject.input(time)));
    return subject.monoid.lower(total);
}

//! A window beside a list of every event that it was given. The list comes from a twin of the window's stream.
template <class Window, class Case>
class Audit {
public:
    Audit(Window window, const Case& subject, const Row& row)
        : slide_(std::move(window), subject, row), case_(subject), row_(row), twin_(row) {
        for (std::int64_t i = 0; i < row.n; ++i) given_.push_back(twin_.filling(i, row.n));
        for (std::int64_t i = 0; i < twin_.warm_up() * row.m; ++i) given_.push_back(twin_.next());
    }

    //! Slides, and returns how many of `inside` are younger than the first event given.
    std::int64_t step(const std::vector<Time>& inside) {
        slide_.any_step();
        const std::size_t first = given_.size();
        for (std::int64_t i = 0; i < row_.m; ++i) given_.push_back(twin_.next());
        return inside.end() - std::upper_bound(inside.begin(), inside.end(), given_[first]);
    }

    //! Compares size, ends and answer with the events; gives those in the window.
    std::vector<Time> check() const {
        std::vector<Time> inside = youngest_of(given_, row_.n);
        const Window& window = slide_.window();
        require(window.size() == inside.size(), row_, "the size is wrong");
        require(window.oldest() == inside.front() && window.youngest() == inside.back(), row_, "an end is wrong");
        require(agree(case_.monoid.lower(slide_.query()), recalculated(case_, inside)), row_,
                "the answer differs from recalculation");
        if constexpr (requires { window.eighth(); }) {
            const std::vector<Time> youngest(inside.end() - (row_.n / 8 + 1), inside.end());
            require(agree(case_.monoid.lower(window.eighth()), recalculated(case_, youngest)), row_,
                    "the answer over the youngest eighth differs from recalculation");
        }
        return inside;
    }

private:
    Slide<Window, Case> slide_;
    Case case_;
    Row row_;
    Stream twin_;
    std::vector<Time> given_;
};

//! Slides a window of the row over more than its own length (a million events at most), and checks on the way that it
//! answers right and that events are inserted where the row says.
template <class Window, class Case>
void check_row(Window window, const Case& subject, const Row& row) {
    constexpr int kChecks = 4;
    Audit<Window, Case> audit(std::move(window), subject, row);
    const std::int64_t steps = std::min<std::int64_t>(row.n + row.n / 2, 1 << 20) / row.m / kChecks + 1;
    for (int check = 0; check < kChecks; ++check) {
        const std::int64_t distance = audit.step(audit.check());
        // Scattered events reach d entries give or take the randomness of the stream.
        const bool right = row.late == Late::scattered ? distance <= row.d + row.d / 4 + 16 : distance == row.d;
        require(right, row, "an event was not inserted at its distance");
        for (std::int64_t i = 1; i < steps; ++i) audit.step({});
    }
    audit.check();
}

inline double percentile(std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

//! One repeat of a bulk row; the best of several is kept number by number.
template <class Window, class Case>
void time_bulks(Slide<Window, Case>& slide, const Row& row, const Effort& effort, Measurement& best) {
    std::vector<double> evicts, inserts;
    double total = 0.0;
    for (std::int64_t i = 0; i < effort.rounds && total < effort.seconds * 1e9; ++i) {
        slide.prepare_bulk();
        const double own = own_nanoseconds();
        const auto start = Clock::now();
        slide.evict_bulk();
        evicts.push_back(nanoseconds_since(start));
        const auto middle = Clock::now();
        slide.insert_bulk();
        inserts.push_back(nanoseconds_since(middle));
        keep(slide.query());
        total += own_nanoseconds() - own;
    }
    const auto items = static_cast<double>(row.m);
    std::sort(evicts.begin(), evicts.end());
    std::sort(inserts.begin(), inserts.end());
    best.round = std::min(best.round, total / items / static_cast<double>(evicts.size()));
    best.evict_p50 = std::min(best.evict_p50, percentile(evicts, 0.5));
    best.evict_p99 = std::min(best.evict_p99, percentile(evicts, 0.99));
    best.insert_item = std::min(best.insert_item, percentile(inserts, 0.5) / items);
}

template <class Window, class Case>
void time_row(Slide<Window, Case>& slide, const Row& row, const Effort& effort, Measurement& result) {
    if (row.m == 1) {
        result.round = best_of(effort, [&] { slide.round(); });
        return;
    }
    constexpr double kNever = std::numeric_limits<double>::infinity();
    result.round = result.evict_p50 = result.evict_p99 = result.insert_item = kNever;
    repeat_undisturbed(effort.repeats, [&] { time_bulks(slide, row, effort, result); });
}

//! Combines a round (an item of it for bulks), queries included, over whole turns of the window. It starts in the
//! middle of one, so that what happens once a turn is not counted at both ends.
template <class Window, class Case>
double count_combines(Slide<Window, Case>& slide, const Row& row, const std::int64_t& counter) {
    const std::int64_t turn = std::max<std::int64_t>(row.n / row.m, 1);
    for (std::int64_t i = 0; i < turn / 2; ++i) slide.any_step();
    const std::int64_t rounds = std::max<std::int64_t>(4096 / turn, 1) * turn;
    const std::int64_t before = counter;
    const Span span = run(rounds, 1.0, [&] {
        slide.any_step();
        keep(slide.query());
    });
    return static_cast<double>(counter - before) / static_cast<double>(span.rounds * row.m);
}

//! Whole turns of the window, so that what happens once a turn is paid for in full.
inline Effort effort_for(const Row& row, Effort effort) {
    if (effort.rounds == 0) effort.rounds = std::max<std::int64_t>(1 << 21, row.n) / row.n * row.n / row.m;
    return effort;
}

//! `make(monoid)` gives an empty window over any monoid: over the case's own, or over the one that counts.
template <class Make, class Case>
Measurement measure(const Make& make, const Case& subject, const Row& row, const Effort& effort) {
    using Window = decltype(make(subject.monoid));
    Measurement result;
    check_row(make(subject.monoid), subject, row);
    {
        std::int64_t counter = 0;
        const Counting counting(counter, subject.monoid);
        Slide slide(make(counting), subject, row);
        result.combines = count_combines(slide, row, counter);
    }
    Slide slide(make(subject.monoid), subject, row);
    time_row(slide, row, effort_for(row, effort), result);
    if constexpr (std::is_trivially_destructible_v<typename Window::Partial>)
        result.bytes = static_cast<double>(slide.window().bytes()) / static_cast<double>(row.n);
    return result;
}

//! Exactly these rounds, in a function of its own that a profiler can pick out.
template <class Window, class Case>
[[gnu::noinline]] void round_loop(Slide<Window, Case>& slide, const Row& row, std::int64_t rounds) {
    for (std::int64_t i = 0; i < rounds; ++i) {
        if (row.m == 1) {
            slide.round();
        } else {
            slide.any_step();
            keep(slide.query());
        }
        fence();
    }
}

}  // namespace sash::bench
