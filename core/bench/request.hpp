//! The command line.
#pragma once

#include <string>
#include <vector>

#include "row.hpp"
#include "timing.hpp"

namespace sash::bench {

struct Request {
    Row row;
    Effort effort;
    //! A row was asked for, not the table.
    bool one_row = false;
    bool list = false;
    bool round_loop = false;
    //! Many aggregations in one record, instead of the table.
    bool records = false;
    //! Single calls, instead of the table.
    bool latency = false;
    //! The yardsticks alone, as three numbers.
    bool yardsticks = false;
};

//! Throws std::invalid_argument for what it does not know.
Request parse(const std::vector<std::string>& arguments);

}  // namespace sash::bench
