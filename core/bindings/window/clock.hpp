//! Times on their way in and out. Integers, floats and datetimes are encoded here; all others by sash.times.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "sash/time.hpp"

namespace sash::face {

namespace nb = nanobind;

enum class TimeKind : std::uint8_t { integer, real, other };

//! A time and what it was before it was an int64.
struct Moment {
    Time ticks = 0;
    TimeKind kind = TimeKind::integer;
    //! The sash.times.Kind of `other`; nothing for the plain two.
    nb::object label;
};

//! Which way a time between two ticks of the window goes.
enum class Round : bool { down, up };

//! What the times of one window are.
class Clock {
public:
    TimeKind kind() const { return kind_; }
    //! The sash.times.Kind.
    nb::object label() const;
    void set(TimeKind kind, nb::object label);
    void set_label(nb::object label);

    //! A time by itself: it may become the first one of a window.
    static Moment first(nb::handle time);
    //! A time among others. A float among integers comes back as it is, `real`; a time that has no place among them is
    //! a TypeError.
    Moment among(nb::handle time) const;
    //! A time to compare with: it need not be one that the window could hold.
    Time bound(nb::handle time, Round round) const;

    nb::object decode(Time ticks) const;

private:
    //! The ticks of a time that needs no help among these.
    bool quickly(nb::handle time, Time& ticks) const;

    TimeKind kind_ = TimeKind::integer;
    nb::object label_;
    //! Times are datetimes of Python, in this zone, which the label holds, or in none.
    bool datetimes_ = false;
    nb::handle zone_;
};

//! The real time of an integer one, if nothing is lost; throws Inexact.
Time real_time(Time ticks);

}  // namespace sash::face
