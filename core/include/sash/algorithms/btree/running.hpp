//! A total that grows at its younger end.
#pragma once

#include <utility>

#include "sash/monoid.hpp"

namespace sash::btree {

//! The first addition replaces the identity, so that n of them cost n - 1 combines.
template <Monoid M>
class Running {
public:
    using Partial = typename M::Partial;

    explicit Running(const M& monoid) : monoid_(monoid), total_(monoid.identity()) {}

    void add(const Partial& newer) {
        if (empty_) {
            total_ = newer;
        } else {
            append(monoid_, total_, newer);
        }
        empty_ = false;
    }

    //! Adds `newer` only if the longer total passes the test.
    template <class Test>
    bool add_if(const Partial& newer, const Test& test) {
        Partial longer = empty_ ? newer : Partial(monoid_.combine(total_, newer));
        if (!test(std::as_const(longer))) return false;
        total_ = std::move(longer);
        empty_ = false;
        return true;
    }

    Partial result() && { return std::move(total_); }

private:
    const M& monoid_;
    Partial total_;
    bool empty_ = true;
};

}  // namespace sash::btree
