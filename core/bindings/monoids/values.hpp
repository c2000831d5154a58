//! Python values on their way in and results on their way out.
#pragma once

#include <nanobind/nanobind.h>

#include <bitset>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sash/monoids/tick_scale.hpp"
#include "window/kernel.hpp"

namespace sash::face {

namespace nb = nanobind;

//! How an aggregation reads its values.
enum class Inputs { ignored, number, real, integer, boolean, any, keyed, text, hashable, object, row };

//! What a NaN does.
enum class OnNan { skip, propagate, error };

//! What the values of a window are kept as. It only ever widens while the window holds something. Over both, integers
//! and reals are kept apart.
enum class Kind : std::uint8_t { integer, real, both, object };

//! The most columns that a record reads.
inline constexpr std::size_t kMostSlots = 256;

struct Mode {
    //! Of the values, or of the keys of pairs.
    Kind value = Kind::integer;
    //! Of the second of pairs.
    Kind argument = Kind::integer;
    //! The columns of a record that have held integers, and those that have held reals.
    std::bitset<kMostSlots> integers = {};
    std::bitset<kMostSlots> reals = {};
    //! Of the times, where partials keep times.
    TickScale scale = {};
    //! Integers are kept in their full range: sums in 128 bits, extremes with a mark. 64 bits are not enough.
    bool wide = false;
    friend bool operator==(const Mode&, const Mode&) = default;
    //! Whether the values are kept alike, whatever the times are.
    bool keeps_values_as(const Mode& other) const {
        return value == other.value && argument == other.argument && reals == other.reals && both() == other.both() &&
               wide == other.wide;
    }
    //! Whether a window of the other mode has had values of all these kinds.
    bool fits_in(const Mode& other) const {
        return value == other.value && argument == other.argument && (integers | other.integers) == other.integers &&
               (reals | other.reals) == other.reals;
    }
    std::bitset<kMostSlots> both() const { return integers & reals; }
    //! The numbers of a record's column.
    Kind numbers(std::size_t slot) const {
        return !reals[slot] ? Kind::integer : integers[slot] ? Kind::both : Kind::real;
    }
    //! Partials are Python objects, made by the aggregation's own methods.
    bool objects() const { return value == Kind::object; }
};

class RowReader;

//! What a value that was read borrows from.
struct Holder {
    nb::object object;
    nb::object time;
    std::vector<Field> fields;
    std::vector<PyObject*> members;
    std::vector<nb::object> kept;
};

//! How one aggregation reads its values.
class ValueReader {
public:
    ValueReader(std::string_view kernel, std::string_view inputs, std::string_view nan, bool positive,
                nb::object skips);
    explicit ValueReader(std::shared_ptr<const RowReader> row);

    Inputs inputs() const { return inputs_; }
    //! What an empty window is made for.
    Mode first_mode() const;
    //! The least mode that holds both.
    Mode join(const Mode& window, const Mode& value) const;

    //! Reads one value; false if it is passed over. Integers and reals stay apart until settle.
    //! `value.object` is borrowed from the argument or from `holder`.
    bool read(nb::handle source, Value& value, Mode& mode, Holder& holder) const;
    //! Turns a value of mode `from` into one of the mode `to`, which holds it.
    void settle(Value& value, const Mode& from, const Mode& to) const;
    //! Whether a number is kept; throws where it is refused.
    bool accepts(double number) const;
    //! The code of a number, NaN included.
    Cell code(double number) const;
    //! The kernel reads reals as they are, not by their code.
    bool sums() const { return sums_; }
    const RowReader* row() const { return row_.get(); }
    const nb::object& skips() const { return skips_; }
    void drop_references() {
        skips_.reset();
        row_.reset();
    }
    //! Python's form of a value that a kernel of that mode kept.
    nb::object restored(const Value& value, Mode mode) const;

private:
    //! What has an order and is no 64-bit number, such as a decimal, is an object.
    bool read_number(nb::handle source, Value& value, Kind& kind) const;
    bool read_real(nb::handle source, Value& value) const;
    void read_any(nb::handle source, Cell& cell, Kind& kind, nb::object& holder) const;
    bool read_pair(nb::handle source, Value& value, Mode& mode) const;
    bool read_object(nb::handle source) const;
    bool read_text(nb::handle source, Value& value, nb::object& holder) const;
    bool read_hash(nb::handle source, Value& value) const;
    bool accepts_any(nb::handle source) const;

    Inputs inputs_;
    //! The Python rule by which it reads what is no plain number.
    const char* rule_;
    //! The rule takes a text as it is.
    bool takes_texts_;
    OnNan on_nan_;
    //! Where NaN propagates it is more extreme than any number, so it lies below them all for the least.
    bool nan_is_least_;
    //! The geometric mean takes no negative numbers.
    bool positive_;
    bool sums_;
    //! The aggregation's own `skips`, where it has one of its own.
    nb::object skips_;
    //! For records.
    std::shared_ptr<const RowReader> row_;
};

//! None, and what pandas and NumPy have in its place: NA and NaT.
bool is_null(nb::handle value);

//! A number by its code; over both, that of a real.
nb::object number_of(Cell cell, Kind kind);

}  // namespace sash::face
