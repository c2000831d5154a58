//! What the lite algorithms show of themselves: for each entry but the youngest, the aggregate up to, and without,
//! that.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sash/algorithms/in_order.hpp"

namespace sash {

//! Computed from the youngest entry back, part by part. The same for equal windows, wherever their parts begin, as far
//! as the monoid's combine is exact: so a snapshot does not depend on the history of a window.
template <Monoid M, class E>
class Suffixes {
public:
    using Partial = typename M::Partial;

    //! `youngest` is the youngest entry's cursor, `count` the number of those before it.
    Suffixes(const M& monoid, Cursor<E> youngest, std::size_t count)
        : monoid_(monoid), cursor_(youngest), left_(count), found_(count) {}

    //! The aggregate of what was gone through so far; nothing where that is nothing.
    const std::optional<Partial>& reached() const { return reached_; }

    //! The next `count` entries hold their own partials.
    void through_own(std::size_t count) {
        for (; count > 0; --count) add(reached_);
    }
    //! The next `count` entries hold aggregates up to a place after which `rest` follows.
    void through_aggregates(std::size_t count, const std::optional<Partial>& rest) {
        for (; count > 0; --count) add(rest);
    }

    //! Once all have been gone through: calls f(time, suffix) from the oldest entry on, and on the youngest entry
    //! itself.
    template <class Queue, class F>
    void show(const Queue& queue, F f) const {
        auto suffix = found_.begin();
        queue.for_each([&](const E& entry) { f(entry.time, suffix != found_.end() ? *suffix++ : entry.partial); });
    }

private:
    void add(const std::optional<Partial>& rest) {
        --cursor_;
        Partial suffix = rest ? monoid_.combine(cursor_->partial, *rest) : cursor_->partial;
        found_[--left_] = suffix;
        reached_ = std::move(suffix);
    }

    const M& monoid_;
    Cursor<E> cursor_;
    std::size_t left_;
    std::vector<Partial> found_;
    std::optional<Partial> reached_;
};

}  // namespace sash
