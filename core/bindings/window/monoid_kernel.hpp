//! A kernel of which neither the monoid nor the algorithm is known when it is compiled. Whatever is not called for
//! every event is written here, once for all of them; kernel_of.hpp adds the algorithm.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "window/kernel.hpp"
#include "window/operations.hpp"

namespace sash::face {

class MonoidKernel : public Kernel {
public:
    using Visitor = std::function<void(Time, const AnyPartial&)>;

    MonoidKernel(OperationsPtr operations, AlgorithmOptions options)
        : operations_(std::move(operations)), options_(std::move(options)) {}

    void list(Time from, std::size_t most, const Listener& listener) const final;
    void merge(const Kernel& other) final;
    void save(Writer& writer) const override;
    void restore(Reader& reader) override;
    std::unique_ptr<Kernel> with_times(const TimeMap& map, const LayoutPtr& layout) const final;
    void load_from(const Kernel& other, std::span<const Form> forms) final;
    std::unique_ptr<Kernel> in_form(Form form) const final;
    std::vector<Kinds> kinds() const final;
    double reach() const final;
    double reach_of(Time time, const Value& value) const final;
    double reach_of(std::span<const Time> times, const Column& values) const final;
    void visit(const EntryVisitor& visitor) const final;
    void visit_references(const ReferenceVisitor& visitor) const override;
    void describe(Description& description) const final;

    //! Puts an entry behind the others, as `WindowAlgorithm` has it.
    virtual void load(Time time, AnyPartial partial) = 0;

protected:
    //! What an algorithm describes itself to: the partials are lowered here, once for all algorithms.
    class Describer {
    public:
        Describer(Description& to, const Operations& operations) : to_(to), operations_(operations) {}
        bool brief() const { return to_.brief(); }
        void begin(const char* kind) { to_.begin(kind); }
        void end() { to_.end(); }
        void pointer(const char* name) { to_.pointer(name); }
        void omit(std::size_t entries) { to_.omit(entries); }
        void entry(Time time, const AnyPartial* own);
        void aggregate(const char* name, Time first, Time last, const AnyPartial* partial);

    private:
        Description& to_;
        const Operations& operations_;
    };

    virtual void describe_to(Describer& describer) const = 0;
    //! Takes the partials out of the span.
    virtual void put_all(std::span<const Time> times, std::span<AnyPartial> partials) = 0;
    virtual bool keeps_entries() const = 0;
    //! Every partial that may hold Python objects, wherever the algorithm has it.
    virtual void for_each_owned(const std::function<void(const AnyPartial&)>& visitor) const = 0;
    virtual void for_each(const Visitor& visitor) const = 0;
    //! False where the algorithm cannot stop and go on.
    virtual bool for_each_from(Time from, std::size_t most, const Visitor& visitor) const = 0;

    //! Once copied: the collector must not be shown twice what two kernels own together.
    mutable bool shares_operations_ = false;

private:
    void for_each_entry(Time from, std::size_t most, const Visitor& visitor) const;
    //! A kernel of another monoid with what `map` makes of the entries.
    template <class Map>
    std::unique_ptr<Kernel> mapped(const Operations& to, Map map) const;

    OperationsPtr operations_;
    AlgorithmOptions options_;
};

}  // namespace sash::face
