//! Which values are in the window, approximately: a Bloom filter, never wrong about a value that is there.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sash/hash.hpp"
#include "sash/monoids/bit_array.hpp"

namespace sash {

//! The shape of a filter: how many bits, and how many of them a value sets. Partials and filters of one shape go
//! together.
class BloomShape {
public:
    static constexpr std::size_t kFewestBits = std::size_t{1} << 6;
    static constexpr std::size_t kMostBits = std::size_t{1} << 24;
    static constexpr unsigned kMostHashes = 16;

    BloomShape(std::size_t bits, unsigned hashes) : mask_(static_cast<std::uint32_t>(bits - 1)), hashes_(hashes) {
        if (!std::has_single_bit(bits) || bits < kFewestBits || bits > kMostBits)
            throw std::invalid_argument("bits must be a power of two from 64 to 16777216, not " + std::to_string(bits));
        if (hashes < 1 || hashes > kMostHashes)
            throw std::invalid_argument("hashes must be from 1 to 16, not " + std::to_string(hashes));
    }

    std::size_t bits() const { return std::size_t{mask_} + 1; }
    std::size_t words() const { return bits() / 64; }
    unsigned hashes() const { return hashes_; }
    //! The size class of a BitArray of that many bits; less than a line is a line.
    unsigned size_class() const { return static_cast<unsigned>(std::bit_width(mask_ / 512)); }
    friend bool operator==(const BloomShape&, const BloomShape&) = default;

    //! Calls f(bit) on each bit of a value: double hashing (Kirsch, Mitzenmacher 2006) from the two halves of its
    //! hash. The stride is odd and the width a power of two, so the bits are distinct.
    template <class F>
    void for_each_bit(Hash hash, F f) const {
        auto bit = static_cast<std::uint32_t>(hash);
        const auto stride = static_cast<std::uint32_t>(hash >> 32) | 1;
        for (unsigned i = 0; i < hashes_; ++i, bit += stride) f(std::size_t{bit & mask_});
    }

private:
    std::uint32_t mask_;
    unsigned hashes_;
};

//! A set of hashes as the windows keep it: none, one as it is, or the bit array of several. Most partials of a window
//! are single events, and those cost a hash, not an array.
//!
//! Which of the three it is depends on the hashes alone, not on the order in which they were combined: `one` when all
//! are equal, `several` when two differ.
struct BloomPartial {
    //! Present for several hashes only.
    BitArray array;
    //! The one hash; not read in the other two cases.
    Hash hash = 0;
    bool single = false;

    bool empty() const { return !single && !array; }
};

//! The result: a filter to query.
class BloomFilter {
public:
    BloomFilter(BloomShape shape, BloomPartial partial) : shape_(shape), partial_(std::move(partial)) {}

    //! Whether the value with this hash may be in. No means no; a wrong yes has about `false_positive_rate`.
    bool contains(Hash hash) const {
        bool all = true;
        shape_.for_each_bit(hash, [&](std::size_t bit) { all = all && test(bit); });
        return all;
    }

    const BloomShape& shape() const { return shape_; }
    std::size_t bits() const { return shape_.bits(); }
    bool empty() const { return partial_.empty(); }

    //! How many bits are set. O(bits).
    std::size_t bits_set() const {
        if (partial_.single) return shape_.hashes();
        std::size_t set = 0;
        for (std::size_t i = 0; partial_.array && i < shape_.words(); ++i)
            set += static_cast<std::size_t>(std::popcount(partial_.array.word(i)));
        return set;
    }

    //! How many distinct values are in, estimated from the bits set (Swamidass, Baldi 2007); infinite when all are.
    double estimated_count() const {
        const auto all = static_cast<double>(bits());
        const double share = static_cast<double>(bits_set()) / all;
        return share < 1.0 ? -all / shape_.hashes() * std::log1p(-share) : std::numeric_limits<double>::infinity();
    }

    //! The chance that a value that is not in is reported as in.
    double false_positive_rate() const {
        return std::pow(static_cast<double>(bits_set()) / static_cast<double>(bits()), shape_.hashes());
    }

    //! The bits, 64 a word, the lowest first.
    std::vector<std::uint64_t> words() const {
        std::vector<std::uint64_t> words(shape_.words());
        for (std::size_t i = 0; partial_.array && i < words.size(); ++i) words[i] = partial_.array.word(i);
        if (partial_.single)
            shape_.for_each_bit(partial_.hash,
                                [&](std::size_t bit) { words[bit / 64] |= std::uint64_t{1} << bit % 64; });
        return words;
    }

    friend bool operator==(const BloomFilter& a, const BloomFilter& b) {
        return a.shape_ == b.shape_ && a.words() == b.words();
    }

private:
    bool test(std::size_t bit) const {
        if (partial_.array) return partial_.array.test(bit);
        bool found = false;
        if (partial_.single) shape_.for_each_bit(partial_.hash, [&](std::size_t set) { found = found || set == bit; });
        return found;
    }

    BloomShape shape_;
    BloomPartial partial_;
};

//! The union of the events' values as a Bloom filter; an event enters as the hash of its value (hash.hpp).
//!
//! By default 2^14 bits and 3 of them a value: best for windows of about 4,000 distinct values (one wrong yes in 7),
//! and good for fewer (one in 200 for 1,000). Three keep an insert cheap; more pay off only where the bits outnumber
//! the values by far.
struct Bloom {
    using Input = Hash;
    using Partial = BloomPartial;
    using Output = BloomFilter;
    static constexpr bool commutative = true;
    static constexpr bool fallible = false;

    BloomShape shape{std::size_t{1} << 14, 3};

    Bloom() = default;
    explicit Bloom(std::size_t bits, unsigned hashes = 3) : shape(bits, hashes) {}

    Partial identity() const { return {}; }
    Partial lift(Input hash) const { return {{}, hash, true}; }

    Partial combine(const Partial& older, const Partial& newer) const {
        if (!older.array || !newer.array) {
            Partial both = newer.array ? newer : older;
            append(both, newer.array ? older : newer);
            return both;
        }
        Partial both{BitArray(shape.size_class()), 0, false};
        or_lines(both.array.lines(), older.array.lines(), newer.array.lines(), both.array.size());
        return both;
    }

    void append(Partial& older, const Partial& newer) const {
        if (older.array && newer.array) {
            or_lines(older.array.lines(), older.array.lines(), newer.array.lines(), older.array.size());
        } else if (newer.single) {
            add(older, newer.hash);
        } else if (newer.array) {
            absorb(older, newer.array);
        }
    }

    //! Or commutes.
    void prepend(const Partial& older, Partial& newer) const { append(newer, older); }

    Output lower(const Partial& partial) const { return {shape, partial}; }

    //! The partial whose bits are these, as BloomFilter::words gives them: of several hashes, or none at all.
    Partial from_words(std::span<const std::uint64_t> words) const {
        if (words.size() != shape.words())
            throw std::invalid_argument("a filter of " + std::to_string(shape.bits()) + " bits has " +
                                        std::to_string(shape.words()) + " words, not " + std::to_string(words.size()));
        if (std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; })) return identity();
        Partial partial{zeros(), 0, false};
        for (std::size_t i = 0; i < words.size(); ++i) partial.array.set_word(i, words[i]);
        return partial;
    }

private:
    BitArray zeros() const {
        BitArray array(shape.size_class());
        array.clear_bits();
        return array;
    }

    void set(BitArray& array, Hash hash) const {
        shape.for_each_bit(hash, [&](std::size_t bit) { array.set(bit); });
    }

    //! One more hash.
    void add(Partial& partial, Hash hash) const {
        if (partial.array) return set(partial.array, hash);
        if (!partial.single) {
            partial.hash = hash;
            partial.single = true;
        } else if (partial.hash != hash) {
            partial.array = zeros();
            set(partial.array, partial.hash);
            set(partial.array, hash);
            partial.single = false;
        }
    }

    //! Several more, into none or one: a copy, not an or.
    void absorb(Partial& partial, const BitArray& array) const {
        partial.array = array;
        if (partial.single) set(partial.array, partial.hash);
        partial.single = false;
    }
};

}  // namespace sash
