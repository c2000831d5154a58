//! Columns of integers that step, against std::vector: values, and what they need of memory.
#include "sash/operator/stepped_column.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "allocations.hpp"
#include "check.hpp"

namespace sash::testing {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

SteppedColumn column_of(const std::vector<std::int64_t>& values) {
    SteppedColumn column;
    for (std::size_t i = 0; i < values.size(); ++i) column.push_back(i, values[i]);
    return column;
}

void check_equal(const SteppedColumn& column, const std::vector<std::int64_t>& values) {
    bool same = true;
    for (std::size_t i = 0; i < values.size(); ++i) same = same && column[i] == values[i];
    check(same, "values");
}

//! Steps that change at every place, or never, and that wrap around.
void test_values() {
    for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-7}, kLeast, kMost})
        for (const std::int64_t first : {std::int64_t{0}, std::int64_t{5}, kLeast, kMost})
            for (std::size_t odd = 0; odd <= 6; ++odd) {
                std::vector<std::int64_t> values;
                auto next = static_cast<std::uint64_t>(first);
                for (std::size_t i = 0; i < 6; ++i, next += static_cast<std::uint64_t>(step))
                    values.push_back(static_cast<std::int64_t>(i == odd ? next ^ 1 : next));
                check_equal(column_of(values), values);
            }
}

void test_changes() {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::int64_t> values;
        SteppedColumn column;
        column.reserve(random() % 8);
        for (int change = 0; change < 40; ++change) {
            const auto value = static_cast<std::int64_t>(random() % 8 == 0 ? random() % 5 : values.size());
            if (const auto kind = random() % 12; kind == 0 && !values.empty()) {
                values.resize(random() % values.size());
                column.truncate(values.size());
            } else if (kind == 1 && !values.empty()) {
                const std::size_t place = random() % values.size();
                values[place] = value;
                column.set(values.size(), place, value);
            } else {
                column.push_back(values.size(), value);
                values.push_back(value);
            }
        }
        check_equal(column, values);
    }
}

//! What steps takes no memory, however much there is of it and whatever was expected.
void test_memory() {
    const auto before = allocations;
    SteppedColumn column;
    column.reserve(1000);
    for (std::size_t i = 0; i < 1000; ++i) column.push_back(i, static_cast<std::int64_t>(3 * i));
    check(allocations == before, "a column that steps allocates nothing");
    column.push_back(1000, 0);
    check(allocations > before, "and one that does not, does");
}

}  // namespace
}  // namespace sash::testing

int main() {
    sash::testing::test_values();
    sash::testing::test_changes();
    sash::testing::test_memory();
    return sash::testing::report();
}
