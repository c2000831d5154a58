//! The table as text.
#pragma once

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

inline void print_measurement(const Row& row, const Measurement& measured, const Yardsticks& yardsticks) {
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

inline bool reached(const Bar& bar, const Measurement& measured, const Yardsticks& yardsticks) {
    return in_units(measured.*bar.number, bar.unit, yardsticks) <= bar.limit;
}

inline void print_bar(const Bar& bar, const Measurement& measured, const Yardsticks& yardsticks) {
    static constexpr const char* kUnits[] = {" ring", " tree", ""};
    std::printf(" %s %.2f %s %.4g%s;", bar.what, in_units(measured.*bar.number, bar.unit, yardsticks),
                reached(bar, measured, yardsticks) ? "<=" : "ABOVE", bar.limit, kUnits[static_cast<int>(bar.unit)]);
}

//! The verdict on all bars, by the least disturbed yardsticks of the run.
inline void print_verdict(const std::vector<Goal>& table, const std::vector<Measurement>& results,
                          const Yardsticks& yardsticks) {
    int all = 0;
    int missed = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        for (const Bar& bar : table[i].bars) {
            ++all;
            if (reached(bar, results[i], yardsticks)) continue;
            ++missed;
            print_key(table[i].row);
            print_bar(bar, results[i], yardsticks);
            std::printf("\n");
        }
    }
    if (all > 0) std::printf("%d of %d bars reached, by the least yardsticks of the run\n", all - missed, all);
}

}  // namespace sash::bench
