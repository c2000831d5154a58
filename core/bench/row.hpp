//! What goes in and what comes out: a row of the table, and its measurement.
#pragma once

#include <cstdint>
#include <string>

namespace sash::bench {

//! Where late events fall.
enum class Late : bool {
    //! All in one place, exactly d entries before the end, as the papers do.
    one_place,
    //! Anywhere up to d entries before the end.
    scattered
};

struct Row {
    std::string algorithm = "two_stacks_lite";
    std::string monoid = "sum_int";
    //! Entries in the window.
    std::int64_t n = 1 << 16;
    //! Entries evicted and inserted together; 1 means by single calls.
    std::int64_t m = 1;
    //! Entries younger than where an event is inserted; 0 means at the end.
    std::int64_t d = 0;
    Late late = Late::one_place;
};

//! Times in nanoseconds.
struct Measurement {
    //! Evict, insert, query: a round, or an item of it where m > 1.
    double round = 0.0;
    double combines = 0.0;
    //! Unknown where partials own memory: negative.
    double bytes = -1.0;
    //! Bulks only: the whole bulk evict, and an item of the bulk insert at the median.
    double evict_p50 = 0.0;
    double evict_p99 = 0.0;
    double insert_item = 0.0;
};

}  // namespace sash::bench
