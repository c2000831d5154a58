//! Moments of one column and of two together: skewness, kurtosis, covariance, correlation, lines.
#include <nanobind/stl/string.h>

#include <array>

#include "batch/batch.hpp"
#include "sash/batch/pivots.hpp"

namespace sash::batch {

namespace {

//! The numbers of each row's result side by side, and whether there is one.
struct Found {
    Room<double> numbers;
    Room<std::uint8_t> defined;
    std::size_t width;

    Found(std::size_t rows, std::size_t width) : numbers(rows * width), defined(rows), width(width) {}

    //! All of some rows.
    template <class M, class Rows>
    void put_all(const M& monoid, const Order& order, const Rows& rows) const {
        for (std::size_t i = 0; i < rows.size; ++i)
            put(monoid, order.row_at(static_cast<Position>(rows.begin + i)), rows.moments(i));
    }

    template <class M>
    void put(const M& monoid, Row row, const typename M::Partial& partial) const {
        defined[row] = monoid.defined(partial);
        if (defined[row] == 0) return;
        if constexpr (requires { monoid.width(); }) {
            const auto found = monoid.lower(partial);
            std::copy_n(found.begin(), width, numbers.data() + row * width);
        } else {
            numbers[row] = monoid.lower(partial);
        }
    }
};

nb::tuple given(Found found) {
    return nb::make_tuple(array_of(std::move(found.numbers)), array_of(std::move(found.defined)));
}

//! `kernel` is the name of the form.
nb::tuple shape(const std::string& kernel, const Order& order, const Bounds& bounds, const HeldColumn& column,
                bool bias) {
    const Shape monoid{kernel == "skewness" ? Shape::Form::skewness : Shape::Form::kurtosis, bias};
    Found found(order.size(), 1);
    {
        const nb::gil_scoped_release release;
        const Column& own = column.column;
        about_pivots<MeasuredValues, ShapeSums>(
            order, bounds, [&](const SumsOfRows<ShapeSums>& rows) { found.put_all(monoid, order, rows); }, own);
    }
    return given(std::move(found));
}

//! The first column says which rows have both.
nb::tuple joint(const std::string& kernel, const Order& order, const Bounds& bounds, const HeldColumn& column,
                const HeldColumn& other, int ddof) {
    using Form = CoMoments::Form;
    const Form form = kernel == "covariance"    ? Form::covariance
                      : kernel == "correlation" ? Form::correlation
                                                : Form::line;
    const CoMoments monoid{form, ddof};
    Found found(order.size(), monoid.width());
    {
        const nb::gil_scoped_release release;
        const Column &one = column.column, &two = other.column;
        about_pivots<MeasuredPairs, JointSums>(
            order, bounds, [&](const SumsOfRows<JointSums>& rows) { found.put_all(monoid, order, rows); }, one, two);
    }
    return given(std::move(found));
}

}  // namespace

void bind_joint(nb::module_& module) {
    module.def("shape", &shape, nb::arg("kernel"), nb::arg("order"), nb::arg("bounds"), nb::arg("column"),
               nb::arg("bias"));
    module.def("joint", &joint, nb::arg("kernel"), nb::arg("order"), nb::arg("bounds"), nb::arg("column"),
               nb::arg("other"), nb::arg("ddof"));
}

}  // namespace sash::batch
