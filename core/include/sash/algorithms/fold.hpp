//! The combination of a handful of partials that lie side by side.
#pragma once

#include <utility>

#include "sash/monoid.hpp"

namespace sash {

//! Grows at both ends. The identity stands for nothing and is not combined: k partials take k - 1 combines.
template <Monoid M>
class Fold {
public:
    using Partial = typename M::Partial;

    explicit Fold(const M& monoid) : monoid_(monoid), total_(monoid.identity()) {}

    void append(const Partial& newer) {
        if (std::exchange(started_, true)) {
            sash::append(monoid_, total_, newer);
        } else {
            total_ = newer;
        }
    }
    void prepend(const Partial& older) {
        if (std::exchange(started_, true)) {
            sash::prepend(monoid_, older, total_);
        } else {
            total_ = older;
        }
    }
    void append(const Fold& newer) {
        if (newer.started_) append(newer.total_);
    }
    Partial take() { return std::move(total_); }

private:
    const M& monoid_;
    Partial total_;
    bool started_ = false;
};

}  // namespace sash
