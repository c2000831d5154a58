//! The codec of a record with members in Python. To be included before the kernels that use it.
#pragma once

#include <cstddef>

#include "monoids/mixed.hpp"
#include "monoids/python_front.hpp"

namespace sash {

//! The words by their parts, the objects by their aggregations.
template <>
struct Codec<face::Mixed> {
    static void write(Writer& writer, const face::Mixed& monoid, const face::Mixed::Partial& partial) {
        Codec<Record<face::Mixed::Words>>::write(writer, monoid.record(), partial.words);
        for (std::size_t i = 0; i < partial.objects.size(); ++i) {
            writer.flag(static_cast<bool>(partial.objects[i]));
            if (partial.objects[i]) Codec<face::PythonMonoid>::write(writer, monoid.members()[i], partial.objects[i]);
        }
    }
    static face::Mixed::Partial read(Reader& reader, const face::Mixed& monoid) {
        face::Mixed::Partial partial{Codec<Record<face::Mixed::Words>>::read(reader, monoid.record()), {}};
        for (const face::PythonMonoid& member : monoid.members())
            partial.objects.push_back(reader.flag() ? Codec<face::PythonMonoid>::read(reader, member) : face::Object());
        return partial;
    }
};

}  // namespace sash
