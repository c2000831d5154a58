//! The default table: the rows that the project holds itself to, each with its bars.
#pragma once

#include <functional>
#include <vector>

#include "row.hpp"
#include "yardstick.hpp"

namespace sash::bench {

enum class Unit { ring, tree, plain };

//! A bar: this number of a measurement is at most so many yardsticks.
struct Bar {
    const char* what;
    double Measurement::* number;
    double limit;
    Unit unit;
};

struct Goal {
    Row row;
    std::vector<Bar> bars;
};

//! A measurement and the yardsticks that were taken beside it.
struct Judged {
    Measurement measured;
    Yardsticks yardsticks;
};

std::vector<Goal> default_table();

//! In units of the yardstick.
inline double in_units(double nanoseconds, Unit unit, const Yardsticks& yardsticks) {
    if (unit == Unit::plain) return nanoseconds;
    return nanoseconds / (unit == Unit::ring ? yardsticks.ring : yardsticks.tree);
}

}  // namespace sash::bench
