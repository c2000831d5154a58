//! Keys as small numbers 0, 1, 2, .. by which rows can be counted and sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "sash/batch/numbering.hpp"
#include "sash/batch/parallel.hpp"
#include "sash/batch/room.hpp"

namespace sash::batch {

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

//! The keys of all parts, one behind the other.
class IntegerKeys {
public:
    using Key = std::uint64_t;

    explicit IntegerKeys(std::span<const KeyPart> parts) : parts_(parts) {
        for (const KeyPart& part : parts) size_ += part.keys.size();
    }

    std::size_t size() const { return size_; }
    Key operator[](std::size_t row) const {
        const KeyPart* part = parts_.data();
        for (; row >= part->keys.size(); ++part) row -= part->keys.size();
        return static_cast<Key>(part->keys[row]);
    }
    //! A key is its own tag.
    std::uint64_t tag(Key key) const { return key; }
    bool same(Key, Key) const { return true; }

private:
    std::span<const KeyPart> parts_;
    std::size_t size_ = 0;
};

//! Texts as Arrow keeps them: each ends where the next begins. Offsets are of 32 or of 64 bits.
class TextKeys {
public:
    using Key = std::string_view;

    TextKeys(std::span<const std::int32_t> offsets, std::string_view bytes) : narrow_(offsets), bytes_(bytes) {}
    TextKeys(std::span<const std::int64_t> offsets, std::string_view bytes) : wide_(offsets), bytes_(bytes) {}

    std::size_t size() const { return std::max(narrow_.size(), wide_.size()) - 1; }
    Key operator[](std::size_t row) const {
        if (!narrow_.empty()) return between(narrow_[row], narrow_[row + 1]);
        return between(wide_[row], wide_[row + 1]);
    }
    //! Words of eight bytes folded into one another. The length comes first, so a shorter last word is no ambiguity.
    std::uint64_t tag(Key key) const {
        std::uint64_t hash = key.size() * kOdd;
        for (; key.size() > kWord; key.remove_prefix(kWord)) hash = fold(hash ^ word_at(key.data()));
        return fold(hash ^ last_word(key));
    }
    bool same(Key one, Key other) const {
        if (one.size() != other.size()) return false;
        for (; one.size() > kWord; one.remove_prefix(kWord), other.remove_prefix(kWord))
            if (word_at(one.data()) != word_at(other.data())) return false;
        return last_word(one) == last_word(other);
    }

private:
    static constexpr std::size_t kWord = 8;
    static constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15U;

    Key between(std::int64_t begin, std::int64_t end) const {
        return {bytes_.data() + begin, static_cast<std::size_t>(end - begin)};
    }
    static std::uint64_t word_at(const char* bytes, std::size_t size = kWord) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, size);
        return word;
    }
    //! Up to eight bytes, and zeros. Eight are read where there are so many, whatever the length: no branch depends on
    //! it.
    std::uint64_t last_word(Key rest) const {
        const auto behind = static_cast<std::size_t>(bytes_.data() + bytes_.size() - rest.data());
        if (rest.empty()) return 0;
        const std::uint64_t word = behind < kWord ? word_at(rest.data(), rest.size()) : word_at(rest.data());
        const std::size_t spare = 8 * (kWord - rest.size());
        return std::endian::native == std::endian::little ? word << spare : word >> spare;
    }
    static std::uint64_t fold(std::uint64_t bits) {
        const auto product = static_cast<unsigned __int128>(bits) * (kOdd ^ 0x5851'f42d'4c95'7f2dU);
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }

    std::span<const std::int32_t> narrow_;
    std::span<const std::int64_t> wide_;
    std::string_view bytes_;
};

//! Gives the rows from `begin` on that are marked a code of their own, `null`. Returns whether there are any.
inline bool mark_nulls(std::span<const std::uint8_t> nulls, std::size_t begin, std::uint32_t null, const Codes& codes) {
    bool any = false;
    for (std::size_t i = 0; i < nulls.size(); ++i)
        if (nulls[i]) codes.codes[begin + i] = null, any = true;
    return any;
}

//! Keys that lie close together are their own codes, behind the least.
inline Codes own_codes(std::span<const KeyPart> parts, std::size_t size, std::int64_t least, std::uint32_t count,
                       std::size_t threads) {
    Codes result{Room<std::uint32_t>(size), count};
    std::size_t begin = 0;
    for (const KeyPart& part : parts) {
        const std::span<std::uint32_t> codes = result.codes.span({begin, begin += part.keys.size()});
        in_stretches(codes.size(), threads, [&, first = static_cast<std::uint64_t>(least)](Stretch stretch) {
            for (std::size_t i = stretch.begin; i < stretch.end; ++i)
                codes[i] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(part.keys[i]) - first);
        });
    }
    return result;
}

//! The keys of all parts, one behind the other. O(n).
inline Codes encode_keys(std::span<const KeyPart> parts, std::size_t threads) {
    const IntegerKeys keys(parts);
    if (keys.size() == 0) return {};
    const auto [least, greatest] = extent_of(parts, threads);
    const auto spread = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    const bool close = spread < 2 * keys.size() + 1024;
    Codes result = close ? own_codes(parts, keys.size(), least, static_cast<std::uint32_t>(spread + 1), threads)
                         : number_keys(keys, threads);
    std::size_t begin = 0;
    bool null = false;
    for (const KeyPart& part : parts) {
        null |= mark_nulls(part.nulls, begin, result.count, result);
        begin += part.keys.size();
    }
    result.count += null;
    return result;
}

//! Texts, of which those that are marked are null. O(n).
inline Codes encode_texts(const TextKeys& texts, std::span<const std::uint8_t> nulls, std::size_t threads) {
    Codes result = number_keys(texts, threads);
    result.count += mark_nulls(nulls, 0, result.count, result);
    return result;
}

}  // namespace sash::batch
