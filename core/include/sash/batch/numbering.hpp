//! Keys of any kind as codes 0, 1, 2, .. in the order in which they appear first, found in several threads.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sash/batch/parallel.hpp"
#include "sash/batch/position.hpp"
#include "sash/batch/room.hpp"
#include "sash/hash.hpp"

namespace sash::batch {

//! Equal keys have equal codes below `count`; not every code need occur. Nulls are a key of their own.
struct Codes {
    Room<std::uint32_t> codes;
    std::uint32_t count = 0;
};

//! A hash table from keys to codes: open addressing, at most half full. It knows a key by 64 bits, its tag.
class CodeTable {
public:
    CodeTable() { grow(16); }

    //! A key that is new gets the next code. `same(code)` says whether the key of a code is this one: two may share a
    //! tag.
    template <class Same>
    std::uint32_t code_of(std::uint64_t tag, Same same) {
        std::size_t at = place(tag);
        while (slots_[at].code != kFree && !(slots_[at].tag == tag && same(slots_[at].code))) at = (at + 1) & mask_;
        if (slots_[at].code != kFree) return slots_[at].code;
        slots_[at] = {tag, used_};
        if (2 * (std::size_t{used_} + 1) > mask_) grow(2 * slots_.size());
        return used_++;
    }

    void prefetch(std::uint64_t tag) const { __builtin_prefetch(&slots_[place(tag)]); }

private:
    static constexpr std::uint32_t kFree = 0xffff'ffff;

    //! Side by side, so that a lookup in a large table misses the cache once.
    struct Slot {
        std::uint64_t tag = 0;
        std::uint32_t code = kFree;
    };

    //! The high bits of a product depend on all bits of the tag.
    std::size_t place(std::uint64_t tag) const {
        return static_cast<std::size_t>((tag * 0x9e37'79b9'7f4a'7c15U) >> shift_);
    }

    void grow(std::size_t slots) {
        const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots));
        mask_ = slots - 1;
        shift_ = 64 - std::countr_zero(slots);
        for (const Slot& slot : before) {
            if (slot.code == kFree) continue;
            std::size_t at = place(slot.tag);
            while (slots_[at].code != kFree) at = (at + 1) & mask_;
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    int shift_ = 0;
    std::uint32_t used_ = 0;
};

namespace detail {

//! Numbers rows by their keys. `Keys` gives the key of a row and its tag, and says whether two with one tag are the
//! same.
template <class Keys>
class Numbering {
public:
    explicit Numbering(const Keys& keys) : keys_(keys) {}

    //! Writes the codes of some rows, where row_at(i) is the row of codes[i]. Slots are fetched for a few rows at once,
    //! so that none waits for another where the table is larger than the cache.
    template <class RowAt>
    void number(std::span<std::uint32_t> codes, RowAt row_at) {
        constexpr std::size_t kTogether = 16;
        std::array<std::uint64_t, kTogether> tags;
        for (std::size_t begin = 0; begin < codes.size(); begin += kTogether) {
            const std::size_t end = std::min(begin + kTogether, codes.size());
            for (std::size_t i = begin; i < end; ++i) {
                tags[i - begin] = keys_.tag(keys_[row_at(i)]);
                table_.prefetch(tags[i - begin]);
            }
            for (std::size_t i = begin; i < end; ++i) codes[i] = code_of(row_at(i), tags[i - begin]);
        }
    }
    //! The row at which each code appears first.
    std::vector<Row> first() && { return std::move(first_); }
    std::size_t size() const { return first_.size(); }

private:
    std::uint32_t code_of(std::size_t row, std::uint64_t tag) {
        const typename Keys::Key key = keys_[row];
        const std::uint32_t code =
            table_.code_of(tag, [&](std::uint32_t known) { return keys_.same(known_[known], key); });
        if (code == first_.size()) add(row, key);
        return code;
    }
    void add(std::size_t row, typename Keys::Key key) {
        first_.push_back(static_cast<Row>(row));
        known_.push_back(key);
    }

    const Keys& keys_;
    CodeTable table_;
    std::vector<Row> first_;
    //! The keys themselves, so that no lookup has to find the row first.
    std::vector<typename Keys::Key> known_;
};

//! How many of some rows come before a row.
class RowSet {
public:
    explicit RowSet(std::size_t rows) : words_(rows / kBits + 1, 0), before_(words_.size(), 0) {}

    void add(Row row) { words_[row / kBits] |= std::uint64_t{1} << row % kBits; }
    //! Once all are added.
    void count() {
        for (std::size_t i = 1; i < words_.size(); ++i)
            before_[i] = before_[i - 1] + static_cast<std::uint32_t>(std::popcount(words_[i - 1]));
    }
    std::uint32_t before(Row row) const {
        const std::uint64_t lower = words_[row / kBits] & ((std::uint64_t{1} << row % kBits) - 1);
        return before_[row / kBits] + static_cast<std::uint32_t>(std::popcount(lower));
    }

private:
    static constexpr std::size_t kBits = 64;

    std::vector<std::uint64_t> words_;
    std::vector<std::uint32_t> before_;
};

//! Each stretch numbers its keys by itself. Then the keys that it has are numbered over all stretches, in their order,
//! and its codes are renamed. For keys that repeat: they are few beside the rows.
template <class Keys>
class StretchNumbering {
public:
    StretchNumbering(const Keys& keys, const Stretches& stretches, std::size_t threads)
        : keys_(keys), stretches_(stretches), threads_(threads) {}

    Codes run() const {
        Codes result{Room<std::uint32_t>(keys_.size())};
        std::vector<std::vector<Row>> first(stretches_.count());
        each([&](std::size_t i) {
            Numbering<Keys> own(keys_);
            const std::size_t begin = stretches_[i].begin;
            own.number(result.codes.span(stretches_[i]), [=](std::size_t at) { return begin + at; });
            first[i] = std::move(own).first();
        });
        Numbering<Keys> all(keys_);
        std::vector<std::vector<std::uint32_t>> names(stretches_.count());
        for (std::size_t i = 0; i < names.size(); ++i) {
            names[i].resize(first[i].size());
            all.number(names[i], [&](std::size_t at) { return first[i][at]; });
        }
        result.count = static_cast<std::uint32_t>(all.size());
        each([&](std::size_t i) {
            for (std::uint32_t& code : result.codes.span(stretches_[i])) code = names[i][code];
        });
        return result;
    }

private:
    template <class F>
    void each(F f) const {
        in_parallel(stretches_.count(), threads_, [&] { return f; });
    }

    const Keys& keys_;
    const Stretches& stretches_;
    std::size_t threads_;
};

//! Whether keys repeat, by some rows from all over: each key is then in most stretches, and they are some tens of
//! thousands at most. What is chosen by it decides how long it takes, and nothing else.
template <class Keys>
bool repeat(const Keys& keys) {
    constexpr std::size_t kSome = 4096, kMostDistinct = kSome - kSome / 16;
    Numbering<Keys> numbering(keys);
    std::vector<std::uint32_t> codes(kSome);
    numbering.number(codes, [&](std::size_t i) { return keys.size() * i / kSome; });
    return numbering.size() <= kMostDistinct;
}

//! For keys that do not: a thread numbers those of one share, which its tags choose, over all stretches. So each key is
//! looked up in one table alone, however many there are. Then the codes of all shares are renamed by where they appear
//! first, which does not depend on how many shares there are.
template <class Keys>
class SharedNumbering {
public:
    SharedNumbering(const Keys& keys, const Stretches& stretches, std::size_t threads)
        : keys_(keys),
          stretches_(stretches),
          threads_(threads),
          rows_(keys.size()),
          shared_(keys.size()),
          names_(threads),
          ends_(stretches.count() * threads) {}

    Codes run() {
        each(stretches_.count(), [&](std::size_t stretch) { deal(stretch); });
        std::vector<std::vector<Row>> first(threads_);
        each(threads_, [&](std::size_t share) { first[share] = number(share); });
        const std::uint32_t count = rename(first);
        Codes result{Room<std::uint32_t>(keys_.size()), count};
        each(stretches_.count(), [&](std::size_t stretch) { collect(stretch, result.codes); });
        return result;
    }

private:
    template <class F>
    void each(std::size_t tasks, F f) const {
        in_parallel(tasks, threads_, [&] { return f; });
    }

    std::size_t share_of(std::size_t row) const { return ((mix(keys_.tag(keys_[row])) >> 32) * threads_) >> 32; }

    //! The rows of one share in a stretch lie one behind the other, those of the shares one behind the other.
    Stretch rows_of(std::size_t stretch, std::size_t share) const {
        const std::size_t at = stretch * threads_ + share;
        return {share == 0 ? stretches_[stretch].begin : ends_[at - 1], ends_[at]};
    }

    void deal(std::size_t stretch) {
        const auto [begin, end] = stretches_[stretch];
        std::vector<std::size_t> next(threads_ + 1, 0);
        Room<std::uint8_t> shares(end - begin);
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t share = share_of(row);
            shares[row - begin] = static_cast<std::uint8_t>(share);
            ++next[share + 1];
        }
        next[0] = begin;
        for (std::size_t share = 0; share < threads_; ++share)
            ends_[stretch * threads_ + share] = next[share + 1] += next[share];
        for (std::size_t row = begin; row < end; ++row) rows_[next[shares[row - begin]]++] = static_cast<Row>(row);
    }

    std::vector<Row> number(std::size_t share) {
        Numbering<Keys> numbering(keys_);
        for (std::size_t stretch = 0; stretch < stretches_.count(); ++stretch) {
            const Stretch own = rows_of(stretch, share);
            numbering.number(shared_.span(own), [&](std::size_t i) { return rows_[own.begin + i]; });
        }
        return std::move(numbering).first();
    }

    //! How many codes there are.
    std::uint32_t rename(const std::vector<std::vector<Row>>& first) {
        RowSet firsts(keys_.size());
        std::size_t count = 0;
        for (const std::vector<Row>& own : first) {
            for (const Row row : own) firsts.add(row);
            count += own.size();
        }
        firsts.count();
        each(threads_, [&](std::size_t share) {
            names_[share].reserve(first[share].size());
            for (const Row row : first[share]) names_[share].push_back(firsts.before(row));
        });
        return static_cast<std::uint32_t>(count);
    }

    void collect(std::size_t stretch, const Room<std::uint32_t>& codes) const {
        for (std::size_t share = 0; share < threads_; ++share) {
            const auto [begin, end] = rows_of(stretch, share);
            for (std::size_t i = begin; i < end; ++i) codes[rows_[i]] = names_[share][shared_[i]];
        }
    }

    const Keys& keys_;
    const Stretches& stretches_;
    std::size_t threads_;
    //! By stretch and share: rows, and the codes that their share gave them.
    Room<Row> rows_;
    Room<std::uint32_t> shared_;
    //! What the codes of each share are called at the end.
    std::vector<std::vector<std::uint32_t>> names_;
    std::vector<std::size_t> ends_;
};

}  // namespace detail

//! The codes of all keys. O(n).
template <class Keys>
Codes number_keys(const Keys& keys, std::size_t threads) {
    const Stretches stretches(keys.size(), threads);
    constexpr std::size_t kMostShares = 64;
    if (stretches.count() > 1) {
        if (detail::repeat(keys)) return detail::StretchNumbering<Keys>(keys, stretches, threads).run();
        return detail::SharedNumbering<Keys>(keys, stretches, std::min(threads, kMostShares)).run();
    }
    detail::Numbering<Keys> numbering(keys);
    Room<std::uint32_t> codes(keys.size());
    numbering.number(codes.span(), [](std::size_t row) { return row; });
    return {std::move(codes), static_cast<std::uint32_t>(numbering.size())};
}

}  // namespace sash::batch
