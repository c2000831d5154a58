//! How the parts of a record become the result that Python sees, and how results are compared and written.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>
#include <vector>

#include "monoids/row.hpp"
#include "operator/emitted_results.hpp"
#include "sash/snapshot.hpp"
#include "window/clock.hpp"

namespace sash::face {

//! A result made of the results [first, last) of a record.
struct OutputSpec {
    nb::object aggregation;
    std::size_t first;
    std::size_t last;
    //! The result is a record of several, even of one.
    bool composite;
};

//! What a programmable window asks: the user's function, and which output it sees.
struct EvictionRule {
    //! None for a window of another policy.
    nb::object evict_when;
    std::size_t output = 0;
};

class ResultShape {
public:
    using Cells = ResultCells;

    //! `row`, `clock` and `mode` belong to the operator and may change. `outputs[0]` is the result; `empties` is what
    //! a result without a value stands for. `same` compares two results in Python.
    ResultShape(const RowReader& row, const Clock& clock, const Mode& mode, std::vector<OutputSpec> outputs,
                std::vector<nb::object> empties, std::vector<EvictionRule> rules, nb::object same, nb::object codec,
                bool makes_objects);

    const RowReader& row() const { return row_; }
    //! Results are made while the operator runs, which then holds the GIL.
    bool makes_objects() const { return makes_objects_; }
    //! How many cells a result has.
    std::size_t cells() const { return makes_objects_ ? 1 : row_.parts().size(); }
    const EvictionRule& rule(std::size_t window) const { return rules_[window]; }
    //! Whether no member in Python is a part of the output.
    bool is_native(std::size_t output) const;

    //! The result of one output: part(position) and member(position) lower what it is made of.
    template <class Part, class Member>
    nb::object made(std::size_t output, Part part, Member member) const {
        return shaped(outputs_[output], [&](std::size_t index) -> nb::object {
            const ResultSpec& spec = row_.results()[index];
            if (spec.native) return lowered(index, part(spec.position));
            const Object object = member(spec.position);
            return object ? nb::borrow(object.get()) : empties_[index];
        });
    }
    //! The result that cells stand for.
    nb::object value(std::span<const ResultCell> cells) const;
    nb::object value(const Cells& cells) const;

    //! As Python compares them; NaN is NaN.
    bool same(const Cells& one, const Cells& other) const;
    void visit_references(const ReferenceVisitor& visitor) const;
    void write(Writer& writer, const Cells& cells) const;
    Cells read(Reader& reader) const;

    //! Whether a plain result is a bool.
    bool is_truth() const { return row_.results().front().truth; }
    bool is_composite() const { return outputs_[0].composite; }
    std::size_t position() const { return row_.results().front().position; }

private:
    bool same_object(nb::handle one, nb::handle other) const;
    nb::object result(std::size_t index, const ResultCell& cell) const;
    nb::object lowered(std::size_t index, const PartResult& result) const;

    template <class Find>
    nb::object shaped(const OutputSpec& output, Find find) const {
        if (!output.composite) return find(output.first);
        nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(output.last - output.first)));
        if (!tuple.is_valid()) throw nb::python_error();
        for (std::size_t i = output.first; i < output.last; ++i)
            PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i - output.first), find(i).release().ptr());
        return output.aggregation.attr("shape")(tuple);
    }

    const RowReader& row_;
    const Clock& clock_;
    const Mode& mode_;
    std::vector<OutputSpec> outputs_;
    std::vector<nb::object> empties_;
    //! The same, as cells, a part each.
    std::vector<ResultCell> empty_cells_;
    std::vector<EvictionRule> rules_;
    nb::object same_;
    //! The module sash.codec.
    nb::object codec_;
    bool makes_objects_;
};

}  // namespace sash::face
