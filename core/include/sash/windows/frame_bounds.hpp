//! Window bounds over a whole frame: which rows are in the window of each row, found once for all aggregations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sash/batch/order.hpp"
#include "sash/number.hpp"
#include "sash/windows/bounds.hpp"
#include "sash/windows/length.hpp"
#include "sash/windows/policy.hpp"
#include "sash/windows/session_starts.hpp"
#include "sash/windows/steps.hpp"

namespace sash::batch {

//! Which ends of a window are in it.
struct Ends {
    bool start = false;
    bool end = true;
};

//! The window of a row is the positions [first, last) of its own key. Neither goes back from one position to the next,
//! over the borders of keys too, unless the rows are taken in their order of arrival.
struct Bounds {
    //! Empty where each pass finds them anew.
    Room<Position> first;
    //! Empty where each window ends at its own row.
    Room<Position> last;
    //! Whether that row is in.
    bool with_own = true;
    //! Every window has its own row in it, so none is empty.
    bool never_empty = true;
    //! How many rows each window has, where they are counted and the own row is the last; 0 for any other window.
    std::size_t rows = 0;
    //! How many windows are not found yet.
    std::size_t unfound = 0;
    //! Writes the first position of each window of a stretch, where they are not.
    std::function<void(Stretch, Position*)> find;

    std::size_t size() const { return unfound + first.size(); }

    //! Where the window of one row begins.
    Position start(std::size_t position) const {
        if (!first.empty()) return first[position];
        Position found = 0;
        find({position, position + 1}, &found);
        return found;
    }
    //! Finds all, for passes that need them at hand.
    void find_all(std::size_t threads) {
        if (unfound == 0) return;
        Room<Position> found(unfound);
        in_stretches(unfound, threads, [&](Stretch stretch) { find(stretch, found.data() + stretch.begin); });
        first = std::move(found);
        unfound = 0;
    }

    Position end(std::size_t position) const {
        return last.empty() ? static_cast<Position>(position + with_own) : last[position];
    }
};

//! The first positions of one stretch of windows after another. Where they lie in no memory yet, they are found in a
//! little of it, which stays in the cache: what is written to large memory and read again costs more than to find them.
class Firsts {
public:
    explicit Firsts(const Bounds& bounds) : bounds_(&bounds) {}

    //! By position, in the stretch alone.
    const Position* of(Stretch stretch) {
        if (!bounds_->first.empty()) return bounds_->first.data();
        own_.resize(std::max(own_.size(), stretch.end - stretch.begin));
        bounds_->find(stretch, own_.data());
        return own_.data() - stretch.begin;
    }

private:
    const Bounds* bounds_;
    std::vector<Position> own_;
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

//! The first row in the window of each row of a key. How many rows leave a window at a step cannot be foreseen, and a
//! wrong guess costs more than the step; so the rows that leave and those that come are merged without a branch. That
//! makes a chain in which each comparison waits for the one before it: several hands walk a stretch of the rows each,
//! and work while the others wait.
template <class Reach>
class FirstFinder {
public:
    FirstFinder(const Order& order, const Reach& reach, Position* first)
        : times_(order.times().data()), reach_(reach), first_(first) {}

    //! For the rows [from, end) of a key whose rows begin at `begin`.
    void find(Position begin, Position from, Position end) const {
        const Position stretch = (end - from) / kHands;
        if (stretch < kWorthHands) return finish({search(begin, from), from}, end);
        together(begin, from, stretch, std::make_integer_sequence<Position, kHands>());
        finish({search(begin, from + kHands * stretch - 1), from + kHands * stretch}, end);
    }

private:
    static constexpr Position kHands = 4;
    static constexpr Position kWorthHands = 64;

    //! A row, and where its window begins at the earliest. As wide as an address: a third of the time is saved.
    struct Hand {
        std::size_t start;
        std::size_t row;
    };

    //! One row leaves, or one has its window.
    void step(Hand& hand) const {
        const bool out = reach_.out(times_[hand.start], reach_.limit(times_[hand.row]));
        first_[hand.row] = static_cast<Position>(hand.start);
        hand.start += out;
        hand.row += !out;
    }

    void finish(Hand hand, Position end) const {
        for (; hand.row != end; ++hand.row) {
            const Time limit = reach_.limit(times_[hand.row]);
            while (reach_.out(times_[hand.start], limit)) ++hand.start;
            first_[hand.row] = static_cast<Position>(hand.start);
        }
    }

    //! The hands walk until the first of them is through.
    template <Position... Number>
    void together(Position begin, Position from, Position stretch, std::integer_sequence<Position, Number...>) const {
        Hand hands[] = {{search(begin, from + Number * stretch), from + Number * stretch}...};
        const std::size_t steps = std::min(
            {std::size_t{stretch} + search(begin, from + (Number + 1) * stretch - 1) - hands[Number].start...});
        for (std::size_t i = 0; i != steps; ++i) (step(hands[Number]), ...);
        (finish(hands[Number], from + (Number + 1) * stretch), ...);
    }

    Position search(Position begin, Position row) const {
        const Time limit = reach_.limit(times_[row]);
        const auto found =
            std::partition_point(times_ + begin, times_ + row, [&](Time time) { return reach_.out(time, limit); });
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
    in_pieces(order.groups(), order.threads(), [&](std::size_t key, std::size_t begin, std::size_t end) {
        const std::size_t first = order.groups()[key], behind = order.groups()[key + 1];
        std::size_t from = begin;
        // Whoever has the first of some peers has all of them.
        while (from != end && from != first && times[from] == times[from - 1]) ++from;
        while (from < end) {
            std::size_t to = from + 1;
            while (to != behind && times[to] == times[from]) ++to;
            std::fill(last.data() + from, last.data() + to, static_cast<Position>(end_in ? to : from));
            from = to;
        }
    });
    return last;
}

}  // namespace detail

//! Rows with one time are peers and see each other, or else each row sees those before it. Bounds that are read `once`
//! are found by the pass that reads them, which needs the order.
template <class Reach>
Bounds time_window(const Order& order, const Reach& reach, Ends ends, bool peers, bool once = false) {
    Bounds bounds;
    bounds.with_own = ends.end;
    bounds.never_empty = ends.end;
    bounds.unfound = order.size();
    bounds.find = [&order, reach](Stretch stretch, Position* first) {
        const detail::FirstFinder<Reach> finder(order, reach, first - stretch.begin);
        for_each_piece(order.groups(), stretch, [&](std::size_t key, std::size_t begin, std::size_t end) {
            finder.find(order.groups()[key], static_cast<Position>(begin), static_cast<Position>(end));
        });
    };
    if (!once) bounds.find_all(order.threads());
    // Where the end is out, a row at it is out too, whoever sees whom.
    if (order.has_peers() && (peers || !ends.end)) bounds.last = detail::find_lasts(order, ends.end);
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
    in_pieces(order.groups(), order.threads(), [&](std::size_t key, std::size_t begin, std::size_t end) {
        const std::size_t first = order.groups()[key];
        for (std::size_t i = begin; i != end; ++i)
            bounds.first[i] = static_cast<Position>(i - std::min(i - first, before));
    });
    if (ends.end) bounds.rows = before + 1;
    return bounds;
}

//! Rows that follow one another by less than the gap.
inline Bounds session_window(const Order& order, const Length& gap, bool reals, bool peers) {
    Bounds bounds;
    bounds.first = Room<Position>(order.size());
    const auto times = order.times();
    for_each_group(order, [&](Position begin, Position end) {
        Position start = begin;
        for (Position i = begin; i != end; ++i) {
            if (i != begin && gap.apart(times[i - 1], times[i], reals)) start = i;
            bounds.first[i] = start;
        }
    });
    if (peers && order.has_peers()) bounds.last = detail::find_lasts(order, true);
    return bounds;
}

namespace detail {

//! The rows of one key, as windows::Bounds reads them. Sessions have a pass of their own, and windows that step are run
//! by the operator, so there are no extras.
class KeyRows {
public:
    struct Row {
        Time ticks;
    };
    struct Extras {
        std::vector<windows::SessionStarts> sessions;
        std::vector<windows::Steps> steps;
    };

    explicit KeyRows(std::span<const Time> times) : times_(times) {}

    const KeyRows& rows() const { return *this; }
    const Extras& extras() const { return extras_; }
    Row operator[](std::size_t place) const { return {times_[place]}; }
    Row front() const { return {times_.front()}; }
    std::size_t dropped() const { return 0; }

private:
    std::span<const Time> times_;
    Extras extras_;
};

}  // namespace detail

//! Any other window that needs no values, by the rule of bounds.hpp. Neither of its ends goes back from one row to the
//! next, so that its rows are found by two pointers.
inline Bounds ruled_window(const Order& order, const windows::Policy& policy, bool reals, bool peers) {
    Bounds bounds;
    bounds.first = Room<Position>(order.size());
    bounds.last = Room<Position>(order.size());
    const std::vector<windows::Policy> policies{policy};
    const windows::Bounds<detail::KeyRows> rule(policies, reals);
    const auto times = order.times();
    bool ends_at_own = true;
    for_each_group(order, [&](Position begin, Position end) {
        const detail::KeyRows rows(times.subspan(begin, end - begin));
        Position first = begin, last = begin;
        for (Position i = begin; i != end; ++i) {
            const windows::Found found = rule.of_row(rows, 0, times[i], i - begin);
            if (found.placed) {
                first = begin + static_cast<Position>(found.low);
                last = begin + static_cast<Position>(found.high);
            } else {
                while (last != end && times[last] <= found.to) ++last;
                while (first != last && times[first] < found.from) ++first;
            }
            bounds.last[i] = peers ? last : std::min(last, i + 1);
            bounds.first[i] = std::min(first, bounds.last[i]);
            ends_at_own &= bounds.last[i] == i + 1;
            bounds.never_empty &= bounds.first[i] <= i && i < bounds.last[i];
        }
    });
    if (ends_at_own) bounds.last = {};
    return bounds;
}

}  // namespace sash::batch
