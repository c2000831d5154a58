//! The partials of an operator's keys, over a record whose size is known at run time, and what it emits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "monoids/python_monoid.hpp"
#include "operator/emitted_results.hpp"
#include "operator/eviction_memo.hpp"
#include "operator/result_shape.hpp"
#include "sash/operator/partials.hpp"
#include "sash/snapshot.hpp"
#include "window/kernel.hpp"

namespace sash::face {

//! An event as it is lifted.
struct IncomingValue {
    Time ticks;
    std::span<Field> fields;
    //! What members in Python take, nothing where they pass the event over; and the time where they ask for it.
    std::span<PyObject* const> members = {};
    PyObject* time = nullptr;
};

//! The operator knows this, and nothing of the record's size. A result with no cells is one that is missing. Where the
//! shape makes objects, a result is one cell: the whole as Python sees it.
class OperatorPartials {
public:
    using Result = ResultCells;

    virtual ~OperatorPartials() = default;

    // For the operator; see Partials and StoredPartials.
    virtual void open(KeyId key) = 0;
    virtual void close(KeyId key) = 0;
    virtual void prefetch(KeyId key, bool entries) const = 0;
    virtual void insert(KeyId key, Time label) = 0;
    virtual void evict(KeyId key, Time label) = 0;
    virtual void slide(KeyId key, Time needed, Time label, bool has_partial) = 0;
    virtual void erase(KeyId key, Time label) = 0;
    virtual void commit() = 0;
    virtual void roll_back() = 0;
    virtual bool empty(KeyId key) const = 0;
    virtual bool any(KeyId key, Time from, Time to) const = 0;
    virtual void relabel(KeyId key, std::span<const Time> from, std::span<const Time> to) = 0;
    virtual void emit(const Emission& emission, const PartialRange& range) = 0;
    virtual Result result(const PartialRange& range) const = 0;
    virtual std::vector<Result> results(std::span<const PartialRange> ranges) const = 0;
    virtual nb::object seen_by(std::size_t window, const PartialRange& range) const = 0;
    virtual std::vector<Time> labels(KeyId key) const = 0;
    virtual void save(KeyId key, Writer& writer) const = 0;
    virtual void restore(KeyId key, std::span<const Time> labels, Reader& reader) = 0;

    void emit(const Emission& emission, const Result& result);
    bool same(const Result& one, const Result& other) const { return shape_.same(one, other); }
    bool evicts(std::size_t window, const nb::object& total, const PartialRange& range) const;
    bool evicts(std::size_t window, const nb::object& total, std::size_t count) const;
    nb::object counted(std::size_t count) const { return nb::int_(count); }
    bool keeps_failures() const { return out_ != nullptr && out_->keeps_failures; }
    void fail(const Emission& emission);
    bool writes_results() const { return !shape_.makes_objects(); }
    void write(Writer& writer, const Result& result) const { shape_.write(writer, result); }
    Result read(Reader& reader) const { return shape_.read(reader); }

    // For the binding.
    //! Reads the event that is to be taken in; whether it has a value.
    virtual bool lift(const IncomingValue& value) = 0;
    //! How much closer events, or all that is here, may bring results to an error; see Group::reach. The fields of the
    //! events lie one behind the other.
    virtual double reach_of(std::span<const Time> ticks, std::span<const Field> fields) const = 0;
    virtual double reach() const = 0;
    //! Whether any event does so.
    virtual bool may_fail() const = 0;
    //! Which kinds of numbers all of them hold, one for each part.
    virtual std::vector<Kinds> kinds() const = 0;
    //! Whether changes may have to be undone, and inserts are refused where a compiled function has failed.
    virtual void begin(bool careful, EmittedResults* out) = 0;
    virtual std::size_t bytes() const = 0;
    virtual void visit_references(const ReferenceVisitor& visitor) const = 0;
    //! The same keys, in another layout of the same parts or at other times.
    virtual std::unique_ptr<OperatorPartials> with_layout(const LayoutPtr& layout,
                                                          std::span<const Form> forms) const = 0;
    //! Takes an entry over from a layout of the same parts in other forms.
    virtual void load(KeyId key, Time label, const Word* words, const std::vector<Object>& objects, const Layout& from,
                      std::span<const Form> forms) = 0;
    virtual std::unique_ptr<OperatorPartials> with_times(const LayoutPtr& layout, bool labels_too,
                                                         Time (*map)(Time)) const = 0;

private:
    bool evicts(std::size_t window, const nb::object& total, const nb::object& old) const;

protected:
    explicit OperatorPartials(const ResultShape& shape) : shape_(shape) {}

    const ResultShape& shape_;
    EmittedResults* out_ = nullptr;
    mutable EvictionMemo memo_;
};

//! The shape outlives them.
std::unique_ptr<OperatorPartials> make_partials(const LayoutPtr& layout, const ResultShape& shape);

}  // namespace sash::face
