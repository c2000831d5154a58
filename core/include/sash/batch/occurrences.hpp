//! How often each value occurs in a window: how many different ones there are, and which occurs most often.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sash/batch/column.hpp"
#include "sash/batch/exact.hpp"
#include "sash/batch/spans.hpp"

namespace sash::batch {

//! Values as codes below `count`, by position.
struct CodedColumn {
    std::span<const std::uint32_t> codes;
    std::size_t count;
    const Presence& presence;
};

//! How many different codes a window has: counted up as rows enter and down as they leave.
class DistinctWindow {
public:
    explicit DistinctWindow(const CodedColumn& column) : codes_(column.codes), often_(column.count, 0) {}

    void reset(std::size_t, std::size_t) {}
    void enter(std::size_t position) { different_ += often_[codes_[position]]++ == 0; }
    void leave(std::size_t position) { different_ -= --often_[codes_[position]] == 0; }
    std::int64_t result() const { return different_; }

private:
    std::span<const std::uint32_t> codes_;
    std::vector<Position> often_;
    std::int64_t different_ = 0;
};

//! Which code a window has most often; of several the one that appears first. A tournament of all codes: a change of
//! one plays its way up, O(log n).
class ModeWindow {
public:
    explicit ModeWindow(const CodedColumn& column)
        : codes_(column.codes),
          presence_(&column.presence),
          often_(column.count + 1, 0),
          first_(column.count + 1, 0),
          leaves_(std::bit_ceil(column.count)) {
        // One code more, which never occurs, has the places that no code has.
        best_.assign(2 * leaves_, static_cast<std::uint32_t>(column.count));
        for (std::size_t code = 0; code < column.count; ++code)
            best_[leaves_ + code] = static_cast<std::uint32_t>(code);
    }

    //! [begin, end) is what the window may hold from here on; it holds nothing now.
    void reset(std::size_t begin, std::size_t end) {
        begin_ = begin;
        next_.resize(end - begin);
        for (std::size_t i = end; i-- != begin;) {
            if (!(*presence_)[i]) continue;
            next_[i - begin] = first_[codes_[i]];
            first_[codes_[i]] = static_cast<Position>(i);
        }
    }
    void enter(std::size_t position) {
        const std::uint32_t code = codes_[position];
        if (often_[code]++ == 0) first_[code] = static_cast<Position>(position);
        play(code);
    }
    void leave(std::size_t position) {
        const std::uint32_t code = codes_[position];
        --often_[code];
        first_[code] = next_[position - begin_];
        play(code);
    }
    //! The position at which it appears first.
    std::int64_t result() const {
        const std::uint32_t best = best_[1];
        return often_[best] == 0 ? kNoRow : std::int64_t{first_[best]};
    }

private:
    std::uint32_t winner(std::uint32_t one, std::uint32_t other) const {
        if (often_[one] != often_[other]) return often_[one] > often_[other] ? one : other;
        return first_[one] <= first_[other] ? one : other;
    }
    void play(std::uint32_t code) {
        for (std::size_t at = (leaves_ + code) / 2; at != 0; at /= 2) {
            const std::uint32_t best = winner(best_[2 * at], best_[2 * at + 1]);
            // Who wins against the code whatever it has become, wins above too.
            if (best == best_[at] && best != code) return;
            best_[at] = best;
        }
    }

    std::span<const std::uint32_t> codes_;
    const Presence* presence_;
    std::vector<Position> often_;
    //! Where each code appears first in the window, while it is there.
    std::vector<Position> first_;
    //! Where the code of a position appears next, if it does.
    std::vector<Position> next_;
    std::size_t begin_ = 0;
    std::size_t leaves_;
    //! The winner below each node; the codes themselves from `leaves_` on.
    std::vector<std::uint32_t> best_;
};

//! Where each code of a window appears first: a bit for each position, and one for each word of such bits that has any.
//! So they are found in order, whatever comes and goes between them, and far apart as they may lie.
class FirstPlaces {
public:
    explicit FirstPlaces(const CodedColumn& column)
        : codes_(column.codes), presence_(&column.presence), often_(column.count, 0), later_(column.count, 0) {}

    //! [begin, end) is what the window may hold from here on; it holds nothing now.
    void reset(std::size_t begin, std::size_t end) {
        begin_ = begin;
        bits_.assign((end - begin) / kBits + 1, 0);
        used_.assign(bits_.size() / kBits + 1, 0);
        next_.resize(end - begin);
        for (std::size_t i = end; i-- != begin;)
            if ((*presence_)[i]) next_[i - begin] = std::exchange(later_[codes_[i]], static_cast<Position>(i));
        oldest_ = behind_ = begin;
    }
    void enter(std::size_t position) {
        if (often_[codes_[position]]++ == 0) flip(position);
        behind_ = position + 1;
    }
    //! The oldest of a window is the first with its code.
    void leave(std::size_t position) {
        flip(position);
        if (--often_[codes_[position]] != 0) flip(next_[position - begin_]);
        oldest_ = position + 1;
    }
    //! Calls f(position) for each, oldest first.
    template <class F>
    void each(F f) const {
        const std::size_t end = (behind_ - begin_) / (kBits * kBits) + 1;
        for (std::size_t group = (oldest_ - begin_) / (kBits * kBits); group < end; ++group)
            for_each_bit(used_[group], [&](std::size_t word) {
                const std::size_t place = group * kBits + word;
                for_each_bit(bits_[place], [&](std::size_t bit) { f(begin_ + place * kBits + bit); });
            });
    }

private:
    static constexpr std::size_t kBits = 64;

    template <class F>
    static void for_each_bit(std::uint64_t word, F f) {
        for (; word != 0; word &= word - 1) f(static_cast<std::size_t>(std::countr_zero(word)));
    }
    void flip(std::size_t position) {
        const std::size_t place = (position - begin_) / kBits;
        const std::uint64_t before = bits_[place];
        bits_[place] ^= std::uint64_t{1} << (position - begin_) % kBits;
        if (before == 0 || bits_[place] == 0) used_[place / kBits] ^= std::uint64_t{1} << place % kBits;
    }

    std::span<const std::uint32_t> codes_;
    const Presence* presence_;
    std::vector<Position> often_;
    //! While a stretch is prepared: where each code was seen last, from its end.
    std::vector<Position> later_;
    //! Where the code of a position appears next, if it does.
    std::vector<Position> next_;
    std::vector<std::uint64_t> bits_, used_;
    std::size_t begin_ = 0;
    //! All bits lie in [oldest, behind).
    std::size_t oldest_ = 0, behind_ = 0;
};

//! Calls emit(position, window) for each row, with the codes of its window. Bounds that never go back are needed.
template <class Window, class Emit>
void slide_codes(const Order& order, const CodedColumn& column, const Bounds& bounds, std::size_t threads, Emit emit) {
    const std::vector<Stretch> stretches = cut_exactly(bounds);
    in_parallel(stretches.size(), std::min(threads, order.threads()), [&] {
        return [&, window = Window(column)](std::size_t task) mutable {
            const auto [begin, end] = stretches[task];
            const Presence& there = column.presence;
            Position left = bounds.first[begin], entered = left;
            window.reset(left, bounds.end(end - 1));
            for (std::size_t i = begin; i < end; ++i) {
                for (const Position to = bounds.end(i); entered < to; ++entered)
                    if (there[entered]) window.enter(entered);
                for (const Position to = bounds.first[i]; left < to; ++left)
                    if (there[left]) window.leave(left);
                emit(i, window);
            }
            for (; left < entered; ++left)
                if (there[left]) window.leave(left);
        };
    });
}

}  // namespace sash::batch
