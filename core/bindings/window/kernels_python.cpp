//! Windows over an aggregation in Python.
#include <utility>

#include "monoids/python_front.hpp"

// The ends come before the operations that use them.
#include "window/operations_of.hpp"

namespace sash::face {

namespace {

Object method(nb::handle aggregation, const char* name) {
    return Object::borrowed(nb::object(aggregation.attr(name)).ptr());
}

Object optional_method(nb::handle aggregation, const char* name) {
    return nb::hasattr(aggregation, name) ? method(aggregation, name) : Object();
}

}  // namespace

PythonMethods::PythonMethods(nb::handle aggregation)
    : timed(nb::cast<bool>(aggregation.attr("timed"))),
      identity(method(aggregation, "identity")),
      lift(method(aggregation, "lift")),
      combine(method(aggregation, "combine")),
      lower(method(aggregation, "lower")),
      inverse(optional_method(aggregation, "inverse")),
      encode(optional_method(aggregation, "encode")),
      decode(optional_method(aggregation, "decode")) {}

PythonKernel make_python(nb::handle aggregation, const AlgorithmOptions& algorithm) {
    std::unique_ptr<MonoidKernel> kernel = operations_of(PythonMonoid(aggregation))->make(algorithm);
    const auto load = [target = kernel.get()](Time time, Object partial) {
        target->load(time, AnyPartial::of(std::move(partial)));
    };
    return {std::move(kernel), load};
}

}  // namespace sash::face
