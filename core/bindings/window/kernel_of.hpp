//! An algorithm over a monoid as a kernel: the last word of the type-erased window.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sash/algorithms/describe.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/algorithms/owned_partials.hpp"
#include "sash/window.hpp"
#include "window/any_monoid.hpp"
#include "window/front.hpp"
#include "window/monoid_kernel.hpp"

namespace sash::face {

//! C is a Checked window.
template <class C>
class KernelOf : public MonoidKernel {
public:
    using Algorithm = typename C::Algorithm;
    using Monoid = typename C::Monoid;
    using Partial = typename C::Partial;

    KernelOf(const Monoid& monoid, OperationsPtr operations, const AlgorithmOptions& options)
        : KernelOf(std::move(operations), options, make(monoid, options)) {}

    std::size_t size() const override { return window_.size(); }
    std::size_t bytes() const override { return window_.bytes() + sizeof(*this) - sizeof(C); }
    Time oldest() const override { return window_.oldest(); }
    Time youngest() const override { return window_.youngest(); }
    void insert(Time time, const Value& value) override { window_.insert(time, lift(window_.monoid(), time, value)); }
    void bulk_insert(std::span<const Time> times, const Column& values) override {
        std::vector<Partial> partials;
        partials.reserve(values.size);
        for (std::size_t i = 0; i < values.size; ++i) partials.push_back(lift(window_.monoid(), times[i], values[i]));
        insert_all(times, partials);
    }
    void load(Time time, AnyPartial partial) override { window_.load(time, taken(partial)); }
    void evict() override { window_.evict(); }
    bool evict(Time time) override { return window_.evict(time); }
    void bulk_evict(Time time) override { window_.bulk_evict(time); }
    void evict_while(const Policy& policy) override {
        window_.evict_while([&](const Partial& all, const Partial& prefix) {
            return policy(lower(window_.monoid(), all), lower(window_.monoid(), prefix));
        });
    }
    void clear() override { window_.clear(); }
    void shrink_to_fit() override { window_.shrink_to_fit(); }
    Result query() const override { return size() == 0 ? Result() : lower(window_.monoid(), window_.query()); }
    Result query(Time from, Time to) const override {
        const Partial partial = window_.query(from, to);
        if (is_neutral(window_.monoid(), partial) && !any(from, to)) return {};
        return lower(window_.monoid(), partial);
    }
    void check_invariants() const override { window_.check_invariants(); }
    std::unique_ptr<Kernel> copy() const override {
        shares_operations_ = true;
        return std::make_unique<KernelOf>(*this);
    }

protected:
    KernelOf(OperationsPtr operations, const AlgorithmOptions& options, C window)
        : MonoidKernel(std::move(operations), options), window_(std::move(window)) {}

    virtual void insert_all(std::span<const Time> times, std::span<Partial> partials) {
        window_.bulk_insert(times, partials);
    }

    void put_all(std::span<const Time> times, std::span<AnyPartial> partials) override {
        if constexpr (std::same_as<Partial, AnyPartial>) {
            insert_all(times, partials);
        } else {
            std::vector<Partial> own;
            own.reserve(partials.size());
            for (AnyPartial& partial : partials) own.push_back(taken(partial));
            insert_all(times, own);
        }
    }
    void describe_to(Describer& describer) const override {
        ErasedDescriber out(describer);
        if constexpr (Describes<Algorithm, ErasedDescriber>) {
            window_.algorithm().describe(out);
        } else {
            throw Unsupported("show its structure");
        }
    }
    bool keeps_entries() const override { return Algorithm::listable; }
    //! Objects of Python are in partials of AnyMonoid, and nowhere else.
    void for_each_owned(const std::function<void(const AnyPartial&)>& visitor) const override {
        if constexpr (std::same_as<Partial, AnyPartial> && Monoid::fallible)
            sash::for_each_owned<AnyPartial>(window_.algorithm(), visitor);
    }
    void for_each(const Visitor& visitor) const override { window_.for_each(erased(visitor)); }
    bool for_each_from(Time from, std::size_t most, const Visitor& visitor) const override {
        if constexpr (WalksParts<Algorithm>) window_.algorithm().for_each_from(from, most, erased(visitor));
        return WalksParts<Algorithm>;
    }

    C window_;

private:
    //! The algorithm's own form of a partial, taken out of it.
    static Partial taken(AnyPartial& partial) {
        if constexpr (std::same_as<Partial, AnyPartial>) {
            return std::move(partial);
        } else {
            return std::move(partial.as<Partial>());
        }
    }

    //! The visitor, for an algorithm that shows it its own partials.
    static auto erased(const Visitor& visitor) {
        return [&visitor](Time time, const Partial& partial) {
            if constexpr (std::same_as<Partial, AnyPartial>) {
                visitor(time, partial);
            } else {
                visitor(time, AnyPartial::of(partial));
            }
        };
    }

    //! The describer, for an algorithm that shows it its own partials. Not inlined: an algorithm calls these often.
    class ErasedDescriber {
    public:
        explicit ErasedDescriber(Describer& to) : to_(to) {}
        bool brief() const { return to_.brief(); }
        void begin(const char* kind) { to_.begin(kind); }
        void end() { to_.end(); }
        void pointer(const char* name) { to_.pointer(name); }
        void omit(std::size_t entries) { to_.omit(entries); }
        [[gnu::noinline]] void entry(Time time, const Partial* own) {
            erased(own, [&](const AnyPartial* partial) { to_.entry(time, partial); });
        }
        [[gnu::noinline]] void aggregate(const char* name, Time first, Time last, const Partial* partial) {
            erased(partial, [&](const AnyPartial* any) { to_.aggregate(name, first, last, any); });
        }

    private:
        template <class Show>
        static void erased(const Partial* partial, Show show) {
            if constexpr (std::same_as<Partial, AnyPartial>) {
                show(partial);
            } else if (partial == nullptr) {
                show(nullptr);
            } else {
                const AnyPartial any = AnyPartial::of(*partial);
                show(&any);
            }
        }

        Describer& to_;
    };

    //! Whether there is an entry in [from, to].
    bool any(Time from, Time to) const {
        if (size() == 0 || to < from || to < oldest() || from > youngest()) return false;
        if constexpr (CountsRanges<Algorithm>) {
            return window_.algorithm().count(from, to) != 0;
        } else {
            bool found = false;
            window_.for_each([&](Time time, const Partial&) { found = found || (from <= time && time <= to); });
            return found;
        }
    }

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
