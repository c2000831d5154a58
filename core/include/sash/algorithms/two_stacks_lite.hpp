//! Two-Stacks with one partial an entry: the front part is overwritten by its own suffix aggregates.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/in_order.hpp"
#include "sash/algorithms/queue.hpp"

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

    explicit TwoStacksLite(M monoid = M{}) : monoid_(std::move(monoid)) {}

    std::size_t size() const { return queue_.size(); }
    Time oldest() const { return queue_.front().time; }
    Time youngest() const { return queue_.back().time; }
    std::size_t bytes() const { return sizeof(*this) + queue_.bytes(); }

    Partial query() const {
        if (has_front()) [[likely]]
            return monoid_.combine(queue_.front().partial, back_);
        return queue_.empty() ? monoid_.identity() : back_;
    }

    void insert(Time time, Partial partial) {
        if (queue_.empty()) [[unlikely]]
            return load(time, std::move(partial));
        if (time == youngest()) [[unlikely]]
            return combine_into_youngest(partial);
        if constexpr (kWide<M>) {
            queue_.push_back({time, std::move(partial)});
            append(monoid_, back_, queue_.back().partial);
        } else {
            Partial back = monoid_.combine(back_, partial);
            queue_.push_back({time, std::move(partial)});
            back_ = std::move(back);
        }
    }

    void evict() {
        if (!has_front()) [[unlikely]] {
            if (queue_.size() == 1) return clear();
            flip(queue_.begin());
        }
        queue_.pop_front();
    }

    //! Entries of the front part leave by a jump. When more leaves, what stays is flipped, once: amortized O(1) an
    //! entry.
    void bulk_evict(Time time) {
        const Position last = first_after(queue_, time);
        if (last == queue_.begin()) return;
        if (last == queue_.end()) return clear();
        if (last > split_) flip(last);
        queue_.drop_before(last);
    }

    //! Pairs: suffix aggregates up to, and without, the youngest entry; then that entry itself. The same for
    //! equal windows, wherever their split is, as far as the monoid's combine is exact.
    template <class F>
    void for_each(F f) const {
        if (queue_.empty()) return;
        const Position youngest = queue_.end() - 1;
        const Position split = has_front() ? split_ : queue_.begin();
        const std::vector<Partial> inner = suffixes(split, youngest);
        for (Position p = queue_.begin(); p != split; ++p)
            f(queue_[p].time, inner.empty() ? queue_[p].partial : monoid_.combine(queue_[p].partial, inner.front()));
        for (Position p = split; p != youngest; ++p) f(queue_[p].time, inner[p - split]);
        f(queue_[youngest].time, queue_[youngest].partial);
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
    using Queue = ChunkedQueue<Entry<Partial>>;
    using Position = typename Queue::Position;

    bool has_front() const { return queue_.begin() < split_; }

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

    //! Aggregates of [p, end) for each p in [begin, end): what a flip of that stretch would store.
    std::vector<Partial> suffixes(Position begin, Position end) const {
        std::vector<Partial> result(static_cast<std::size_t>(end - begin));
        for (Position p = end; p-- > begin;) {
            const bool last = p + 1 == end;
            result[p - begin] = last ? queue_[p].partial : monoid_.combine(queue_[p].partial, result[p + 1 - begin]);
        }
        return result;
    }

    //! Turns the entries from `begin` on into the front part, and leaves the youngest alone behind it. What is before
    //! `begin` must leave.
    void flip(Position begin) {
        const Position end = queue_.end() - 1;
        if constexpr (kInPlace<M>) {
            flip_in_place(begin, end);
            back_ = queue_.back().partial;
        } else {
            Partial back = queue_.back().partial;
            std::vector<Partial> front = suffixes(begin, end);
            for (Position p = begin; p != end; ++p) queue_[p].partial = std::move(front[p - begin]);
            back_ = std::move(back);
        }
        split_ = end;
    }

    //! A small running aggregate stays in a register; a wide one is read from the neighbour.
    void flip_in_place(Position begin, Position end) {
        if (begin == end) return;
        if constexpr (kWide<M>) {
            for (Position p = end - 1; p-- > begin;) append(monoid_, queue_[p].partial, queue_[p + 1].partial);
        } else {
            Partial running = queue_[end - 1].partial;
            for (Position p = end - 1; p-- > begin;) {
                Partial& partial = queue_[p].partial;
                partial = running = monoid_.combine(partial, running);
            }
        }
    }

    [[no_unique_address]] M monoid_;
    //! [begin, split_) are suffix aggregates up to split_, the rest the entries' own partials.
    Queue queue_;
    //! At or before begin when there is no front part.
    Position split_ = 0;
    //! The aggregate of [max(begin, split_), end).
    Partial back_{};
};

}  // namespace sash
