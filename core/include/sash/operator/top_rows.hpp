//! The most extreme rows of a window of time when an event arrives, late ones included.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sash/algorithms/fiba.hpp"
#include "sash/time.hpp"

namespace sash {

//! The k least of ranked rows, the oldest first among equals.
class LeastRows {
public:
    //! A rank and a row.
    using Ranked = std::pair<std::int64_t, std::int64_t>;
    using Partial = std::vector<Ranked>;
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;

    explicit LeastRows(std::size_t most) : most_(most) {}

    Partial identity() const { return {}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        Partial both;
        const std::size_t size = std::min(most_, older.size() + newer.size());
        both.reserve(size);
        for (std::size_t i = 0, j = 0; both.size() < size;) {
            const bool first = j == newer.size() || (i < older.size() && older[i].first <= newer[j].first);
            both.push_back(first ? older[i++] : newer[j++]);
        }
        return both;
    }

private:
    std::size_t most_;
};

//! Over the windows of many keys; a window that ends at t holds the times from t - since to t - until.
class TopRows {
public:
    TopRows(Time since, Time until, std::size_t most) : since_(since), until_(until), monoid_(most) {}

    //! O(k log d) for an event that is d late.
    void insert(std::int64_t key, Time time, std::int64_t rank, std::int64_t row) {
        trees_.try_emplace(key, monoid_).first->second.insert(time, {{rank, row}});
    }

    //! The rows of the window that ends at the time, the least rank first. O(k log n).
    LeastRows::Partial rows(std::int64_t key, Time end) const {
        const auto found = trees_.find(key);
        if (found == trees_.end() || found->second.size() == 0) return {};
        const auto& tree = found->second;
        const Time from = end - since_, to = end - until_;
        if (from <= tree.oldest() && tree.youngest() <= to) return tree.query();
        return from > to ? LeastRows::Partial() : tree.query(from, to);
    }

    //! No event before the watermark will come any more. O(keys log n).
    void drop(Time watermark) {
        for (auto& [key, tree] : trees_) tree.bulk_evict(watermark - since_ - 1);
        std::erase_if(trees_, [](const auto& one) { return one.second.size() == 0; });
    }

    std::vector<std::int64_t> keys() const {
        std::vector<std::int64_t> keys;
        for (const auto& [key, tree] : trees_) keys.push_back(key);
        return keys;
    }
    std::size_t bytes() const {
        std::size_t total = 0;
        for (const auto& [key, tree] : trees_) total += 64 + tree.bytes();
        return total;
    }

private:
    Time since_;
    Time until_;
    LeastRows monoid_;
    std::unordered_map<std::int64_t, Fiba<LeastRows>> trees_ = {};
};

}  // namespace sash
