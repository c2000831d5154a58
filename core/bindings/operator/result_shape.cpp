#include "operator/result_shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

namespace sash::face {

namespace {

using Tag = ResultCell::Tag;

double real_of(const ResultCell& cell) {
    return std::bit_cast<double>(cell.word());
}

//! As Python compares an int with a float: exactly.
bool same_number(std::int64_t integer, double real) {
    return std::abs(real) <= 0x1p63 && real != 0x1p63 && real == std::floor(real) &&
           static_cast<std::int64_t>(real) == integer;
}

bool same_cell(const ResultCell& one, const ResultCell& other, bool nan_is_nan) {
    if (one.tag() == Tag::none || other.tag() == Tag::none) return one.tag() == other.tag();
    if (one.tag() == Tag::integer && other.tag() == Tag::integer) return one.word() == other.word();
    if (one.tag() == Tag::integer) return same_number(one.word(), real_of(other));
    if (other.tag() == Tag::integer) return same_number(other.word(), real_of(one));
    return real_of(one) == real_of(other) || (nan_is_nan && std::isnan(real_of(one)) && std::isnan(real_of(other)));
}

ResultCell cell_of(nb::handle value) {
    if (PyFloat_Check(value.ptr())) return {Tag::real, std::bit_cast<std::int64_t>(nb::cast<double>(value))};
    std::int64_t integer = 0;
    if (!nb::try_cast(value, integer)) return {};
    return {Tag::integer, integer};
}

}  // namespace

ResultShape::ResultShape(const RowReader& row, const Clock& clock, const Mode& mode, std::vector<OutputSpec> outputs,
                         std::vector<nb::object> empties, std::vector<EvictionRule> rules, nb::object same,
                         nb::object codec, bool makes_objects)
    : row_(row),
      clock_(clock),
      mode_(mode),
      outputs_(std::move(outputs)),
      empties_(std::move(empties)),
      empty_cells_(row.parts().size()),
      rules_(std::move(rules)),
      same_(std::move(same)),
      codec_(std::move(codec)),
      makes_objects_(makes_objects) {
    for (std::size_t i = 0; i < row.results().size(); ++i)
        if (row.results()[i].native) empty_cells_[row.results()[i].position] = cell_of(empties_[i]);
}

nb::object ResultShape::lowered(std::size_t index, const PartResult& result) const {
    if (std::holds_alternative<std::monostate>(result)) return empties_[index];
    const ResultSpec& spec = row_.results()[index];
    return object_of(result, spec, clock_, kind_read(row_, spec, mode_));
}

nb::object ResultShape::result(std::size_t index, const ResultCell& cell) const {
    if (cell.tag() == Tag::none) return empties_[index];
    if (cell.tag() == Tag::real) return nb::float_(real_of(cell));
    if (row_.results()[index].truth) return nb::bool_(cell.word() != 0);
    return nb::int_(cell.word());
}

bool ResultShape::is_native(std::size_t output) const {
    const auto results = std::span(row_.results()).subspan(outputs_[output].first);
    const std::size_t size = outputs_[output].last - outputs_[output].first;
    return std::all_of(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(size),
                       [](const ResultSpec& spec) { return spec.native; });
}

nb::object ResultShape::value(std::span<const ResultCell> cells) const {
    if (makes_objects_) return cells[0].tag() == Tag::object ? nb::borrow(cells[0].object()) : nb::none();
    return shaped(outputs_[0], [&](std::size_t index) { return result(index, cells[row_.results()[index].position]); });
}

nb::object ResultShape::value(const Cells& cells) const {
    if (cells.empty()) return nb::none();
    std::vector<ResultCell> list;
    for (std::size_t i = 0; i < cells.size(); ++i) list.push_back(cells[i]);
    return value(list);
}

bool ResultShape::same(const Cells& one, const Cells& other) const {
    if (makes_objects_) return same_object(value(one), value(other));
    if (one.empty() || other.empty()) return one.empty() == other.empty();
    const auto shown = [&](const Cells& cells, std::size_t part) -> const ResultCell& {
        return cells[part].tag() == Tag::none ? empty_cells_[part] : cells[part];
    };
    // What only a programmable window sees is no part of the result.
    for (std::size_t index = outputs_[0].first; index < outputs_[0].last; ++index) {
        const std::size_t part = row_.results()[index].position;
        // Python compares records item by item, and a NaN is no other NaN there.
        if (!same_cell(shown(one, part), shown(other, part), !outputs_[0].composite)) return false;
    }
    return true;
}

//! Most are plain integers, which are compared sooner than Python is called.
bool ResultShape::same_object(nb::handle one, nb::handle other) const {
    if (PyLong_CheckExact(one.ptr()) && PyLong_CheckExact(other.ptr())) return one.equal(other);
    return nb::cast<bool>(same_(one, other));
}

void ResultShape::visit_references(const ReferenceVisitor& visitor) const {
    for (const OutputSpec& output : outputs_) visitor(output.aggregation.ptr());
    for (const nb::object& empty : empties_) visitor(empty.ptr());
    for (const EvictionRule& rule : rules_) visitor(rule.evict_when.ptr());
    visitor(same_.ptr());
    visitor(codec_.ptr());
}

void ResultShape::write(Writer& writer, const Cells& cells) const {
    writer.flag(!cells.empty());
    if (makes_objects_ && !cells.empty()) {
        const nb::bytes bytes(codec_.attr("dumps")(value(cells)));
        return writer.text({bytes.c_str(), bytes.size()});
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
        writer.u32(static_cast<std::uint32_t>(cells[i].tag()));
        writer.i64(cells[i].word());
    }
}

ResultShape::Cells ResultShape::read(Reader& reader) const {
    Cells cells;
    if (!reader.flag()) return cells;
    if (makes_objects_) {
        const std::string_view text = reader.text();
        nb::object value = codec_.attr("loads")(nb::bytes(text.data(), text.size()));
        cells.push_back(ResultCell(Object::stolen(value.release().ptr())));
        return cells;
    }
    for (std::size_t part = 0; part < row_.parts().size(); ++part) {
        const std::uint32_t tag = reader.u32();
        if (tag > static_cast<std::uint32_t>(Tag::real))
            throw DamagedSnapshot("a result is neither a number nor nothing");
        cells.push_back({static_cast<Tag>(tag), reader.i64()});
    }
    return cells;
}

}  // namespace sash::face
