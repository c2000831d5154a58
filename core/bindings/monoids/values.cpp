#include "monoids/values.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "monoids/row.hpp"
#include "monoids/rules.hpp"
#include "sash/hash.hpp"
#include "sash/monoids/widen.hpp"

namespace sash::face {

namespace {

Inputs inputs_named(std::string_view name) {
    constexpr std::pair<std::string_view, Inputs> kNames[] = {
        {"ignored", Inputs::ignored}, {"number", Inputs::number}, {"real", Inputs::real},
        {"integer", Inputs::integer}, {"bool", Inputs::boolean},  {"any", Inputs::any},
        {"keyed", Inputs::keyed},     {"text", Inputs::text},     {"hashable", Inputs::hashable},
        {"object", Inputs::object},   {"row", Inputs::row},       {"ordered", Inputs::number},
        {"measure", Inputs::number},  {"amount", Inputs::number}};
    for (const auto& [known, inputs] : kNames)
        if (known == name) return inputs;
    throw std::invalid_argument("no kind of input is called " + std::string(name));
}

//! Some numbers may be values that are no 64-bit numbers: those that have an order, a difference or a sum.
const char* rule_named(std::string_view inputs) {
    constexpr std::pair<std::string_view, const char*> kRules[] = {
        {"ordered", "read_ordered"}, {"keyed", "read_ordered"}, {"measure", "read_measure"}, {"amount", "read_amount"}};
    for (const auto& [known, rule] : kRules)
        if (known == inputs) return rule;
    return "read_number";
}

OnNan nan_named(std::string_view name) {
    return name == "skip" ? OnNan::skip : name == "error" ? OnNan::error : OnNan::propagate;
}

//! The Python definition of how a value is read decides on everything but the plainest types, errors included.
nb::object read_by(const char* rule, nb::handle source) {
    return rule_of("sash.aggregations.reading", rule)(source);
}

//! TypeError with the type and the beginning of the value that was given instead.
[[noreturn]] void refuse(const char* rule, nb::handle source) {
    const nb::object given =
        nb::steal(PyUnicode_FromFormat("%s, not %s (%.60R)", rule, Py_TYPE(source.ptr())->tp_name, source.ptr()));
    if (given.is_valid()) PyErr_SetObject(PyExc_TypeError, given.ptr());
    throw nb::python_error();
}

bool is_numpy(nb::handle source, const char* type) {
    return nb::isinstance(source, rule_of("numpy", type));
}

//! A NumPy number as the Python number that it holds; anything else as it is.
nb::object plain(nb::handle source) {
    if (!is_numpy(source, "number") || is_numpy(source, "timedelta64") || is_numpy(source, "complexfloating"))
        return nb::borrow(source);
    return is_numpy(source, "integer") ? nb::object(nb::int_(nb::borrow(source)))
                                       : nb::object(nb::float_(nb::borrow(source)));
}

//! An exact Python int; false if it does not fit in 64 bits.
bool fits(nb::handle source, std::int64_t& integer) {
    int overflow = 0;
    integer = PyLong_AsLongLongAndOverflow(source.ptr(), &overflow);
    return overflow == 0;
}

//! A decimal that is not a number is passed over, or an error, as a float is.
bool is_nan_decimal(nb::handle source) {
    return std::string_view(Py_TYPE(source.ptr())->tp_name) == "decimal.Decimal" &&
           nb::cast<bool>(source.attr("is_nan")());
}

std::int64_t integer_of(nb::handle source) {
    std::int64_t integer = 0;
    if (PyLong_CheckExact(source.ptr()) && fits(source, integer)) [[likely]]
        return integer;
    fits(read_by("read_integer", source), integer);
    return integer;
}

}  // namespace

nb::object number_of(Cell cell, Kind kind) {
    if (kind == Kind::integer) return nb::int_(cell);
    return nb::float_(decode_real(cell));
}

ValueReader::ValueReader(std::string_view kernel, std::string_view inputs, std::string_view nan, bool positive,
                         nb::object skips)
    : inputs_(inputs_named(inputs)),
      rule_(rule_named(inputs)),
      takes_texts_(std::string_view(rule_) == "read_ordered"),
      on_nan_(nan_named(nan)),
      nan_is_least_(kernel == "min" || kernel == "min_count" || kernel == "arg_min"),
      positive_(positive),
      sums_(kernel == "sum" || kernel == "product" || kernel == "mean" || kernel == "moments"),
      skips_(std::move(skips)) {}

ValueReader::ValueReader(std::shared_ptr<const RowReader> row)
    : inputs_(Inputs::row),
      rule_("read_number"),
      takes_texts_(false),
      on_nan_(OnNan::propagate),
      nan_is_least_(false),
      positive_(false),
      sums_(false),
      row_(std::move(row)) {}

Mode ValueReader::first_mode() const {
    if (inputs_ == Inputs::object) return {.value = Kind::object};
    return {.value = inputs_ == Inputs::real ? Kind::real : Kind::integer};
}

Mode ValueReader::join(const Mode& window, const Mode& value) const {
    const bool wide = window.wide || value.wide;
    if (inputs_ == Inputs::row)
        return {
            window.value, window.argument, window.integers | value.integers, window.reals | value.reals, value.scale,
            wide};
    const auto alike = [](Kind a, Kind b) { return a == b ? a : Kind::object; };
    if (inputs_ == Inputs::any) return {.value = alike(window.value, value.value)};
    const Kind argument = alike(window.argument, value.argument);
    if (argument == Kind::object) return {.value = Kind::object, .argument = Kind::object};
    const Kind wider = std::max(window.value, value.value);
    const Kind numbers = window.value == value.value || wider == Kind::object ? wider : Kind::both;
    return {.value = numbers, .argument = argument, .wide = wide && numbers == Kind::integer};
}

bool is_null(nb::handle value) {
    if (value.is_none()) return true;
    // By name: pandas need not be there, and is not imported for this.
    const std::string_view name = Py_TYPE(value.ptr())->tp_name;
    if (name == "NAType" || name == "NaTType") return true;
    if (name != "numpy.datetime64" && name != "numpy.timedelta64") return false;
    return nb::cast<bool>(read_by("is_null", value));
}

bool ValueReader::read(nb::handle source, Value& value, Mode& mode, Holder& holder) const {
    mode = first_mode();
    if (is_null(source)) return false;
    switch (inputs_) {
        case Inputs::number:
            value.object = source.ptr();
            return read_number(source, value, mode.value);
        case Inputs::ignored:
            value.cell = 1;
            value.real = 1.0;
            return accepts_any(source);
        case Inputs::real:
            return read_real(source, value);
        case Inputs::integer:
            value.cell = integer_of(source);
            return true;
        case Inputs::boolean:
            value.cell =
                source.ptr() == Py_True || (source.ptr() != Py_False && nb::cast<bool>(read_by("read_bool", source)));
            return true;
        case Inputs::any: {
            read_any(source, value.cell, mode.value, holder.object);
            value.object = holder.object ? holder.object.ptr() : source.ptr();
            return accepts_any(value.object);
        }
        case Inputs::keyed:
            return read_pair(source, value, mode);
        case Inputs::text:
            return read_text(source, value, holder.object);
        case Inputs::hashable:
            return read_hash(source, value);
        case Inputs::object:
            value.object = source.ptr();
            return read_object(source);
        case Inputs::row:
            return row_->read(source, value, mode, holder);
    }
    return false;
}

bool ValueReader::read_number(nb::handle source, Value& value, Kind& kind) const {
    kind = Kind::integer;
    if (PyLong_CheckExact(source.ptr()) && fits(source, value.cell)) [[likely]]
        return true;
    if (takes_texts_ && PyUnicode_CheckExact(source.ptr())) {
        kind = Kind::object;
        return true;
    }
    if (!PyFloat_CheckExact(source.ptr())) {
        if (is_nan_decimal(source) && !accepts(std::numeric_limits<double>::quiet_NaN())) return false;
        const nb::object number = read_by(rule_, source);
        if (PyLong_CheckExact(number.ptr())) return fits(number, value.cell);
        if (!PyFloat_CheckExact(number.ptr())) {
            kind = Kind::object;
            return true;
        }
        value.real = PyFloat_AS_DOUBLE(number.ptr());
    } else {
        value.real = PyFloat_AS_DOUBLE(source.ptr());
    }
    kind = Kind::real;
    value.cell = code(value.real);
    return accepts(value.real);
}

bool ValueReader::read_real(nb::handle source, Value& value) const {
    std::int64_t integer = 0;
    if (PyFloat_CheckExact(source.ptr())) {
        value.real = PyFloat_AS_DOUBLE(source.ptr());
    } else if (PyLong_CheckExact(source.ptr()) && fits(source, integer)) {
        value.real = static_cast<double>(integer);
    } else {
        value.real = nb::cast<double>(read_by("read_real", source));
    }
    return accepts(value.real);
}

void ValueReader::read_any(nb::handle source, Cell& cell, Kind& kind, nb::object& holder) const {
    kind = Kind::object;
    if (PyUnicode_CheckExact(source.ptr())) return;
    if (!PyLong_CheckExact(source.ptr()) && !PyFloat_CheckExact(source.ptr())) {
        holder = plain(source);
        source = holder;
    }
    if (PyLong_CheckExact(source.ptr())) {
        if (fits(source, cell)) kind = Kind::integer;
    } else if (PyFloat_CheckExact(source.ptr())) {
        kind = Kind::real;
        cell = encode_real(PyFloat_AS_DOUBLE(source.ptr()));
    }
}

bool ValueReader::read_pair(nb::handle source, Value& value, Mode& mode) const {
    const bool pair =
        (PyTuple_Check(source.ptr()) || PyList_Check(source.ptr())) && PySequence_Fast_GET_SIZE(source.ptr()) == 2;
    if (!pair) refuse("a pair (key, argument) is needed", source);
    const auto key = nb::borrow(PySequence_Fast_GET_ITEM(source.ptr(), 0));
    const auto argument = nb::borrow(PySequence_Fast_GET_ITEM(source.ptr(), 1));
    if (is_null(key) || is_null(argument)) return false;
    value.object = source.ptr();
    nb::object inner;
    if (!read_number(key, value, mode.value)) return false;
    // A NaN is as good an argument as any, so that nobody asks whether it is accepted.
    read_any(argument, value.argument, mode.argument, inner);
    if (mode.argument == Kind::object || mode.value == Kind::object) mode.value = mode.argument = Kind::object;
    return true;
}

bool ValueReader::read_object(nb::handle source) const {
    if (skips_.is_valid() && !skips_.is_none()) return !nb::cast<bool>(skips_(source));
    return accepts_any(source);
}

bool ValueReader::read_text(nb::handle source, Value& value, nb::object& holder) const {
    if (!PyUnicode_CheckExact(source.ptr())) {
        holder = read_by("read_text", source);
        source = holder;
    }
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
    if (data == nullptr) {
        // Lone surrogates: Python lets them through, so they are kept too.
        PyErr_Clear();
        holder = nb::steal(PyUnicode_AsEncodedString(source.ptr(), "utf-8", "surrogatepass"));
        if (!holder.is_valid()) throw nb::python_error();
        data = PyBytes_AS_STRING(holder.ptr());
        size = PyBytes_GET_SIZE(holder.ptr());
    }
    value.text = {data, static_cast<std::size_t>(size)};
    return true;
}

bool ValueReader::read_hash(nb::handle source, Value& value) const {
    Hash hash = 0;
    std::int64_t integer = 0;
    if (PyUnicode_CheckExact(source.ptr())) {
        Py_ssize_t size = 0;
        const char* data = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
        if (data == nullptr) throw nb::python_error();
        hash = hash_text({data, static_cast<std::size_t>(size)});
    } else if (PyBytes_CheckExact(source.ptr())) {
        hash = hash_bytes({PyBytes_AS_STRING(source.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(source.ptr()))});
    } else if (PyLong_CheckExact(source.ptr()) && fits(source, integer)) {
        hash = hash_integer(integer);
    } else if (PyFloat_CheckExact(source.ptr())) {
        hash = hash_real(PyFloat_AS_DOUBLE(source.ptr()));
    } else {
        hash = nb::cast<Hash>(nb::module_::import_("sash.aggregations.hashing").attr("hash_value")(source));
    }
    value.cell = static_cast<Cell>(hash);
    return accepts_any(source);
}

bool ValueReader::accepts(double number) const {
    if (number == number) [[likely]] {
        if (positive_ && number < 0.0) read_by("finite_log", nb::float_(number));
        return true;
    }
    if (on_nan_ == OnNan::error) rule_of("sash.aggregations.reading", "not_nan")(nb::float_(number), "error");
    return on_nan_ == OnNan::propagate;
}

bool ValueReader::accepts_any(nb::handle source) const {
    if (PyFloat_Check(source.ptr())) return accepts(PyFloat_AS_DOUBLE(source.ptr()));
    const auto is = [&](const PyTypeObject& type) { return Py_TYPE(source.ptr()) == &type; };
    if (is(PyLong_Type) || is(PyUnicode_Type) || is(PyTuple_Type) || is(PyDict_Type)) return true;
    if (is_nan_decimal(source)) return accepts(std::numeric_limits<double>::quiet_NaN());
    return !is_numpy(source, "floating") || accepts(nb::cast<double>(nb::float_(nb::borrow(source))));
}

Cell ValueReader::code(double number) const {
    if (number == number) return encode_real(number);
    return encode_real(std::copysign(std::numeric_limits<double>::quiet_NaN(), nan_is_least_ ? -1.0 : 1.0));
}

void ValueReader::settle(Value& value, const Mode& from, const Mode& to) const {
    if (inputs_ == Inputs::row) return row_->settle(value.row, from, to);
    if (from.value == Kind::integer && (to.value == Kind::real || to.value == Kind::both)) {
        value.real = exact_real(value.cell);
        value.cell = encode_real(value.real);
        value.whole = true;
    }
}

nb::object ValueReader::restored(const Value& value, Mode mode) const {
    if (inputs_ != Inputs::keyed) return number_of(value.cell, mode.value);
    nb::object key = number_of(value.cell, mode.value);
    if (value.whole) key = nb::int_(std::move(key));
    return nb::make_tuple(key, number_of(value.argument, mode.argument));
}

}  // namespace sash::face
