#include "table.hpp"

namespace sash::bench {

namespace {

constexpr std::int64_t kKi = 1 << 10;
constexpr std::int64_t kMi = 1 << 20;

Bar round_at_most(double limit, Unit unit) {
    return {"round", &Measurement::round, limit, unit};
}
Bar combines_at_most(double limit) {
    return {"combines", &Measurement::combines, limit, Unit::plain};
}
Bar bytes_at_most(double limit) {
    return {"bytes", &Measurement::bytes, limit, Unit::plain};
}
Bar evict_p50_at_most(double limit) {
    return {"evict p50", &Measurement::evict_p50, limit, Unit::tree};
}
Bar evict_p99_at_most(double limit) {
    return {"evict p99", &Measurement::evict_p99, limit, Unit::tree};
}
Bar insert_item_at_most(double limit) {
    return {"insert item", &Measurement::insert_item, limit, Unit::ring};
}

//! A round in order at three sizes, with one bar for all, and one for the memory of the largest.
void add_in_order(std::vector<Goal>& table, const char* algorithm, std::vector<Bar> bars, std::vector<Bar> large = {}) {
    table.push_back({{algorithm, "sum_int", kKi}, bars});
    table.push_back({{algorithm, "sum_int", 64 * kKi}, bars});
    bars.insert(bars.end(), large.begin(), large.end());
    table.push_back({{algorithm, "sum_int", 4 * kMi}, bars});
}

void add_order_bound(std::vector<Goal>& table) {
    add_in_order(table, "subtract_on_evict", {round_at_most(3.0, Unit::ring)});
    add_in_order(table, "two_stacks", {});
    add_in_order(table, "two_stacks_lite", {round_at_most(5.0, Unit::ring)}, {bytes_at_most(18)});
    add_in_order(table, "aba", {});
    add_in_order(table, "daba", {round_at_most(12.0, Unit::ring)});
    add_in_order(table, "daba_lite", {round_at_most(8.5, Unit::ring)}, {bytes_at_most(18)});
    add_in_order(table, "amta", {round_at_most(0.5, Unit::tree)});
    table.push_back({{"log_mta", "sum_int", 64 * kKi}, {}});
    table.push_back({{"flatfat", "sum_int", 64 * kKi}, {round_at_most(0.9, Unit::tree)}});
    table.push_back({{"flatfat_fifo", "sum_int", 64 * kKi}, {}});
    table.push_back({{"base_intervals", "sum_int", 64 * kKi}, {}});
    table.push_back({{"recalc", "sum_int", kKi}, {}});
    table.push_back({{"two_stacks_lite", "bloom", kKi}, {round_at_most(1.5, Unit::tree)}});
    table.push_back({{"daba_lite", "bloom", kKi}, {}});
    table.push_back({{"amta", "sum_int", 4 * kMi, kKi}, {evict_p50_at_most(12.0)}});
    table.push_back({{"two_stacks_lite", "sum_int", 4 * kMi, kKi}, {}});
}

void add_late(std::vector<Goal>& table, std::int64_t d, double limit) {
    table.push_back({{"fiba", "sum_int", 4 * kMi, 1, d}, {round_at_most(limit, Unit::tree)}});
    table.push_back({{"fiba", "sum_int", 4 * kMi, 1, d, Late::scattered}, {round_at_most(3 * limit, Unit::tree)}});
}

void add_order_free(std::vector<Goal>& table) {
    add_in_order(table, "fiba", {round_at_most(0.10, Unit::tree), combines_at_most(6)}, {bytes_at_most(24)});
    add_late(table, 64, 0.30);
    add_late(table, kKi, 0.60);
    add_late(table, 64 * kKi, 0.85);
    add_late(table, kMi, 0.95);
    table.push_back(
        {{"fiba", "sum_int", 4 * kMi, kKi},
         {round_at_most(10.0, Unit::ring), evict_p50_at_most(9.0), evict_p99_at_most(20.0), insert_item_at_most(6.0)}});
    for (const std::int64_t d : {kKi, 64 * kKi, kMi})
        table.push_back({{"fiba", "sum_int", 4 * kMi, kKi, d}, {round_at_most(16.0, Unit::ring)}});
    table.push_back({{"fiba", "sum_int", 4 * kMi, kKi, kMi, Late::scattered}, {round_at_most(1.2, Unit::tree)}});
    table.push_back({{"fiba", "bloom", kKi}, {round_at_most(5.0, Unit::tree)}});
    table.push_back({{"fiba_shared", "sum_int", 4 * kMi}, {}});
    table.push_back({{"fiba_separate", "sum_int", 4 * kMi}, {}});
    table.push_back({{"btree", "sum_int", 4 * kMi}, {}});
    table.push_back({{"btree", "sum_int", 4 * kMi, 1, kKi}, {}});
}

}  // namespace

std::vector<Goal> default_table() {
    std::vector<Goal> table;
    add_order_bound(table);
    add_order_free(table);
    return table;
}

}  // namespace sash::bench
