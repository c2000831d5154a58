//! The ends and the codec of a Python aggregation. To be included before the kernels that use them.
#pragma once

#include <string_view>
#include <vector>

#include "monoids/python_monoid.hpp"
#include "window/front.hpp"

namespace sash::face {

inline Object lift(const PythonMonoid& monoid, Time, const Value& value) {
    return monoid.lift(value.object, value.time);
}
inline Result lower(const PythonMonoid& monoid, const Object& partial) {
    return monoid.lower(partial);
}
//! The partial itself: whoever asks knows the aggregation, and what its partials hold.
inline std::vector<Value> values_of(const PythonMonoid&, const Object& partial) {
    return {Value{.object = partial.get()}};
}

}  // namespace sash::face

namespace sash {

//! A partial is written as the aggregation's own codec writes it.
template <>
struct Codec<face::PythonMonoid> {
    static void write(Writer& writer, const face::PythonMonoid& monoid, const face::Object& partial) {
        const face::Object bytes = face::call(monoid.methods().encode, monoid.settled(partial).get());
        char* data = nullptr;
        Py_ssize_t size = 0;
        if (PyBytes_AsStringAndSize(bytes.get(), &data, &size) != 0) throw nanobind::python_error();
        writer.text({data, static_cast<std::size_t>(size)});
    }
    static face::Object read(Reader& reader, const face::PythonMonoid& monoid) {
        const std::string_view text = reader.text();
        const auto bytes =
            face::Object::stolen(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
        if (!bytes) throw nanobind::python_error();
        return face::call(monoid.methods().decode, bytes.get());
    }
};

}  // namespace sash
