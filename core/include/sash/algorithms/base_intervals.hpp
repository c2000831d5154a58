//! Arasu and Widom's base intervals: aggregates of aligned stretches of 1, 2, 4, 8, ... entries.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/fold.hpp"
#include "sash/algorithms/in_order.hpp"
#include "sash/algorithms/mta/level.hpp"
#include "sash/algorithms/queue.hpp"
#include "sash/algorithms/search.hpp"

namespace sash {

//! Insert: one combine amortized, at most log2(n). Query and range query: at most 2 log2(n) + 1 combines. Evict: none.
//! Bulk evict: a jump on each of log2(n) levels.
//!
//!     level 2   |       |  4 .. 7   |  8 .. 11  |           interval k of level l covers the positions
//!     level 1   | 2 3 | 4 5 | 6 7 | 8 9 | 10 11 |           [k 2^l, (k + 1) 2^l)
//!     entries   |2 |3 |4 |5 |6 |7 |8 |9 |10|11|12|13        13 is the youngest
//!
//! An interval is kept from the insert that follows its last entry until its first entry is evicted. So the youngest
//! entry is in none of them, and an equal time combines into it alone.
template <Monoid M>
class BaseIntervals {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;

    explicit BaseIntervals(M monoid = M{}) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return entries_.size(); }
    Time oldest() const { return entries_.front().time; }
    Time youngest() const { return entries_.back().time; }
    std::size_t bytes() const {
        std::size_t total = sizeof(*this) + entries_.bytes() + levels_.capacity() * sizeof(Level);
        for (const Level& level : levels_) total += level.bytes();
        return total;
    }

    auto owned() const { return std::tie(entries_, levels_); }

    Partial query() const { return aggregate(entries_.begin(), entries_.end()); }

    //! The entries with from <= time <= to.
    Partial query(Time from, Time to) const {
        const auto [begin, end] = positions(from, to);
        return aggregate(begin, end);
    }
    bool any(Time from, Time to) const {
        const auto [begin, end] = positions(from, to);
        return begin != end;
    }

    void insert(Time time, Partial partial) {
        if (!entries_.empty() && time == youngest()) {
            append(monoid_, entries_.back().partial, partial);
            return;
        }
        const Position position = entries_.end();
        entries_.push_back({time, std::move(partial)});
        complete(position);
    }

    void evict() {
        if (size() == 1) return clear();
        const Position oldest = entries_.begin();
        entries_.pop_front();
        // The intervals that begin at this position are on the levels whose width divides it.
        const std::size_t aligned = std::min(static_cast<std::size_t>(std::countr_zero(oldest)), levels_.size());
        for (std::size_t l = 1; l <= aligned; ++l) level(l).drop_before((oldest >> l) + 1);
    }

    void bulk_evict(Time time) { drop_before(first_after(entries_, time)); }

    template <class F>
    void for_each(F f) const {
        entries_.for_each([&f](const Entry<Partial>& entry) { f(entry.time, entry.partial); });
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    void clear() {
        entries_.drop_before(entries_.end());
        for (Level& level : levels_) level.clear();
    }

    void shrink_to_fit() {
        entries_.shrink_to_fit();
        for (Level& level : levels_) level.shrink_to_fit();
    }

    template <class Out>
    void describe(Out& out) const {
        for (std::size_t l = levels_.size(); l > 0; --l)
            if (!level(l).empty()) describe_level(out, l);
        out.begin("leaves");
        describe_run(out, size(), [&](std::size_t i) {
            const Entry<Partial>& entry = entries_[entries_.begin() + i];
            out.entry(entry.time, &entry.partial);
        });
        out.end();
    }

    void check_invariants() const {
        check_times(entries_);
        // A level holds the intervals that lie between the oldest and the youngest entry, all of them and no other.
        for (std::size_t l = 1; l <= levels_.size() + 1; ++l) {
            const Position first = ceiling(entries_.begin(), l);
            const Position last = entries_.empty() ? first : (entries_.end() - 1) >> l;
            const Position expected = last > first ? last - first : 0;
            invariant((l <= levels_.size() ? level(l).size() : 0) == expected, "a level lacks no interval");
            invariant(expected == 0 || level(l).begin() == first, "a level begins after the oldest entry");
        }
    }

private:
    using Position = std::uint64_t;

    //! The intervals of one level. Those that were dead before they were complete are left out.
    using Level = mta::Level<Partial, IndexedQueue<Partial>>;

    //! Level 0 is the entries themselves.
    Level& level(std::size_t l) { return levels_[l - 1]; }
    const Level& level(std::size_t l) const { return levels_[l - 1]; }
    const Partial& interval(std::size_t l, Position k) const { return l == 0 ? entries_[k].partial : level(l)[k]; }

    template <class Out>
    void describe_level(Out& out, std::size_t l) const {
        const Position end = level(l).end();
        out.begin("level");
        for (Position k = level(l).begin(); k != end; ++k) {
            if (out.brief() && k - level(l).begin() == kShownEnd && end - k > kShownEnd) k = end - kShownEnd;
            out.aggregate("", entries_[k << l].time, entries_[((k + 1) << l) - 1].time, &level(l)[k]);
        }
        out.end();
    }

    //! The first interval of a level that begins at `p` or after it.
    static Position ceiling(Position p, std::size_t l) { return (p + (Position{1} << l) - 1) >> l; }

    //! Makes the intervals that end at `end`, the position of an entry that was just pushed. A failure takes that entry
    //! and them back.
    void complete(Position end) {
        std::size_t l = 1;
        try {
            for (; l <= static_cast<std::size_t>(std::countr_zero(end)); ++l) {
                const Position left = (end >> (l - 1)) - 2;
                // An interval whose first entry has gone is of no use, nor are the wider ones.
                if (end == 0 || left << (l - 1) < entries_.begin()) break;
                if (l > levels_.size()) levels_.emplace_back();
                level(l).push_back(left / 2, monoid_.combine(interval(l - 1, left), interval(l - 1, left + 1)));
            }
        } catch (...) {
            while (--l != 0) level(l).pop_back();
            entries_.pop_back();
            throw;
        }
    }

    //! Everything before `p` leaves.
    void drop_before(Position p) {
        if (p == entries_.end()) return clear();
        entries_.drop_before(p);
        for (std::size_t l = 1; l <= levels_.size(); ++l) level(l).drop_before(ceiling(p, l));
    }

    //! The positions of the entries with from <= time <= to.
    std::pair<Position, Position> positions(Time from, Time to) const {
        if (from > to) return {entries_.end(), entries_.end()};
        const Position begin = first_at(entries_, from);
        return {begin, first_after(entries_, to, begin, entries_.end())};
    }

    //! The entries of [begin, end): at most two intervals of each level, and the youngest entry.
    Partial aggregate(Position begin, Position end) const {
        Fold<M> older(monoid_);
        Fold<M> newer(monoid_);
        if (begin < end && end == entries_.end()) newer.append(entries_[--end].partial);
        for (std::size_t l = 0; begin < end; ++l, begin /= 2, end /= 2) {
            if (begin % 2 == 1) older.append(interval(l, begin++));
            if (end % 2 == 1) newer.prepend(interval(l, --end));
        }
        older.append(newer);
        return older.take();
    }

    [[no_unique_address]] M monoid_;
    IndexedQueue<Entry<Partial>> entries_;
    //! From level 1 on.
    std::vector<Level> levels_;
};

}  // namespace sash
