//! The operations of one monoid. To be included after the monoid's ends and codec.
#pragma once

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

#include "sash/codec.hpp"
#include "sash/monoids/forms.hpp"
#include "sash/window.hpp"
#include "window/face.hpp"
#include "window/front.hpp"
#include "window/kernels.hpp"
#include "window/operations.hpp"
#include "window/plain_monoid.hpp"

namespace sash::face {

template <class M>
OperationsPtr operations_of(M monoid);

//! A monoid that may put its combinations off, and then has a running form of them.
template <class M>
concept Defers = requires(const M& monoid) {
    { monoid.defers() } -> std::same_as<bool>;
};

template <class M>
class RunningTotalOf final : public RunningTotal {
public:
    explicit RunningTotalOf(const M& monoid) : monoid_(monoid), all_(monoid.running()) {}
    void add(const AnyPartial& partial) override { all_.add(partial.as<typename M::Partial>()); }
    void remove(const AnyPartial& partial) override { all_.remove(partial.as<typename M::Partial>()); }
    Result lower(const AnyPartial& total) const override {
        return monoid_.lower(total.as<typename M::Partial>(), all_);
    }
    void visit_references(const ReferenceVisitor& visitor) const override { all_.visit_references(visitor); }

private:
    M monoid_;
    typename M::Running all_;
};

template <class M>
class OperationsOf final : public Operations {
public:
    using Partial = typename M::Partial;

    explicit OperationsOf(M monoid) : monoid_(std::move(monoid)) {}
    const M& monoid() const { return monoid_; }

    AnyPartial identity() const override { return any(monoid_.identity()); }
    AnyPartial combine(const AnyPartial& older, const AnyPartial& newer) const override {
        return any(monoid_.combine(own(older), own(newer)));
    }
    void append(AnyPartial& older, const AnyPartial& newer) const override {
        sash::append(monoid_, older.as<Partial>(), own(newer));
    }
    void prepend(const AnyPartial& older, AnyPartial& newer) const override {
        sash::prepend(monoid_, own(older), newer.as<Partial>());
    }
    bool fallible() const override { return M::fallible; }
    AnyPartial inverse(const AnyPartial& whole, const AnyPartial& older) const override {
        if constexpr (Invertible<M>) {
            return any(monoid_.inverse(own(whole), own(older)));
        } else {
            throw Unsupported("subtract");
        }
    }
    std::unique_ptr<RunningTotal> running() const override {
        if constexpr (Defers<M>)
            if (monoid_.defers()) return std::make_unique<RunningTotalOf<M>>(monoid_);
        return nullptr;
    }
    bool marks_failures() const override {
        if constexpr (MarksFailures<M>) {
            return sash::marks_failures(monoid_);
        } else {
            return false;
        }
    }
    bool failed(const AnyPartial& partial) const override {
        if constexpr (MarksFailures<M>) {
            return monoid_.failed(own(partial));
        } else {
            return false;
        }
    }

    // The ends are found beside the monoid, wherever that is.

    AnyPartial lift(Time time, const Value& value) const override {
        using face::lift;
        return any(lift(monoid_, time, value));
    }
    Result lower(const AnyPartial& partial) const override {
        using face::lower;
        return lower(monoid_, own(partial));
    }
    bool is_neutral(const AnyPartial& partial) const override {
        using face::is_neutral;
        return is_neutral(monoid_, own(partial));
    }
    void write(Writer& writer, const AnyPartial& partial) const override {
        Codec<M>::write(writer, monoid_, own(partial));
    }
    AnyPartial read(Reader& reader) const override { return any(Codec<M>::read(reader, monoid_)); }

    OperationsPtr at_times(const LayoutPtr& layout) const override {
        if constexpr (OfParts<M>) {
            return std::make_shared<OperationsOf>(monoid_.over(layout));
        } else {
            return shared_from_this();
        }
    }
    AnyPartial retimed(const AnyPartial& partial, const Kernel::TimeMap& map) const override {
        AnyPartial moved = partial;
        if constexpr (OfParts<M>) monoid_.retime(moved.as<Partial>(), map);
        return moved;
    }
    AnyPartial converted(const AnyPartial& partial, const Operations& from,
                         std::span<const Form> forms) const override {
        if constexpr (requires { monoid_.members(); }) {
            // A record with members in Python has one form of words, and keeps its objects.
            return any(monoid_.converted(forms, own(partial), monoid_of(from)));
        } else if constexpr (OfParts<M>) {
            return any(monoid_.converted(forms, from.words(partial).data(), *from.layout()));
        } else {
            throw Unsupported("change its layout");
        }
    }
    OperationsPtr in_form(Form form) const override {
        OperationsPtr made;
        reform_own(monoid_.identity(), form, [&](const auto& monoid, const auto&) { made = operations_of(monoid); });
        return made;
    }
    AnyPartial formed(const AnyPartial& partial, Form form) const override {
        AnyPartial made;
        reform_own(own(partial), form, [&](const auto&, const auto& other) { made = AnyPartial::of(other); });
        return made;
    }
    std::vector<Kinds> kinds(const AnyPartial& partial) const override {
        std::vector<Kinds> kinds;
        if constexpr (OverBoth<M>) kinds.push_back(monoid_.kinds(own(partial)));
        if constexpr (OfParts<M>)
            for (std::size_t part = 0; part < layout()->parts(); ++part)
                kinds.push_back(layout()->kinds(part, words(partial).data()));
        return kinds;
    }
    double reach(const AnyPartial& partial) const override {
        if constexpr (requires { monoid_.reach(own(partial)); }) {
            return monoid_.reach(own(partial));
        } else {
            return 0.0;
        }
    }
    double reach_of([[maybe_unused]] Time time, [[maybe_unused]] const Value& value) const override {
        if constexpr (OfParts<M>) {
            return layout()->reach({time, value.row});
        } else if constexpr (std::same_as<M, SumInt>) {
            return sash::reach_of(value.cell);
        } else {
            return 0.0;
        }
    }
    double reach_of([[maybe_unused]] std::span<const Time> times,
                    [[maybe_unused]] const Column& values) const override {
        double reach = 0.0;
        if constexpr (OfParts<M>) {
            for (std::size_t i = 0; i < values.size; ++i) reach += reach_of(times[i], values[i]);
        } else if constexpr (std::same_as<M, SumInt>) {
            for (const Value& value : values.values) reach += sash::reach_of(value.cell);
            reach += sash::reach_of(values.cells);
        }
        return reach;
    }
    const Layout* layout() const override {
        if constexpr (requires { monoid_.members(); }) {
            return &monoid_.record().layout();
        } else if constexpr (OfParts<M>) {
            return &monoid_.layout();
        } else {
            return nullptr;
        }
    }
    std::span<const Word> words(const AnyPartial& partial) const override {
        if constexpr (requires { monoid_.members(); }) {
            return own(partial).words;
        } else if constexpr (OfParts<M>) {
            return own(partial);
        } else {
            throw Unsupported("show its words");
        }
    }
    std::vector<Value> values_of(const AnyPartial& partial) const override {
        if constexpr (KeepsValues<M>) {
            return face::values_of(monoid_, own(partial));
        } else {
            throw Unsupported("hand out its values");
        }
    }
    void visit_references(const ReferenceVisitor& visitor) const override {
        if constexpr (HoldsObjects<M>) monoid_.visit_references(visitor);
    }
    void visit_references(const AnyPartial& partial, const ReferenceVisitor& visitor) const override {
        if constexpr (HoldsObjects<M>)
            if (partial.owns()) monoid_.visit_references(own(partial), visitor);
    }

    std::unique_ptr<MonoidKernel> make(const AlgorithmOptions& options) const override {
        const OperationsPtr self = shared_from_this();
        if (!Invertible<M> && abilities_of(options.name).needs_inverse) throw Unsupported("run as " + options.name);
        if (options.store) return make_stored(AnyMonoid<true>(self), options);
        if constexpr (Defers<M>)
            if (monoid_.defers()) return make_running(AnyMonoid<true>(self), self, options);
        std::unique_ptr<MonoidKernel> kernel;
        if constexpr (kSpecialised<M>) kernel = make_kernel(monoid_, self, options);
        if constexpr (kPlain<M>)
            if (!kernel) kernel = make_kernel(PlainMonoid(self, plain_combine, plain_inverse), self, options);
        if constexpr (!M::fallible && !kPlain<M>)
            if (!kernel) kernel = make_kernel(AnyMonoid<false>(self), self, options);
        return kernel ? std::move(kernel) : make_kernel(AnyMonoid<true>(self), self, options);
    }

private:
    template <class Take>
    void reform_own(const Partial& partial, Form form, Take take) const {
        if constexpr (std::is_trivially_copyable_v<Partial>)
            if (reform(monoid_, partial, form, take)) return;
        throw Unsupported("take that form");
    }
    static const M& monoid_of(const Operations& operations) {
        return static_cast<const OperationsOf&>(operations).monoid_;
    }
    static Plain plain_combine(const Operations& operations, const Plain& older, const Plain& newer) {
        return Plain::of(monoid_of(operations).combine(older.as<Partial>(), newer.as<Partial>()));
    }
    static Plain plain_inverse(const Operations& operations, const Plain& whole, const Plain& older) {
        if constexpr (Invertible<M>) {
            return Plain::of(monoid_of(operations).inverse(whole.as<Partial>(), older.as<Partial>()));
        } else {
            throw Unsupported("subtract");
        }
    }

    static AnyPartial any(Partial partial) { return AnyPartial::of(std::move(partial)); }
    static const Partial& own(const AnyPartial& partial) { return partial.as<Partial>(); }

    [[no_unique_address]] M monoid_;
};

template <class M>
OperationsPtr operations_of(M monoid) {
    return std::make_shared<OperationsOf<M>>(std::move(monoid));
}

}  // namespace sash::face
