//! Windows over records.
#include <utility>

#include "monoids/mixed_front.hpp"
#include "monoids/row.hpp"

// The ends and codecs come before the kernels that use them.
#include "window/catalog.hpp"

namespace sash::face {

std::unique_ptr<Kernel> make_record(const RowReader& row, const LayoutPtr& layout, const AlgorithmOptions& algorithm) {
    if (!row.objects().empty()) {
        auto members = std::make_shared<Mixed::Members>();
        for (const ObjectSpec& object : row.objects()) members->emplace_back(object.aggregation);
        return make_kernel(Mixed(layout, std::move(members)), algorithm);
    }
    if (algorithm.name != "fiba" || algorithm.store) return make_kernel(Record<std::vector<Word>>(layout), algorithm);
    std::unique_ptr<Kernel> kernel;
    with_storage(*layout,
                 [&]<class Storage>(Type<Storage>) { kernel = make_kernel(Record<Storage>(layout), algorithm); });
    return kernel;
}

}  // namespace sash::face
