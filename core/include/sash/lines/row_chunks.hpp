//! Many rows of one key, in chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "sash/lines/row.hpp"

namespace sash::lines {

//! A row that comes late moves the rows of its chunk and one count a chunk behind it. Chunks know their places from the
//! first row that ever was, so that what is dropped in front moves nothing.
class RowChunks {
public:
    //! For rows before which so many were dropped.
    explicit RowChunks(std::size_t dropped) : dropped_(dropped), end_(dropped) {}

    std::size_t size() const { return end_ - dropped_; }
    std::size_t dropped() const { return dropped_; }
    std::size_t bytes() const {
        std::size_t total = sizeof(*this) + chunks_.capacity() * sizeof(Chunk);
        for (const Chunk& chunk : chunks_) total += chunk.rows.capacity() * sizeof(Row);
        return total;
    }

    const Row& operator[](std::size_t place) const {
        const std::size_t at = dropped_ + place;
        const Chunk& chunk = at >= chunks_.back().first ? chunks_.back() : *chunk_of(at);
        return chunk.rows[at - chunk.first];
    }

    //! How many rows are earlier; they lie in front of all others.
    template <class Earlier>
    std::size_t before(Earlier earlier) const {
        const auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                                [&](const Chunk& one) { return earlier(one.rows.back()); });
        if (chunk == chunks_.end()) return size();
        // Rows that were dropped may still lie in the first chunk.
        const auto kept = chunk->rows.begin() + static_cast<std::ptrdiff_t>(first_kept(*chunk));
        const auto row = std::partition_point(kept, chunk->rows.end(), earlier);
        return chunk->first + static_cast<std::size_t>(row - chunk->rows.begin()) - dropped_;
    }

    void insert(std::size_t place, const Row& row) {
        if (place == size()) return append(row);
        auto chunk = chunk_of(dropped_ + place);
        const std::size_t offset = dropped_ + place - chunk->first;
        chunk->rows.insert(chunk->rows.begin() + static_cast<std::ptrdiff_t>(offset), row);
        shift(chunk, 1);
        ++end_;
        if (chunk->rows.size() > kMost) split(chunk);
    }

    void erase(std::size_t place) {
        const std::size_t at = dropped_ + place;
        auto chunk = chunk_of(at);
        chunk->rows.erase(chunk->rows.begin() + static_cast<std::ptrdiff_t>(at - chunk->first));
        shift(chunk, std::size_t{0} - 1);
        --end_;
        if (chunk->rows.empty()) chunks_.erase(chunk);
    }

    //! The first rows go.
    void forget(std::size_t count) {
        dropped_ += count;
        auto kept = chunks_.begin();
        while (kept != chunks_.end() && kept->first + kept->rows.size() <= dropped_) ++kept;
        chunks_.erase(chunks_.begin(), kept);
    }

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

    void append(const Row& row) {
        if (chunks_.empty() || chunks_.back().rows.size() >= kChunk) chunks_.push_back({{}, end_});
        chunks_.back().rows.push_back(row);
        ++end_;
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
    std::size_t dropped_;
    std::size_t end_;
};

}  // namespace sash::lines
