//! Windows over records.
#include <utility>

#include "mixed.hpp"
#include "python_front.hpp"
#include "row.hpp"

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

// The ends and codecs come before the kernels that use them.
#include "catalog.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_record(const RowReader& row, const LayoutPtr& layout, const AlgorithmOptions& algorithm) {
    if (!row.objects().empty()) {
        auto members = std::make_shared<Mixed::Members>();
        for (const ObjectSpec& object : row.objects()) members->emplace_back(object.aggregation);
        return make_kernel(Mixed(layout, std::move(members)), algorithm);
    }
    if (algorithm.name != "fiba") return make_kernel(Record<std::vector<Word>>(layout), algorithm);
    std::unique_ptr<Kernel> kernel;
    with_storage(*layout,
                 [&]<class Storage>(Type<Storage>) { kernel = make_kernel(Record<Storage>(layout), algorithm); });
    return kernel;
}

}  // namespace sash::face
