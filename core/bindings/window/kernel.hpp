//! A window whose algorithm and monoid were chosen at run time: the one interface that the binding knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "monoids/object.hpp"
#include "sash/monoids/bloom.hpp"
#include "sash/monoids/both.hpp"
#include "sash/monoids/record/event.hpp"
#include "sash/monoids/widen.hpp"
#include "sash/number.hpp"
#include "sash/snapshot.hpp"
#include "sash/time.hpp"

namespace sash {

class Layout;
struct CompiledFunctions;

}  // namespace sash

namespace sash::store {

class Store;

}  // namespace sash::store

namespace sash::face {

//! A value on its way in. A kernel reads the fields of its own kind of input and no others.
struct Value {
    //! An integer, or a real by its order-preserving code, or a hash; the key of a pair.
    Cell cell = 0;
    double real = 0.0;
    //! The second of a pair.
    Cell argument = 0;
    //! An integer that is read as a real, beside reals.
    bool whole = false;
    std::string_view text = {};
    //! Borrowed.
    PyObject* object = nullptr;
    //! The event's time as it leaves the window, for an aggregation in Python that asks for it. Borrowed.
    PyObject* time = nullptr;
    //! The columns that the parts of a record read.
    std::span<Field> row = {};
    //! What the members of a record in Python take; nothing where they pass the event over. Borrowed.
    std::span<PyObject* const> members = {};
};

//! Many values on their way in: as they are, or as one plain array of the field that the kernel reads, or of no
//! interest.
struct Column {
    std::size_t size = 0;
    std::span<const Value> values;
    std::span<const Cell> cells;
    std::span<const double> reals;
    //! The numbers of the array are integers that are read as reals, beside reals.
    bool whole = false;

    Value operator[](std::size_t i) const {
        if (!values.empty()) return values[i];
        Value value;
        value.whole = whole;
        if (!cells.empty()) value.cell = cells[i];
        if (!reals.empty()) value.real = reals[i];
        return value;
    }
};

//! What a record gives: its parts, and its members in Python.
struct RecordResult {
    std::vector<PartResult> parts;
    std::vector<Object> members;
};

//! What a query gives; monostate when there is no value.
using Result = std::variant<std::monostate, std::int64_t, double, Coded, std::vector<Cell>, std::string, BloomFilter,
                            Object, RecordResult>;

using LayoutPtr = std::shared_ptr<const Layout>;

//! Takes what a window shows of its structure, as algorithms/describe.hpp has it, with results in the place of
//! partials: nothing where there is no partial, or lowering it fails.
class Description {
public:
    virtual ~Description() = default;
    virtual bool brief() const = 0;
    virtual void begin(const char* kind) = 0;
    virtual void end() = 0;
    virtual void pointer(const char* name) = 0;
    virtual void omit(std::size_t entries) = 0;
    virtual void entry(Time time, const Result* own) = 0;
    virtual void aggregate(const char* name, Time first, Time last, const Result* result) = 0;
};

class Kernel {
public:
    using Listener = std::function<void(Time, Result)>;
    //! Called with an entry's time and the values whose combination, oldest first, is its partial.
    using EntryVisitor = std::function<void(Time, std::span<const Value>)>;
    using TimeMap = std::function<Time(Time)>;
    //! Called with the results of the whole window and of a prefix.
    using Policy = std::function<bool(const Result&, const Result&)>;

    virtual ~Kernel() = default;

    virtual std::size_t size() const = 0;
    virtual Time oldest() const = 0;
    virtual Time youngest() const = 0;
    virtual std::size_t bytes() const = 0;

    virtual void insert(Time time, const Value& value) = 0;
    virtual void bulk_insert(std::span<const Time> times, const Column& values) = 0;
    virtual void evict() = 0;
    virtual bool evict(Time time) = 0;
    virtual void bulk_evict(Time time) = 0;
    virtual void clear() = 0;
    virtual Result query() const = 0;
    virtual Result query(Time from, Time to) const = 0;
    //! Visits the entries from a time on, oldest first: at most so many where the algorithm can stop, else all.
    virtual void list(Time from, std::size_t most, const Listener& listener) const = 0;
    virtual void evict_while(const Policy& policy) = 0;
    virtual void shrink_to_fit() = 0;
    //! All entries of a kernel of the same monoid, which keeps its entries; where times are equal, those are the newer.
    virtual void merge(const Kernel& other) = 0;
    virtual void check_invariants() const = 0;
    virtual void describe(Description& description) const = 0;

    virtual void save(Writer& writer) const = 0;
    virtual void restore(Reader& reader) = 0;

    virtual std::unique_ptr<Kernel> copy() const = 0;
    //! The same entries at other times; the map must be strictly monotone. A record gets the layout for those times.
    virtual std::unique_ptr<Kernel> with_times(const TimeMap& map, const LayoutPtr& layout) const = 0;
    //! Into an empty one over a record: the entries of another record of the same parts in other forms.
    virtual void load_from(const Kernel& other, std::span<const Form> forms) = 0;
    //! The same entries in another form. Throws Inexact where an integer is no real.
    virtual std::unique_ptr<Kernel> in_form(Form form) const = 0;
    //! How far the integers of all entries, or of values, reach: 64 bits are enough below kNarrowReach.
    virtual double reach() const = 0;
    virtual double reach_of(Time time, const Value& value) const = 0;
    virtual double reach_of(std::span<const Time> times, const Column& values) const = 0;
    //! Which kinds of numbers its entries hold, one for each part of a record, where they may be of both.
    virtual std::vector<Kinds> kinds() const = 0;
    //! Takes the entries apart, for a kernel that keeps Python objects instead.
    virtual void visit(const EntryVisitor& visitor) const = 0;
    //! Shows what belongs to the kernel as a whole, and the objects in its partials.
    virtual void visit_references(const ReferenceVisitor& visitor) const = 0;
};

//! The parameters of all built-in aggregations; each kernel reads its own.
struct KernelOptions {
    bool real = false;
    bool geometric = false;
    bool root = false;
    int ddof = 1;
    std::size_t bits = 0;
    unsigned hashes = 0;
    std::string separator;
    bool bias = false;
    //! In seconds.
    double half_life = 0.0;
    std::shared_ptr<const CompiledFunctions> compiled;
};

//! The parameters of all algorithms; 0 leaves the choice to the algorithm.
struct AlgorithmOptions {
    std::string name;
    unsigned min_arity = 0;
    unsigned leaf = 0;
    //! Where the window's pages wait; nothing for a window in memory.
    std::shared_ptr<store::Store> store = nullptr;
};

}  // namespace sash::face
