//! An algorithm over a monoid as a kernel: the last word of the type-erased window.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "window/kernel_over.hpp"
#include "sash/algorithms/fiba.hpp"

namespace sash::face {

//! C is a Checked window.
template <class C>
class KernelOf : public KernelOver<typename C::Monoid> {
public:
    using Base = KernelOver<typename C::Monoid>;
    using Algorithm = typename C::Algorithm;
    using Monoid = typename C::Monoid;
    using typename Base::Partial;
    using typename Base::PartialPolicy;
    using typename Base::Visitor;

    KernelOf(const Monoid& monoid, const AlgorithmOptions& options)
        : KernelOf(monoid, options, make(monoid, options)) {}

    std::size_t size() const override { return window_.size(); }
    std::size_t bytes() const override { return window_.bytes() + sizeof(*this) - sizeof(C); }
    Time oldest() const override { return window_.oldest(); }
    Time youngest() const override { return window_.youngest(); }
    void put(Time time, Partial partial) override { window_.insert(time, std::move(partial)); }
    void put_all(std::span<const Time> times, std::span<Partial> partials) override {
        window_.bulk_insert(times, partials);
    }
    void load(Time time, Partial partial) override { window_.load(time, std::move(partial)); }
    void evict() override { window_.evict(); }
    bool evict(Time time) override { return window_.evict(time); }
    void bulk_evict(Time time) override { window_.bulk_evict(time); }
    void evict_prefix(const PartialPolicy& policy) override { window_.evict_while(std::cref(policy)); }
    void clear() override { window_.clear(); }
    void shrink_to_fit() override { window_.shrink_to_fit(); }
    Partial total() const override { return window_.query(); }
    Partial total(Time from, Time to) const override { return window_.query(from, to); }
    void check_invariants() const override { window_.check_invariants(); }
    bool keeps_entries() const override { return Algorithm::listable; }
    void for_each(const Visitor& visitor) const override { window_.for_each(std::cref(visitor)); }
    std::unique_ptr<Kernel> copy() const override { return std::make_unique<KernelOf>(*this); }

    bool for_each_from(Time from, std::size_t most, const Visitor& visitor) const override {
        if constexpr (WalksParts<Algorithm>) window_.algorithm().for_each_from(from, most, std::cref(visitor));
        return WalksParts<Algorithm>;
    }

    bool any(Time from, Time to) const override {
        if (size() == 0 || to < from || to < oldest() || from > youngest()) return false;
        if constexpr (CountsRanges<Algorithm>) {
            return window_.algorithm().count(from, to) != 0;
        } else {
            return Base::any(from, to);
        }
    }

protected:
    KernelOf(const Monoid& monoid, const AlgorithmOptions& options, C window)
        : Base(monoid, options), window_(std::move(window)) {}

    C window_;

private:
    //! Hands the options on to an algorithm that has any.
    static C make(const Monoid& monoid, const AlgorithmOptions& options) {
        if constexpr (std::constructible_from<Algorithm, Monoid, FibaOptions>) {
            return C(monoid, FibaOptions{options.min_arity, options.leaf});
        } else if constexpr (std::constructible_from<Algorithm, Monoid, std::size_t>) {
            return options.min_arity == 0 ? C(monoid) : C(monoid, options.min_arity);
        } else {
            return C(monoid);
        }
    }
};

}  // namespace sash::face
