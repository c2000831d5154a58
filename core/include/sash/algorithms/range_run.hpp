//! Many ranges of one window whose ends only move on, and which all hold the entries in the middle.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sash/algorithms/key_window.hpp"
#include "sash/monoid.hpp"
#include "sash/time.hpp"

namespace sash {

//! The first and the last label of a range, both in.
struct LabelRange {
    Time from;
    Time to;
};

//! Two stacks, made in one pass: suffixes of what is before the last start, and the middle, which grows by what is
//! behind the first end. One combine an entry and one a range, where a query takes one a level of the tree.
template <Monoid M>
class RangeRun {
public:
    using Partial = typename M::Partial;

    //! Whether that is less than a query a range.
    static bool pays(const KeyWindow<M>& window, const LabelRange& first, const LabelRange& last, std::size_t ranges) {
        constexpr std::size_t kFew = 8;
        if (ranges < kFew || last.from > first.to || first.from > last.from || first.to > last.to) return false;
        return window.count(first.from, last.to) <= window.count(last.from, first.to) + 2 * ranges;
    }

    RangeRun(const M& monoid, const KeyWindow<M>& window, const LabelRange& first, const LabelRange& last)
        : monoid_(monoid), middle_(window.query(monoid, last.from, first.to)) {
        const auto keep = [](std::vector<Entry>& entries) {
            return [&entries](Time label, const Partial& partial) { entries.push_back({label, partial}); };
        };
        if (first.from < last.from) window.for_each_between(first.from, last.from - 1, keep(older_));
        if (first.to < last.to) window.for_each_between(first.to + 1, last.to, keep(newer_));
        for (std::size_t i = older_.size(); i-- > 1;) append(monoid_, older_[i - 1].partial, older_[i].partial);
    }

    //! The next range; it begins and ends where the one before did, or later.
    Partial query(const LabelRange& range) {
        while (left_ < older_.size() && older_[left_].label < range.from) ++left_;
        for (; grown_ < newer_.size() && newer_[grown_].label <= range.to; ++grown_)
            append(monoid_, middle_, newer_[grown_].partial);
        return left_ == older_.size() ? middle_ : monoid_.combine(older_[left_].partial, middle_);
    }

private:
    struct Entry {
        Time label;
        Partial partial;
    };

    const M& monoid_;
    std::vector<Entry> older_;
    std::vector<Entry> newer_;
    Partial middle_;
    std::size_t left_ = 0;
    std::size_t grown_ = 0;
};

}  // namespace sash
