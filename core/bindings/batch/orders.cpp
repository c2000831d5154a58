//! Keys, orders and bounds.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

#include "batch/batch.hpp"
#include "monoids/object.hpp"
#include "sash/batch/codes.hpp"
#include "sash/batch/known.hpp"
#include "sash/windows/frame_bounds.hpp"
#include "sash/windows/label_bounds.hpp"
#include "windows/policy_config.hpp"

namespace sash::batch {

namespace {

using Codes32 = std::pair<Array<std::uint32_t>, std::uint32_t>;

//! Keys and their nulls, of one frame or of several.
using KeyInput = std::pair<Input<std::int64_t>, std::optional<Input<std::uint8_t>>>;

Codes32 encode_integers(const std::vector<KeyInput>& keys, std::size_t threads) {
    std::vector<KeyPart> parts;
    for (const auto& [own, nulls] : keys) parts.push_back({{own.data(), own.size()}, view(nulls)});
    Codes codes;
    {
        const nb::gil_scoped_release release;
        codes = encode_keys(parts, threads);
    }
    return {array_of(std::move(codes.codes)), codes.count};
}

template <class Offset>
Codes32 encode_texts(const Input<Offset>& offsets, const Input<std::uint8_t>& bytes,
                     const std::optional<Input<std::uint8_t>>& nulls, std::size_t threads) {
    const TextKeys texts(std::span(offsets.data(), offsets.size()),
                         {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    Codes codes;
    {
        const nb::gil_scoped_release release;
        codes = batch::encode_texts(texts, view(nulls), threads);
    }
    return {array_of(std::move(codes.codes)), codes.count};
}

//! Any hashable objects; what is equal has one code, and None is a key as any other.
Codes32 encode_objects(const nb::list& keys) {
    nb::dict seen;
    Room<std::uint32_t> codes(keys.size());
    std::size_t row = 0;
    for (nb::handle key : keys) {
        const nb::object next = nb::int_(nb::len(seen));
        PyObject* const code = PyDict_SetDefault(seen.ptr(), key.ptr(), next.ptr());
        if (code == nullptr) throw nb::python_error();
        codes[row++] = nb::cast<std::uint32_t>(nb::handle(code));
    }
    const auto count = static_cast<std::uint32_t>(nb::len(seen));
    return {array_of(std::move(codes)), count};
}

std::unique_ptr<Order> make_order(std::size_t size, const std::optional<Input<std::int64_t>>& times,
                                  const std::optional<Input<std::uint32_t>>& codes, std::uint32_t keys,
                                  std::size_t threads, std::size_t asked,
                                  const std::optional<Input<std::int64_t>>& behind) {
    const nb::gil_scoped_release release;
    return std::make_unique<Order>(size, view(times), view(codes), keys, threads, asked, view(behind));
}

//! The times by position, copied: for windows that slide by a time.
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

using windows::Policy;

template <class Reach>
Bounds bounds_in_time(const Order& order, const Reach& reach, Ends ends, bool peers, bool known, bool once) {
    Bounds bounds = time_window(order, reach, ends, peers, once && !known);
    return known ? known_time_window(order, std::move(bounds), ends) : std::move(bounds);
}

Bounds find_bounds(const Order& order, const Policy& policy, bool reals, bool peers, bool known, bool once) {
    const Ends ends{policy.span.with_start, policy.span.with_end};
    const Length& length = policy.span.length;
    // What came in order does not know the peers that came later.
    const bool sees_peers = peers && !(known && order.in_order());
    switch (policy.kind) {
        case Policy::Kind::time:
            if (reals) return bounds_in_time(order, RealReach(length.real, ends.start), ends, peers, known, once);
            return bounds_in_time(order, IntegerReach(length.ticks, ends.start), ends, peers, known, once);
        case Policy::Kind::count:
            return known ? known_count_window(order, policy.count, ends) : count_window(order, policy.count, ends);
        case Policy::Kind::session:
            return session_window(order, length, reals, sees_peers);
        default:
            if (policy.stepping()) throw std::invalid_argument("windows that depend on values are run by the operator");
            return ruled_window(order, policy, reals, sees_peers);
    }
}

//! The same where some rows are labels.
Bounds find_bounds_at(const Order& order, const Policy& policy, bool reals, bool known, Labels labels) {
    const Ends ends{policy.span.with_start, policy.span.with_end};
    switch (policy.kind) {
        case Policy::Kind::count:
            return count_window_at(order, policy.count, ends, known, labels);
        case Policy::Kind::session:
            return session_window_at(order, policy.span.length, reals, labels);
        case Policy::Kind::tumbling_count:
            return tumbling_count_window_at(order, policy.count, labels);
        default:
            if (!policy.aligned()) throw std::invalid_argument("windows that look at events pass over labels");
            return find_bounds(order, policy, reals, true, known, false);
    }
}

//! The rows of every window of a policy, which is a sash.windows.config.PolicyConfig. With `once`, one kernel reads
//! them, and may find them itself.
Bounds bounds_of(const Order& order, nb::handle config, bool reals, bool peers, bool known,
                 const std::optional<Input<std::uint8_t>>& labels, bool once) {
    const Policy policy = face::policy_of(config, reals);
    const nb::gil_scoped_release release;
    if (labels) return find_bounds_at(order, policy, reals, known, view(labels));
    return find_bounds(order, policy, reals, peers, known, once);
}

//! Where the window of the row at a position begins.
Position first_at(const Bounds& bounds, std::size_t position) {
    if (position >= bounds.size()) throw std::out_of_range("there is no such row");
    return bounds.start(position);
}

}  // namespace

void bind_orders(nb::module_& module) {
    module.def("encode_integers", &encode_integers, nb::arg("keys"), nb::arg("threads") = 1);
    const auto texts = [&](auto encode) {
        module.def("encode_texts", encode, nb::arg("offsets"), nb::arg("bytes"), nb::arg("nulls").none(),
                   nb::arg("threads") = 1);
    };
    texts(&encode_texts<std::int32_t>);
    texts(&encode_texts<std::int64_t>);
    module.def("encode_objects", &encode_objects, nb::arg("keys"));

    nb::class_<Bounds>(module, "Bounds").def("first", &first_at, nb::arg("position"));

    nb::class_<Order>(module, "Order")
        .def(nb::new_(&make_order), nb::arg("size"), nb::arg("times").none(), nb::arg("codes").none(), nb::arg("keys"),
             nb::arg("threads") = 1, nb::arg("asked") = 0, nb::arg("behind") = nb::none(), nb::keep_alive<0, 3>())
        .def_prop_ro("in_order", &Order::in_order)
        .def_prop_ro("threads", &Order::threads)
        .def("times", &times_of)
        .def("groups", &groups_of)
        .def("bounds", &bounds_of, nb::arg("policy"), nb::arg("reals"), nb::arg("peers"), nb::arg("known"),
             nb::arg("labels") = nb::none(), nb::arg("once") = false, nb::keep_alive<0, 1>());
}

}  // namespace sash::batch
