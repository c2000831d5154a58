//! Values in order, of which running forms in Python are made.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <string>
#include <utility>

#include "sash/monoids/ordered_multiset.hpp"
#include "sash/monoids/quantile.hpp"
#include "window/face.hpp"

namespace sash::face {

namespace {

//! Values and NaNs that come and go. Partials are tuples of floats, or NaN.
class OrderedValues {
public:
    void add(nb::handle partial) {
        each(partial, [&](double value) { values_.insert(value); }, 1);
    }
    void remove(nb::handle partial) {
        each(partial, [&](double value) { values_.erase(value); }, -1);
    }
    std::size_t size() const { return values_.size(); }
    std::ptrdiff_t nans() const { return nans_; }
    double quantile(double q, const std::string& interpolation) const {
        return sash::quantile(values_.size(), q, interpolation_named(interpolation),
                              [&](std::size_t k) { return values_.at(k); });
    }
    std::pair<std::size_t, std::size_t> place(double value) const {
        return {values_.below(value), values_.upto(value)};
    }

private:
    template <class Change>
    void each(nb::handle partial, Change change, int by) {
        if (PyFloat_CheckExact(partial.ptr())) {
            nans_ += by;
            return;
        }
        for (const nb::handle value : nb::cast<nb::tuple>(partial)) change(nb::cast<double>(value));
    }

    OrderedMultiset<double> values_;
    std::ptrdiff_t nans_ = 0;
};

}  // namespace

void bind_running(nb::module_& module) {
    nb::class_<OrderedValues>(module, "OrderedValues")
        .def(nb::init<>())
        .def("add", &OrderedValues::add, nb::arg("partial"))
        .def("remove", &OrderedValues::remove, nb::arg("partial"))
        .def("__len__", &OrderedValues::size)
        .def_prop_ro("nans", &OrderedValues::nans)
        .def("quantile", &OrderedValues::quantile, nb::arg("q"), nb::arg("interpolation"))
        .def("place", &OrderedValues::place, nb::arg("value"));
}

}  // namespace sash::face
