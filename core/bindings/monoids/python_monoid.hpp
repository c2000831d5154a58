//! An aggregation written in Python as a monoid: partials are Python objects, combine is a call.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "monoids/deferred.hpp"
#include "monoids/picks.hpp"
#include "window/kernel.hpp"

namespace sash::face {

namespace nb = nanobind;

//! The methods of one aggregation, looked up once and shared by every copy of its monoid.
struct PythonMethods {
    explicit PythonMethods(nb::handle aggregation);

    //! lift takes the event's time too.
    bool timed;
    Pick pick;
    Object identity;
    Object lift;
    Object combine;
    Object lower;
    //! Absent where the aggregation has none.
    Object inverse;
    Object encode;
    Object decode;
    Object running;
};

//! All partials of some events in a form from which each can be taken out again; see Aggregation.running in Python.
class PythonRunning {
public:
    explicit PythonRunning(const Object& made);

    void add(const Object& partial) {
        for_each_deferred(partial, [&](PyObject* one) { call(add_, one); });
    }
    void remove(const Object& partial) {
        for_each_deferred(partial, [&](PyObject* one) { call(remove_, one); });
    }
    //! `total` is the combination of all that are in.
    Object result(const Object& total) const { return call(result_, youngest_of(total)); }
    void visit_references(const ReferenceVisitor& visitor) const {
        for (const Object* const method : {&add_, &remove_, &result_}) visitor(method->get());
    }

private:
    Object add_;
    Object remove_;
    Object result_;
};

//! How a monoid combines: at once, or, where the aggregation has a running form, not before a result is asked for. The
//! window then keeps the running form beside it.
enum class Combining : bool { at_once, deferred };
//! FiBA in memory shows what enters and leaves it.
inline Combining combining(const AlgorithmOptions& algorithm) {
    return algorithm.name == "fiba" && !algorithm.store ? Combining::deferred : Combining::at_once;
}

//! Whatever a method raises passes through as nb::python_error, and the algorithms leave the window as it was.
class PythonMonoid {
public:
    using Running = PythonRunning;
    using Input = Object;
    using Partial = Object;
    using Output = Object;
    //! It may be, but nothing in the core gains from knowing.
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;

    explicit PythonMonoid(nb::handle aggregation, Combining combining = Combining::at_once)
        : methods_(std::make_shared<const PythonMethods>(aggregation)),
          defers_(combining == Combining::deferred && methods_->running) {}

    bool defers() const { return defers_; }
    Running running() const { return Running(call(methods_->running)); }

    Partial identity() const { return methods_->identity; }
    //! The time is looked at only where the aggregation asks for it.
    Partial lift(PyObject* value, PyObject* time) const {
        if (methods_->pick != Pick::none)
            if (Partial partial = lifted(methods_->pick, value)) return partial;
        return methods_->timed ? call(methods_->lift, value, time) : call(methods_->lift, value);
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (!defers_) return combined(settled(older), settled(newer));
        if (older.get() == methods_->identity.get()) return newer;
        return newer.get() == methods_->identity.get() ? older : deferred(older, newer);
    }
    //! Asked for only where the face has seen that the aggregation has one.
    Partial inverse(const Partial& whole, const Partial& older) const {
        return call(methods_->inverse, settled(whole).get(), settled(older).get());
    }
    //! O(m log m) for a combination of m that was deferred.
    Output lower(const Partial& partial) const {
        if (methods_->pick != Pick::none) return lowered(partial);
        if (!is_deferred(partial.get())) return call(methods_->lower, partial.get());
        Running all = running();
        all.add(partial);
        return all.result(partial);
    }
    Output lower(const Partial& total, const Running& all) const { return all.result(total); }
    //! The partial as the aggregation itself would have combined it.
    Partial settled(const Partial& partial) const;

    const PythonMethods& methods() const { return *methods_; }
    void visit_references(const ReferenceVisitor& visitor) const {
        for (const Object* const method :
             {&methods_->identity, &methods_->lift, &methods_->combine, &methods_->lower, &methods_->inverse,
              &methods_->encode, &methods_->decode, &methods_->running})
            visitor(method->get());
    }
    static void visit_references(const Partial& partial, const ReferenceVisitor& visitor) { visitor(partial.get()); }

private:
    Partial combined(const Partial& older, const Partial& newer) const {
        if (methods_->pick != Pick::none) return picked(methods_->pick, older, newer);
        return call(methods_->combine, older.get(), newer.get());
    }

    std::shared_ptr<const PythonMethods> methods_;
    bool defers_;
};

//! A kernel of Python objects on its way to be filled: `load` puts an entry behind the others.
struct PythonKernel {
    std::unique_ptr<Kernel> kernel;
    std::function<void(Time, Object)> load;
};

PythonKernel make_python(nb::handle aggregation, const AlgorithmOptions& algorithm);

}  // namespace sash::face
