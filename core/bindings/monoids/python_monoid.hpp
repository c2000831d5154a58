//! An aggregation written in Python as a monoid: partials are Python objects, combine is a call.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "window/kernel.hpp"

namespace sash::face {

namespace nb = nanobind;

//! The methods of one aggregation, looked up once and shared by every copy of its monoid.
struct PythonMethods {
    explicit PythonMethods(nb::handle aggregation);

    //! lift takes the event's time too.
    bool timed;
    Object identity;
    Object lift;
    Object combine;
    Object lower;
    //! Absent where the aggregation has none.
    Object inverse;
    Object encode;
    Object decode;
};

//! Whatever a method raises passes through as nb::python_error, and the algorithms leave the window as it was.
class PythonMonoid {
public:
    using Input = Object;
    using Partial = Object;
    using Output = Object;
    //! It may be, but nothing in the core gains from knowing.
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;

    explicit PythonMonoid(nb::handle aggregation) : methods_(std::make_shared<const PythonMethods>(aggregation)) {}

    Partial identity() const { return methods_->identity; }
    //! The time is looked at only where the aggregation asks for it.
    Partial lift(PyObject* value, PyObject* time) const {
        return methods_->timed ? call(methods_->lift, value, time) : call(methods_->lift, value);
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        return call(methods_->combine, older.get(), newer.get());
    }
    //! Asked for only where the face has seen that the aggregation has one.
    Partial inverse(const Partial& whole, const Partial& older) const {
        return call(methods_->inverse, whole.get(), older.get());
    }
    Output lower(const Partial& partial) const { return call(methods_->lower, partial.get()); }
    const PythonMethods& methods() const { return *methods_; }
    void visit_references(const ReferenceVisitor& visitor) const {
        for (const Object* const method : {&methods_->identity, &methods_->lift, &methods_->combine, &methods_->lower,
                                           &methods_->inverse, &methods_->encode, &methods_->decode})
            visitor(method->get());
    }
    static void visit_references(const Partial& partial, const ReferenceVisitor& visitor) { visitor(partial.get()); }

    template <class... Arguments>
    static Object call(const Object& method, Arguments... arguments) {
        PyObject* const stack[] = {nullptr, arguments...};
        PyObject* const result = PyObject_Vectorcall(method.get(), stack + 1,
                                                     sizeof...(arguments) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
        if (result == nullptr) throw nb::python_error();
        return Object::stolen(result);
    }

private:
    std::shared_ptr<const PythonMethods> methods_;
};

//! A kernel of Python objects on its way to be filled: `load` puts an entry behind the others.
struct PythonKernel {
    std::unique_ptr<Kernel> kernel;
    std::function<void(Time, Object)> load;
};

PythonKernel make_python(nb::handle aggregation, const AlgorithmOptions& algorithm);

}  // namespace sash::face
