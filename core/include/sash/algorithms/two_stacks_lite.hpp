//! Two-Stacks with one partial an entry: the front part is overwritten by its own suffix aggregates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"
#include "sash/algorithms/suffixes.hpp"

namespace sash {

//! Insert and query O(1); evict amortized O(1), O(n) when it flips. One partial an entry.
//!
//!     queue   | s s s s s | v v v v |        s: aggregate of the entry and all after it in the front part
//!              begin       split_    end     v: the entry's own partial; back_ is the aggregate of all v
//!
//! The youngest entry never enters the front part, so that an equal time can still combine into it.
template <Monoid M>
class TwoStacksLite : public InOrder<M, Entry<typename M::Partial>> {
    using Base = InOrder<M, Entry<typename M::Partial>>;
    using Base::monoid_, Base::queue_;
    using typename Base::Cursor, typename Base::Position;

public:
    using typename Base::Partial;
    static constexpr bool listable = false;

    explicit TwoStacksLite(M monoid = M{}) : Base(std::move(monoid)) {}

    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }

    Partial query() const {
        if (has_front()) [[likely]]
            return monoid_.combine(queue_.front().partial, back_);
        return queue_.empty() ? monoid_.identity() : back_;
    }

    void insert(Time time, Partial partial) {
        if (queue_.empty()) [[unlikely]]
            return load(time, std::move(partial));
        if (time == this->youngest()) [[unlikely]]
            return combine_into_both(monoid_, queue_.back().partial, back_, partial);
        push_onto(monoid_, queue_, back_, time, std::move(partial));
    }

    void evict() {
        if (!has_front()) [[unlikely]] {
            if (queue_.size() == 1) return clear();
            turn(queue_.oldest());
        }
        queue_.pop_front();
    }

    //! Entries of the front part leave by a jump. When more leaves, what stays is flipped, once: amortized O(1) an
    //! entry.
    void bulk_evict(Time time) {
        const Position last = this->first_after(time);
        if (last == queue_.end()) return clear();
        if (last > split_ && last != queue_.begin()) turn(queue_.at(last));
        queue_.drop_before(last);
    }

    //! Pairs: suffix aggregates up to, and without, the youngest entry; then that entry itself.
    template <class F>
    void for_each(F f) const {
        if (queue_.empty()) return;
        const Position back = std::max(split_, queue_.begin());
        Suffixes suffixes(monoid_, queue_.youngest(), queue_.size() - 1);
        suffixes.through_own(static_cast<std::size_t>(queue_.end() - 1 - back));
        const auto rest = suffixes.reached();
        suffixes.through_aggregates(static_cast<std::size_t>(back - queue_.begin()), rest);
        suffixes.show(queue_, f);
    }

    //! Whatever came before is the front part, and this entry is the youngest.
    void load(Time time, Partial partial) {
        Partial back = partial;
        queue_.push_back({time, std::move(partial)});
        split_ = queue_.end() - 1;
        back_ = std::move(back);
    }

    void clear() {
        queue_.drop_before(queue_.end());
        back_ = Partial{};
    }

    void check_invariants() const {
        // The youngest entry is not in the front part.
        invariant(queue_.empty() ? split_ <= queue_.end() : split_ < queue_.end(), "the youngest is behind the split");
        check_times(queue_);
    }

private:
    bool has_front() const { return queue_.begin() < split_; }

    //! Flips the entries from `first` on into the front part, and leaves the youngest alone behind it. What is before
    //! `first` must leave.
    void turn(Cursor first) {
        const Cursor youngest = queue_.youngest();
        Partial back = youngest->partial;
        if (first != youngest) flip(monoid_, first, youngest.before());
        back_ = std::move(back);
        split_ = queue_.end() - 1;
    }

    //! At or before begin when there is no front part. [begin, split_) are suffix aggregates up to split_, the rest the
    //! entries' own partials.
    Position split_ = 0;
    //! The aggregate of [max(begin, split_), end).
    Partial back_{};
};

}  // namespace sash
