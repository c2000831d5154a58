//! A kernel of which the monoid is known, but not the algorithm. Whatever needs no more than that is written here, once
//! for every monoid; kernel_of.hpp adds the algorithm and is kept as small as can be, since there are hundreds of
//! those.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "window/front.hpp"
#include "window/kernel.hpp"
#include "sash/window.hpp"

namespace sash::face {

template <class M>
class KernelOver;

//! An empty kernel of the named algorithm; defined in catalog.hpp.
template <class M>
std::unique_ptr<KernelOver<M>> make_kernel(const M& monoid, const AlgorithmOptions& options);

template <class M>
class KernelOver : public Kernel {
public:
    using Partial = typename M::Partial;
    using Visitor = std::function<void(Time, const Partial&)>;
    using PartialPolicy = std::function<bool(const Partial&, const Partial&)>;

    KernelOver(const M& monoid, const AlgorithmOptions& options) : monoid_(monoid), options_(options) {}

    void insert(Time time, const Value& value) final { put(time, lift(monoid_, time, value)); }

    void bulk_insert(std::span<const Time> times, const Column& values) final {
        std::vector<Partial> partials;
        partials.reserve(values.size);
        for (std::size_t i = 0; i < values.size; ++i) partials.push_back(lift(monoid_, times[i], values[i]));
        put_all(times, partials);
    }

    Result query() const final { return size() == 0 ? Result() : lower(monoid_, total()); }

    Result query(Time from, Time to) const final {
        const Partial partial = total(from, to);
        if (is_neutral(monoid_, partial) && !any(from, to)) return {};
        return lower(monoid_, partial);
    }

    void list(Time from, std::size_t most, const Listener& listener) const final {
        for_each_entry(from, most, [&](Time time, const Partial& partial) { listener(time, lower(monoid_, partial)); });
    }

    void evict_while(const Policy& policy) final {
        evict_prefix([&](const Partial& all, const Partial& prefix) {
            return policy(lower(monoid_, all), lower(monoid_, prefix));
        });
    }

    void merge(const Kernel& other) final {
        std::vector<Time> times;
        std::vector<Partial> partials;
        const auto take = [&](Time time, const Partial& partial) {
            times.push_back(time);
            partials.push_back(partial);
        };
        dynamic_cast<const KernelOver&>(other).for_each_entry(kEarliest, other.size(), take);
        put_all(times, partials);
    }

    //! The number of entries, the times, the partials: the same bytes for the same window, whatever its history.
    void save(Writer& writer) const override {
        Writer partials;
        writer.u64(size());
        for_each([&](Time time, const Partial& partial) {
            writer.i64(time);
            Codec<M>::write(partials, monoid_, partial);
        });
        writer.raw(partials.bytes());
    }

    void restore(Reader& reader) override {
        std::vector<Time> times(reader.count(sizeof(Time) + 1));
        for (Time& time : times) time = reader.i64();
        if (std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) != times.end())
            throw DamagedSnapshot("its times do not rise");
        for (const Time time : times) load(time, Codec<M>::read(reader, monoid_));
        if (reader.left() != 0) throw DamagedSnapshot("bytes follow its last entry");
    }

    std::unique_ptr<Kernel> with_times(const TimeMap& map, const LayoutPtr& layout) const final {
        if constexpr (OfParts<M>) {
            auto mapped = make_kernel(monoid_.over(layout), options_);
            for_each([&](Time time, Partial partial) {
                monoid_.retime(partial, map);
                mapped->load(map(time), std::move(partial));
            });
            return mapped;
        } else {
            auto mapped = make_kernel(monoid_, options_);
            for_each([&](Time time, const Partial& partial) { mapped->load(map(time), partial); });
            return mapped;
        }
    }

    std::unique_ptr<Kernel> with_layout(const LayoutPtr& layout, const std::vector<bool>& wide) const final {
        if constexpr (OfParts<M>) {
            const M other = monoid_.over(layout);
            auto moved = make_kernel(other, options_);
            for_each(
                [&](Time time, const Partial& partial) { moved->load(time, monoid_.widened(wide, partial, other)); });
            return moved;
        } else {
            throw Unsupported("change its layout");
        }
    }

    std::unique_ptr<Kernel> with_reals() const final {
        if constexpr (Widens<M>) {
            auto wide = make_kernel(widened(monoid_), options_);
            for_each([&](Time time, const Partial& partial) { wide->load(time, widen(monoid_, partial)); });
            return wide;
        } else {
            throw Unsupported("read its values as reals");
        }
    }

    void tell(const Teller& teller) const final {
        if constexpr (KeepsValues<M>) {
            for_each([&](Time time, const Partial& partial) { teller(time, values_of(monoid_, partial)); });
        } else {
            throw Unsupported("hand out its values");
        }
    }

    std::vector<PyObject*> references() const final {
        if constexpr (requires { monoid_.references(); }) {
            return monoid_.references();
        } else {
            return {};
        }
    }

    //! What the algorithm does.
    virtual void put(Time time, Partial partial) = 0;
    virtual void put_all(std::span<const Time> times, std::span<Partial> partials) = 0;
    virtual void load(Time time, Partial partial) = 0;
    virtual Partial total() const = 0;
    virtual Partial total(Time from, Time to) const = 0;
    virtual void evict_prefix(const PartialPolicy& policy) = 0;
    virtual bool keeps_entries() const = 0;
    virtual void for_each(const Visitor& visitor) const = 0;
    //! False where the algorithm cannot stop and go on.
    virtual bool for_each_from(Time from, std::size_t most, const Visitor& visitor) const = 0;
    //! Whether there is an entry in [from, to].
    virtual bool any(Time from, Time to) const {
        bool found = false;
        for_each([&](Time time, const Partial&) { found = found || (from <= time && time <= to); });
        return found;
    }

private:
    void for_each_entry(Time from, std::size_t most, const Visitor& visitor) const {
        if (!keeps_entries()) throw Unsupported("list its entries");
        if (size() == 0 || for_each_from(from, most, visitor)) return;
        for_each([&](Time time, const Partial& partial) {
            if (time >= from) visitor(time, partial);
        });
    }

    [[no_unique_address]] M monoid_;
    AlgorithmOptions options_;
};

}  // namespace sash::face
