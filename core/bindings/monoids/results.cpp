//! The results of a record, as Python objects.
#include <variant>
#include <vector>

#include "errors.hpp"
#include "monoids/row.hpp"
#include "window/face.hpp"

namespace sash::face {

namespace {

//! Where the numbers of one result come from.
struct Source {
    const ResultSpec& spec;
    const Clock& clock;
    //! The kind of the column that a code is of.
    Kind coded;
};

//! A number of a result; None where it has no value.
struct Element {
    const Source source;

    nb::object operator()(std::monostate) const { return nb::none(); }
    nb::object operator()(std::int64_t number) const {
        return source.spec.truth ? nb::object(nb::bool_(number != 0)) : nb::object(nb::int_(number));
    }
    nb::object operator()(double number) const { return nb::float_(number); }
    nb::object operator()(Coded number) const { return number_of(number.cell, source.coded); }
    nb::object operator()(Instant instant) const { return source.clock.decode(instant.ticks); }
};

//! A whole result: one without a value is what the aggregation says of an empty window.
struct Whole : Element {
    using Element::operator();

    nb::object operator()(std::monostate) const { return source.spec.aggregation.attr("empty"); }
    nb::object operator()(const std::vector<Scalar>& several) const {
        nb::list numbers;
        for (const Scalar& scalar : several) numbers.append(std::visit(Element{source}, scalar));
        return source.spec.aggregation.attr("shape")(nb::tuple(numbers));
    }
};

}  // namespace

nb::object Window::result_of(const RecordResult& result) const {
    const std::vector<ResultSpec>& specs = reader_.row()->results();
    if (!reader_.row()->composite()) return result_of(specs.front(), result);
    nb::object tuple = checked_steal(PyTuple_New(static_cast<Py_ssize_t>(specs.size())));
    for (std::size_t i = 0; i < specs.size(); ++i)
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), result_of(specs[i], result).release().ptr());
    return spec_.aggregation.attr("shape")(tuple);
}

nb::object object_of(const PartResult& result, const ResultSpec& spec, const Clock& clock, Kind coded) {
    return std::visit(Whole{{Source{spec, clock, coded}}}, result);
}

Kind kind_read(const RowReader& row, const ResultSpec& spec, const Mode& mode) {
    return mode.numbers(row.parts()[spec.position].slots.back());
}

nb::object Window::result_of(const ResultSpec& spec, const RecordResult& result) const {
    if (!spec.native) {
        const Object& object = result.members[spec.position];
        return object ? nb::borrow(object.get()) : nb::object(spec.aggregation.attr("empty"));
    }
    return object_of(result.parts[spec.position], spec, clock_, kind_read(*reader_.row(), spec, mode_));
}

}  // namespace sash::face
