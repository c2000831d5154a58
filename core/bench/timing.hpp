//! A clock for rounds of a few nanoseconds.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>

namespace sash::bench {

using Clock = std::chrono::steady_clock;

inline double nanoseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

//! The time that this thread has run: what others do on a shared core does not count. Slow to read (a system call), so
//! for many rounds at once only.
inline double own_nanoseconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
#else
    return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
#endif
}

//! Keeps the compiler from folding rounds into one another.
inline void fence() {
    asm volatile("" ::: "memory");
}

//! Makes the compiler believe that the value is read.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "m"(value) : "memory");
}

//! How long to measure.
struct Effort {
    //! Rounds in one repeat; fewer when they take longer than the seconds.
    std::int64_t rounds = 0;
    int repeats = 5;
    double seconds = 1.0;
};

//! What some rounds took together.
struct Span {
    std::int64_t rounds = 0;
    double nanoseconds = 0.0;
    double each() const { return nanoseconds / static_cast<double>(rounds); }
};

//! Runs the rounds until there are enough of them or the time is up. The clock is read after 1, 2, 4, .. 2^16 rounds:
//! often enough to stop in the middle of slow ones, too seldom to disturb fast ones. Always inlined, and so is the
//! round: what it captured can then live in registers.
template <class Round>
[[gnu::always_inline]] inline Span run(std::int64_t rounds, double seconds, Round round) {
    Span span;
    std::int64_t block = 1;
    const double start = own_nanoseconds();
    while (span.rounds < rounds && span.nanoseconds < seconds * 1e9) {
        const std::int64_t stop = std::min(span.rounds + block, rounds);
        for (; span.rounds < stop; ++span.rounds) {
            round();
            fence();
        }
        span.nanoseconds = own_nanoseconds() - start;
        block = std::min<std::int64_t>(block * 2, 1 << 16);
    }
    return span;
}

//! Whether this core is ours alone just now, at its full clock: a short loop that uses all of it takes no longer than
//! ever before. Rounds of one binary have been seen to take twice as long from one run to the next, with equal
//! instruction counts; no place of the stack or the heap that was forced on them did that, but a neighbour on the same
//! core does.
inline bool undisturbed() {
    constexpr int kPasses = 32;
    static std::array<std::uint64_t, 1024> words{};
    static double least = std::numeric_limits<double>::infinity();
    const auto start = Clock::now();
    for (int pass = 0; pass < kPasses; ++pass) {
        for (std::uint64_t& word : words) word = word * 3 + 1;
        fence();
    }
    const double taken = nanoseconds_since(start);
    least = std::min(least, taken);
    return taken <= 1.1 * least;
}

//! Runs `repeat` until it has run undisturbed so many times, or four times as often.
template <class Repeat>
[[gnu::always_inline]] inline void repeat_undisturbed(int times, Repeat repeat) {
    int counted = 0;
    for (int tries = 0; counted < times && tries < 4 * times; ++tries) {
        const bool before = undisturbed();
        repeat();
        counted += before && undisturbed() ? 1 : 0;
    }
}

//! Nanoseconds a round in the best repeat: on a shared machine the least disturbed one tells most. The repeat is always
//! inlined too: called, it would get the round's captures by their addresses, and a sum of a nanosecond would go
//! through memory in every round.
template <class Round>
[[gnu::always_inline]] inline double best_of(const Effort& effort, Round round) {
    double best = std::numeric_limits<double>::infinity();
    repeat_undisturbed(effort.repeats, [&]() __attribute__((always_inline)) {
        best = std::min(best, run(effort.rounds, effort.seconds, round).each());
    });
    return best;
}

}  // namespace sash::bench
