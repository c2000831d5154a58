//! Range queries against brute force.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "in_order_model.hpp"

namespace sash::testing {

//! Every kind of end: before, on, between and after the entries, and ends that cross.
template <class W, class M>
void check_ranges(const W& window, const Model<M>& model, std::mt19937_64& random) {
    const Time first = model.size() == 0 ? 0 : model[0].time - 2;
    const Time width = model.size() == 0 ? 5 : model[model.size() - 1].time - first + 4;
    for (int i = 0; i != 6; ++i) {
        const Time from = i == 0 ? kEarliest : first + static_cast<Time>(random() % static_cast<std::uint64_t>(width));
        const Time to = i == 1 ? kLatest : first + static_cast<Time>(random() % static_cast<std::uint64_t>(width));
        std::size_t begin = 0, end = 0;
        for (std::size_t k = 0; k != model.size(); ++k) {
            begin += model[k].time < from ? 1 : 0;
            end += model[k].time <= to ? 1 : 0;
        }
        end = std::max(begin, end);
        check(show(window.query(from, to)) == show(model.fold(begin, end)), "query(from, to)");
        check(window.any(from, to) == (begin != end), "any(from, to)");
    }
}

}  // namespace sash::testing
