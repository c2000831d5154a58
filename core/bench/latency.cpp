#include "latency.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "sash/algorithms/daba.hpp"
#include "sash/algorithms/daba_lite.hpp"
#include "sash/algorithms/two_stacks_lite.hpp"
#include "sash/monoids/sum.hpp"
#include "timing.hpp"

namespace sash::bench {

namespace {

constexpr Time kEntries = 1 << 24;
constexpr Time kRounds = 1 << 22;
constexpr int kRepeats = 4;
//! What a call of the structure itself may take; more is somebody else's time.
constexpr std::uint32_t kSlow = 5'000;

//! The nanoseconds of each call of a run. A run is the same each time, so that the least of several runs is what the
//! call itself takes: a page fault or another process hits the same call seldom twice.
class Calls {
public:
    void restart() { next_ = 0; }
    template <class Call>
    void time(Call call) {
        const auto start = Clock::now();
        call();
        const auto taken = static_cast<std::uint32_t>(
            std::min<double>(nanoseconds_since(start), std::numeric_limits<std::uint32_t>::max()));
        if (next_ == least_.size()) least_.push_back(taken);
        least_[next_] = std::min(least_[next_], taken);
        ++next_;
    }

    void print(const char* algorithm, const char* what) {
        std::sort(least_.begin(), least_.end());
        std::printf("%-16s %-7s |", algorithm, what);
        for (const double share : {0.5, 0.99, 0.999, 0.9999, 0.99999, 1.0})
            std::printf(" %9u", least_[static_cast<std::size_t>(share * static_cast<double>(least_.size() - 1))]);
        const auto slow = least_.end() - std::upper_bound(least_.begin(), least_.end(), kSlow);
        std::printf(" | %td of %zu calls above %u ns\n", slow, least_.size(), kSlow);
    }

private:
    std::vector<std::uint32_t> least_;
    std::size_t next_ = 0;
};

//! Grows to its full size, slides, and drains.
template <class Window>
void measure(const char* algorithm) {
    Calls grow, insert, evict, drain;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        for (Calls* calls : {&grow, &insert, &evict, &drain}) calls->restart();
        Window window;
        Time time = 0;
        for (; time < kEntries; ++time) grow.time([&] { window.insert(time, time); });
        for (; time < kEntries + kRounds; ++time) {
            evict.time([&] { window.evict(); });
            insert.time([&] { window.insert(time, time); });
            keep(window.query());
        }
        while (window.size() > 1) drain.time([&] { window.evict(); });
    }
    grow.print(algorithm, "grow");
    insert.print(algorithm, "insert");
    evict.print(algorithm, "evict");
    drain.print(algorithm, "drain");
}

}  // namespace

void print_latency() {
#if defined(__GLIBC__)
    // Memory that was freed stays here, so that pages are not fetched again in each run.
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TOP_PAD, 1 << 26);
#endif
    std::printf("nanoseconds a call, n = %lld, the least of %d runs call by call; the clock itself takes some 20\n",
                static_cast<long long>(kEntries), kRepeats);
    std::printf("%-16s %-7s | %9s %9s %9s %9s %9s %9s |\n", "algorithm", "call", "p50", "p99", "p99.9", "p99.99",
                "p99.999", "max");
    measure<Daba<SumInt>>("daba");
    measure<DabaLite<SumInt>>("daba_lite");
    measure<TwoStacksLite<SumInt>>("two_stacks_lite");
}

}  // namespace sash::bench
