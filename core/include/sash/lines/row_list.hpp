//! The events of one key in the order of their times, found by time and by place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "sash/time.hpp"

namespace sash::lines {

//! An event: when it was, which one it was, where its partial lies, and whether it has a value.
struct Row {
    Time ticks;
    std::int64_t number;
    Time label;
    bool null;
};

//! Rows sorted by ticks, then number, in chunks: a late row moves the rows of its chunk and one count a chunk behind
//! it. Places count from the first row that is left; `dropped` rows were there before it.
class RowList {
public:
    std::size_t size() const { return end_ - dropped_; }
    bool empty() const { return end_ == dropped_; }
    std::size_t dropped() const { return dropped_; }
    std::size_t bytes() const {
        std::size_t total = chunks_.capacity() * sizeof(Chunk);
        for (const Chunk& chunk : chunks_) total += chunk.rows.capacity() * sizeof(Row);
        return total;
    }

    const Row& operator[](std::size_t place) const {
        const std::size_t at = dropped_ + place;
        const Chunk& chunk = at >= chunks_.back().first ? chunks_.back() : *chunk_of(at);
        return chunk.rows[at - chunk.first];
    }
    const Row& front() const { return (*this)[0]; }
    const Row& back() const { return chunks_.back().rows.back(); }

    //! How many rows are at or before the ticks.
    std::size_t through(Time ticks) const {
        if (empty() || back().ticks <= ticks) return size();
        return before(ticks, std::numeric_limits<std::int64_t>::max());
    }
    //! How many rows are before the ticks.
    std::size_t until(Time ticks) const {
        if (empty() || back().ticks < ticks) return size();
        return before(ticks, std::numeric_limits<std::int64_t>::min());
    }
    //! Where a row is, or where it would be.
    std::size_t place_of(Time ticks, std::int64_t number) const {
        if (!empty() && back().number == number) return size() - 1;
        return before(ticks, number);
    }

    //! Behind all rows that are not later. Its number is the greatest so far.
    std::size_t insert(const Row& row) {
        if (empty() || back().ticks <= row.ticks) {
            append(row);
            return size() - 1;
        }
        const std::size_t place = through(row.ticks);
        auto chunk = chunk_of(dropped_ + place);
        const std::size_t offset = dropped_ + place - chunk->first;
        chunk->rows.insert(chunk->rows.begin() + static_cast<std::ptrdiff_t>(offset), row);
        shift(chunk, 1);
        ++end_;
        if (chunk->rows.size() > kMost) split(chunk);
        return place;
    }

    void erase(std::size_t place) {
        const std::size_t at = dropped_ + place;
        auto chunk = chunk_of(at);
        chunk->rows.erase(chunk->rows.begin() + static_cast<std::ptrdiff_t>(at - chunk->first));
        shift(chunk, std::size_t{0} - 1);
        --end_;
        if (chunk->rows.empty()) chunks_.erase(chunk);
    }

    //! The first rows go; places count from the next one on.
    void forget(std::size_t count) {
        dropped_ += count;
        auto kept = chunks_.begin();
        while (kept != chunks_.end() && kept->first + kept->rows.size() <= dropped_) ++kept;
        chunks_.erase(chunks_.begin(), kept);
    }

    //! Every row, which f may change as long as the order stays.
    template <class F>
    void for_each(F f) {
        for (Chunk& chunk : chunks_)
            for (std::size_t i = first_kept(chunk); i < chunk.rows.size(); ++i) f(chunk.rows[i]);
    }
    template <class F>
    void for_each(F f) const {
        for (const Chunk& chunk : chunks_)
            for (std::size_t i = first_kept(chunk); i < chunk.rows.size(); ++i) f(chunk.rows[i]);
    }

    //! A row behind all others, whatever its number; for a list that is read back.
    void append(const Row& row) {
        if (chunks_.empty() || chunks_.back().rows.size() >= kChunk) chunks_.push_back({{}, end_});
        chunks_.back().rows.push_back(row);
        ++end_;
    }
    //! That so many rows were there before; for an empty list.
    void start_at(std::size_t dropped) { dropped_ = end_ = dropped; }

private:
    static constexpr std::size_t kChunk = 256;
    static constexpr std::size_t kMost = 2 * kChunk;

    struct Chunk {
        std::vector<Row> rows;
        //! Its first row's place, counted from the first row that ever was.
        std::size_t first;
    };
    using Chunks = std::vector<Chunk>;

    std::size_t first_kept(const Chunk& chunk) const { return dropped_ > chunk.first ? dropped_ - chunk.first : 0; }

    template <class Self>
    static auto find_chunk(Self& chunks, std::size_t at) {
        return std::prev(std::upper_bound(chunks.begin(), chunks.end(), at,
                                          [](std::size_t wanted, const Chunk& chunk) { return wanted < chunk.first; }));
    }
    Chunks::const_iterator chunk_of(std::size_t at) const { return find_chunk(chunks_, at); }
    Chunks::iterator chunk_of(std::size_t at) { return find_chunk(chunks_, at); }

    //! How many rows come before one of that time and number.
    std::size_t before(Time ticks, std::int64_t number) const {
        const auto earlier = [&](const Row& row) {
            return row.ticks < ticks || (row.ticks == ticks && row.number < number);
        };
        const auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                                [&](const Chunk& one) { return earlier(one.rows.back()); });
        if (chunk == chunks_.end()) return size();
        // Rows that were dropped may still lie in the first chunk.
        const auto kept = chunk->rows.begin() + static_cast<std::ptrdiff_t>(first_kept(*chunk));
        const auto row = std::partition_point(kept, chunk->rows.end(), earlier);
        return chunk->first + static_cast<std::size_t>(row - chunk->rows.begin()) - dropped_;
    }

    void shift(Chunks::iterator chunk, std::size_t by) {
        for (auto later = std::next(chunk); later != chunks_.end(); ++later) later->first += by;
    }

    void split(Chunks::iterator chunk) {
        const auto middle = chunk->rows.begin() + static_cast<std::ptrdiff_t>(kChunk);
        Chunk behind{{middle, chunk->rows.end()}, chunk->first + kChunk};
        chunk->rows.erase(middle, chunk->rows.end());
        chunks_.insert(std::next(chunk), std::move(behind));
    }

    Chunks chunks_;
    std::size_t dropped_ = 0;
    std::size_t end_ = 0;
};

}  // namespace sash::lines
