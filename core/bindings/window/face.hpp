//! The window as Python sees it: kinds of values and times are decided by what comes in, and widen when they must.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "monoids/values.hpp"
#include "window/clock.hpp"
#include "window/kernel.hpp"

namespace sash::face {

//! What the Python side says about an aggregation and its algorithm.
struct Spec {
    nb::object aggregation;
    std::string kernel;
    KernelOptions options;
    AlgorithmOptions algorithm;
    //! The aggregation, or a member of it in Python, is given the times of events.
    bool timed = false;
    //! Where the aggregation names columns: what finds its value in a row. None where values are passed as they are.
    nb::object find = nb::none();
};

class Batch;
struct ResultSpec;

class Window {
public:
    Window(Spec spec, ValueReader reader);

    std::size_t length() const;
    void insert(nb::handle time, nb::handle value);
    //! `ticks` are encoded times of the kind `label`, one for each of the values.
    void bulk_insert(nb::object label, std::span<const Time> ticks, std::span<const std::int64_t> values);
    void bulk_insert(nb::object label, std::span<const Time> ticks, std::span<const double> values);
    void bulk_insert(nb::object label, std::span<const Time> ticks, nb::tuple values);
    //! One array, or tuple, for each column that the record reads.
    void bulk_insert_rows(nb::object label, std::span<const Time> ticks, const nb::list& columns);
    nb::object evict(nb::handle time);
    void bulk_evict(nb::handle time);
    void clear();
    nb::object query(nb::handle from, nb::handle to) const;
    nb::object oldest() const;
    nb::object youngest() const;
    //! The entries after a time in ticks, or all for None: their pairs, and the ticks of the last one. Some of them
    //! only, where the algorithm can stop: ask again with those ticks, until nothing comes.
    nb::tuple entries(nb::handle after) const;
    void evict_while(const nb::callable& policy);
    void merge(const Window& other);
    void shrink_to_fit();
    void check_invariants() const;
    //! The structure as nested lists, which src/sash/drawing/structure.py reads; `brief` leaves out what there is much
    //! of.
    nb::list describe(bool brief) const;
    std::size_t memory() const;
    //! Takes over the contents of a window of the same aggregation and algorithm.
    void assign(const Window& other);

    //! The Python objects that it holds and that may hold it in turn, for the garbage collector.
    void visit_references(const ReferenceVisitor& visitor) const;
    //! Drops them. No operation is possible afterwards.
    void drop_references();

    const Clock& clock() const { return clock_; }
    nb::object aggregation() const { return spec_.aggregation; }
    const std::string& algorithm() const { return spec_.algorithm.name; }
    //! The kind of the times, what the values are kept as, and the contents; nothing but empty contents if it is empty.
    std::tuple<nb::object, nb::object, nb::bytes> save() const;
    void restore(std::string_view mode, nb::object label, std::string_view body);

private:
    //! A change on its way: what is to become of the window if all goes well.
    struct Change {
        std::unique_ptr<Kernel> kernel;
        Mode mode;
        TimeKind kind;
        nb::object label;
        double reach = 0.0;
    };

    std::size_t size() const;
    //! Whether values are compared or added, and some that are no numbers are there or come.
    bool compares_objects(const Mode& mode) const;
    //! What is compared or added of a value: the key of a pair, or the value itself.
    nb::object compared(nb::handle value) const;
    //! What stands for the values that are there; nothing if there are none. After a restore it is found once, in O(n).
    nb::object sample() const;
    //! What stands for one more value too, of those that are compared: TypeError for one of another kind, which has no
    //! order and no sum with the others.
    nb::object sample_with(nb::object sample, nb::handle compared) const;
    //! Nothing stands for values that have left.
    void forget_sample();
    //! Inserts a value of the kinds that the window holds; nothing else changes. False if the window is to change
    //! first.
    bool insert_alike(const Moment& moment, const Mode& mode, Value& value);
    //! The kernel that takes a value of that mode at such a time: the window's own, or a wider one in `change`.
    Kernel& prepare(Change& change, Mode mode, const Moment& moment) const;
    //! The same for integers that reach so much further: a kernel in which 128 bits are summed, if 64 are too few.
    Kernel& fitting(Change& change, Kernel& kernel, double further) const;
    //! Whether integers are kept in their full range from the start: over a store, where the width of a page counts and
    //! that of a sum does not.
    bool always_wide(const Mode& mode) const;
    void insert_batch(Batch& batch, nb::object label);
    template <class Numbers>
    void insert_numbers(nb::object label, std::span<const Time> ticks, Numbers values);
    void commit(Change& change);
    //! What values are kept as: "int", "wide", "float", "object", or two of them for pairs.
    std::string name_of(const Mode& mode) const;
    std::pair<Mode, std::unique_ptr<Kernel>> canonical() const;
    //! The mode of a window that has held no other kinds of numbers than those it holds. Integers are in full range.
    Mode without_strangers() const;
    std::pair<Mode, std::unique_ptr<Kernel>> without_objects() const;
    Mode mode_named(std::string_view name) const;
    Mode row_mode_named(std::string_view name) const;
    std::unique_ptr<Kernel> make(const Mode& mode) const;
    std::unique_ptr<Kernel> changed(const Kernel& kernel, const Mode& from, const Mode& to) const;
    //! The window's entries at the times that their integers stand for as reals.
    std::unique_ptr<Kernel> at_real_times(TickScale scale) const;
    //! How long a tick is, for an aggregation whose partials keep times; the same for all others.
    TickScale scale_at(const Moment& moment) const;
    nb::object moment_as_it_leaves(const Moment& moment) const;
    bool touches_python(const Mode& mode) const;
    std::unique_ptr<Kernel> with_objects(const Kernel& kernel) const;
    std::unique_ptr<Kernel> entries_as(const Mode& mode, TimeKind kind) const;
    nb::object lowered(const Result& result) const;
    nb::object result_of(const RecordResult& result) const;
    nb::object result_of(const ResultSpec& spec, const RecordResult& result) const;
    nb::object empty() const;
    [[noreturn]] void raise_out_of_order(Time time, Time youngest, const Moment& moment) const;
    [[noreturn]] void raise_unsupported(const char* what) const;
    template <class F>
    auto checked(F f) const;

    Spec spec_;
    ValueReader reader_;
    //! What stands for the values that are there and are no numbers, or for the keys of pairs; nothing if that is not
    //! known yet.
    mutable nb::object sample_;
    //! The result of an empty window, where it is the same object every time.
    nb::object empty_;
    Mode mode_;
    Clock clock_;
    std::unique_ptr<Kernel> kernel_;
    //! How far the integers in the window reach at most.
    double reach_ = 0.0;
    //! Set while an operation runs: a callback or another thread must not come in between.
    mutable bool busy_ = false;
};

//! Whether the algorithm called `name` exists, and what it can do.
struct Abilities {
    bool late;
    bool evicts_anywhere;
    bool ranges;
    bool lists;
    bool policies;
    bool needs_inverse;
};

std::span<const std::string_view> algorithm_names();
Abilities abilities_of(std::string_view name);
std::unique_ptr<Kernel> make_native(const Spec& spec, const Mode& mode);

void bind_window(nb::module_& module);
void bind_algorithms(nb::module_& module);
void bind_snapshots(nb::module_& module);
void bind_running(nb::module_& module);
void bind_operator(nb::module_& module);
void bind_arrival_rows(nb::module_& module);
void bind_distinct_counts(nb::module_& module);
void bind_key_slots(nb::module_& module);

}  // namespace sash::face
