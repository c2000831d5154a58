//! The queue of a DABA window: its parts, the marks between them, and the step that moves the marks.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"

namespace sash {

//! Where the parts begin; all of them are cursors, so that no step needs a search.
//!
//!     | front | left | right | accumulated | back | youngest |
//!      oldest  left   (right)  accumulator   back              where each part begins
//!
//! The youngest entry is out of the structure, so that an equal time can still combine into it; where the paper has E,
//! the end of the queue, there is the youngest entry. Left and right have equal sizes at all times, so that the mark
//! between them needs no keeping. Everything before `back` belongs to l_F of the paper, the rest to l_B.
template <class Cursor>
struct DabaMarks {
    Cursor left;
    Cursor accumulator;
    Cursor back;

    //! Everything is in front, ready to leave: the state of a single entry.
    void restart(Cursor youngest) { left = accumulator = back = youngest; }

    //! Whether all before the back part is reversed or gone, so that the next step begins with a flip.
    bool due() const { return left == back; }
    //! Makes the back part the right part of the next reversal, and begins a new one at the youngest entry.
    void flip(Cursor oldest, Cursor youngest) {
        left = oldest == back ? youngest : oldest;
        accumulator = back = youngest;
    }

    //! Whether the step reverses an entry; otherwise it is a free ride through what is reversed already.
    bool shrinks() const { return left != accumulator; }
    //! Whether a step that shrinks is the first after a flip.
    bool starts() const { return accumulator == back; }
    void shrink() {
        ++left;
        --accumulator;
    }
    void shift() {
        ++left;
        ++accumulator;
    }
};

//! daba and daba_lite run the same reversal over the same parts. They differ in where an entry has its aggregate (see
//! aggregate_of), and so in what the entries of right and back hold; `Cached` is false where the aggregate of right and
//! accumulated is computed each time.
template <Monoid M, class E, bool Cached>
class DabaQueue : public InOrder<M, E> {
    using Base = InOrder<M, E>;

public:
    using typename Base::Partial;

    void evict() {
        if (queue_.has_one()) [[unlikely]]
            return clear();
        if constexpr (kInPlace<M>) {
            advance();
        } else {
            advance_aside(queue_.oldest().after());
        }
        queue_.pop_front();
    }

    //! O(m) for m entries that leave; all of them or none.
    void bulk_evict(Time time) {
        if (queue_.empty()) return;
        if (this->youngest() <= time) return clear();
        if constexpr (kInPlace<M>) {
            while (this->oldest() <= time) evict();
        } else {
            const Position last = this->first_after(time);
            evict_aside(static_cast<std::size_t>(last - queue_.begin()));
            queue_.drop_before(last);
        }
    }

    void clear() {
        queue_.drop_before(queue_.end());
        rest_ = Partial{};
        ends_ = {};
    }

    template <class Out>
    void describe(Out& out) const {
        if (queue_.empty()) return;
        const Position left = marks_.left.position();
        const Position accumulator = marks_.accumulator.position();
        const Position right = left + (accumulator - left) / 2;
        const Position back = marks_.back.position();
        this->describe_suffixes(out, "front", queue_.begin(), left, back);
        this->describe_suffixes(out, "left", left, right, right);
        this->describe_prefixes(out, "right", right, accumulator);
        this->describe_suffixes(out, "accumulated", accumulator, back, back);
        this->describe_prefixes(out, "back", back, queue_.end());
        // Of no use once the reversal is done.
        if (Cached && marks_.shrinks()) out.aggregate("rest", this->time_at(right), this->time_at(back - 1), &rest_);
        describe_ends(out, back);
    }

    void check_invariants() const {
        if (!queue_.empty()) check_marks();
        check_times(queue_);
    }

protected:
    using Base::monoid_, Base::queue_;
    using typename Base::Cursor, typename Base::Position;
    using Marks = DabaMarks<Cursor>;
    using Base::kBeside;

    //! The aggregate of back alone, which has no meaning while that is nothing, and of back and the youngest entry:
    //! kept where they cannot be read off the entries.
    struct Ends {
        Partial joined{};
        Partial back{};
    };
    struct NoEnds {};

    //! What one step writes, computed before anything is changed; after the exchange, what it overwrote. Monoids that
    //! combine in place need none.
    struct Step {
        Marks before{};
        Marks marks{};
        std::optional<Partial> left{};
        std::optional<Partial> accumulated{};
        std::optional<Partial> rest{};
        std::optional<Partial> back{};
    };

    explicit DabaQueue(M monoid) : Base(std::move(monoid)) {}
    DabaQueue(const DabaQueue& other) : Base(other), rest_(other.rest_), ends_(other.ends_) {
        if (!queue_.empty())
            marks_ = {twin(other.marks_.left), twin(other.marks_.accumulator), twin(other.marks_.back)};
    }
    DabaQueue(DabaQueue&&) noexcept = default;
    DabaQueue& operator=(const DabaQueue& other) { return *this = DabaQueue(other); }
    DabaQueue& operator=(DabaQueue&&) noexcept = default;
    ~DabaQueue() = default;

    Partial& back() {
        if constexpr (kBeside) {
            return queue_.back().aggregate;
        } else {
            return ends_.back;
        }
    }
    Partial& joined() {
        if constexpr (kBeside) {
            return queue_.youngest().before()->aggregate;
        } else {
            return ends_.joined;
        }
    }

    //! The paper's fixup, without a loop, for monoids that combine in place; no flip is due.
    void fixup() {
        if (!marks_.shrinks()) return marks_.shift();
        const bool starts = marks_.starts();
        const Cursor left = marks_.left;
        const Cursor next = marks_.accumulator;
        marks_.shrink();
        const Cursor last = marks_.accumulator;
        append_rest(aggregate_of(*left), starts, *last, next);
        if (!starts) [[likely]]
            return extend(monoid_, *last, *next);
        if constexpr (kBeside) last->aggregate = last->partial;
    }

    //! The same where a flip is due. `oldest` is the entry that will be the oldest; `rest_` is the aggregate of right.
    [[gnu::noinline]] void flip_and_fixup(Cursor oldest) {
        marks_.flip(oldest, queue_.youngest());
        if (!marks_.due()) fixup();  // else a single entry, or none
    }

    //! The step, computed aside. Where it flips, `rest` is the aggregate of right.
    Step stage(bool flips, Cursor oldest, const Partial& rest) const {
        Step step{.before = marks_, .marks = marks_};
        if (flips) {
            step.marks.flip(oldest, queue_.youngest());
            if constexpr (Cached) step.rest = rest;
        }
        if (!step.marks.shrinks()) return step;
        const bool starts = step.marks.starts();
        const Cursor next = step.marks.accumulator;
        const Cursor last = next.before();
        step.left = aggregate_of(*step.marks.left);
        append_rest(*step.left, starts, *last, next, flips ? rest : rest_);
        if (!starts) step.accumulated = monoid_.combine(last->partial, aggregate_of(*next));
        if (kBeside && starts) step.accumulated = last->partial;
        return step;
    }

    //! The step of an insert whose entry was pushed; a failure takes that entry back.
    void fixup_aside(bool flips, const Partial& rest) {
        try {
            Step step = stage(flips, queue_.oldest(), rest);
            commit(step);
        } catch (...) {
            queue_.pop_back();
            throw;
        }
    }

    //! Writes a staged step, or takes it back. Nothing here throws.
    void exchange(Step& step) noexcept {
        using std::swap;
        if (step.left) swap(*step.left, aggregate_of(*step.marks.left));
        if (step.accumulated) swap(*step.accumulated, aggregate_of(*step.marks.accumulator.before()));
        if (step.rest) swap(*step.rest, rest_);
        if (step.back) swap(*step.back, back());
    }
    void commit(Step& step) noexcept {
        exchange(step);
        marks_ = step.marks;
        if (marks_.due()) return;
        marks_.shrinks() ? marks_.shrink() : marks_.shift();
    }

    Marks marks_;
    //! The aggregate of right and accumulated: the same from one flip to the next.
    Partial rest_{};

    [[no_unique_address]] std::conditional_t<kBeside, NoEnds, Ends> ends_;

private:
    //! All of an eviction but the pop. A flip leaves the youngest entry alone in the back part.
    void advance() {
        if (!marks_.due()) [[likely]]
            return fixup();
        if constexpr (!kBeside) std::swap(rest_, ends_.joined);
        if constexpr (kBeside && Cached) rest_ = joined();
        back() = queue_.back().partial;
        flip_and_fixup(queue_.oldest().after());
    }
    Step advance_aside(Cursor oldest) {
        const bool flips = marks_.due();
        Step step = stage(flips, oldest, joined());
        if (flips) step.back = queue_.back().partial;
        commit(step);
        return step;
    }

    //! So many evictions but their pops. One that throws has changed nothing, and those before it are taken back.
    void evict_aside(std::size_t count) {
        std::vector<Step> taken;
        taken.reserve(count);
        Cursor oldest = queue_.oldest();
        try {
            while (taken.size() != count) taken.push_back(advance_aside(++oldest));
        } catch (...) {
            for (; !taken.empty(); taken.pop_back()) {
                exchange(taken.back());
                marks_ = taken.back().before;
            }
            throw;
        }
    }

    Cursor twin(const Cursor& original) const { return queue_.at(original.position()); }

    void append_rest(Partial& left, bool starts, E& last, Cursor next) const {
        append_rest(left, starts, last, next, rest_);
    }
    //! left = left (x) the aggregate of right and accumulated. `last` is the last entry of right, `next` the one after.
    void append_rest(Partial& left, [[maybe_unused]] bool starts, [[maybe_unused]] E& last,
                     [[maybe_unused]] Cursor next, const Partial& rest) const {
        if constexpr (Cached) {
            append(monoid_, left, rest);
        } else {
            append(monoid_, left, last.aggregate);
            if (!starts) append(monoid_, left, next->aggregate);
        }
    }

    template <class Out>
    void describe_ends([[maybe_unused]] Out& out, [[maybe_unused]] Position back) const {
        if constexpr (!kBeside) {
            const Position youngest = queue_.end() - 1;
            const Time first = this->time_at(back);
            if (back != youngest) out.aggregate("joined", first, this->time_at(youngest - 1), &ends_.joined);
            out.aggregate("back", first, this->youngest(), &ends_.back);
        }
    }

    void check_marks() const {
        const Position begin = queue_.begin();
        const Position end = queue_.end() - 1;
        const Position left = marks_.left.position();
        const Position accumulator = marks_.accumulator.position();
        const Position back = marks_.back.position();
        invariant(begin <= left && left <= accumulator && accumulator <= back && back <= end,
                  "begin <= left <= accumulator <= back <= end");
        // As many entries wait on the left as on the right.
        invariant((accumulator - left) % 2 == 0, "left and right have equal sizes");
        // The reversal is done exactly when the next one is due, with one entry in front to answer queries.
        invariant(begin == end || (back - left) + 1 == (back - begin) - (end - back),
                  "|left| + |right| + |accumulated| + 1 == |l_F| - |l_B|");
    }
};

}  // namespace sash
