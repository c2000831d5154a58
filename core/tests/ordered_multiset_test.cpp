//! The counted B-tree against a sorted array, and its bounds by counting comparisons.
#include "sash/monoids/ordered_multiset.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"

using namespace sash;
using sash::testing::check;

namespace {

struct CountingLess {
    std::int64_t* calls;
    bool operator()(double one, double other) const {
        ++*calls;
        return one < other;
    }
};

//! Values of few kinds are equal often; those of very many never.
void test_against_a_sorted_array(int kinds, int steps, unsigned seed) {
    std::mt19937 random(seed);
    OrderedMultiset<double> set;
    std::vector<double> model;
    for (int step = 0; step < steps; ++step) {
        // It grows for a while, then shrinks to nothing.
        const bool grows = step < steps / 2 ? random() % 4 != 0 : random() % 4 == 0;
        if (grows || model.empty()) {
            const double value = static_cast<double>(random() % static_cast<unsigned>(kinds));
            set.insert(value);
            model.insert(std::upper_bound(model.begin(), model.end(), value), value);
        } else {
            const std::size_t gone = random() % model.size();
            set.erase(model[gone]);
            model.erase(model.begin() + static_cast<std::ptrdiff_t>(gone));
        }
        if (step % 97 == 0) set.check_invariants();
        check(set.size() == model.size(), "as many");
        if (model.empty()) continue;
        for (const std::size_t k : {std::size_t{0}, random() % model.size(), model.size() - 1})
            check(set.at(k) == model[k], "the k-th");
        const double some = static_cast<double>(random() % static_cast<unsigned>(kinds));
        const auto [first, last] = std::equal_range(model.begin(), model.end(), some);
        check(set.below(some) == static_cast<std::size_t>(first - model.begin()), "below");
        check(set.upto(some) == static_cast<std::size_t>(last - model.begin()), "up to");
    }
    for (const double value : model) set.erase(value);
    set.check_invariants();
    check(set.size() == 0 && set.height() == 0, "empty again, and a leaf again");
}

//! An insert or an erase at any place compares O(log n) times, whatever came before.
void test_comparisons() {
    std::int64_t calls = 0;
    OrderedMultiset<double, CountingLess> set(CountingLess{&calls});
    std::mt19937 random(7);
    std::vector<double> values(1 << 17);
    std::int64_t worst = 0;
    const auto counted = [&](auto change) {
        calls = 0;
        change();
        // Up to 15 in a node with 16 children, of which it has at least 4, and as many as halve 64 in a leaf.
        const auto bits = static_cast<std::int64_t>(std::bit_width(set.size() + 1));
        worst = std::max(worst, calls - (2 * 16 * (bits / 2) + 8));
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
        // Ascending, descending, equal and random in turn.
        const auto i_real = static_cast<double>(i);
        values[i] = i % 4 == 0 ? i_real : i % 4 == 1 ? -i_real : i % 4 == 2 ? 0.5 : static_cast<double>(random());
        counted([&] { set.insert(values[i]); });
    }
    check(set.height() <= 9, "at most log of n to the base 4, less the leaf");
    std::shuffle(values.begin(), values.end(), random);
    for (const double value : values) {
        counted([&] { static_cast<void>(set.below(value)); });
        counted([&] { set.erase(value); });
    }
    check(worst <= 0, "O(log n) comparisons each");
}

}  // namespace

int main() {
    test_against_a_sorted_array(3, 6'000, 1);
    test_against_a_sorted_array(200, 20'000, 2);
    test_against_a_sorted_array(1 << 30, 20'000, 3);
    test_comparisons();
    return sash::testing::report();
}
