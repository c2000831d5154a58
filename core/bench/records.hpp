//! What the k-th aggregation of a record costs beside a window of its own.
#pragma once

#include "timing.hpp"

namespace sash::bench {

//! Prints a line for some k from 1 to 50. Throws if a record's answers are not those of the windows apart.
void print_records(const Effort& effort);

}  // namespace sash::bench
