//! A run of entries in the order of their times: what a page of a paged FiBA holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/codec.hpp"
#include "sash/snapshot.hpp"

namespace sash::store {

template <class M>
class Run {
public:
    using Partial = typename M::Partial;

    std::size_t size() const { return times_.size(); }
    bool empty() const { return times_.empty(); }
    Time time(std::size_t at) const { return times_[at]; }
    Time first() const { return times_.front(); }
    Time last() const { return times_.back(); }
    const Partial& partial(std::size_t at) const { return partials_[at]; }

    //! The place of the first entry whose time is not before `time`, and of the first that is after it.
    std::size_t lower_bound(Time time) const {
        return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
    }
    std::size_t upper_bound(Time time) const {
        return static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), time) - times_.begin());
    }
    std::size_t bytes() const { return times_.capacity() * sizeof(Time) + partials_.capacity() * sizeof(Partial); }
    bool holds(std::size_t at, Time time) const { return at < size() && times_[at] == time; }

    void push_back(Time time, Partial partial) {
        times_.push_back(time);
        partials_.push_back(std::move(partial));
    }
    void insert(std::size_t at, Time time, Partial partial) {
        times_.insert(times_.begin() + static_cast<std::ptrdiff_t>(at), time);
        partials_.insert(partials_.begin() + static_cast<std::ptrdiff_t>(at), std::move(partial));
    }
    void set(std::size_t at, Partial partial) { partials_[at] = std::move(partial); }
    void erase(std::size_t from, std::size_t to) {
        times_.erase(times_.begin() + static_cast<std::ptrdiff_t>(from),
                     times_.begin() + static_cast<std::ptrdiff_t>(to));
        partials_.erase(partials_.begin() + static_cast<std::ptrdiff_t>(from),
                        partials_.begin() + static_cast<std::ptrdiff_t>(to));
    }
    //! A copy of the entries from `at` on.
    Run from(std::size_t at) const {
        Run rest;
        rest.times_.assign(times_.begin() + static_cast<std::ptrdiff_t>(at), times_.end());
        rest.partials_.assign(partials_.begin() + static_cast<std::ptrdiff_t>(at), partials_.end());
        return rest;
    }
    //! Cuts off the entries from `at` on.
    Run split(std::size_t at) {
        Run rest;
        for (std::size_t i = at; i != size(); ++i) rest.push_back(times_[i], std::move(partials_[i]));
        erase(at, size());
        return rest;
    }

    //! The aggregate of [from, to), which is not empty.
    Partial fold(const M& monoid, std::size_t from, std::size_t to) const {
        Partial total = partials_[from];
        for (std::size_t i = from + 1; i < to; ++i) total = monoid.combine(total, partials_[i]);
        return total;
    }

    void write(Writer& writer, const M& monoid, std::size_t from = 0) const {
        writer.u64(size() - from);
        for (std::size_t i = from; i != size(); ++i) writer.i64(times_[i]);
        for (std::size_t i = from; i != size(); ++i) Codec<M>::write(writer, monoid, partials_[i]);
    }
    static Run read(Reader& reader, const M& monoid) {
        Run run;
        const std::size_t size = reader.count(sizeof(Time) + 1);
        run.times_.reserve(size);
        run.partials_.reserve(size);
        for (std::size_t i = 0; i != size; ++i) run.times_.push_back(reader.i64());
        if (std::adjacent_find(run.times_.begin(), run.times_.end(), std::greater_equal<>()) != run.times_.end())
            throw DamagedSnapshot("the times of a page do not rise");
        for (std::size_t i = 0; i != size; ++i) run.partials_.push_back(Codec<M>::read(reader, monoid));
        return run;
    }

private:
    std::vector<Time> times_;
    std::vector<Partial> partials_;
};

}  // namespace sash::store
