//! ABA, the Amortized Banker's Aggregator: Two-Stacks within one queue, so that a flip moves no entry.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"
#include "sash/algorithms/queue.hpp"

namespace sash {

//! Insert and query O(1); evict amortized O(1), O(n) when it flips. Two partials an entry.
//!
//!     queue   | e  e  e  e | e  e  e  youngest |     oldest to youngest
//!              --> split_    split_ -->              which way each aggregate reaches
//!
//! The youngest entry never enters the front part, so that an equal time can still combine into it.
template <Monoid M>
class Aba {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;

    explicit Aba(M monoid = M{}) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return queue_.size(); }
    Time oldest() const { return queue_.front().time; }
    Time youngest() const { return queue_.back().time; }
    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }

    Partial query() const {
        if (has_front()) return monoid_.combine(queue_.front().aggregate, queue_.back().aggregate);
        return queue_.empty() ? monoid_.identity() : queue_.back().aggregate;
    }

    void insert(Time time, Partial partial) {
        if (!queue_.empty() && time == youngest()) return combine_into_youngest(partial);
        Partial aggregate = queue_.empty() ? partial : monoid_.combine(queue_.back().aggregate, partial);
        queue_.push_back({time, std::move(partial), std::move(aggregate)});
    }

    void evict() {
        if (queue_.size() == 1) return clear();
        if (!has_front()) flip(queue_.begin());
        queue_.pop_front();
    }

    //! Entries of the front part leave by a jump. When more leaves, what stays is flipped, once.
    void bulk_evict(Time time) {
        const Position last = first_after(queue_, time);
        if (last == queue_.begin()) return;
        if (last == queue_.end()) return clear();
        // Without a front part the aggregates of the back part begin at the front.
        if (last > split_) flip(last);
        queue_.drop_before(last);
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    template <class F>
    void for_each(F f) const {
        for (Position p = queue_.begin(); p != queue_.end(); ++p) f(queue_[p].time, queue_[p].partial);
    }

    void clear() { queue_.drop_before(queue_.end()); }

    void check_invariants() const {
        // The youngest entry is not in the front part.
        invariant(queue_.empty() ? split_ <= queue_.end() : split_ < queue_.end(), "the youngest is behind the split");
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

    bool has_front() const { return queue_.begin() < split_; }

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
    }

    //! Turns the aggregates from `begin` on around, all but the youngest entry's, which starts the new back part. What
    //! is before `begin` must leave.
    void flip(Position begin) {
        const Position end = queue_.end() - 1;
        if constexpr (kInPlace<M>) {
            flip_in_place(begin, end);
        } else {
            flip_aside(begin, end);
        }
        split_ = end;
    }

    void flip_in_place(Position begin, Position end) {
        for (Position p = end; p-- > begin;) {
            Slot& slot = queue_[p];
            if (p + 1 == end) {
                slot.aggregate = slot.partial;
            } else {
                combine_into(monoid_, slot.aggregate, slot.partial, queue_.after(slot, p).aggregate);
            }
        }
        queue_.back().aggregate = queue_.back().partial;
    }

    void flip_aside(Position begin, Position end) {
        std::vector<Partial> aggregates;  // the youngest first
        aggregates.reserve(static_cast<std::size_t>(end - begin) + 1);
        aggregates.push_back(queue_.back().partial);
        for (Position p = end; p-- > begin;) {
            const Partial& partial = queue_[p].partial;
            aggregates.push_back(p + 1 == end ? partial : monoid_.combine(partial, aggregates.back()));
        }
        for (Position p = begin; p <= end; ++p) queue_[p].aggregate = std::move(aggregates[end - p]);
    }

    [[no_unique_address]] M monoid_;
    //! [begin, split_) aggregate from the entry to split_, the rest from split_ to the entry.
    Queue queue_;
    //! At or before begin when there is no front part.
    Position split_ = 0;
};

}  // namespace sash
