//! The registers of a HyperLogLog sketch of a window of time when an event arrives, late ones included: values enter
//! and leave, which no sketch can do by itself.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sash/operator/arrival_windows.hpp"

namespace sash {

//! A value by its number, with the register that its hash falls into and the rank that it has there, from 1 to 63.
struct Coupon {
    std::int64_t value;
    std::uint32_t slot;
    std::uint32_t rank;
};

//! How often values are there, and which ranks each register has.
class Registers {
public:
    //! How many values are different, how many registers have one, and what the sketch sums over these registers: two
    //! to the power of minus their greatest rank, of ranks below 32 and of all others. Sums of such powers are exact.
    struct Sums {
        std::int64_t different = 0;
        std::int64_t used = 0;
        double low = 0;
        double high = 0;
    };

    //! O(1).
    void insert(const Coupon& coupon) {
        if (counts_[coupon.value]++ > 0) return;
        ++sums_.different;
        if (ranks_[id(coupon)]++ == 0) change(coupon.slot, std::uint64_t{1} << coupon.rank);
    }
    //! The coupon is there. O(1).
    void erase(const Coupon& coupon) {
        const auto count = counts_.find(coupon.value);
        if (--count->second > 0) return;
        counts_.erase(count);
        --sums_.different;
        const auto rank = ranks_.find(id(coupon));
        if (--rank->second > 0) return;
        ranks_.erase(rank);
        change(coupon.slot, std::uint64_t{1} << coupon.rank);
    }

    const Sums& sums() const { return sums_; }
    std::size_t bytes() const { return 48 * (counts_.size() + ranks_.size() + slots_.size()); }

private:
    static std::uint64_t id(const Coupon& coupon) { return std::uint64_t{coupon.slot} << 6 | coupon.rank; }

    //! A register gets a rank that it has not, or loses one that it has.
    void change(std::uint32_t slot, std::uint64_t rank) {
        const auto found = slots_.try_emplace(slot, 0).first;
        count(found->second, -1);
        found->second ^= rank;
        count(found->second, +1);
        if (found->second == 0) slots_.erase(found);
    }
    void count(std::uint64_t ranks, int sign) {
        if (ranks == 0) return;
        const int greatest = std::bit_width(ranks) - 1;
        sums_.used += sign;
        (greatest < 32 ? sums_.low : sums_.high) += std::ldexp(sign, -greatest);
    }

    Sums sums_ = {};
    std::unordered_map<std::int64_t, std::int64_t> counts_ = {};
    //! How many values have a rank in a register.
    std::unordered_map<std::uint64_t, std::int64_t> ranks_ = {};
    //! The ranks that are in a register, a bit each.
    std::unordered_map<std::uint32_t, std::uint64_t> slots_ = {};
};

//! Over the windows of many keys.
class RegisterCounts {
public:
    RegisterCounts(Time since, Time until) : windows_(since, until) {}

    //! The registers of the window that ends at an event. Without a value the event changes nothing. O(log n), and O(m)
    //! for a late event whose window holds m values.
    Registers::Sums push(std::int64_t key, Time time, const Coupon& coupon, bool there) {
        const auto window = windows_.push(key, time, coupon, there);
        if (window.running != nullptr) return window.running->sums();
        Registers own;
        for (const auto& entry : window.entries) own.insert(entry.value);
        return own.sums();
    }

    //! No event before the watermark will come any more. O(n).
    void drop(Time watermark) { windows_.drop(watermark); }
    std::vector<std::int64_t> keys() const { return windows_.keys(); }
    //! The numbers of all values.
    std::vector<std::int64_t> values() const {
        std::unordered_set<std::int64_t> values;
        windows_.values([&values](const Coupon& coupon) { values.insert(coupon.value); });
        return {values.begin(), values.end()};
    }
    std::size_t bytes() const { return windows_.bytes(); }

private:
    ArrivalWindows<Coupon, Registers> windows_;
};

}  // namespace sash
