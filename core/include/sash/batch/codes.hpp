//! Keys as small numbers 0, 1, 2, .. by which rows can be counted and sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "sash/batch/parallel.hpp"
#include "sash/batch/room.hpp"

namespace sash::batch {

//! Equal keys have equal codes below `count`; not every code need occur. Nulls are a key of their own.
struct Codes {
    Room<std::uint32_t> codes;
    std::uint32_t count = 0;
};

//! A hash table from keys to codes: open addressing, at most half full.
class CodeTable {
public:
    explicit CodeTable(std::size_t expected = 16) { grow(std::bit_ceil(2 * std::max<std::size_t>(expected, 8))); }

    std::uint32_t code_of(std::int64_t key) {
        std::size_t at = place(key);
        while (codes_[at] != kFree && keys_[at] != key) at = (at + 1) & mask_;
        if (codes_[at] != kFree) return codes_[at];
        keys_[at] = key;
        codes_[at] = used_++;
        const std::uint32_t code = codes_[at];
        if (2 * std::size_t{used_} > mask_) grow(2 * (mask_ + 1));
        return code;
    }
    std::uint32_t size() const { return used_; }

private:
    static constexpr std::uint32_t kFree = 0xffff'ffff;

    //! The high bits of a product depend on all bits of the key.
    std::size_t place(std::int64_t key) const {
        return static_cast<std::size_t>((static_cast<std::uint64_t>(key) * 0x9e37'79b9'7f4a'7c15U) >> shift_);
    }

    void grow(std::size_t slots) {
        const std::vector<std::int64_t> keys(std::move(keys_));
        const std::vector<std::uint32_t> codes(std::move(codes_));
        keys_.assign(slots, 0);
        codes_.assign(slots, kFree);
        mask_ = slots - 1;
        shift_ = 64 - std::countr_zero(slots);
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (codes[i] == kFree) continue;
            std::size_t at = place(keys[i]);
            while (codes_[at] != kFree) at = (at + 1) & mask_;
            keys_[at] = keys[i];
            codes_[at] = codes[i];
        }
    }

    std::vector<std::int64_t> keys_;
    std::vector<std::uint32_t> codes_;
    std::size_t mask_ = 0;
    int shift_ = 0;
    std::uint32_t used_ = 0;
};

//! The least and the greatest of some keys. Several are looked at side by side, so that none waits for another.
inline std::pair<std::int64_t, std::int64_t> extent_of(std::span<const std::int64_t> keys) {
    constexpr std::size_t kTogether = 4;
    std::int64_t least[kTogether], greatest[kTogether];
    std::fill_n(least, kTogether, keys[0]);
    std::fill_n(greatest, kTogether, keys[0]);
    const auto look = [&](std::size_t i, std::size_t at) {
        least[at] = std::min(least[at], keys[i]);
        greatest[at] = std::max(greatest[at], keys[i]);
    };
    std::size_t i = 0;
    for (; i + kTogether <= keys.size(); i += kTogether)
        for (std::size_t at = 0; at < kTogether; ++at) look(i + at, at);
    for (; i < keys.size(); ++i) look(i, 0);
    return {*std::min_element(least, least + kTogether), *std::max_element(greatest, greatest + kTogether)};
}

//! Keys of one frame. `nulls` marks the rows whose key is null, or is empty.
struct KeyPart {
    std::span<const std::int64_t> keys;
    std::span<const std::uint8_t> nulls;
};

//! The least and the greatest key of all parts, of which some have keys.
inline std::pair<std::int64_t, std::int64_t> extent_of(std::span<const KeyPart> parts, std::size_t threads) {
    std::mutex mutex;
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), greatest = std::numeric_limits<std::int64_t>::min();
    for (const KeyPart& part : parts)
        in_stretches(part.keys.size(), threads, [&](Stretch stretch) {
            if (stretch.begin == stretch.end) return;
            const auto [low, high] = extent_of(part.keys.subspan(stretch.begin, stretch.end - stretch.begin));
            const std::lock_guard lock(mutex);
            least = std::min(least, low), greatest = std::max(greatest, high);
        });
    return {least, greatest};
}

//! The keys of all parts, one behind the other. O(n).
inline Codes encode_keys(std::span<const KeyPart> parts, std::size_t threads) {
    std::size_t size = 0;
    for (const KeyPart& part : parts) size += part.keys.size();
    Codes result;
    result.codes = Room<std::uint32_t>(size);
    if (size == 0) return result;
    const auto [least, greatest] = extent_of(parts, threads);
    const auto spread = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    // Close together: a key is its own code.
    const bool close = spread < 2 * size + 1024;
    CodeTable table;
    std::size_t begin = 0;
    for (const KeyPart& part : parts) {
        const std::span<std::uint32_t> codes = result.codes.span({begin, begin += part.keys.size()});
        if (close) {
            in_stretches(codes.size(), threads, [&, first = static_cast<std::uint64_t>(least)](Stretch stretch) {
                for (std::size_t i = stretch.begin; i < stretch.end; ++i)
                    codes[i] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(part.keys[i]) - first);
            });
        } else {
            for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = table.code_of(part.keys[i]);
        }
    }
    result.count = close ? static_cast<std::uint32_t>(spread + 1) : table.size();
    begin = 0;
    bool null = false;
    for (const KeyPart& part : parts) {
        for (std::size_t i = 0; i < part.nulls.size(); ++i)
            if (part.nulls[i]) result.codes[begin + i] = result.count, null = true;
        begin += part.keys.size();
    }
    result.count += null;
    return result;
}

}  // namespace sash::batch
