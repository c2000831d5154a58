//! Rows on their way into a record: which columns are read, how, and by whom.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "monoids/values.hpp"
#include "window/clock.hpp"
#include "window/kernel.hpp"

namespace sash::face {

//! Where a value lies in what an event brings: in a column of a row or in the whole, and there at a place of a tuple or
//! in the whole.
struct Path {
    //! None for the whole.
    nb::object column;
    //! Negative for the whole.
    std::ptrdiff_t index = -1;
    //! The length of that tuple.
    std::ptrdiff_t length = 0;

    //! A new reference, so that it lives as long as it must.
    nb::object find(nb::handle event) const;
};

//! A column as one reader reads it. Parts that read it alike share it.
struct Slot {
    Path path;
    ValueReader reader;
};

//! One column of many events as a slot reads it: an array, which stays where it is, or values that were read before.
class SlotColumn {
public:
    //! An array; a list of one, and of marks that say which of its values are there; or a tuple. Throws where a value
    //! is refused. The slot outlives it.
    SlotColumn(const Slot& slot, nb::handle column);

    //! Whether there are such numbers in it.
    bool has_integers() const { return has_integers_; }
    bool has_reals() const { return has_reals_; }
    //! So many values from the first on, into one field of each row of that width. The GIL is not needed.
    void read(std::size_t first, std::size_t count, Field* field, std::size_t width) const;

private:
    using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Marks = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    //! If a number among them is a real, all of them are read as such.
    void read_objects(const nb::tuple& values, const Path& path);
    Field field_of(std::int64_t integer) const;
    Field field_of(double real) const;

    const ValueReader& reader_;
    Integers integers_;
    Reals reals_;
    std::vector<Field> fields_;
    Marks marks_;
    bool has_integers_ = false;
    bool has_reals_ = false;
};

//! One fixed-size aggregation of a record: its kernel, and the slots that it reads.
struct PartSpec {
    std::string kernel;
    KernelOptions options;
    std::vector<std::uint16_t> slots;
};

//! A member in Python: a column for each of its inputs, or none for the whole.
struct ObjectSpec {
    nb::object aggregation;
    std::vector<Path> paths;
    ValueReader reader;

    nb::object find(nb::handle event) const;
    //! Whether the aggregation does not pass over the value.
    bool takes(nb::handle value) const;
};

//! Where the result of one aggregation of a record comes from.
struct ResultSpec {
    nb::object aggregation;
    //! Of a part or of a member in Python.
    bool native;
    std::size_t position;
    bool truth;
};

//! Everything about a record that does not change.
class RowReader {
public:
    //! From a sash.aggregations.records.Row.
    explicit RowReader(nb::handle row);

    //! False if every member passes the event over.
    bool read(nb::handle source, Value& value, Mode& mode, Holder& holder) const;
    //! Whether a part takes the event: one all of whose columns are there.
    bool takes(std::span<const Field> fields) const;
    //! Reads the integers of the columns that hold reals too as such.
    void settle(std::span<Field> fields, const Mode& from, const Mode& to) const;
    //! The column of a slot; the mode gets what is in it.
    SlotColumn column(std::size_t slot, nb::handle column, Mode& mode) const;

    const std::vector<Slot>& slots() const { return slots_; }
    const std::vector<PartSpec>& parts() const { return parts_; }
    const std::vector<ObjectSpec>& objects() const { return objects_; }
    const std::vector<ResultSpec>& results() const { return results_; }
    //! Partials keep times, or a member in Python asks for them.
    bool timed() const { return timed_; }
    //! The result is a record, even of one.
    bool composite() const { return composite_; }
    //! What becomes of the parts, one by one, when the mode changes.
    std::vector<Form> forms(const Mode& from, const Mode& to) const;
    //! The mode of a record that holds such numbers, a kind for each part, and has never held any others. Integers are
    //! in full range where columns have become columns of them.
    Mode without_strangers(const Mode& mode, std::span<const Kinds> kinds) const;
    void visit_references(const ReferenceVisitor& visitor) const;

    //! Where the parts lie if the columns and the times are such.
    LayoutPtr layout(const Mode& mode) const;

private:
    void read_field(const Slot& slot, nb::handle source, Field& field, Kind& kind) const;

    std::vector<Slot> slots_;
    std::vector<PartSpec> parts_;
    std::vector<ObjectSpec> objects_;
    std::vector<ResultSpec> results_;
    bool timed_ = false;
    bool composite_ = false;
};

KernelOptions kernel_options(nb::handle options);

//! What a part gives, as a Python object; one without a value is what the aggregation says of an empty window. `coded`
//! is the kind of the column that a code is of.
nb::object object_of(const PartResult& result, const ResultSpec& spec, const Clock& clock, Kind coded);
//! The kind of the column that a part reads last.
Kind kind_read(const RowReader& row, const ResultSpec& spec, const Mode& mode);

//! A kernel over a record: FiBA keeps small ones in place; the other algorithms, and large ones, by reference.
std::unique_ptr<Kernel> make_record(const RowReader& row, const LayoutPtr& layout, const AlgorithmOptions& algorithm);

}  // namespace sash::face
