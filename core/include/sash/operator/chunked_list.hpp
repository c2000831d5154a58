//! A long list with access by place, in chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

namespace sash {

//! What comes in between moves the values of its chunk and one count a chunk behind it. Chunks know their places
//! from the first value that ever was, so that what is dropped in front moves nothing.
template <class T>
class ChunkedList {
public:
    //! For values before which so many were dropped.
    explicit ChunkedList(std::size_t dropped) : dropped_(dropped), end_(dropped) {}

    std::size_t size() const { return end_ - dropped_; }
    std::size_t dropped() const { return dropped_; }
    std::size_t bytes() const {
        std::size_t total = sizeof(*this) + chunks_.capacity() * sizeof(Chunk);
        for (const Chunk& chunk : chunks_) total += chunk.values.capacity() * sizeof(T);
        return total;
    }

    const T& operator[](std::size_t place) const {
        const std::size_t at = dropped_ + place;
        const Chunk& chunk = at >= chunks_.back().first ? chunks_.back() : seen_chunk(at);
        return chunk.values[at - chunk.first];
    }

    const T& back() const { return chunks_.back().values.back(); }

    //! How many values are earlier; they lie in front of all others. O(1) where it is little more than what was found
    //! last, as it is for a watermark that moves on.
    template <class Earlier>
    std::size_t before(Earlier earlier) const {
        if (const std::optional<std::size_t> found = near(earlier)) return *found;
        const auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                                [&](const Chunk& one) { return earlier(one.values.back()); });
        if (chunk == chunks_.end()) return size();
        // What was dropped may still lie in the first chunk.
        const auto kept = chunk->values.begin() + static_cast<std::ptrdiff_t>(first_kept(*chunk));
        const auto found = std::partition_point(kept, chunk->values.end(), earlier);
        found_ = {static_cast<std::size_t>(chunk - chunks_.begin()),
                  static_cast<std::size_t>(found - chunk->values.begin())};
        return chunk->first + found_.offset - dropped_;
    }

    void insert(std::size_t place, const T& value) {
        if (place == size()) return append(value);
        insert_between(place, value);
    }

    void erase(std::size_t place) {
        const std::size_t at = dropped_ + place;
        auto chunk = chunk_of(at);
        chunk->values.erase(chunk->values.begin() + static_cast<std::ptrdiff_t>(at - chunk->first));
        shift(chunk, std::size_t{0} - 1);
        --end_;
        if (chunk->values.empty()) chunks_.erase(chunk);
    }

    //! The first values go.
    void drop(std::size_t count) {
        dropped_ += count;
        auto kept = chunks_.begin();
        while (kept != chunks_.end() && kept->first + kept->values.size() <= dropped_) ++kept;
        chunks_.erase(chunks_.begin(), kept);
    }

    template <class F>
    void for_each(F f) {
        for (Chunk& chunk : chunks_)
            for (std::size_t i = first_kept(chunk); i < chunk.values.size(); ++i) f(chunk.values[i]);
    }
    template <class F>
    void for_each(F f) const {
        for (const Chunk& chunk : chunks_)
            for (std::size_t i = first_kept(chunk); i < chunk.values.size(); ++i) f(chunk.values[i]);
    }

private:
    static constexpr std::size_t kChunk = 256;
    static constexpr std::size_t kMost = 2 * kChunk;

    struct Chunk {
        std::vector<T> values;
        //! The place of its first value, counted from the first that ever was.
        std::size_t first;
    };
    using List = std::vector<Chunk>;

    struct Spot {
        std::size_t chunk;
        std::size_t offset;
    };

    std::size_t first_kept(const Chunk& chunk) const { return dropped_ > chunk.first ? dropped_ - chunk.first : 0; }

    //! Looks at a few values of one chunk, from where something was found last.
    template <class Earlier>
    std::optional<std::size_t> near(Earlier earlier) const {
        constexpr std::size_t kSteps = 4;
        auto [place, offset] = found_;
        if (place >= chunks_.size()) return std::nullopt;
        const Chunk& chunk = chunks_[place];
        if (offset <= first_kept(chunk) || offset >= chunk.values.size() || !earlier(chunk.values[offset - 1]))
            return std::nullopt;
        const std::size_t last = std::min(offset + kSteps, chunk.values.size());
        while (offset < last && earlier(chunk.values[offset])) ++offset;
        if (offset == last) return std::nullopt;
        found_.offset = offset;
        return chunk.first + offset - dropped_;
    }

    template <class Self>
    static auto find_chunk(Self& chunks, std::size_t at) {
        return std::prev(std::upper_bound(chunks.begin(), chunks.end(), at,
                                          [](std::size_t wanted, const Chunk& chunk) { return wanted < chunk.first; }));
    }
    typename List::const_iterator chunk_of(std::size_t at) const { return find_chunk(chunks_, at); }
    typename List::iterator chunk_of(std::size_t at) { return find_chunk(chunks_, at); }

    //! The chunk that was looked at last as a rule.
    const Chunk& seen_chunk(std::size_t at) const {
        const bool seen = seen_ < chunks_.size() && at - chunks_[seen_].first < chunks_[seen_].values.size();
        if (!seen) seen_ = static_cast<std::size_t>(chunk_of(at) - chunks_.begin());
        return chunks_[seen_];
    }

    //! Apart: nearly all values come at the end.
    [[gnu::noinline]] void insert_between(std::size_t place, const T& value) {
        auto chunk = chunk_of(dropped_ + place);
        const std::size_t offset = dropped_ + place - chunk->first;
        chunk->values.insert(chunk->values.begin() + static_cast<std::ptrdiff_t>(offset), value);
        shift(chunk, 1);
        ++end_;
        if (chunk->values.size() > kMost) split(chunk);
    }

    void append(const T& value) {
        if (chunks_.empty() || chunks_.back().values.size() >= kChunk) chunks_.push_back({{}, end_});
        chunks_.back().values.push_back(value);
        ++end_;
    }

    void shift(typename List::iterator chunk, std::size_t by) {
        for (auto later = std::next(chunk); later != chunks_.end(); ++later) later->first += by;
    }

    void split(typename List::iterator chunk) {
        const auto middle = chunk->values.begin() + static_cast<std::ptrdiff_t>(kChunk);
        Chunk behind{{middle, chunk->values.end()}, chunk->first + kChunk};
        chunk->values.erase(middle, chunk->values.end());
        chunks_.insert(std::next(chunk), std::move(behind));
    }

    List chunks_;
    std::size_t dropped_;
    std::size_t end_;
    //! What was found last, if nothing has come or gone before it.
    mutable Spot found_ = {};
    mutable std::size_t seen_ = 0;
};

}  // namespace sash
