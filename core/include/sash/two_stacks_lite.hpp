//! Two-Stacks with one partial an entry: the front part is overwritten by its own suffix aggregates.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/queue.hpp"

namespace sash {

//! Insert and query O(1); evict amortized O(1), O(n) when it flips. One partial an entry.
//!
//!     queue   | s s s s s | v v v v |        s: aggregate of the entry and all after it in the front part
//!              begin       split_    end     v: the entry's own partial; back_ is the aggregate of all v
//!
//! The youngest entry never enters the front part, so that an equal time can still combine into it.
template <Monoid M>
class TwoStacksLite {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = false;

    explicit TwoStacksLite(M monoid = M{}) : monoid_(std::move(monoid)), back_(monoid_.identity()) {}

    std::size_t size() const { return queue_.size(); }
    Time oldest() const { return queue_.front().time; }
    Time youngest() const { return queue_.back().time; }
    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }

    Partial query() const { return has_front() ? monoid_.combine(queue_.front().partial, back_) : back_; }

    void insert(Time time, Partial partial) {
        if (queue_.size() != 0 && time == youngest()) return combine_into_youngest(partial);
        if constexpr (M::fallible) {
            Partial back = back_empty() ? partial : monoid_.combine(back_, partial);
            queue_.push_back({time, std::move(partial)});
            back_ = std::move(back);
        } else {
            if (back_empty()) {
                back_ = partial;
            } else {
                append(monoid_, back_, partial);
            }
            queue_.push_back({time, std::move(partial)});
        }
    }

    void evict() {
        if (queue_.size() == 1) return clear();
        if (!has_front()) flip(queue_.end() - 1);
        queue_.pop_front();
    }

    //! Entries of the front part leave by a jump; a flip covers only what stays.
    void bulk_evict(Time time) {
        const Position last = first_after(queue_, time, queue_.begin(), queue_.end());
        if (last == queue_.end()) return clear();
        if (last >= split_) rebuild_back(last);
        queue_.drop_before(last);
    }

    //! The kept pairs: suffix aggregates up to, and without, the youngest entry; then that entry itself. The same for
    //! equal windows, wherever their split is.
    template <class F>
    void for_each(F f) const {
        std::vector<Partial> inner = suffixes(split_, queue_.end() == queue_.begin() ? split_ : queue_.end() - 1);
        for (Position p = queue_.begin(); p != queue_.end(); ++p) {
            const bool own = p + 1 == queue_.end();
            if (own) {
                f(queue_[p].time, queue_[p].partial);
            } else if (p >= split_) {
                f(queue_[p].time, inner[p - split_]);
            } else {
                f(queue_[p].time, inner.empty() ? queue_[p].partial : monoid_.combine(queue_[p].partial, inner.front()));
            }
        }
    }

    void load(Time time, Partial partial) {
        back_ = partial;
        split_ = queue_.end();
        queue_.push_back({time, std::move(partial)});
    }

    void clear() {
        queue_.drop_before(queue_.end());
        back_ = monoid_.identity();
    }

    void check_invariants() const {
        // The split lies within the queue.
        invariant(queue_.begin() <= split_ || !has_front(), "split_ >= begin or no front");
        invariant(split_ <= queue_.end(), "split_ <= end");
        // The youngest entry is not in the front part.
        invariant(queue_.empty() || split_ < queue_.end(), "the youngest is behind the split");
        // Times rise strictly.
        for (Position p = queue_.begin(); p + 1 < queue_.end(); ++p)
            invariant(queue_[p].time < queue_[p + 1].time, "times rise");
    }

private:
    using Queue = ChunkedQueue<Entry<Partial>>;
    using Position = typename Queue::Position;

    bool has_front() const { return queue_.begin() < split_; }
    bool back_empty() const { return queue_.empty(); }

    void combine_into_youngest(const Partial& partial) {
        Partial youngest = monoid_.combine(queue_.back().partial, partial);
        append(monoid_, back_, partial);
        queue_.back().partial = std::move(youngest);
    }

    //! Aggregates of [p, end) for each p in [begin, end): what a flip of that stretch would store.
    std::vector<Partial> suffixes(Position begin, Position end) const {
        std::vector<Partial> result(end > begin ? end - begin : 0);
        for (Position p = end; p-- > begin;) {
            const bool last = p + 1 == end;
            result[p - begin] = last ? queue_[p].partial : monoid_.combine(queue_[p].partial, result[p + 1 - begin]);
        }
        return result;
    }

    //! Turns [begin, end) into the front part, and leaves the youngest entry alone behind it.
    void flip(Position end) {
        if constexpr (M::fallible) {
            std::vector<Partial> front = suffixes(queue_.begin(), end);
            for (Position p = queue_.begin(); p != end; ++p) queue_[p].partial = std::move(front[p - queue_.begin()]);
        } else {
            for (Position p = end - 1; p-- > queue_.begin();) append(monoid_, queue_[p].partial, queue_[p + 1].partial);
        }
        split_ = end;
        back_ = queue_.back().partial;
    }

    //! Everything before `first` leaves, and `first` lies behind the split: aggregate again what stays.
    void rebuild_back(Position first) {
        Partial back = queue_[first].partial;
        for (Position p = first + 1; p != queue_.end(); ++p) append(monoid_, back, queue_[p].partial);
        back_ = std::move(back);
    }

    [[no_unique_address]] M monoid_;
    //! [begin, split_) are suffix aggregates up to split_, the rest the entries' own partials.
    Queue queue_;
    Position split_ = 0;
    //! The aggregate of [max(begin, split_), end).
    Partial back_;
};

}  // namespace sash
