//! The table as text.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "row.hpp"
#include "table.hpp"
#include "yardstick.hpp"

namespace sash::bench {

inline void print_yardsticks(const Yardsticks& yardsticks) {
    std::printf("yardsticks: ring %.2f ns, tree %.1f ns, tree1024 %.1f ns a round\n", yardsticks.ring, yardsticks.tree,
                yardsticks.tree1024);
}

//! Evict and insert are those of a whole bulk and of an item of it.
inline void print_header() {
    std::printf("%-18s %-15s %9s %6s %9s | %9s %7s %7s %9s %7s | %9s %9s %8s | %s\n", "algorithm", "monoid", "n", "m",
                "d", "ns", "x ring", "x tree", "combines", "bytes", "evict p50", "evict p99", "insert", "bars");
}

inline void print_key(const Row& row) {
    std::string distance = std::to_string(row.d);
    if (row.late == Late::scattered && row.d > 0) distance.insert(distance.begin(), '<');
    std::printf("%-18s %-15s %9lld %6lld %9s |", row.algorithm.c_str(), row.monoid.c_str(),
                static_cast<long long>(row.n), static_cast<long long>(row.m), distance.c_str());
}

inline void print_measurement(const Row& row, const Judged& judged) {
    const auto& [measured, yardsticks] = judged;
    std::printf(" %9.2f %7.2f %7.3f %9.2f ", measured.round, measured.round / yardsticks.ring,
                measured.round / yardsticks.tree, measured.combines);
    if (measured.bytes < 0) {
        std::printf("%7s |", "-");
    } else {
        std::printf("%7.1f |", measured.bytes);
    }
    if (row.m == 1) {
        std::printf(" %9s %9s %8s |", "-", "-", "-");
    } else {
        std::printf(" %9.0f %9.0f %8.2f |", measured.evict_p50, measured.evict_p99, measured.insert_item);
    }
}

inline double in_units(const Bar& bar, const Judged& judged) {
    return in_units(judged.measured.*bar.number, bar.unit, judged.yardsticks);
}

inline bool reached(const Bar& bar, const Judged& judged) {
    return in_units(bar, judged) <= bar.limit;
}

inline void print_bar(const Bar& bar, const Judged& judged) {
    static constexpr const char* kUnits[] = {" ring", " tree", ""};
    std::printf(" %s %.2f %s %.4g%s;", bar.what, in_units(bar, judged), reached(bar, judged) ? "<=" : "ABOVE",
                bar.limit, kUnits[static_cast<int>(bar.unit)]);
}

//! The verdict on all bars, and how steady the machine was.
inline void print_verdict(const std::vector<Goal>& table, const std::vector<Judged>& results) {
    int all = 0;
    int missed = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        for (const Bar& bar : table[i].bars) {
            ++all;
            if (reached(bar, results[i])) continue;
            ++missed;
            print_key(table[i].row);
            print_bar(bar, results[i]);
            std::printf("\n");
        }
    }
    if (all > 0) std::printf("%d of %d bars reached, each by the yardsticks beside its row\n", all - missed, all);
    const auto range = [&](double Yardsticks::* yardstick) {
        return std::ranges::minmax(results, {}, [=](const Judged& judged) { return judged.yardsticks.*yardstick; });
    };
    const auto ring = range(&Yardsticks::ring);
    const auto tree = range(&Yardsticks::tree);
    std::printf("in the run ring was %.2f to %.2f ns, tree %.1f to %.1f ns\n", ring.min.yardsticks.ring,
                ring.max.yardsticks.ring, tree.min.yardsticks.tree, tree.max.yardsticks.tree);
}

}  // namespace sash::bench
