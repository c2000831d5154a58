//! The queue of an ABA or a two_stacks_lite window: a front part of suffix aggregates, and a back part.
#pragma once

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"

namespace sash {

//!     queue   | s s s s s | v v v v |        s: aggregate of the entry and all after it in the front part
//!              begin       split_    end     v: the entry is in the back part, the youngest at all times
//!
//! Evict is amortized O(1), O(n) when it flips the back part into the front part. The youngest entry never enters the
//! front part, so that an equal time can still combine into it. Where an entry has its aggregate: see aggregate_of.
template <Monoid M, class E>
class TwoParts : public InOrder<M, E> {
    using Base = InOrder<M, E>;

public:
    using typename Base::Partial;

    void evict() {
        if (!has_front()) [[unlikely]] {
            if (queue_.has_one()) return clear();
            turn(queue_.oldest());
        }
        queue_.pop_front();
    }

    //! Entries of the front part leave by a jump. When more leaves, what stays is flipped, once: amortized O(1) an
    //! entry.
    void bulk_evict(Time time) {
        const Position last = this->first_after(time);
        if (last == queue_.end()) return clear();
        // Without a front part the aggregates of the back part begin at the front.
        if (last > split_ && last != queue_.begin()) turn(queue_.at(last));
        queue_.drop_before(last);
    }

    void clear() {
        queue_.drop_before(queue_.end());
        if constexpr (!kBeside) back_ = Partial{};
    }

    auto owned() const { return std::tie(queue_, back_); }

    template <class Out>
    void describe(Out& out) const {
        const Position split = std::max(split_, queue_.begin());
        this->describe_suffixes(out, "front", queue_.begin(), split, split);
        this->describe_prefixes(out, "back", split, queue_.end());
        if (!kBeside && !queue_.empty()) out.aggregate("back", this->time_at(split), this->youngest(), &back());
    }

    void check_invariants() const {
        // The youngest entry is not in the front part.
        invariant(queue_.empty() ? split_ <= queue_.end() : split_ < queue_.end(), "the youngest is behind the split");
        check_times(queue_);
    }

protected:
    using Base::monoid_, Base::queue_;
    using typename Base::Cursor, typename Base::Position;

    explicit TwoParts(M monoid) : Base(std::move(monoid)) {}

    bool has_front() const { return queue_.begin() < split_; }

    //! The aggregate of the back part: the youngest entry's, or kept where an entry has but its own partial.
    Partial& back() { return back_of(*this); }
    const Partial& back() const { return back_of(*this); }

    //! At or before begin when there is no front part.
    Position split_ = 0;

private:
    using Base::kBeside;
    struct Nothing {};

    template <class Self>
    static auto& back_of(Self& self) {
        if constexpr (kBeside) {
            return self.queue_.back().aggregate;
        } else {
            return self.back_;
        }
    }

    //! Flips the entries from `first` on, all but the youngest, which starts the new back part. What is before `first`
    //! must leave.
    void turn(Cursor first) {
        const Cursor youngest = queue_.youngest();
        Partial alone = youngest->partial;
        if (first != youngest) flip(monoid_, first, youngest.before());
        back() = std::move(alone);
        split_ = queue_.end() - 1;
    }

    [[no_unique_address]] std::conditional_t<kBeside, Nothing, Partial> back_{};
};

}  // namespace sash
