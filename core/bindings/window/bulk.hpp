//! Many values at once, read before anything changes.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <vector>

#include "monoids/values.hpp"
#include "window/clock.hpp"
#include "window/kernel.hpp"

namespace sash::face {

//! The values of one bulk_insert that are kept, and their times. An array is read in place where the kernel can and
//! nothing is skipped. Whoever makes a batch keeps the source alive, and holds the GIL but for the use of its column.
class Batch {
public:
    Batch(const ValueReader& reader, std::span<const Time> ticks) : reader_(reader), ticks_(ticks) {}

    void read(std::span<const std::int64_t> integers);
    void read(std::span<const double> reals);
    void read(nb::tuple values);
    //! The rows of a record, one array or tuple for each of its slots.
    void read_rows(const nb::list& columns);

    //! The least mode that holds all of them.
    Mode mode() const { return mode_; }
    std::span<const Time> ticks() const { return ticks_; }
    //! Those that were read one by one.
    std::span<const Value> values() const { return values_; }
    //! The values as a window of that mode keeps them. Arrays cannot become objects: read them as a tuple.
    Column column(const Mode& to);
    //! Gives each value its time as it leaves the window.
    void add_times(const Clock& clock);

private:
    Column column_of_cells(const Mode& to);
    //! Keeps the rows that some member takes.
    void keep_rows();
    Column column_of_reals();
    //! Drops the times of the values that were passed over.
    void keep_ticks(const std::vector<std::size_t>& kept);

    const ValueReader& reader_;
    std::span<const Time> ticks_;
    Mode mode_;
    //! The source of borrowed objects and texts.
    nb::tuple source_;
    std::vector<Holder> holders_;
    std::vector<nb::object> times_;
    //! Rows of fields, one behind the other.
    std::vector<Field> fields_;
    //! Read one by one, each with its own mode.
    std::vector<Value> values_;
    std::vector<Mode> modes_;
    //! Read as a whole.
    std::span<const Cell> cells_;
    std::span<const double> reals_;
    std::vector<Cell> own_cells_;
    std::vector<double> own_reals_;
    std::vector<Time> own_ticks_;
};

}  // namespace sash::face
