#include "monoids/row.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

#include "errors.hpp"
#include "monoids/rules.hpp"
#include "sash/monoids/widen.hpp"

namespace sash::face {

namespace {

nb::object column_of(nb::handle row, nb::handle column) {
    PyObject* const found = PyObject_GetItem(row.ptr(), column.ptr());
    if (found != nullptr) return nb::steal(found);
    if (!PyErr_ExceptionMatches(PyExc_KeyError) && !PyErr_ExceptionMatches(PyExc_TypeError) &&
        !PyErr_ExceptionMatches(PyExc_IndexError))
        throw nb::python_error();
    PyErr_Clear();
    const bool missing = PyMapping_Check(row.ptr()) && !PySequence_Check(row.ptr());
    const char* const rule =
        missing ? "the row has no column %R: %.80R" : "a row is needed, a mapping with the column %R, not %.80R";
    PyErr_Format(missing ? PyExc_KeyError : PyExc_TypeError, rule, column.ptr(), row.ptr());
    throw nb::python_error();
}

nb::object item_of(nb::handle source, std::ptrdiff_t index, std::ptrdiff_t length) {
    const bool fits =
        (PyTuple_Check(source.ptr()) || PyList_Check(source.ptr())) && PySequence_Fast_GET_SIZE(source.ptr()) == length;
    if (!fits) {
        PyErr_Format(PyExc_TypeError, "a tuple of %zd values is needed, not %s (%.60R)", length,
                     Py_TYPE(source.ptr())->tp_name, source.ptr());
        throw nb::python_error();
    }
    return nb::borrow(PySequence_Fast_GET_ITEM(source.ptr(), index));
}

//! Parts of records are over numbers: what is none is refused, or read by a record of members in Python.
void refuse_object(nb::handle value, const Mode& mode, const Path& path) {
    if (mode.objects()) rule_of("sash.aggregations.amounts", "refuse_in_record")(value, path.column);
}

//! An integer, where there are reals too.
void read_as_real(Field& field) {
    field.real = exact_real(field.cell);
    field.cell = encode_real(field.real);
    field.whole = true;
}

std::ptrdiff_t whole_or(nb::handle index) {
    return index.is_none() ? -1 : nb::cast<std::ptrdiff_t>(index);
}

Path path_of(nb::handle path) {
    return {path.attr("column"), whole_or(path.attr("index")), nb::cast<std::ptrdiff_t>(path.attr("length"))};
}

Slot slot_of(nb::handle slot) {
    const auto inputs = nb::cast<std::string>(slot.attr("inputs"));
    const auto nan = nb::cast<std::string>(slot.attr("nan"));
    const auto kernel = nb::cast<std::string>(slot.attr("kernel"));
    return {path_of(slot.attr("path")),
            ValueReader(kernel, inputs, nan, nb::cast<bool>(slot.attr("positive")), nb::none())};
}

PartSpec part_of(nb::handle part) {
    PartSpec spec{nb::cast<std::string>(part.attr("kernel")), kernel_options(part.attr("options")), {}};
    for (const nb::handle slot : nb::iter(part.attr("slots"))) spec.slots.push_back(nb::cast<std::uint16_t>(slot));
    return spec;
}

ObjectSpec object_of(nb::handle member) {
    const nb::object aggregation = member.attr("aggregation");
    const auto nan = nb::cast<std::string>(aggregation.attr("nan"));
    const auto inputs = nb::cast<std::string>(member.attr("inputs"));
    ObjectSpec spec{aggregation, {}, ValueReader("", inputs, nan, false, member.attr("skips"))};
    for (const nb::handle path : nb::iter(member.attr("paths"))) spec.paths.push_back(path_of(path));
    return spec;
}

ResultSpec result_spec_of(nb::handle spec) {
    return {spec.attr("aggregation"), nb::cast<bool>(spec.attr("native")), nb::cast<std::size_t>(spec.attr("position")),
            nb::cast<bool>(spec.attr("truth"))};
}

template <class Spec>
std::vector<Spec> all_of(nb::handle items, Spec (*make)(nb::handle)) {
    std::vector<Spec> specs;
    for (const nb::handle item : nb::iter(items)) specs.push_back(make(item));
    return specs;
}

}  // namespace

nb::object Path::find(nb::handle event) const {
    nb::object found = column.is_none() ? nb::borrow(event) : column_of(event, column);
    return index < 0 || is_null(found) ? found : item_of(found, index, length);
}

nb::object ObjectSpec::find(nb::handle event) const {
    if (paths.size() == 1) return paths[0].find(event);
    nb::list values;
    for (const Path& path : paths) values.append(path.find(event));
    return nb::tuple(values);
}

bool ObjectSpec::takes(nb::handle value) const {
    // A rule of its own may take nulls: those of a condition that asks for them.
    if (!reader.skips().is_none()) return !nb::cast<bool>(reader.skips()(value));
    Value read;
    Mode mode;
    Holder holder;
    return reader.read(value, read, mode, holder);
}

RowReader::RowReader(nb::handle row)
    : slots_(all_of(row.attr("slots"), slot_of)),
      parts_(all_of(row.attr("parts"), part_of)),
      objects_(all_of(row.attr("objects"), object_of)),
      results_(all_of(row.attr("results"), result_spec_of)),
      timed_(nb::cast<bool>(row.attr("timed"))),
      composite_(nb::cast<bool>(row.attr("composite"))) {
    if (slots_.size() > kMostSlots)
        raise("AggregationError", "one record reads at most " + std::to_string(kMostSlots) +
                                      " different columns, not " + std::to_string(slots_.size()) +
                                      ": make several windows of it");
}

void RowReader::read_field(const Slot& slot, nb::handle source, Field& field, Kind& kind) const {
    Value value;
    Mode mode;
    Holder holder;
    const nb::object found = slot.path.find(source);
    field.present = slot.reader.read(found, value, mode, holder);
    refuse_object(found, mode, slot.path);
    field.cell = value.cell;
    field.real = value.real;
    kind = field.present ? mode.value : Kind::integer;
}

bool RowReader::takes(std::span<const Field> fields) const {
    const auto present = [&](std::uint16_t slot) { return fields[slot].present; };
    return std::any_of(parts_.begin(), parts_.end(), [&](const PartSpec& part) {
        return std::all_of(part.slots.begin(), part.slots.end(), present);
    });
}

bool RowReader::read(nb::handle source, Value& value, Mode& mode, Holder& holder) const {
    mode.integers.reset();
    mode.reals.reset();
    holder.fields.resize(slots_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        Kind kind = Kind::integer;
        read_field(slots_[i], source, holder.fields[i], kind);
        if (slots_[i].reader.inputs() == Inputs::number && holder.fields[i].present)
            (kind == Kind::real ? mode.reals : mode.integers).set(i);
    }
    bool taken = takes(holder.fields);
    for (const ObjectSpec& object : objects_) {
        nb::object found = object.find(source);
        holder.members.push_back(object.takes(found) ? found.ptr() : nullptr);
        taken |= holder.members.back() != nullptr;
        holder.kept.push_back(std::move(found));
    }
    value.row = holder.fields;
    value.members = holder.members;
    return taken;
}

void RowReader::settle(std::span<Field> fields, const Mode& from, const Mode& to) const {
    if (from.reals == to.reals) return;
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (from.reals[i] != to.reals[i] && fields[i].present) read_as_real(fields[i]);
}

SlotColumn RowReader::column(std::size_t slot, nb::handle column, Mode& mode) const {
    SlotColumn read(slots_[slot], column);
    if (read.has_integers()) mode.integers.set(slot);
    if (read.has_reals()) mode.reals.set(slot);
    return read;
}

SlotColumn::SlotColumn(const Slot& slot, nb::handle column) : reader_(slot.reader) {
    nb::object values = nb::borrow(column);
    if (nb::isinstance<nb::list>(column)) {
        // Values that stand for nothing, and marks that say which are there.
        values = column[0];
        marks_ = nb::cast<Marks>(column[1]);
    }
    const bool numbers = reader_.inputs() == Inputs::number;
    if (nb::try_cast(values, integers_, false)) {
        has_integers_ = numbers;
    } else if (nb::try_cast(values, reals_, false)) {
        has_reals_ = numbers;
        for (std::size_t i = 0; i < reals_.size(); ++i) static_cast<void>(reader_.accepts(reals_.data()[i]));
    } else {
        read_objects(nb::cast<nb::tuple>(values), slot.path);
    }
}

void SlotColumn::read_objects(const nb::tuple& values, const Path& path) {
    std::vector<std::size_t> integers;
    fields_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        Value value;
        Mode own;
        Holder holder;
        Field& field = fields_[i];
        field.present = reader_.read(values[i], value, own, holder);
        refuse_object(values[i], own, path);
        field.cell = value.cell;
        field.real = value.real;
        if (!field.present || reader_.inputs() != Inputs::number) continue;
        (own.value == Kind::real ? has_reals_ : has_integers_) = true;
        if (own.value == Kind::integer) integers.push_back(i);
    }
    if (!has_reals_) return;
    for (const std::size_t i : integers) read_as_real(fields_[i]);
}

Field SlotColumn::field_of(std::int64_t integer) const {
    const bool ignored = reader_.inputs() == Inputs::ignored;
    return {ignored ? 1 : integer, ignored ? 1.0 : 0.0, true};
}

//! What is refused was so when the column was made.
Field SlotColumn::field_of(double real) const {
    const bool ignored = reader_.inputs() == Inputs::ignored;
    return {ignored ? 1 : reader_.code(real), ignored ? 1.0 : real, reader_.accepts(real)};
}

void SlotColumn::read(std::size_t first, std::size_t count, Field* field, std::size_t width) const {
    const auto read_all = [&](auto get) {
        for (std::size_t i = 0; i < count; ++i) field[i * width] = get(first + i);
    };
    if (integers_.is_valid()) {
        read_all([&, values = integers_.data()](std::size_t i) { return field_of(values[i]); });
    } else if (reals_.is_valid()) {
        read_all([&, values = reals_.data()](std::size_t i) { return field_of(values[i]); });
    } else {
        read_all([&](std::size_t i) { return fields_[i]; });
    }
    if (!marks_.is_valid()) return;
    for (std::size_t i = 0; i < count; ++i)
        if (marks_.data()[first + i] == 0) field[i * width].present = false;
}

std::vector<Form> RowReader::forms(const Mode& from, const Mode& to) const {
    const Form range = from.wide == to.wide ? Form::same : to.wide ? Form::wide : Form::narrow;
    const auto form = [&](std::size_t slot) {
        const Kind before = from.numbers(slot);
        const Kind after = to.numbers(slot);
        if (before == after) return after == Kind::integer ? range : Form::same;
        if (after == Kind::real) return Form::real;
        if (after == Kind::integer) return to.wide ? Form::wide : Form::narrow;
        return before == Kind::integer ? Form::both_of_integers : Form::both_of_reals;
    };
    std::vector<Form> forms;
    for (const PartSpec& part : parts_) forms.push_back(form(part.slots.front()));
    return forms;
}

Mode RowReader::without_strangers(const Mode& mode, std::span<const Kinds> kinds) const {
    Mode least = mode;
    if (mode.both().none()) return least;
    least.wide = true;
    least.integers &= ~mode.both();
    least.reals &= ~mode.both();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const std::uint16_t slot = parts_[i].slots.front();
        if (!mode.both()[slot]) continue;
        least.integers[slot] = least.integers[slot] || kinds[i].integers;
        least.reals[slot] = least.reals[slot] || kinds[i].reals;
    }
    return least;
}

void RowReader::visit_references(const ReferenceVisitor& visitor) const {
    for (const ObjectSpec& object : objects_) {
        visitor(object.aggregation.ptr());
        visitor(object.reader.skips().ptr());
    }
    for (const ResultSpec& spec : results_) visitor(spec.aggregation.ptr());
}

}  // namespace sash::face
