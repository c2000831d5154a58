//! DABA with one partial an entry: each part of the queue is overwritten by the aggregates that it needs.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/daba_marks.hpp"
#include "sash/algorithms/in_order.hpp"
#include "sash/algorithms/queue.hpp"

namespace sash {

//! Insert, evict and query O(1) in the worst case, without a loop: at most 3 combines an insert, 2 an evict, 1 a query,
//! and on average 2 an insert and 1 an evict. One partial an entry.
//!
//!     | front | left | right | accumulated | back | youngest |
//!       >back  >right   own      >back       own      own       what each entry holds
//!
//! `>x` is the aggregate from the entry up to the mark x (see DabaMarks), `own` the entry's own partial. The aggregates
//! of right and back, which DABA reads off their last entries, are kept beside the queue.
template <Monoid M>
class DabaLite {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = false;

    explicit DabaLite(M monoid = M{}) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return queue_.size(); }
    Time oldest() const { return queue_.front().time; }
    Time youngest() const { return queue_.back().time; }
    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }

    Partial query() const {
        if (queue_.size() > 1) return monoid_.combine(queue_.front().partial, back_);
        return queue_.empty() ? monoid_.identity() : back_;
    }

    //! The former youngest entry joins the structure: the back part's aggregate has it already.
    void insert(Time time, Partial partial) {
        if (queue_.empty()) [[unlikely]]
            return load(time, std::move(partial));
        if (time == youngest()) [[unlikely]]
            return combine_into_youngest(partial);
        const bool turns = marks_.due();
        if constexpr (kInPlace<M>) {
            push_in_place(turns, time, std::move(partial));
            reverse(turns, queue_.begin());
        } else {
            Step step = stage(marks_.turned(turns, queue_.begin(), queue_.end()), turns ? back_ : rest_);
            if (turns) step.rest = back_;
            step.joined = back_;
            step.back = turns ? partial : monoid_.combine(back_, partial);
            queue_.push_back({time, std::move(partial)});
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

    //! Pairs: suffix aggregates up to, and without, the youngest entry; then that entry itself. The same for
    //! equal windows, wherever their marks are, as far as the monoid's combine is exact, and the same as
    //! two_stacks_lite gives.
    template <class F>
    void for_each(F f) const {
        if (queue_.empty()) return;
        const Position youngest = queue_.end() - 1;
        const std::vector<Partial> back = suffixes(marks_.back, youngest, {});
        const std::optional<Partial> after_back = first_of(back);
        const std::optional<Partial> after_right =
            marks_.accumulator == marks_.back ? after_back : extended(marks_.accumulator, after_back);
        const Position middle = marks_.right();
        const std::vector<Partial> right = suffixes(middle, marks_.accumulator, after_right);
        const std::optional<Partial> after_left = right.empty() ? after_right : first_of(right);
        for (Position p = queue_.begin(); p != marks_.left; ++p) f(queue_[p].time, extended(p, after_back));
        for (Position p = marks_.left; p != middle; ++p) f(queue_[p].time, extended(p, after_left));
        for (Position p = middle; p != marks_.accumulator; ++p) f(queue_[p].time, right[p - middle]);
        for (Position p = marks_.accumulator; p != marks_.back; ++p) f(queue_[p].time, extended(p, after_back));
        for (Position p = marks_.back; p != youngest; ++p) f(queue_[p].time, back[p - marks_.back]);
        f(queue_[youngest].time, queue_[youngest].partial);
    }

    //! Whatever came before is reversed already, and this entry is the youngest: a free ride until the next turn.
    void load(Time time, Partial partial) {
        Partial back = partial;
        queue_.push_back({time, std::move(partial)});
        const Position end = queue_.end() - 1;
        marks_.restart(end);
        if (end != queue_.begin()) marks_.left = marks_.accumulator = queue_.begin() + 1;
        back_ = std::move(back);
    }

    void clear() {
        queue_.drop_before(queue_.end());
        rest_ = joined_ = back_ = Partial{};
    }

    void check_invariants() const {
        if (!queue_.empty()) marks_.check(queue_.begin(), queue_.end() - 1);
        check_times(queue_);
    }

private:
    using Queue = ChunkedQueue<Entry<Partial>>;
    using Position = typename Queue::Position;

    //! What one operation writes, computed before anything is changed; after the exchange, what it overwrote. Monoids
    //! that combine in place need none.
    struct Step {
        DabaMarks before{};
        DabaMarks marks{};
        std::optional<Partial> left{};
        std::optional<Partial> accumulated{};
        std::optional<Partial> rest{};
        std::optional<Partial> joined{};
        std::optional<Partial> back{};
    };

    void combine_into_youngest(const Partial& partial) {
        Entry<Partial>& youngest = queue_.back();
        if constexpr (kInPlace<M>) {
            append(monoid_, youngest.partial, partial);
            append(monoid_, back_, partial);
        } else {
            Partial combined = monoid_.combine(youngest.partial, partial);
            back_ = monoid_.combine(back_, partial);
            youngest.partial = std::move(combined);
        }
    }

    //! Pushes and brings the aggregates beside the queue up to date. A turn empties the back part, and the new entry
    //! starts the next one.
    void push_in_place(bool turns, Time time, Partial partial) {
        if constexpr (kWide<M>) {
            queue_.push_back({time, std::move(partial)});
            std::swap(turns ? rest_ : joined_, back_);
            back_ = turns ? queue_.back().partial : joined_;
            if (!turns) append(monoid_, back_, queue_.back().partial);
        } else if (turns) [[unlikely]] {
            queue_.push_back({time, partial});
            rest_ = back_;
            back_ = partial;
        } else {
            const Partial former = back_;
            const Partial back = monoid_.combine(former, partial);
            queue_.push_back({time, partial});
            joined_ = former;
            back_ = back;
        }
    }

    //! One step of the reversal, in place. The marks go first: nothing here throws, and so they stay in registers.
    void reverse(bool turns, Position begin) {
        if (turns) [[unlikely]]
            marks_.turn(begin, queue_.end() - 1);
        const DabaMarks marks = marks_;
        marks_.step();
        if (!marks.shrinks()) return;
        append(monoid_, queue_[marks.left].partial, rest_);
        // The first entry to be accumulated is its own aggregate.
        if (marks.starts()) [[unlikely]]
            return;
        Entry<Partial>& last = queue_[marks.accumulator - 1];
        append(monoid_, last.partial, queue_.after(last, marks.accumulator - 1).partial);
    }

    //! The same step, computed aside; `rest` is the aggregate of right and accumulated.
    Step stage(const DabaMarks& marks, const Partial& rest) const {
        Step step{.before = marks_, .marks = marks};
        if (marks.shrinks()) {
            step.left = monoid_.combine(queue_[marks.left].partial, rest);
            if (!marks.starts())
                step.accumulated =
                    monoid_.combine(queue_[marks.accumulator - 1].partial, queue_[marks.accumulator].partial);
        }
        return step;
    }

    //! Writes a staged step, or takes it back. Nothing here throws.
    void exchange(Step& step) noexcept {
        using std::swap;
        if (step.left) swap(*step.left, queue_[step.marks.left].partial);
        if (step.accumulated) swap(*step.accumulated, queue_[step.marks.accumulator - 1].partial);
        if (step.rest) swap(*step.rest, rest_);
        if (step.joined) swap(*step.joined, joined_);
        if (step.back) swap(*step.back, back_);
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
        if (turns) [[unlikely]] {
            std::swap(rest_, joined_);
            back_ = queue_.back().partial;
        }
        reverse(turns, begin);
    }

    Step advance_aside(Position begin) {
        const bool turns = marks_.due();
        Step step = stage(marks_.turned(turns, begin, queue_.end() - 1), turns ? joined_ : rest_);
        if (turns) {
            step.rest = joined_;
            step.back = queue_.back().partial;
        }
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

    //! Of [begin, end), which holds own partials: the aggregates from each entry to the end, and on through `after`.
    std::vector<Partial> suffixes(Position begin, Position end, const std::optional<Partial>& after) const {
        std::vector<Partial> result(static_cast<std::size_t>(end - begin));
        for (Position p = end; p-- > begin;) {
            const bool last = p + 1 == end;
            result[p - begin] = last ? extended(p, after) : monoid_.combine(queue_[p].partial, result[p - begin + 1]);
        }
        return result;
    }

    //! What `p` holds, on through `after`.
    Partial extended(Position p, const std::optional<Partial>& after) const {
        return after ? monoid_.combine(queue_[p].partial, *after) : queue_[p].partial;
    }

    static std::optional<Partial> first_of(const std::vector<Partial>& partials) {
        return partials.empty() ? std::nullopt : std::optional<Partial>(partials.front());
    }

    [[no_unique_address]] M monoid_;
    Queue queue_;
    DabaMarks marks_;
    //! The aggregate of back without the youngest entry; of no meaning while that is nothing.
    Partial joined_{};
    //! The aggregate of right and accumulated: the same from one turn to the next.
    Partial rest_{};
    //! The aggregate of back and the youngest entry.
    Partial back_{};
};

}  // namespace sash
