//! DABA with one partial an entry: each part of the queue is overwritten by the aggregates that it needs.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/daba_queue.hpp"
#include "sash/algorithms/suffixes.hpp"

namespace sash {

//! Insert, evict and query O(1) in the worst case, without a loop: at most 3 combines an insert, 2 an evict, 1 a query,
//! and on average 2 an insert and 1 an evict. One partial an entry.
//!
//!     | front | left | right | accumulated | back | youngest |
//!       >back  >right   own      >back       own      own       what each entry holds
//!
//! `>x` is the aggregate from the entry up to where x begins (see DabaMarks), `own` the entry's own partial. The
//! aggregates of right and back, which DABA reads off their last entries, are kept beside the queue.
template <Monoid M>
class DabaLite : public DabaQueue<M, Entry<typename M::Partial>, true> {
    using Base = DabaQueue<M, Entry<typename M::Partial>, true>;
    using Base::ends_, Base::marks_, Base::monoid_, Base::queue_, Base::rest_;
    using typename Base::Position;

public:
    using typename Base::Partial;
    static constexpr bool listable = false;

    explicit DabaLite(M monoid = M{}) : Base(std::move(monoid)) {}

    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }
    auto owned() const { return std::tie(queue_, rest_, ends_.back, ends_.joined); }

    Partial query() const {
        if (queue_.size() > 1) return monoid_.combine(queue_.front().partial, ends_.back);
        return queue_.empty() ? monoid_.identity() : ends_.back;
    }

    //! The former youngest entry joins the structure: the back part's aggregate has it already. A flip empties the back
    //! part, and the new entry starts the next one.
    void insert(Time time, Partial partial) {
        if (queue_.empty()) [[unlikely]]
            return load(time, std::move(partial));
        if (time == this->youngest()) [[unlikely]]
            return combine_into_both(monoid_, queue_.back().partial, ends_.back, partial);
        const bool flips = marks_.due();
        if constexpr (kInPlace<M>) {
            push(flips, time, std::move(partial));
            flips ? this->flip_and_fixup(queue_.oldest()) : this->fixup();
        } else {
            push_aside(flips, time, std::move(partial));
        }
    }

    //! Pairs: suffix aggregates up to, and without, the youngest entry; then that entry itself. The same as
    //! two_stacks_lite gives.
    template <class F>
    void for_each(F f) const {
        if (queue_.empty()) return;
        const Position left = marks_.left.position();
        const Position accumulator = marks_.accumulator.position();
        const Position back = marks_.back.position();
        Suffixes suffixes(monoid_, queue_.youngest(), queue_.size() - 1);
        suffixes.through_own(queue_.end() - 1 - back);
        const auto after_back = suffixes.reached();
        suffixes.through_aggregates(back - accumulator, after_back);
        suffixes.through_own((accumulator - left) / 2);
        const auto after_left = suffixes.reached();
        suffixes.through_aggregates((accumulator - left) / 2, after_left);
        suffixes.through_aggregates(left - queue_.begin(), after_back);
        suffixes.show(queue_, f);
    }

    //! Whatever came before is reversed already, and this entry is the youngest: a free ride until the next flip.
    void load(Time time, Partial partial) {
        Partial back = partial;
        queue_.push_back({time, std::move(partial)});
        marks_.restart(queue_.youngest());
        if (queue_.size() > 1) marks_.left = marks_.accumulator = queue_.oldest().after();
        ends_.back = std::move(back);
    }

private:
    //! Pushes and brings the aggregates beside the queue up to date.
    void push(bool flips, Time time, Partial partial) {
        if constexpr (kWide<M>) {
            queue_.push_back({time, std::move(partial)});
            std::swap(flips ? rest_ : ends_.joined, ends_.back);
            ends_.back = flips ? queue_.back().partial : ends_.joined;
            if (!flips) append(monoid_, ends_.back, queue_.back().partial);
        } else if (flips) [[unlikely]] {
            queue_.push_back({time, partial});
            rest_ = ends_.back;
            ends_.back = partial;
        } else {
            const Partial former = ends_.back;
            const Partial back = monoid_.combine(former, partial);
            queue_.push_back({time, partial});
            ends_.joined = former;
            ends_.back = back;
        }
    }

    //! All of an insert, computed before anything is changed.
    void push_aside(bool flips, Time time, Partial partial) {
        Partial back = flips ? partial : monoid_.combine(ends_.back, partial);
        queue_.push_back({time, std::move(partial)});
        this->fixup_aside(flips, ends_.back);
        ends_.joined = std::exchange(ends_.back, std::move(back));
    }
};

}  // namespace sash
