//! The Reactive Aggregator's window: a circular buffer over the leaves of a flat aggregation tree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/describe.hpp"
#include "sash/algorithms/flatfat/occupancy.hpp"
#include "sash/algorithms/flatfat/tree.hpp"

namespace sash {

//! Inserts in order, evicts anywhere.
//!
//! A change combines nothing: changes wait until a query asks, which then makes at most m (1 + ceil(log2(n / m)))
//! combines for the m changes since the last one, wherever they are, and log2(n) for one. Beyond that it is O(1), or
//! O(log n) where the buffer is inverted and the order counts. A range query is O(log n). n is the capacity, at most 4
//! times the size; resizing is amortized O(1). A query writes to the tree, so that readers of one window must not run
//! at the same time.
//!
//!     slots   | 5 | 9 | . | . | 7 | 3 | o | 2 |    the window 7, 3, 2, 5, 9, with a hole (o) in it
//!                back          front               inverted: the total is suffix(front) (x) prefix(back)
//!
//! An eviction in the middle leaves a hole. A full buffer is compacted if a quarter of it or more is holes, and
//! doubled otherwise; one that is less than a quarter full is halved.
//!
//! With flatfat::Demarcation as its occupancy the window evicts the oldest only and keeps no track of holes: see
//! FlatFatFifo.
template <Monoid M, class Occupancy = flatfat::Bitmap>
class FlatFat {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;
    //! No buffer is smaller, except that of a window that never held anything.
    static constexpr std::size_t kLeast = 4;

    explicit FlatFat(M monoid = M{}) : tree_(std::move(monoid)) {}

    std::size_t size() const { return ring_.size(); }
    std::size_t capacity() const { return ring_.capacity; }
    bool inverted() const { return ring_.inverted(); }
    Time oldest() const { return times_[ring_.front]; }
    Time youngest() const { return times_[ring_.back()]; }
    std::size_t bytes() const { return sizeof(*this) + tree_.bytes() + times_.capacity() * sizeof(Time); }
    auto owned() const { return std::tie(tree_); }

    Partial query() const {
        if (ring_.length == 0) return tree_.monoid().identity();
        tree_.settle(ring_);
        if (M::commutative || !ring_.inverted()) return tree_.aggregate();
        return tree_.range(ring_, ring_.front, ring_.back());
    }

    //! The entries with from <= time <= to.
    Partial query(Time from, Time to) const {
        const std::size_t begin = places_before(from);
        const std::size_t end = places_until(to);
        if (begin >= end) return tree_.monoid().identity();
        tree_.settle(ring_);
        return tree_.range(ring_, ring_.slot(begin), ring_.slot(end - 1));
    }
    bool any(Time from, Time to) const {
        const std::size_t begin = places_before(from);
        const std::size_t end = places_until(to);
        return begin < end && tree_.any(ring_, ring_.slot(begin), ring_.slot(end - 1));
    }

    void insert(Time time, Partial partial) {
        if (ring_.length != 0 && time == youngest()) return combine_into_youngest(partial);
        if (ring_.length == ring_.capacity) [[unlikely]]
            return rebuild_with({&time, 1}, {&partial, 1});
        const Ring after = ring_.longer(1);
        times_[after.back()] = time;
        tree_.set(after.back(), std::move(partial));
        ring_ = after;
    }

    //! Entries whose times do not fall, the first not before youngest(). The partials are moved from.
    void bulk_insert(std::span<const Time> times, std::span<Partial> partials) {
        if (times.empty()) return;
        const bool joins = ring_.length != 0 && times.front() == youngest();
        std::vector<Time> fresh_times;
        std::vector<Partial> fresh;
        if (joins) {
            fresh_times.push_back(youngest());
            fresh.push_back(tree_.leaf(ring_.back()));
        }
        merge_equal(times, partials, fresh_times, fresh);
        append_run(fresh_times, fresh, joins ? 1 : 0);
    }

    void evict() {
        if (size() == 1) return clear();
        const std::size_t next = next_occupied(1);
        if (wants_halving(size() - 1)) [[unlikely]]
            return rebuild(halved(size() - 1), next, ring_.length);
        const Ring after = ring_.without_first(next, next - 1);
        tree_.erase(ring_.front);
        ring_ = after;
    }

    //! The entry of exactly this time, wherever it is; false if there is none.
    bool evict(Time time)
        requires Occupancy::holes
    {
        const std::size_t place = places_before(time);
        if (place == ring_.length || !holds(place) || times_[ring_.slot(place)] != time) return false;
        if (place == 0) {
            evict();
        } else {
            evict_behind_front(place);
        }
        return true;
    }

    void bulk_evict(Time time) {
        const std::size_t reached = places_until(time);
        if (reached == 0) return;
        if (reached == ring_.length) return clear();
        // The youngest is no hole, so there is an entry to stop at.
        const std::size_t next = next_occupied(reached);
        const Ring after = ring_.without_first(next, holes_in(next));
        if (wants_halving(after.size())) return rebuild(halved(after.size()), next, ring_.length);
        for (std::size_t place = 0; place < next; ++place) tree_.erase(ring_.slot(place));
        ring_ = after;
    }

    template <class F>
    void for_each(F f) const {
        for (std::size_t place = 0; place < ring_.length; ++place)
            if (holds(place)) f(times_[ring_.slot(place)], tree_.leaf(ring_.slot(place)));
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    //! A large buffer is given back; the smallest is kept.
    void clear() {
        if (ring_.capacity > kLeast) {
            *this = FlatFat(tree_.monoid());
        } else {
            tree_.clear();
            ring_ = Ring(ring_.capacity, 0, 0);
        }
    }

    //! Of a large window the upper levels alone.
    template <class Out>
    void describe(Out& out) const {
        if (ring_.length == 0) return;
        const auto levels = static_cast<std::size_t>(std::bit_width(ring_.capacity));
        const std::size_t shown = out.brief() ? std::min(levels - 1, kShownEnd) : levels - 1;
        tree_.describe(out, ring_, shown, [this](std::size_t first, std::size_t last) { return span(first, last); });
        out.begin("slots");
        if (out.brief()) out.omit(size());
        for (std::size_t slot = 0; !out.brief() && slot < ring_.capacity; ++slot) {
            out.begin(slot == ring_.front ? "front" : slot == ring_.back() ? "back" : "slot");
            if (tree_.occupied(ring_, slot)) out.entry(times_[slot], &tree_.leaf(slot));
            out.end();
        }
        out.end();
    }

    void check_invariants() const {
        // The buffer, the times and the tree are of one size, a power of two.
        invariant(ring_.capacity == tree_.capacity() && ring_.capacity == times_.size(), "one capacity");
        invariant((ring_.capacity & (ring_.capacity - 1)) == 0, "the capacity is a power of two");
        // The buffer is at least a quarter full, unless it is the smallest.
        invariant(ring_.capacity <= kLeast || 4 * size() >= ring_.capacity, "at least a quarter full");
        if (ring_.length == 0) return;
        // Both ends are entries: holes lie between them.
        invariant(holds(0) && holds(ring_.length - 1), "no hole at either end");
        std::size_t holes = 0;
        for (std::size_t place = 0; place < ring_.length; ++place) holes += holds(place) ? 0 : 1;
        invariant(holes == ring_.holes, "the holes are counted");
        // A hole keeps its time, so that a search may step on it.
        for (std::size_t place = 1; place < ring_.length; ++place)
            invariant(times_[ring_.slot(place - 1)] < times_[ring_.slot(place)], "times rise");
        // Nothing lies outside the buffer.
        for (std::size_t place = ring_.length; place < ring_.capacity; ++place)
            invariant(!holds(place), "unused slots are empty");
        if constexpr (!M::fallible) {
            tree_.settle(ring_);
            tree_.check_invariants(ring_);
        }
    }

private:
    using Ring = flatfat::Ring;
    using Tree = flatfat::Tree<M, Occupancy>;

    //! The times of the first and the last entry in the slots [first, last), which hold one.
    std::pair<Time, Time> span(std::size_t first, std::size_t last) const {
        while (!tree_.occupied(ring_, first)) ++first;
        while (!tree_.occupied(ring_, last - 1)) --last;
        return {times_[first], times_[last - 1]};
    }

    // A place is counted from the front; its slot is where it lies in the array.

    bool holds(std::size_t place) const { return tree_.occupied(ring_, ring_.slot(place)); }

    std::size_t next_occupied(std::size_t place) const {
        if constexpr (Occupancy::holes) {
            while (!holds(place)) ++place;
        }
        return place;
    }

    //! How many of the first places are holes.
    std::size_t holes_in([[maybe_unused]] std::size_t places) const {
        std::size_t holes = 0;
        if constexpr (Occupancy::holes) {
            for (std::size_t place = 0; ring_.holes != 0 && place < places; ++place) holes += holds(place) ? 0 : 1;
        }
        return holes;
    }

    //! The number of first places that `before` holds for; it holds for a prefix. O(log n).
    template <class Before>
    std::size_t partition(Before before) const {
        std::size_t begin = 0;
        for (std::size_t end = ring_.length; begin != end;) {
            const std::size_t middle = begin + (end - begin) / 2;
            if (before(times_[ring_.slot(middle)])) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        return begin;
    }
    std::size_t places_before(Time time) const {
        return partition([time](Time other) { return other < time; });
    }
    std::size_t places_until(Time time) const {
        return partition([time](Time other) { return other <= time; });
    }

    void combine_into_youngest(const Partial& partial) {
        const std::size_t back = ring_.back();
        tree_.set(back, tree_.monoid().combine(tree_.leaf(back), partial));
    }

    //! Makes one entry of each time; the first joins what is there already.
    void merge_equal(std::span<const Time> times, std::span<Partial> partials, std::vector<Time>& merged_times,
                     std::vector<Partial>& merged) const {
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (!merged_times.empty() && merged_times.back() == times[i]) {
                append(tree_.monoid(), merged.back(), partials[i]);
            } else {
                merged_times.push_back(times[i]);
                merged.push_back(std::move(partials[i]));
            }
        }
    }

    //! Entries of different times, of which the first `replaced` (0 or 1) take the place of the youngest.
    void append_run(std::span<const Time> times, std::span<Partial> partials, std::size_t replaced) {
        const std::size_t kept = ring_.length - replaced;
        if (kept + times.size() > ring_.capacity) return rebuild_with(times, partials, replaced);
        const Ring after = ring_.longer(times.size() - replaced);
        for (std::size_t i = 0; i < times.size(); ++i) {
            times_[after.slot(kept + i)] = times[i];
            tree_.set(after.slot(kept + i), std::move(partials[i]));
        }
        ring_ = after;
    }

    //! An entry that is not the oldest leaves: a hole, or the end of the buffer.
    void evict_behind_front(std::size_t place) {
        if (wants_halving(size() - 1)) return rebuild_without(place);
        const bool last = place + 1 == ring_.length;
        const Ring after = last ? without_youngest() : ring_.with_hole();
        tree_.erase(ring_.slot(place));
        ring_ = after;
    }

    //! The buffer then ends at an entry again. The oldest is one.
    Ring without_youngest() const {
        std::size_t length = ring_.length - 1;
        while (!holds(length - 1)) --length;
        return ring_.without_last(ring_.length - length, ring_.length - length - 1);
    }

    bool wants_halving(std::size_t entries) const { return halved(entries) != ring_.capacity; }

    //! Small enough for these entries to fill a quarter.
    std::size_t halved(std::size_t entries) const {
        std::size_t capacity = ring_.capacity;
        while (capacity > kLeast && 4 * entries < capacity) capacity /= 2;
        return capacity;
    }

    //! The same capacity where compacting is enough, or as many times twice as much as the entries need.
    std::size_t room_for(std::size_t entries) const {
        if (entries <= ring_.capacity && 4 * size() <= 3 * ring_.capacity) return ring_.capacity;
        std::size_t capacity = ring_.capacity == 0 ? kLeast : 2 * ring_.capacity;
        while (capacity < entries) capacity *= 2;
        return capacity;
    }

    //! A new buffer: entries are copied into it from slot 0 on, then all is swapped in.
    struct Draft {
        Tree tree;
        std::vector<Time> times;
        std::size_t length = 0;

        Draft(const M& monoid, std::size_t capacity) : tree(monoid, capacity), times(capacity) {}
        void add(Time time, Partial partial) {
            times[length] = time;
            tree.set(length++, std::move(partial));
        }
    };

    void copy_places(Draft& draft, std::size_t begin, std::size_t end) const {
        for (std::size_t place = begin; place < end; ++place)
            if (holds(place)) draft.add(times_[ring_.slot(place)], tree_.leaf(ring_.slot(place)));
    }

    void adopt(Draft draft) {
        const Ring ring(draft.tree.capacity(), 0, draft.length);
        tree_ = std::move(draft.tree);
        times_ = std::move(draft.times);
        ring_ = ring;
    }

    void rebuild(std::size_t capacity, std::size_t begin, std::size_t end) {
        Draft draft(tree_.monoid(), capacity);
        copy_places(draft, begin, end);
        adopt(std::move(draft));
    }

    void rebuild_without(std::size_t place) {
        Draft draft(tree_.monoid(), halved(size() - 1));
        copy_places(draft, 0, place);
        copy_places(draft, place + 1, ring_.length);
        adopt(std::move(draft));
    }

    void rebuild_with(std::span<const Time> times, std::span<Partial> partials, std::size_t replaced = 0) {
        Draft draft(tree_.monoid(), room_for(size() - replaced + times.size()));
        copy_places(draft, 0, ring_.length - replaced);
        for (std::size_t i = 0; i < times.size(); ++i) draft.add(times[i], std::move(partials[i]));
        adopt(std::move(draft));
    }

    //! Settled by queries.
    mutable Tree tree_;
    //! By slot, beside the tree's leaves.
    std::vector<Time> times_;
    Ring ring_;
};

//! First in, first out: no holes, no bookkeeping of them.
template <Monoid M>
using FlatFatFifo = FlatFat<M, flatfat::Demarcation>;

}  // namespace sash
