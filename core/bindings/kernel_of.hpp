//! The type-erased window, implemented once for every algorithm and monoid.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "front.hpp"
#include "kernel.hpp"

namespace sash::face {

//! An empty kernel of the named algorithm; defined in catalog.hpp.
template <class M>
std::unique_ptr<KernelOver<M>> make_kernel(M monoid, const AlgorithmOptions& options);

//! C is a Checked window.
template <class C>
class KernelOf final : public KernelOver<typename C::Monoid> {
public:
    using Monoid = typename C::Monoid;
    using Partial = typename C::Partial;
    using typename Kernel::Listener;
    using typename Kernel::Policy;
    using typename Kernel::Teller;
    using typename Kernel::TimeMap;

    KernelOf(C window, AlgorithmOptions options) : window_(std::move(window)), options_(std::move(options)) {}

    std::size_t size() const override { return window_.size(); }
    Time oldest() const override { return window_.oldest(); }
    Time youngest() const override { return window_.youngest(); }
    std::size_t bytes() const override { return window_.bytes() + sizeof(*this) - sizeof(C); }

    void insert(Time time, const Value& value) override { window_.insert(time, lift(monoid(), value)); }

    void bulk_insert(std::span<const Time> times, const Column& values) override {
        std::vector<Partial> partials;
        partials.reserve(values.size);
        for (std::size_t i = 0; i < values.size; ++i) partials.push_back(lift(monoid(), values[i]));
        window_.bulk_insert(times, std::move(partials));
    }

    void evict() override { window_.evict(); }
    bool evict(Time time) override { return window_.evict(time); }
    void bulk_evict(Time time) override { window_.bulk_evict(time); }
    void clear() override { window_.clear(); }
    Result query() const override { return size() == 0 ? Result() : lower(monoid(), window_.query()); }
    Result query(Time from, Time to) const override {
        const Partial partial = window_.query(from, to);
        if (is_neutral(monoid(), partial) && !window_.any(from, to)) return {};
        return lower(monoid(), partial);
    }
    void list(Time from, std::size_t most, const Listener& listener) const override {
        window_.for_each_entry(
            from, most, [&](Time time, const Partial& partial) { listener(time, lower(monoid(), partial)); });
    }
    void evict_while(const Policy& policy) override {
        window_.evict_while([&](const Partial& total, const Partial& prefix) {
            return policy(lower(monoid(), total), lower(monoid(), prefix));
        });
    }
    void shrink_to_fit() override { window_.shrink_to_fit(); }
    void merge(const Kernel& other) override {
        std::vector<Time> times;
        std::vector<Partial> partials;
        dynamic_cast<const KernelOver<Monoid>&>(other).unload(times, partials);
        window_.bulk_insert(times, std::move(partials));
    }
    void check_invariants() const override { window_.check_invariants(); }

    void save(Writer& writer) const override { window_.template save<Codec<Monoid>>(writer); }
    void restore(Reader& reader) override { window_.template restore<Codec<Monoid>>(reader); }

    std::unique_ptr<Kernel> copy() const override { return std::make_unique<KernelOf>(*this); }

    std::unique_ptr<Kernel> with_times(const TimeMap& map) const override {
        auto mapped = make_kernel(monoid(), options_);
        window_.for_each([&](Time time, const Partial& partial) { mapped->load(map(time), partial); });
        return mapped;
    }

    std::unique_ptr<Kernel> with_reals() const override {
        if constexpr (Widens<Monoid>) {
            auto wide = make_kernel(widened(monoid()), options_);
            window_.for_each([&](Time time, const Partial& partial) { wide->load(time, widen(monoid(), partial)); });
            return wide;
        } else {
            throw Unsupported("read its values as reals");
        }
    }

    void tell(const Teller& teller) const override {
        if constexpr (KeepsValues<Monoid>) {
            window_.for_each([&](Time time, const Partial& partial) { teller(time, values_of(monoid(), partial)); });
        } else {
            throw Unsupported("hand out its values");
        }
    }

    void load(Time time, Partial partial) override { window_.load(time, std::move(partial)); }
    void unload(std::vector<Time>& times, std::vector<Partial>& partials) const override {
        window_.for_each_entry(kEarliest, window_.size(), [&](Time time, const Partial& partial) {
            times.push_back(time);
            partials.push_back(partial);
        });
    }

private:
    const Monoid& monoid() const { return window_.monoid(); }

    C window_;
    AlgorithmOptions options_;
};

}  // namespace sash::face
