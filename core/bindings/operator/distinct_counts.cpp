//! The class _core.DistinctCounts: counts of different values at arrival, for buckets of streams.
#include "sash/operator/distinct_counts.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "window/face.hpp"

namespace sash::face {

namespace {

using Marks = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

//! Columns of events; what each finds.
nb::object push_many(DistinctCounts& counts, const Times& keys, const Times& ticks, const Times& values,
                     const Marks& there) {
    if (keys.size() != ticks.size() || values.size() != ticks.size() || there.size() != ticks.size())
        throw nb::value_error("there must be one key, one time, one value and one mark an event");
    std::vector<std::int64_t> found(ticks.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        found[i] = counts.push(keys.data()[i], ticks.data()[i], values.data()[i], there.data()[i] != 0);
    return array_of(std::move(found));
}

}  // namespace

void bind_distinct_counts(nb::module_& module) {
    nb::class_<DistinctCounts>(module, "DistinctCounts")
        .def(nb::init<Time, Time>())
        .def("push_many", &push_many)
        .def("drop", &DistinctCounts::drop)
        .def("keys", &DistinctCounts::keys)
        .def("values", &DistinctCounts::values)
        .def("memory", &DistinctCounts::bytes);
}

}  // namespace sash::face
