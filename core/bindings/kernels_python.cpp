#include <string>

// The ends and the codec of a Python aggregation, before the kernels that use them.
#include "front.hpp"
#include "python_monoid.hpp"

namespace sash::face {

inline Object lift(const PythonMonoid& monoid, const Value& value) {
    return monoid.lift(value.object);
}
inline Result lower(const PythonMonoid& monoid, const Object& partial) {
    return monoid.lower(partial);
}

}  // namespace sash::face

namespace sash {

//! A partial is written as the aggregation's own codec writes it.
template <>
struct Codec<face::PythonMonoid> {
    static void write(Writer& writer, const face::PythonMonoid& monoid, const face::Object& partial) {
        const face::Object bytes = face::PythonMonoid::call(monoid.methods().encode, partial.get());
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
        return face::PythonMonoid::call(monoid.methods().decode, bytes.get());
    }
};

}  // namespace sash

#include "catalog.hpp"

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
    : identity(method(aggregation, "identity")),
      lift(method(aggregation, "lift")),
      combine(method(aggregation, "combine")),
      lower(method(aggregation, "lower")),
      inverse(optional_method(aggregation, "inverse")),
      encode(optional_method(aggregation, "encode")),
      decode(optional_method(aggregation, "decode")) {}

PythonKernel make_python(nb::handle aggregation, const AlgorithmOptions& algorithm) {
    auto kernel = make_kernel(PythonMonoid(aggregation), algorithm);
    const auto load = [target = kernel.get()](Time time, Object partial) { target->load(time, std::move(partial)); };
    return {std::move(kernel), load};
}

}  // namespace sash::face
