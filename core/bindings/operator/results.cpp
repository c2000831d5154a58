//! What an operator emitted, as Python sees it; and the bindings of both classes.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string_view>

#include "collector.hpp"
#include "errors.hpp"
#include "operator/operator.hpp"
#include "window/face.hpp"

namespace sash::face {

namespace {

using Tag = ResultCell::Tag;

nb::object nones(std::size_t size) {
    nb::list list;
    for (std::size_t i = 0; i < size; ++i) list.append(nb::none());
    return list;
}

}  // namespace

nb::object result_of(const BoundOperator& source, const EmittedResults& emitted, std::size_t place, nb::handle key) {
    const Emission emission = emitted.emissions[place];
    std::vector<ResultCell> cells;
    for (const ResultColumn& column : emitted.columns) cells.push_back(column[place]);
    nb::object parts[] = {nb::borrow(key),
                          source.start_of(emission),
                          source.time_of(emission.end),
                          emission.missing ? nb::object(nb::none()) : source.shape().value(cells),
                          nb::int_(emission.revision),
                          emission.by_event ? source.time_of(emission.end) : nb::object(nb::none()),
                          emission.by_event ? nb::object(nb::int_(emission.number)) : nb::object(nb::none()),
                          nb::borrow(source.window(emission.window)),
                          nb::bool_(emission.retracted)};
    nb::object items = checked_steal(PyTuple_New(std::size(parts)));
    for (std::size_t i = 0; i < std::size(parts); ++i)
        PyTuple_SET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i), parts[i].release().ptr());
    // As tuple.__new__ makes one: the constructor of a NamedTuple would take the items apart and pack them again.
    const nb::object arguments = nb::make_tuple(items);
    return checked_steal(
        PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(source.result_type().ptr()), arguments.ptr(), nullptr));
}

OperatorResults::OperatorResults(nb::object owner, const BoundOperator& source, EmittedResults emitted, nb::object keys)
    : owner_(std::move(owner)), source_(source), emitted_(std::move(emitted)), keys_(std::move(keys)) {}

nb::object OperatorResults::at(std::size_t place) const {
    nb::object key = nb::none();
    if (source_.keyed()) key = keys_[place];
    if (!nb::isinstance<nb::list>(keys_) && source_.keyed()) key = key.attr("item")();
    return result_of(source_, emitted_, place, key);
}

template <class Get>
nb::object OperatorResults::integers(Get get) const {
    std::vector<std::int64_t> values;
    values.reserve(size());
    for (std::size_t place = 0; place < size(); ++place) values.push_back(get(emitted_.emissions[place]));
    return array_of(std::move(values));
}

nb::object OperatorResults::column(std::string_view name) const {
    const bool by_event = size() == 0 || emitted_.emissions[0].by_event;
    if (name == "key") return source_.keyed() ? keys_ : nones(size());
    if (name == "window") return integers([](const Emission& one) { return std::int64_t{one.window}; });
    if (name == "revision") return integers([](const Emission& one) { return one.revision; });
    if (name == "retracted") return integers([](const Emission& one) { return std::int64_t{one.retracted}; });
    if (name == "value") return values();
    if (name == "start") {
        for (std::size_t place = 0; place < size(); ++place)
            if (emitted_.emissions.start(place) == kEarliest) return nb::none();
        return integers([](const Emission& one) { return one.start; });
    }
    if (name != "end" && !by_event) return nones(size());
    if (name == "end" || name == "time") return integers([](const Emission& one) { return one.end; });
    return integers([](const Emission& one) { return one.number; });
}

nb::object OperatorResults::objects() const {
    nb::list values;
    std::vector<ResultCell> cells(emitted_.columns.size());
    for (std::size_t place = 0; place < size(); ++place) {
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = emitted_.columns[i][place];
        values.append(emitted_.emissions[place].missing ? nb::object(nb::none()) : source_.shape().value(cells));
    }
    return values;
}

nb::object OperatorResults::values() const {
    if (emitted_.columns.empty() || size() == 0 || source_.shape().is_composite()) return objects();
    if (source_.shape().makes_objects()) return objects();
    const ResultColumn& column = emitted_.columns[source_.shape().position()];
    const Tag tag = column.tag(0);
    for (std::size_t place = 0; place < size(); ++place)
        if (column.tag(place) != tag || tag == Tag::none) return objects();
    if (tag == Tag::integer && source_.shape().is_truth()) {
        std::vector<std::uint8_t> truths;
        for (std::size_t place = 0; place < size(); ++place) truths.push_back(column.word(place) != 0);
        return array_of(std::move(truths)).attr("view")("bool");
    }
    std::vector<std::int64_t> words;
    words.reserve(size());
    for (std::size_t place = 0; place < size(); ++place) words.push_back(column.word(place));
    return array_of(std::move(words)).attr("view")(tag == Tag::real ? "float64" : "int64");
}

nb::tuple OperatorResults::cells(std::size_t cell) const {
    const ResultColumn& column = emitted_.columns.at(cell);
    std::vector<std::int64_t> words;
    std::vector<std::uint8_t> tags;
    words.reserve(size());
    tags.reserve(size());
    for (std::size_t place = 0; place < size(); ++place) {
        words.push_back(column.tag(place) == Tag::none ? 0 : column.word(place));
        tags.push_back(static_cast<std::uint8_t>(column.tag(place)));
    }
    return nb::make_tuple(array_of(std::move(words)), array_of(std::move(tags)));
}

void OperatorResults::visit_references(const ReferenceVisitor& visitor) const {
    visitor(owner_.ptr());
    visitor(keys_.ptr());
    for (const ResultColumn& column : emitted_.columns) column.visit_references(visitor);
}

void OperatorResults::drop_references() {
    emitted_ = {};
    keys_ = nb::none();
}

void bind_operator(nb::module_& module) {
    using namespace nb::literals;
    nb::class_<OperatorResults>(module, "OperatorResults", nb::type_slots(Collected<OperatorResults>::slots))
        .def("__len__", &OperatorResults::size)
        .def("at", &OperatorResults::at)
        .def("column", &OperatorResults::column)
        .def("cells", &OperatorResults::cells);
    nb::class_<BoundOperator>(module, "Operator", nb::type_slots(Collected<BoundOperator>::slots))
        .def(nb::init<nb::object>(), "config"_a)
        .def("push", &BoundOperator::push, "key"_a.none(), "time"_a.none(), "value"_a.none(), "on_late"_a)
        .def("push_many", &BoundOperator::push_many, "keys"_a.none(), "ticks"_a, "columns"_a, "rows"_a.none(),
             "marks"_a, "fires"_a.none(), "nulls"_a.none(), "on_late"_a.none(), "changes"_a = nb::none())
        .def("advance", &BoundOperator::advance)
        .def("finish", &BoundOperator::finish)
        .def("keep_failures", &BoundOperator::keep_failures, "on_failure"_a.none())
        .def("end", &BoundOperator::end)
        .def_prop_ro("finished", &BoundOperator::finished)
        .def("query", &BoundOperator::query, "key"_a.none(), "ticks"_a.none())
        .def("insert", &BoundOperator::insert)
        .def("query_many", &BoundOperator::query_many)
        .def("trim", &BoundOperator::trim)
        .def("keys", &BoundOperator::keys)
        .def_prop_ro("watermark", &BoundOperator::watermark)
        .def("memory", &BoundOperator::memory)
        .def("save", &BoundOperator::save)
        .def("restore", &BoundOperator::restore, "keys"_a, "ids"_a, "columns"_a, "body"_a, "newest"_a.none(),
             "watermark"_a.none(), "finished"_a)
        .def("retire", &BoundOperator::retire)
        .def("read_times_as_reals", &BoundOperator::read_times_as_reals);
}

}  // namespace sash::face
