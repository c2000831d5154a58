//! Windows over records.
#include <utility>

#include "monoids/mixed_front.hpp"
#include "monoids/row.hpp"

// The ends and codecs come before the operations and kernels that use them.
#include "window/make_kernel.hpp"
#include "window/operations_of.hpp"

namespace sash::face {

namespace {

OperationsPtr operations_of_record(const RowReader& row, const LayoutPtr& layout, const AlgorithmOptions& algorithm) {
    if (!row.objects().empty()) {
        auto members = std::make_shared<Mixed::Members>();
        for (const ObjectSpec& object : row.objects()) members->emplace_back(object.aggregation, combining(algorithm));
        return operations_of(Mixed(layout, std::move(members)));
    }
    // FiBA takes small records in place.
    if (algorithm.name != "fiba" || algorithm.store) return operations_of(Record<std::vector<Word>>(layout));
    OperationsPtr operations;
    with_storage(*layout, [&]<class Storage>(Type<Storage>) { operations = operations_of(Record<Storage>(layout)); });
    return operations;
}

}  // namespace

std::unique_ptr<Kernel> make_record(const RowReader& row, const LayoutPtr& layout, const AlgorithmOptions& algorithm) {
    return operations_of_record(row, layout, algorithm)->make(algorithm);
}

}  // namespace sash::face
