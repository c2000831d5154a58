//! Keys, orders and bounds.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include "batch/batch.hpp"
#include "monoids/object.hpp"
#include "sash/batch/codes.hpp"
#include "sash/batch/known.hpp"

namespace sash::batch {

namespace {

using Codes32 = std::pair<Array<std::uint32_t>, std::uint32_t>;

Codes32 given(const Codes& codes) {
    Room<std::uint32_t> room(codes.codes.size());
    std::copy(codes.codes.begin(), codes.codes.end(), room.data());
    return {array_of(std::move(room)), codes.count};
}

Codes32 encode_integers(const Input<std::int64_t>& keys, const std::optional<Input<std::uint8_t>>& nulls) {
    Codes codes;
    {
        const nb::gil_scoped_release release;
        codes = encode_keys({keys.data(), keys.size()}, view(nulls));
    }
    return given(codes);
}

//! Any hashable objects; what is equal has one code, and None is a key as any other.
Codes32 encode_objects(const nb::list& keys) {
    Codes codes;
    nb::dict seen;
    codes.codes.reserve(keys.size());
    for (nb::handle key : keys) {
        const nb::object next = nb::int_(codes.count);
        PyObject* const code = PyDict_SetDefault(seen.ptr(), key.ptr(), next.ptr());
        if (code == nullptr) throw nb::python_error();
        codes.count = static_cast<std::uint32_t>(nb::len(seen));
        codes.codes.push_back(nb::cast<std::uint32_t>(nb::handle(code)));
    }
    return given(codes);
}

std::unique_ptr<Order> make_order(std::size_t size, const std::optional<Input<std::int64_t>>& times,
                                  const std::optional<Input<std::uint32_t>>& codes, std::uint32_t keys) {
    const nb::gil_scoped_release release;
    return std::make_unique<Order>(size, view(times), view(codes), keys);
}

//! The times by position, copied: for windows whose beginnings Python finds.
Array<std::int64_t> times_of(const Order& order) {
    Room<std::int64_t> room(order.times().size());
    std::copy(order.times().begin(), order.times().end(), room.data());
    return array_of(std::move(room));
}

Array<std::uint32_t> groups_of(const Order& order) {
    Room<std::uint32_t> room(order.groups().size());
    std::copy(order.groups().begin(), order.groups().end(), room.data());
    return array_of(std::move(room));
}

template <class Reach>
Bounds bounds_in_time(const Order& order, const Reach& reach, Ends ends, bool peers, bool known) {
    const nb::gil_scoped_release release;
    Bounds bounds = time_window(order, reach, ends, peers);
    if (known) return known_time_window(order, std::move(bounds), ends);
    return bounds;
}

}  // namespace

void bind_orders(nb::module_& module) {
    module.def("encode_integers", &encode_integers, nb::arg("keys"), nb::arg("nulls").none());
    module.def("encode_objects", &encode_objects, nb::arg("keys"));

    nb::class_<Bounds>(module, "Bounds");

    nb::class_<Order>(module, "Order")
        .def(nb::new_(&make_order), nb::arg("size"), nb::arg("times").none(), nb::arg("codes").none(), nb::arg("keys"),
             nb::keep_alive<0, 3>())
        .def_prop_ro("in_order", &Order::in_order)
        .def("times", &times_of)
        .def("groups", &groups_of)
        .def(
            "time_window",
            [](const Order& order, std::int64_t length, bool start_in, bool end_in, bool peers, bool known) {
                return bounds_in_time(order, IntegerReach(length, start_in), {start_in, end_in}, peers, known);
            },
            nb::arg("length"), nb::arg("start_in"), nb::arg("end_in"), nb::arg("peers"), nb::arg("known"))
        .def(
            "real_window",
            [](const Order& order, double length, bool start_in, bool end_in, bool peers, bool known) {
                return bounds_in_time(order, RealReach(length, start_in), {start_in, end_in}, peers, known);
            },
            nb::arg("length"), nb::arg("start_in"), nb::arg("end_in"), nb::arg("peers"), nb::arg("known"))
        .def(
            "count_window",
            [](const Order& order, std::size_t rows, bool start_in, bool end_in, bool known) {
                const nb::gil_scoped_release release;
                const Ends ends{start_in, end_in};
                return known ? known_count_window(order, rows, ends) : count_window(order, rows, ends);
            },
            nb::arg("rows"), nb::arg("start_in"), nb::arg("end_in"), nb::arg("known"))
        .def(
            "stretch_window",
            [](const Order& order, const Input<std::uint8_t>& begins, bool peers) {
                return stretch_window(order, {begins.data(), begins.size()}, peers);
            },
            nb::arg("begins"), nb::arg("peers"))
        .def("landmark_window", &landmark_window, nb::arg("since"), nb::arg("peers"));
}

}  // namespace sash::batch
