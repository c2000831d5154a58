//! Two windows over one stream, all of it and its youngest eighth: by one structure, or by one each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sash/time.hpp"
#include "timing.hpp"

namespace sash::bench {

//! Where the youngest eighth begins. Events in order have consecutive times here (stream.hpp).
template <class Window>
Time eighth_of(const Window& window) {
    return window.youngest() - static_cast<Time>(window.size() / 8);
}

//! One window of type W; the eighth is a range query. A query answers both.
template <class W>
class Shared {
public:
    using Monoid = typename W::Monoid;
    using Partial = typename W::Partial;

    explicit Shared(Monoid monoid) : whole_(std::move(monoid)) {}

    std::size_t size() const { return whole_.size(); }
    Time oldest() const { return whole_.oldest(); }
    Time youngest() const { return whole_.youngest(); }
    std::size_t bytes() const { return whole_.bytes(); }
    void insert(Time time, Partial partial) { whole_.insert(time, std::move(partial)); }
    void evict() { whole_.evict(); }
    void bulk_evict(Time time) { whole_.bulk_evict(time); }
    Partial eighth() const { return whole_.query(eighth_of(whole_), whole_.youngest()); }
    Partial query() const {
        keep(eighth());
        return whole_.query();
    }

private:
    W whole_;
};

//! Two windows of type W, each with its own entries.
template <class W>
class Separate {
public:
    using Monoid = typename W::Monoid;
    using Partial = typename W::Partial;

    explicit Separate(const Monoid& monoid) : whole_(monoid), eighth_(monoid) {}

    std::size_t size() const { return whole_.size(); }
    Time oldest() const { return whole_.oldest(); }
    Time youngest() const { return whole_.youngest(); }
    std::size_t bytes() const { return whole_.bytes() + eighth_.bytes(); }
    void insert(Time time, Partial partial) {
        eighth_.insert(time, partial);
        whole_.insert(time, std::move(partial));
        while (eighth_.oldest() < eighth_of(whole_)) eighth_.evict();
    }
    void evict() { whole_.evict(); }
    void bulk_evict(Time time) { whole_.bulk_evict(time); }
    Partial eighth() const { return eighth_.query(); }
    Partial query() const {
        keep(eighth());
        return whole_.query();
    }

private:
    W whole_;
    W eighth_;
};

}  // namespace sash::bench
