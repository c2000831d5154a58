//! How the partials of the built-in monoids are written, field by field. No padding, no addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "sash/monoids/arg.hpp"
#include "sash/monoids/bits.hpp"
#include "sash/monoids/bloom.hpp"
#include "sash/monoids/both.hpp"
#include "sash/monoids/collect.hpp"
#include "sash/monoids/count.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/event_count.hpp"
#include "sash/monoids/extrema.hpp"
#include "sash/monoids/mean.hpp"
#include "sash/monoids/mirrored.hpp"
#include "sash/monoids/moments.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/monoids/text.hpp"
#include "sash/snapshot.hpp"

namespace sash {

//! The most events that one partial may claim: far beyond any window, and far from overflow when many are added up.
inline constexpr std::int64_t kMostEvents = std::int64_t{1} << 40;

//! The fields of a partial, in the order of the format. Declared once, they serve writing and reading.
inline auto fields(std::int64_t& partial) {
    return std::tie(partial);
}
inline auto fields(double& partial) {
    return std::tie(partial);
}
inline auto fields(std::vector<Cell>& partial) {
    return std::tie(partial);
}
inline auto fields(Concat::Partial& partial) {
    return std::tie(partial.text, partial.present);
}
inline auto fields(Mean::Partial& partial) {
    return std::make_tuple(std::ref(partial.sum), EventCount{partial.count});
}
inline auto fields(Moments::Partial& partial) {
    return std::make_tuple(std::ref(partial.mean), std::ref(partial.spread), EventCount{partial.count});
}
inline auto fields(MinCount::Partial& partial) {
    return std::make_tuple(std::ref(partial.extreme), EventCount{partial.count});
}
inline auto fields(MaxCount::Partial& partial) {
    return std::make_tuple(std::ref(partial.extreme), EventCount{partial.count});
}
inline auto fields(Range::Partial& partial) {
    return std::tie(partial.least, partial.greatest);
}
inline auto fields(First<Cell>::Partial& partial) {
    return std::tie(partial.value, partial.present);
}
inline auto fields(Last<Cell>::Partial& partial) {
    return std::tie(partial.value, partial.present);
}
inline auto fields(ArgMin<Cell>::Partial& partial) {
    return std::tie(partial.key, partial.argument, partial.present);
}
inline auto fields(ArgMax<Cell>::Partial& partial) {
    return std::tie(partial.key, partial.argument, partial.present);
}

namespace detail {

inline void write_field(Writer& writer, std::int64_t field) {
    writer.i64(field);
}
inline void write_field(Writer& writer, double field) {
    writer.real(field);
}
inline void write_field(Writer& writer, bool field) {
    writer.flag(field);
}
inline void write_field(Writer& writer, EventCount field) {
    writer.i64(field.value);
}
inline void write_field(Writer& writer, const std::string& field) {
    writer.text(field);
}
inline void write_field(Writer& writer, const std::vector<Cell>& field) {
    writer.u64(field.size());
    for (const Cell cell : field) writer.i64(cell);
}

inline void read_field(Reader& reader, std::int64_t& field) {
    field = reader.i64();
}
inline void read_field(Reader& reader, double& field) {
    field = reader.real();
}
inline void read_field(Reader& reader, bool& field) {
    field = reader.flag();
}
inline void read_field(Reader& reader, EventCount field) {
    field.value = reader.i64();
    if (field.value < 0 || field.value > kMostEvents) throw DamagedSnapshot("a count of events is out of range");
}
inline void read_field(Reader& reader, std::string& field) {
    field = reader.text();
}
inline void read_field(Reader& reader, std::vector<Cell>& field) {
    field.resize(reader.count(sizeof(Cell)));
    for (Cell& cell : field) cell = reader.i64();
}

}  // namespace detail

//! Every monoid's partials, by their fields.
template <class M>
struct Codec {
    static void write(Writer& writer, const M&, typename M::Partial partial) {
        std::apply([&](auto&&... field) { (detail::write_field(writer, field), ...); }, fields(partial));
    }
    static typename M::Partial read(Reader& reader, const M& monoid) {
        typename M::Partial partial = monoid.identity();
        std::apply([&](auto&&... field) { (detail::read_field(reader, field), ...); }, fields(partial));
        return partial;
    }
};

//! A count is a whole partial of Count.
template <>
struct Codec<Count> {
    static void write(Writer& writer, const Count&, Count::Partial partial) { writer.i64(partial); }
    static Count::Partial read(Reader& reader, const Count&) {
        Count::Partial partial = 0;
        detail::read_field(reader, EventCount{partial});
        return partial;
    }
};

//! The number that it is, in two words.
template <>
struct Codec<SumWide> {
    static void write(Writer& writer, const SumWide&, const SumWide::Partial& partial) {
        writer.u64(partial.low);
        writer.i64(partial.high);
    }
    static SumWide::Partial read(Reader& reader, const SumWide&) {
        const std::uint64_t low = reader.u64();
        const std::int64_t high = reader.i64();
        // No sum of as many events as there may be goes further.
        if (high < -kMostEvents || high > kMostEvents) throw DamagedSnapshot("a sum is out of range");
        return {low, high};
    }
};

template <>
struct Codec<ProductInt> {
    static void write(Writer& writer, const ProductInt&, const ProductInt::Partial& partial) {
        writer.u64(partial.size);
        writer.flag(partial.sign < 0);
    }
    static ProductInt::Partial read(Reader& reader, const ProductInt&) {
        const std::uint64_t size = reader.u64();
        const bool negative = reader.flag();
        const bool lost = size > ProductInt::kMost;
        if ((lost && size != ProductInt::kLost) || (negative && (lost || size == 0)))
            throw DamagedSnapshot("a product is out of range");
        return {size, negative ? -1 : 1};
    }
};

template <>
struct Codec<MarkedExtremes> {
    static void write(Writer& writer, const MarkedExtremes&, const MarkedExtremes::Partial& partial) {
        writer.i64(partial.cell);
        writer.flag(partial.present != 0);
    }
    static MarkedExtremes::Partial read(Reader& reader, const MarkedExtremes& monoid) {
        const Cell cell = reader.i64();
        const bool present = reader.flag();
        return present ? MarkedExtremes::Partial{cell, 1} : monoid.identity();
    }
};

template <>
struct Codec<MarkedProductReal> {
    static void write(Writer& writer, const MarkedProductReal&, const MarkedProductReal::Partial& partial) {
        writer.real(partial.product);
        writer.flag(partial.present != 0);
    }
    static MarkedProductReal::Partial read(Reader& reader, const MarkedProductReal&) {
        const double product = reader.real();
        return {product, reader.flag()};
    }
};

// Over both kinds: each apart, and which of them there are. How many there are depends on how they came to be there.

template <class M>
struct Codec<OfBoth<M>> {
    using Partial = typename OfBoth<M>::Partial;
    static void write(Writer& writer, const OfBoth<M>& monoid, const Partial& partial) {
        Codec<M>::write(writer, monoid.monoid, partial.numbers);
        writer.i64(partial.kinds);
    }
    static Partial read(Reader& reader, const OfBoth<M>& monoid) {
        const auto numbers = Codec<M>::read(reader, monoid.monoid);
        const std::int64_t kinds = reader.i64();
        if (kinds < 0 || kinds > (kIntegers | kReals)) throw DamagedSnapshot("there are two kinds of numbers");
        return {numbers, kinds};
    }
};

template <>
struct Codec<SumBoth> {
    static void write(Writer& writer, const SumBoth&, const SumBoth::Partial& partial) {
        Codec<SumWide>::write(writer, {}, partial.integers);
        writer.real(partial.reals);
        writer.flag(partial.real_count != 0);
    }
    static SumBoth::Partial read(Reader& reader, const SumBoth&) {
        const SumWide::Partial integers = Codec<SumWide>::read(reader, {});
        const double reals = reader.real();
        return {integers, reals, reader.flag()};
    }
};

template <>
struct Codec<ProductBoth> {
    static void write(Writer& writer, const ProductBoth&, const ProductBoth::Partial& partial) {
        Codec<ProductInt>::write(writer, {}, partial.integers);
        writer.real(partial.all);
        writer.flag(partial.real != 0);
    }
    static ProductBoth::Partial read(Reader& reader, const ProductBoth&) {
        const ProductInt::Partial integers = Codec<ProductInt>::read(reader, {});
        const double all = reader.real();
        return {integers, all, reader.flag()};
    }
};

//! One hash, or the bits of several.
template <>
struct Codec<Bloom> {
    static void write(Writer& writer, const Bloom& monoid, const Bloom::Partial& partial) {
        writer.flag(partial.single);
        if (partial.single) return writer.u64(partial.hash);
        for (const std::uint64_t word : monoid.lower(partial).words()) writer.u64(word);
    }
    static Bloom::Partial read(Reader& reader, const Bloom& monoid) {
        if (reader.flag()) return monoid.lift(reader.u64());
        Reader bits(reader.raw(monoid.shape.words() * sizeof(std::uint64_t)));
        std::vector<std::uint64_t> words(monoid.shape.words());
        for (std::uint64_t& word : words) word = bits.u64();
        return monoid.from_words(words);
    }
};

}  // namespace sash
