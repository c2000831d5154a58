//! The part of a Monoid Tree Aggregator that both of them have: the leaves, and the levels above them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/describe.hpp"
#include "sash/algorithms/mta/level.hpp"
#include "sash/algorithms/queue.hpp"
#include "sash/algorithms/search.hpp"

namespace sash::mta {

//! Queues that a Monoid Tree over M can be made of.
template <class M, template <class> class Queue>
concept Levels = LevelQueue<Queue<typename M::Partial>, typename M::Partial> &&
                 LevelQueue<Queue<Entry<typename M::Partial>>, Entry<typename M::Partial>>;

template <Monoid M, template <class> class Queue>
    requires Levels<M, Queue>
class Tree {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    using Position = mta::Position;
    static constexpr bool listable = true;

    std::size_t size() const { return leaves_.size(); }
    Time oldest() const { return leaves_.front().time; }
    Time youngest() const { return leaves_.back().time; }

    //! The positions of the leaves.
    Position begin() const { return leaves_.begin(); }
    Position end() const { return leaves_.end(); }

    //! The entries as they are.
    template <class F>
    void for_each(F f) const {
        for (Position p = begin(); p != end(); ++p) f(leaves_[p].time, leaves_[p].partial);
    }

    //! At most `most` entries, from a time on: a window that is not in memory is not listed at once.
    template <class F>
    void for_each_from(Time time, std::size_t most, F f) const
        requires Elsewhere<Queue<Entry<Partial>>>
    {
        Position p = first_at(leaves_, time);
        for (std::size_t left = std::min<Position>(most, end() - p); left > 0; --left, ++p)
            f(leaves_[p].time, leaves_[p].partial);
    }

    void shrink_to_fit() {
        mta::shrink_to_fit(leaves_);
        for (Level& level : levels_) level.shrink_to_fit();
    }

    //! For the slide policy (mta/policy.hpp).
    const Partial& block(std::size_t level, Position leaf) const { return node(level, leaf >> level); }

protected:
    using Leaves = Queue<Entry<Partial>>;
    using Level = mta::Level<Partial, Queue<Partial>>;

    explicit Tree(M monoid) : monoid_(std::move(monoid)) {}
    //! A tree whose levels are to be where these empty leaves are.
    Tree(M monoid, Leaves leaves) : monoid_(std::move(monoid)), leaves_(std::move(leaves)) {}

    Level& at(std::size_t level) { return levels_[level - 1]; }
    const Level& at(std::size_t level) const { return levels_[level - 1]; }
    const Partial& node(std::size_t level, Position position) const {
        return level == 0 ? leaves_[position].partial : at(level)[position];
    }

    //! Adds levels until there are `count` of them above the leaves, in the place where the leaves have theirs.
    void grow_levels(std::size_t count) {
        while (levels_.size() < count) {
            if constexpr (std::constructible_from<Level>) {
                levels_.emplace_back();
            } else {
                levels_.emplace_back(leaves_, levels_.size() + 1);
            }
        }
    }

    //! A level that gets no more nodes frees nothing by itself. So each insert and single eviction after an eviction of
    //! more lets one level free a piece of what it dropped.
    void free_some() noexcept {
        if (freeing_ != 0 && !at(freeing_).free_some()) --freeing_;
    }
    void free_later(Position cut) noexcept {
        if (cut - begin() > 1) {
            freeing_ = levels_.size();
        } else {
            free_some();
        }
    }

    void clear_levels() {
        leaves_.drop_before(leaves_.end());
        for (Level& level : levels_) level.clear();
    }

    std::size_t level_bytes() const {
        std::size_t sum = leaves_.bytes() + levels_.capacity() * sizeof(Level);
        for (const Level& level : levels_) sum += level.bytes();
        return sum;
    }

    //! What is here of levels that live elsewhere.
    template <class Out>
    void save_levels(Out& out) const {
        leaves_.save(out);
        out.number(levels_.size());
        for (const Level& level : levels_) level.save(out);
    }
    template <class In>
    void load_levels(const In& in) {
        leaves_.load(in);
        grow_levels(in.count());
        for (Level& level : levels_) level.load(in);
    }

    Time time_at(Position position) const { return leaves_[position].time; }

    //! The leaves, as a node of a description.
    template <class Out>
    void describe_leaves(Out& out) const {
        out.begin("leaves");
        describe_run(out, size(), [&](std::size_t i) {
            const Entry<Partial> entry = leaves_[begin() + i];
            out.entry(entry.time, &entry.partial);
        });
        out.end();
    }
    //! The nodes [from, to) of a level above them. One that has lost leaves is of those that are left, or `whole` nodes
    //! alone are right.
    template <class Out>
    void describe_level(Out& out, std::size_t level, Position from, Position to, bool whole) const {
        out.begin("level");
        for (Position p = from; p != to; ++p) {
            if (out.brief() && p - from == kShownEnd && to - p > kShownEnd) p = to - kShownEnd;
            const Position first = std::max(p << level, begin());
            const Position last = std::min((p + 1) << level, end()) - 1;
            const bool right = !whole || first == p << level;
            out.aggregate(right ? "" : "outdated", time_at(first), time_at(last), right ? &node(level, p) : nullptr);
        }
        out.end();
    }

    void check_leaves() const {
        for (Position p = begin(); p + 1 < end(); ++p) invariant(leaves_[p].time < leaves_[p + 1].time, "times rise");
    }

    [[no_unique_address]] M monoid_;
    Leaves leaves_;
    //! levels_[l - 1] is level l. Those above the top are empty, and kept for the memory they hold.
    std::vector<Level> levels_;

private:
    //! The level that frees next, and the ones below it then; 0 when all is freed.
    std::size_t freeing_ = 0;
};

}  // namespace sash::mta
