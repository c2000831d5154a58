//! The values of a window of time in their order when an event arrives: the place of the youngest, and those at ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sash/monoids/ordered_multiset.hpp"
#include "sash/operator/arrival_windows.hpp"

namespace sash {

//! Over the windows of many keys.
class RankCounts {
public:
    //! How many values are less than the youngest, how many are not greater, and how many there are.
    struct Place {
        std::int64_t below = 0;
        std::int64_t upto = 0;
        std::int64_t size = 0;
    };

    RankCounts(Time since, Time until) : windows_(since, until) {}

    //! The place in the window that ends at an event. Without a value the event changes nothing. O(log n), and O(m) for
    //! a late event whose window holds m values.
    Place push(std::int64_t key, Time time, double value, bool there) {
        const auto window = windows_.push(key, time, value, there);
        if (window.entries.empty()) return {};
        const double youngest = window.entries.back().value;
        if (const Values* values = window.running)
            return {count(values->below(youngest)), count(values->upto(youngest)), count(values->size())};
        Place place{0, 0, count(window.entries.size())};
        for (const auto& entry : window.entries) {
            place.below += entry.value < youngest;
            place.upto += entry.value <= youngest;
        }
        return place;
    }

    //! Calls write(value) for the value at each rank: the least such that a share of so many is not above it; nothing
    //! if the window is empty. How many values it holds. Otherwise as above.
    template <class Write>
    std::size_t quantiles(std::int64_t key, Time time, double value, bool there, const std::vector<double>& ranks,
                          Write write) {
        const auto window = windows_.push(key, time, value, there);
        const std::size_t size = window.entries.size();
        if (size == 0) return 0;
        if (window.running == nullptr) sort(window.entries);
        for (const double rank : ranks) {
            const std::size_t at = place(rank, size);
            write(window.running != nullptr ? window.running->at(at) : sorted_[at]);
        }
        return size;
    }

    //! No event before the watermark will come any more. O(n).
    void drop(Time watermark) { windows_.drop(watermark); }
    std::vector<std::int64_t> keys() const { return windows_.keys(); }
    std::size_t bytes() const { return windows_.bytes(); }

private:
    using Values = OrderedMultiset<double>;
    using Windows = ArrivalWindows<double, Values>;

    static std::int64_t count(std::size_t number) { return static_cast<std::int64_t>(number); }
    //! 0.07 * 100 is a little more than 7: what is whole but for rounding is taken as whole.
    static std::size_t place(double rank, std::size_t size) {
        const double upto = std::ceil(rank * static_cast<double>(size) - 1e-9);
        return static_cast<std::size_t>(std::max(upto, 1.0)) - 1;
    }
    void sort(std::span<const Windows::Entry> entries) {
        sorted_.clear();
        for (const auto& entry : entries) sorted_.push_back(entry.value);
        std::sort(sorted_.begin(), sorted_.end());
    }

    Windows windows_;
    //! The values of a late event's window.
    std::vector<double> sorted_ = {};
};

}  // namespace sash
