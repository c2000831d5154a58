//! The ends of a record. To be included before the kernels that use them.
#pragma once

#include "sash/monoids/record.hpp"
#include "window/front.hpp"

namespace sash::face {

template <class Storage>
Storage lift(const Record<Storage>& record, Time time, const Value& value) {
    return record.lift({time, value.row});
}

template <class Storage>
Result lower(const Record<Storage>& record, const Storage& partial) {
    return RecordResult{record.lower(partial), {}};
}

}  // namespace sash::face
