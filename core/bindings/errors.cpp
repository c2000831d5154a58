#include "errors.hpp"

#include <cstring>
#include <vector>

namespace sash::face {

void raise(const char* error, nb::handle message) {
    const nb::object type = nb::module_::import_("sash.errors").attr(error);
    PyErr_SetObject(type.ptr(), message.ptr());
    throw nb::python_error();
}

void raise(const char* error, const std::string& message) {
    raise(error, nb::str(message.data(), message.size()));
}

void raise_inexact(std::int64_t number) {
    PyErr_Format(
        PyExc_TypeError,
        "%lld is no float64 exactly, and a float came to a window of integers: keep the integers within 2**53, "
        "or insert floats from the start",
        static_cast<long long>(number));
    throw nb::python_error();
}

nb::object filter_of(const BloomFilter& filter) {
    const std::vector<std::uint64_t> words = filter.words();
    std::string bytes(words.size() * sizeof(std::uint64_t), '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(words[i / 8] >> (8 * (i % 8)));
    const nb::object type = nb::module_::import_("sash.aggregations.membership").attr("BloomFilter");
    return type(filter.bits(), filter.shape().hashes(), nb::bytes(bytes.data(), bytes.size()));
}

}  // namespace sash::face
