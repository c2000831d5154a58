#include "window/datetimes.hpp"

#include <datetime.h>

#include <chrono>

namespace sash::face {

namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::microseconds;
using std::chrono::sys_days;
using std::chrono::sys_time;

//! In these years every zone has a datetime for every instant.
constexpr std::chrono::year kFirstYear{2};
constexpr std::chrono::year kLastYear{9998};

void load_datetimes() {
    if (PyDateTimeAPI != nullptr) return;
    PyDateTime_IMPORT;
    if (PyDateTimeAPI == nullptr) throw nb::python_error();
}

//! Of the fields as they stand, whatever the zone.
sys_time<microseconds> by_the_clock(PyObject* time) {
    const std::chrono::year_month_day date{std::chrono::year{PyDateTime_GET_YEAR(time)},
                                           std::chrono::month{static_cast<unsigned>(PyDateTime_GET_MONTH(time))},
                                           std::chrono::day{static_cast<unsigned>(PyDateTime_GET_DAY(time))}};
    return sys_days{date} + std::chrono::hours{PyDateTime_DATE_GET_HOUR(time)} +
           std::chrono::minutes{PyDateTime_DATE_GET_MINUTE(time)} +
           std::chrono::seconds{PyDateTime_DATE_GET_SECOND(time)} + microseconds{PyDateTime_DATE_GET_MICROSECOND(time)};
}

//! How far the zone is ahead of UTC at that time.
microseconds offset_of(nb::handle time) {
    const nb::object offset = time.attr("utcoffset")();
    if (offset.is_none()) return {};
    return days{PyDateTime_DELTA_GET_DAYS(offset.ptr())} +
           std::chrono::seconds{PyDateTime_DELTA_GET_SECONDS(offset.ptr())} +
           microseconds{PyDateTime_DELTA_GET_MICROSECONDS(offset.ptr())};
}

}  // namespace

bool encode_datetime(nb::handle time, Time& ticks) {
    load_datetimes();
    if (!PyDateTime_CheckExact(time.ptr())) return false;
    const auto zone = PyDateTime_DATE_GET_TZINFO(time.ptr());
    const bool in_utc = zone == Py_None || zone == PyDateTime_TimeZone_UTC;
    const auto instant = by_the_clock(time.ptr()) - (in_utc ? microseconds{} : offset_of(time));
    ticks = instant.time_since_epoch().count();
    return true;
}

nb::object decode_datetime(Time ticks, nb::handle zone) {
    load_datetimes();
    const sys_time<microseconds> instant{microseconds{ticks}};
    const auto day = floor<days>(instant);
    const std::chrono::year_month_day date{day};
    if (date.year() < kFirstYear || date.year() > kLastYear) return {};
    const std::chrono::hh_mm_ss<microseconds> clock{instant - day};
    nb::object in_utc = nb::steal(PyDateTimeAPI->DateTime_FromDateAndTime(
        static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
        static_cast<int>(static_cast<unsigned>(date.day())), static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
        static_cast<int>(clock.subseconds().count()), zone.ptr(), PyDateTimeAPI->DateTimeType));
    if (!in_utc.is_valid()) throw nb::python_error();
    const bool is_there = zone.is_none() || zone.ptr() == PyDateTime_TimeZone_UTC;
    return is_there ? in_utc : zone.attr("fromutc")(in_utc);
}

}  // namespace sash::face
