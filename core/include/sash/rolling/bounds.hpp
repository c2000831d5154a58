//! Which rows are in the window of each row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "sash/number.hpp"
#include "sash/rolling/order.hpp"

namespace sash::rolling {

//! Which ends of a window are in it.
struct Ends {
    bool start = false;
    bool end = true;
};

//! The window of a row is the positions [first, last) of its own key. Neither goes back from one position to the next,
//! over the borders of keys too, unless the rows are taken in their order of arrival.
struct Bounds {
    Room<Position> first;
    //! Empty where each window ends at its own row.
    Room<Position> last;
    //! Whether that row is in.
    bool with_own = true;
    //! Every window has its own row in it, so none is empty.
    bool never_empty = true;
    //! How many rows each window has, where they are counted and the own row is the last; 0 for any other window.
    std::size_t rows = 0;

    Position end(std::size_t position) const {
        return last.empty() ? static_cast<Position>(position + with_own) : last[position];
    }
};

//! Times that are integers: an event is out once it is `length` old, or older than that where the start is in.
class IntegerReach {
public:
    IntegerReach(std::int64_t length, bool start_in) : out_(static_cast<std::uint64_t>(length) + start_in) {}
    Time limit(Time now) const { return now; }
    //! Differences of 64-bit times fit in 64 bits without a sign, so nothing overflows.
    bool out(Time time, Time now) const {
        return static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(time) >= out_;
    }

private:
    std::uint64_t out_;
};

//! Times that are the codes of floats. An event is never out of a window that ends at its own time, even where
//! now - length is rounded to now.
class RealReach {
public:
    RealReach(double length, bool start_in) : length_(length), start_in_(start_in) {}
    Time limit(Time now) const {
        const Time start = encode_real(decode_real(now) - length_);
        return start_in_ ? start - 1 : std::min(start, now - 1);
    }
    bool out(Time time, Time limit) const { return time <= limit; }

private:
    double length_;
    bool start_in_;
};

//! Calls f(begin, end) for each key that has rows.
template <class F>
void for_each_group(const Order& order, F f) {
    const auto groups = order.groups();
    for (std::size_t key = 0; key + 1 < groups.size(); ++key)
        if (groups[key] != groups[key + 1]) f(groups[key], groups[key + 1]);
}

namespace detail {

//! The first row in the window of each of the rows [from, to) of a key that begins at `begin`, walked by several hands
//! at once. How many rows leave at a step cannot be foreseen, so one hand would wait for each comparison; the others
//! work meanwhile. Most steps need no more than three comparisons, and those are made without a branch.
template <class Reach>
class FirstFinder {
public:
    FirstFinder(const Order& order, const Reach& reach, Position* first)
        : times_(order.times().data()), reach_(reach), first_(first) {}

    void find(Position begin, Position end) const {
        const Position stretch = (end - begin) / kHands;
        if (stretch < kWorthHands) return walk(begin, begin, end);
        const Position start = together(begin, stretch, std::make_integer_sequence<Position, kHands>());
        walk(start, begin + kHands * stretch, end);
    }

private:
    static constexpr Position kHands = 4;
    static constexpr Position kWorthHands = 64;

    void walk(Position start, Position from, Position to) const {
        for (Position i = from; i != to; ++i) {
            const Time limit = reach_.limit(times_[i]);
            while (reach_.out(times_[start], limit)) ++start;
            first_[i] = start;
        }
    }

    //! Each hand walks a stretch of its own. Returns where the last one stands.
    template <Position... Hand>
    Position together(Position begin, Position stretch, std::integer_sequence<Position, Hand...>) const {
        Position start[] = {search(begin, begin + Hand * stretch)...};
        for (Position i = begin; i != begin + stretch; ++i)
            ((start[Hand] = step(start[Hand], i + Hand * stretch)), ...);
        return start[sizeof...(Hand) - 1];
    }

    //! The row itself is never out, so the start cannot pass it.
    Position step(Position start, Position i) const {
        const Time limit = reach_.limit(times_[i]);
        start += reach_.out(times_[start], limit);
        start += reach_.out(times_[start], limit);
        start += reach_.out(times_[start], limit);
        while (reach_.out(times_[start], limit)) ++start;
        return first_[i] = start;
    }

    Position search(Position begin, Position i) const {
        const Time limit = reach_.limit(times_[i]);
        const auto found =
            std::partition_point(times_ + begin, times_ + i, [&](Time time) { return reach_.out(time, limit); });
        return static_cast<Position>(found - times_);
    }

    const Time* times_;
    Reach reach_;
    Position* first_;
};

//! The end of the peers of each row, or their beginning where the end is out.
inline Room<Position> find_lasts(const Order& order, bool end_in) {
    const auto times = order.times();
    Room<Position> last(order.size());
    for_each_group(order, [&](Position begin, Position end) {
        Position from = begin;
        while (from != end) {
            Position to = from + 1;
            while (to != end && times[to] == times[from]) ++to;
            std::fill(last.data() + from, last.data() + to, end_in ? to : from);
            from = to;
        }
    });
    return last;
}

}  // namespace detail

//! Rows with one time are peers and see each other, or else each row sees those before it.
template <class Reach>
Bounds time_window(const Order& order, const Reach& reach, Ends ends, bool peers) {
    Bounds bounds;
    bounds.with_own = ends.end;
    bounds.never_empty = ends.end;
    bounds.first = Room<Position>(order.size());
    const detail::FirstFinder<Reach> finder(order, reach, bounds.first.data());
    for_each_group(order, [&](Position begin, Position end) { finder.find(begin, end); });
    if (peers && order.has_peers()) bounds.last = detail::find_lasts(order, ends.end);
    return bounds;
}

//! The last `rows` rows, its own the last of them. As in pandas, a start that is in adds a row before them, and an end
//! that is out takes the row itself away.
inline Bounds count_window(const Order& order, std::size_t rows, Ends ends) {
    Bounds bounds;
    bounds.with_own = ends.end;
    bounds.never_empty = ends.end;
    bounds.first = Room<Position>(order.size());
    const std::size_t before = rows - 1 + ends.start;
    for_each_group(order, [&](Position begin, Position end) {
        for (Position i = begin; i != end; ++i)
            bounds.first[i] = i - static_cast<Position>(std::min<std::size_t>(i - begin, before));
    });
    if (ends.end) bounds.rows = before + 1;
    return bounds;
}

//! Everything from the last row with a mark on; the first row of a key has one. For windows that follow one another.
inline Bounds stretch_window(const Order& order, std::span<const std::uint8_t> begins, bool peers) {
    Bounds bounds;
    bounds.first = Room<Position>(order.size());
    for_each_group(order, [&](Position begin, Position end) {
        Position start = begin;
        for (Position i = begin; i != end; ++i) {
            if (begins[i]) start = i;
            bounds.first[i] = start;
        }
    });
    if (peers && order.has_peers()) bounds.last = detail::find_lasts(order, true);
    return bounds;
}

//! Everything since a time; nothing for the rows before it.
inline Bounds landmark_window(const Order& order, Time since, bool peers) {
    Bounds bounds;
    bounds.never_empty = false;
    bounds.first = Room<Position>(order.size());
    if (peers && order.has_peers()) bounds.last = detail::find_lasts(order, true);
    const auto times = order.times();
    for_each_group(order, [&](Position begin, Position end) {
        const auto start =
            static_cast<Position>(std::lower_bound(times.begin() + begin, times.begin() + end, since) - times.begin());
        for (Position i = begin; i != end; ++i) bounds.first[i] = std::min(start, bounds.end(i));
    });
    return bounds;
}

}  // namespace sash::rolling
