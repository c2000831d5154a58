//! Python's datetimes and their microseconds since 1970, in the core: a call of sash.times takes longer than an event.
#pragma once

#include <nanobind/nanobind.h>

#include "sash/time.hpp"

namespace sash::face {

namespace nb = nanobind;

//! As sash.times encodes it: without a zone it is read as UTC. False if it is no datetime, or a derived one.
bool encode_datetime(nb::handle time, Time& ticks);

//! The datetime in the zone, or without one if it is None; nothing near the ends of the calendar, where sash.times
//! knows what to do.
nb::object decode_datetime(Time ticks, nb::handle zone);

}  // namespace sash::face
