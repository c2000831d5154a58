//! A set of small numbers that knows its k-th member: which ranks are in the window.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sash::batch {

//! One bit a number, with counts of members a word, a block of 64 words and a group of 64 blocks. To put one in or take
//! it out is four additions. A `RankCursor` finds the k-th member from where it found the last one.
class RankSet {
public:
    static constexpr std::size_t kFan = 64;

    //! Holds none of the numbers below `size`.
    void reset(std::size_t size) {
        // One more than are needed, so that the end of all numbers has a word too.
        const std::size_t words = size / kFan + 1;
        words_.assign(words, 0);
        in_word_.assign(words, 0);
        in_block_.assign(words / kFan + 1, 0);
        in_group_.assign(words / (kFan * kFan) + 1, 0);
        size_ = 0;
    }

    std::size_t size() const { return size_; }
    void add(std::size_t number) { change(number, 1); }
    void remove(std::size_t number) { change(number, -1); }
    bool has(std::size_t number) const { return (words_[number / kFan] >> (number % kFan) & 1) != 0; }

    //! How many members are below the number. O(size / 64^3), and at most 3 * 64 additions.
    std::size_t below(std::size_t number) const {
        const std::size_t word = number / kFan, block = word / kFan, group = block / kFan;
        std::size_t count = 0;
        for (std::size_t i = 0; i < group; ++i) count += in_group_[i];
        for (std::size_t i = group * kFan; i < block; ++i) count += in_block_[i];
        for (std::size_t i = block * kFan; i < word; ++i) count += in_word_[i];
        const std::uint64_t before = words_[word] & ((std::uint64_t{1} << (number % kFan)) - 1);
        return count + static_cast<std::size_t>(std::popcount(before));
    }

private:
    friend class RankCursor;

    void change(std::size_t number, int by) {
        const std::size_t word = number / kFan;
        words_[word] ^= std::uint64_t{1} << (number % kFan);
        in_word_[word] = static_cast<std::uint8_t>(in_word_[word] + by);
        in_block_[word / kFan] += static_cast<std::uint32_t>(by);
        in_group_[word / (kFan * kFan)] += static_cast<std::uint32_t>(by);
        size_ += static_cast<std::size_t>(by);
    }

    std::vector<std::uint64_t> words_;
    std::vector<std::uint8_t> in_word_;
    std::vector<std::uint32_t> in_block_;
    std::vector<std::uint32_t> in_group_;
    std::size_t size_ = 0;
};

//! A place in a set, which stays near what was asked for last: as a window slides, its k-th value moves little. However
//! far it moves, whole blocks and groups are stepped over.
class RankCursor {
public:
    //! Called at every change of the set.
    void changed(std::size_t number, int by) {
        if (number / RankSet::kFan < word_) before_ += static_cast<std::size_t>(by);
    }

    //! The k-th member, from 0; there are more than k. O(1) for what is near, at most O(size / 64^3) + 256 steps.
    std::size_t seek(const RankSet& set, std::size_t k) {
        while (k < before_) back(set, k);
        while (k >= before_ + set.in_word_[word_]) forth(set, k);
        return word_ * RankSet::kFan + place_in(set.words_[word_], k - before_);
    }

private:
    static constexpr std::size_t kBlock = RankSet::kFan, kGroup = kBlock * RankSet::kFan;

    void back(const RankSet& set, std::size_t k) {
        if (word_ % kGroup == 0 && before_ - set.in_group_[word_ / kGroup - 1] > k) {
            word_ -= kGroup;
            before_ -= set.in_group_[word_ / kGroup];
        } else if (word_ % kBlock == 0 && before_ - set.in_block_[word_ / kBlock - 1] > k) {
            word_ -= kBlock;
            before_ -= set.in_block_[word_ / kBlock];
        } else {
            before_ -= set.in_word_[--word_];
        }
    }

    void forth(const RankSet& set, std::size_t k) {
        if (word_ % kGroup == 0 && before_ + set.in_group_[word_ / kGroup] <= k) {
            before_ += set.in_group_[word_ / kGroup];
            word_ += kGroup;
        } else if (word_ % kBlock == 0 && before_ + set.in_block_[word_ / kBlock] <= k) {
            before_ += set.in_block_[word_ / kBlock];
            word_ += kBlock;
        } else {
            before_ += set.in_word_[word_++];
        }
    }

    //! Where the k-th bit of a word is: by halves of it, whose bits are counted all at once.
    static std::size_t place_in(std::uint64_t word, std::size_t k) {
        const std::uint64_t pairs = word - ((word >> 1) & 0x5555'5555'5555'5555U);
        const std::uint64_t fours = (pairs & 0x3333'3333'3333'3333U) + ((pairs >> 2) & 0x3333'3333'3333'3333U);
        const std::uint64_t bytes = (fours + (fours >> 4)) & 0x0f0f'0f0f'0f0f'0f0fU;
        // Byte i has how many bits the bytes up to it have.
        const std::uint64_t upto = bytes * 0x0101'0101'0101'0101U;
        // The top bit of byte i stays where k is not below that.
        const std::uint64_t passed = ((k * 0x0101'0101'0101'0101U | kTops) - upto) & kTops;
        const auto byte = static_cast<std::size_t>(((passed >> 7) * 0x0101'0101'0101'0101U) >> 56);
        std::uint64_t rest = (word >> (8 * byte)) & 0xff;
        for (k -= byte == 0 ? 0 : (upto >> (8 * (byte - 1))) & 0xff; k != 0; --k) rest &= rest - 1;
        return 8 * byte + static_cast<std::size_t>(std::countr_zero(rest));
    }

    static constexpr std::uint64_t kTops = 0x8080'8080'8080'8080U;

    std::size_t word_ = 0;
    //! How many members are below its first number.
    std::size_t before_ = 0;
};

}  // namespace sash::batch
