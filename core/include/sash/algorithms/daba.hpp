//! DABA, the De-Amortized Banker's Aggregator: no operation ever takes more than a constant number of combines.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/daba_marks.hpp"
#include "sash/algorithms/in_order.hpp"
#include "sash/algorithms/queue.hpp"

namespace sash {

//! Insert, evict and query O(1) in the worst case, without a loop. Two partials an entry.
//!
//! With its caches: at most 3 combines an insert, 2 an evict, 1 a query (none when nothing has changed), and on average
//! 2 an insert and 1 an evict. Without: at most 4, 3 and 1. Query writes to its cache, so that readers of one window
//! must not run at the same time.
//!
//! What the aggregate of each part reaches (see DabaMarks): from an entry of front or accumulated to `back`, of left to
//! `right`; from the start of right or back to the entry, the youngest included.
template <Monoid M, bool Cached>
class BasicDaba {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;

    explicit BasicDaba(M monoid = M{}) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return queue_.size(); }
    Time oldest() const { return queue_.front().time; }
    Time youngest() const { return queue_.back().time; }
    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }

    Partial query() const {
        if (queue_.empty()) [[unlikely]]
            return monoid_.identity();
        if constexpr (Cached) {
            if (!cache_.valid) {
                cache_.total = total();
                cache_.valid = true;
            }
            return cache_.total;
        } else {
            return total();
        }
    }

    //! The former youngest entry joins the structure; its aggregate is there already.
    void insert(Time time, Partial partial) {
        if (queue_.empty()) [[unlikely]]
            return insert_first(time, std::move(partial));
        if (time == youngest()) [[unlikely]]
            return combine_into_youngest(partial);
        const bool turns = marks_.due();
        if constexpr (kInPlace<M>) {
            push(turns, time, std::move(partial));
            reverse(turns, queue_.begin());
        } else {
            Step step = stage(marks_.turned(turns, queue_.begin(), queue_.end()));
            push(turns, time, std::move(partial));
            commit(step);
        }
    }

    void evict() {
        if (queue_.size() == 1) [[unlikely]]
            return clear();
        if constexpr (kInPlace<M>) {
            advance_in_place(queue_.begin() + 1);
        } else {
            advance_aside(queue_.begin() + 1);
        }
        queue_.pop_front();
    }

    //! O(m) for m entries that leave.
    void bulk_evict(Time time) {
        if (queue_.empty()) return;
        if (youngest() <= time) return clear();
        if constexpr (kInPlace<M>) {
            while (oldest() <= time) evict();
        } else {
            evict_before(first_after(queue_, time));
        }
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    template <class F>
    void for_each(F f) const {
        for (Position p = queue_.begin(); p != queue_.end(); ++p) f(queue_[p].time, queue_[p].partial);
    }

    void clear() { queue_.drop_before(queue_.end()); }

    void check_invariants() const {
        if (!queue_.empty()) marks_.check(queue_.begin(), queue_.end() - 1);
        check_times(queue_);
    }

private:
    //! An entry with the aggregate that its part gives it.
    struct Slot {
        Time time;
        Partial partial;
        Partial aggregate;
    };
    using Queue = ChunkedQueue<Slot>;
    using Position = typename Queue::Position;

    //! What one operation writes, computed before anything is changed; after the exchange, what it overwrote. Monoids
    //! that combine in place leave it empty.
    struct Step {
        DabaMarks before{};
        DabaMarks marks{};
        std::optional<Partial> left{};
        std::optional<Partial> accumulated{};
        std::optional<Partial> rest{};
        std::optional<Partial> youngest{};
    };

    struct Cache {
        //! The aggregate of right and accumulated: the same from one turn to the next.
        Partial rest{};
        //! The last result of query, while it is valid.
        Partial total{};
        bool valid = false;
    };
    struct NoCache {};

    //! Of a window that is not empty.
    Partial total() const {
        if (queue_.size() == 1) return queue_.back().aggregate;
        return monoid_.combine(queue_.front().aggregate, queue_.back().aggregate);
    }

    void forget_total() {
        if constexpr (Cached) cache_.valid = false;
    }

    void insert_first(Time time, Partial partial) {
        Partial aggregate = partial;
        queue_.push_back({time, std::move(partial), std::move(aggregate)});
        marks_.restart(queue_.begin());
        forget_total();
    }

    //! A turn empties the back part, and the new entry starts the next one.
    void push(bool turns, Time time, Partial partial) {
        Partial aggregate = turns ? partial : monoid_.combine(queue_.back().aggregate, partial);
        queue_.push_back({time, std::move(partial), std::move(aggregate)});
    }

    void combine_into_youngest(const Partial& partial) {
        Slot& youngest = queue_.back();
        if constexpr (kInPlace<M>) {
            append(monoid_, youngest.partial, partial);
            append(monoid_, youngest.aggregate, partial);
        } else {
            Partial combined = monoid_.combine(youngest.partial, partial);
            youngest.aggregate = monoid_.combine(youngest.aggregate, partial);
            youngest.partial = std::move(combined);
        }
        forget_total();
    }

    //! left = left (x) the aggregate of right and accumulated, before a step that shrinks.
    void append_rest(const DabaMarks& marks, Partial& left) const {
        const Partial& right = queue_[marks.accumulator - 1].aggregate;
        if (marks.starts()) {
            append(monoid_, left, right);
        } else if constexpr (Cached) {
            append(monoid_, left, cache_.rest);
        } else {
            append(monoid_, left, right);
            append(monoid_, left, queue_[marks.accumulator].aggregate);
        }
    }

    //! One step of the reversal, in place. The marks go first: nothing here throws, and so they stay in registers.
    void reverse(bool turns, Position begin) {
        if (turns) [[unlikely]]
            marks_.turn(begin, queue_.end() - 1);
        const DabaMarks marks = marks_;
        marks_.step();
        forget_total();
        if (!marks.shrinks()) return;
        append_rest(marks, queue_[marks.left].aggregate);
        Slot& last = queue_[marks.accumulator - 1];
        if (marks.starts()) [[unlikely]] {
            if constexpr (Cached) cache_.rest = last.aggregate;
            last.aggregate = last.partial;
        } else {
            const Slot& next = queue_.after(last, marks.accumulator - 1);
            combine_into(monoid_, last.aggregate, last.partial, next.aggregate);
        }
    }

    //! The same step, computed aside.
    Step stage(const DabaMarks& marks) const {
        Step step{.before = marks_, .marks = marks};
        if (marks.shrinks()) {
            step.left = queue_[marks.left].aggregate;
            append_rest(marks, *step.left);
            const Slot& last = queue_[marks.accumulator - 1];
            if (marks.starts()) {
                if constexpr (Cached) step.rest = last.aggregate;
                step.accumulated = last.partial;
            } else {
                step.accumulated = monoid_.combine(last.partial, queue_[marks.accumulator].aggregate);
            }
        }
        return step;
    }

    //! Writes a staged step, or takes it back. Nothing here throws.
    void exchange(Step& step) noexcept {
        using std::swap;
        if (step.left) {
            swap(*step.left, queue_[step.marks.left].aggregate);
            swap(*step.accumulated, queue_[step.marks.accumulator - 1].aggregate);
        }
        if constexpr (Cached) {
            if (step.rest) swap(*step.rest, cache_.rest);
        }
        if (step.youngest) swap(*step.youngest, queue_.back().aggregate);
        forget_total();
    }

    void commit(Step& step) noexcept {
        exchange(step);
        marks_ = step.marks;
        marks_.step();
    }

    //! All of an eviction but the pop: `begin` is where the queue will begin. A turn empties the back part, and the
    //! youngest entry starts the next one.
    void advance_in_place(Position begin) {
        const bool turns = marks_.due();
        if (turns) [[unlikely]]
            queue_.back().aggregate = queue_.back().partial;
        reverse(turns, begin);
    }

    Step advance_aside(Position begin) {
        const bool turns = marks_.due();
        Step step = stage(marks_.turned(turns, begin, queue_.end() - 1));
        if (turns) step.youngest = queue_.back().partial;
        commit(step);
        return step;
    }

    //! Evicts everything before `last`, or nothing.
    void evict_before(Position last) {
        const Position begin = queue_.begin();
        take_all_or_none<Step>(
            static_cast<std::size_t>(last - begin), [&](std::size_t i) { return advance_aside(begin + i + 1); },
            [&](Step& step) {
                exchange(step);
                marks_ = step.before;
            });
        queue_.drop_before(last);
    }

    [[no_unique_address]] M monoid_;
    Queue queue_;
    DabaMarks marks_;
    [[no_unique_address]] mutable std::conditional_t<Cached, Cache, NoCache> cache_;
};

//! DABA as the paper measures it, with both caches.
template <Monoid M>
using Daba = BasicDaba<M, true>;

//! DABA as the paper first states it: less to keep, at most one combine more a step.
template <Monoid M>
using DabaUncached = BasicDaba<M, false>;

}  // namespace sash
