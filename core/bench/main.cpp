//! sash_bench: nanoseconds and combines a round of every algorithm, as ratios to yardsticks of the same run.
//!
//!     sash_bench                                            the default table with its bars
//!     sash_bench --algorithm fiba --n 4194304 --d 1024      one row
//!     sash_bench --records                                  many aggregations in one record, k = 1 to 50
//!     sash_bench --latency                                  single calls up to the slowest, in a window of 2^24
//!     sash_bench --yardsticks                               the yardsticks alone: ring, tree, tree1024
//!     sash_bench --list                                     the names
//!
//! For instruction counts, with no clock and no check in the way:
//!
//!     valgrind --tool=callgrind --toggle-collect='*round_loop*' sash_bench --round-loop --algorithm fiba --rounds 1000
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "build_type.hpp"
#include "cases.hpp"
#include "latency.hpp"
#include "print.hpp"
#include "records.hpp"
#include "request.hpp"
#include "stream.hpp"
#include "table.hpp"
#include "yardstick.hpp"

namespace sash::bench {

namespace {

std::vector<Runner> all_runners() {
    static_assert(kParts == 4);
    std::vector<Runner> runners;
    add_runners<0>(runners);
    add_runners<1>(runners);
    add_runners<2>(runners);
    add_runners<3>(runners);
    return runners;
}

const Runner& runner_for(const std::vector<Runner>& runners, const Row& row) {
    for (const Runner& runner : runners) {
        if (runner.algorithm != row.algorithm || runner.monoid != row.monoid) continue;
        if (row.d == 0 || runner.takes_late) return runner;
        throw std::invalid_argument(row.algorithm + " takes events in order only: d must be 0");
    }
    throw std::invalid_argument("there is no " + row.algorithm + " over " + row.monoid + "; see --list");
}

void print_list(const std::vector<Runner>& runners) {
    std::map<std::string_view, std::vector<std::string_view>> monoids;
    for (const Runner& runner : runners) monoids[runner.algorithm].push_back(runner.monoid);
    for (const auto& [algorithm, names] : monoids) {
        std::printf("%-18.*s", static_cast<int>(algorithm.size()), algorithm.data());
        for (const std::string_view name : names) std::printf(" %.*s", static_cast<int>(name.size()), name.data());
        std::printf("\n");
    }
}

//! Each row is judged by yardsticks taken right before and right after it, the lesser of both.
void run_table(const std::vector<Goal>& table, const std::vector<Runner>& runners, const Effort& effort,
               const std::string& program) {
    // Rows that cannot be run are refused before the first one takes its time.
    for (const Goal& goal : table) {
        runner_for(runners, goal.row);
        Stream{goal.row};
    }
    std::printf("build: %s\n", build_type().c_str());
    Yardsticks before = measure_apart(program);
    print_yardsticks(before);
    print_header();
    std::vector<Judged> results;
    for (const Goal& goal : table) {
        print_key(goal.row);
        std::fflush(stdout);
        const Measurement measured = runner_for(runners, goal.row).measure(goal.row, effort);
        const Yardsticks after = measure_apart(program);
        results.push_back({measured, least(before, after)});
        print_measurement(goal.row, results.back());
        for (const Bar& bar : goal.bars) print_bar(bar, results.back());
        std::printf("\n");
        before = after;
    }
    print_verdict(table, results);
}

void serve(const Request& request, const std::string& program) {
    if (request.records) return print_records(request.effort);
    if (request.latency) return print_latency();
    if (request.yardsticks) return print_for_parent(measure_yardsticks());
    const std::vector<Runner> runners = all_runners();
    if (request.list) return print_list(runners);
    if (request.round_loop) {
        const std::int64_t rounds = request.effort.rounds > 0 ? request.effort.rounds : 100'000;
        return runner_for(runners, request.row).loop(request.row, rounds);
    }
    run_table(request.one_row ? std::vector<Goal>{{request.row, {}}} : default_table(), runners, request.effort,
              program);
}

}  // namespace

}  // namespace sash::bench

int main(int count, char** arguments) {
    try {
        sash::bench::serve(sash::bench::parse({arguments + 1, arguments + count}), arguments[0]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "sash_bench: %s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
