//! Windows over an aggregation in Python.
#include <nanobind/stl/string.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "monoids/python_front.hpp"

// The ends come before the operations that use them.
#include "window/operations_of.hpp"

namespace sash::face {

namespace {

Object method(nb::handle aggregation, const char* name) {
    return Object::borrowed(nb::object(aggregation.attr(name)).ptr());
}

Pick pick_of(nb::handle aggregation) {
    const nb::object twin = nb::hasattr(aggregation, "native") ? aggregation.attr("native")() : nb::none();
    return twin.is_none() ? Pick::none : pick_named(nb::cast<std::string>(twin.attr("kernel")));
}

Object optional_method(nb::handle aggregation, const char* name) {
    return nb::hasattr(aggregation, name) ? method(aggregation, name) : Object();
}

}  // namespace

PythonMethods::PythonMethods(nb::handle aggregation)
    : timed(nb::cast<bool>(aggregation.attr("timed"))),
      pick(pick_of(aggregation)),
      identity(method(aggregation, "identity")),
      lift(method(aggregation, "lift")),
      combine(method(aggregation, "combine")),
      lower(method(aggregation, "lower")),
      inverse(optional_method(aggregation, "inverse")),
      encode(optional_method(aggregation, "encode")),
      decode(optional_method(aggregation, "decode")) {
    if (nb::hasattr(aggregation, "running") && !aggregation.attr("running")().is_none())
        running = method(aggregation, "running");
}

PythonRunning::PythonRunning(const Object& made)
    : add_(method(made.get(), "add")), remove_(method(made.get(), "remove")), result_(method(made.get(), "result")) {}

//! By halves, so that no partial is combined more than O(log m) times.
Object PythonMonoid::settled(const Object& partial) const {
    if (!is_deferred(partial.get())) return partial;
    std::vector<Object> parts;
    for_each_deferred(partial, [&](PyObject* one) { parts.push_back(Object::borrowed(one)); });
    for (; parts.size() > 1; parts.resize((parts.size() + 1) / 2)) {
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2) parts[i / 2] = combined(parts[i], parts[i + 1]);
        if (parts.size() % 2 == 1) parts[parts.size() / 2] = parts.back();
    }
    return parts.front();
}

PythonKernel make_python(nb::handle aggregation, const AlgorithmOptions& algorithm) {
    std::unique_ptr<MonoidKernel> kernel =
        operations_of(PythonMonoid(aggregation, combining(algorithm)))->make(algorithm);
    const auto load = [target = kernel.get()](Time time, Object partial) {
        target->load(time, AnyPartial::of(std::move(partial)));
    };
    return {std::move(kernel), load};
}

}  // namespace sash::face
