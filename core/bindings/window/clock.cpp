#include "window/clock.hpp"

#include <string>
#include <utility>

#include "sash/monoids/widen.hpp"
#include "sash/number.hpp"
#include "window/datetimes.hpp"

namespace sash::face {

namespace {

nb::object times() {
    return nb::module_::import_("sash.times");
}

std::string name_of(nb::handle label) {
    return nb::str(label.attr("name")).c_str();
}

TimeKind kind_of(nb::handle label) {
    const std::string name = name_of(label);
    return name == "int" ? TimeKind::integer : name == "float" ? TimeKind::real : TimeKind::other;
}

Moment encoded(nb::handle time) {
    const nb::object pair = times().attr("encode")(time);
    nb::object label = pair[0];
    const TimeKind kind = kind_of(label);
    return {nb::cast<Time>(pair[1]), kind, kind == TimeKind::other ? std::move(label) : nb::object()};
}

//! The two kinds that need no help.
bool plain(nb::handle time, Moment& moment) {
    if (PyLong_CheckExact(time.ptr())) {
        int overflow = 0;
        moment.ticks = PyLong_AsLongLongAndOverflow(time.ptr(), &overflow);
        moment.kind = TimeKind::integer;
        return overflow == 0;
    }
    if (!PyFloat_CheckExact(time.ptr())) return false;
    const double real = PyFloat_AS_DOUBLE(time.ptr());
    moment.ticks = encode_real(real);
    moment.kind = TimeKind::real;
    return real == real;
}

}  // namespace

Time real_time(Time ticks) {
    return encode_real(exact_real(ticks));
}

nb::object Clock::label() const {
    if (kind_ == TimeKind::other) return label_;
    return times().attr(kind_ == TimeKind::integer ? "INT" : "FLOAT");
}

void Clock::set(TimeKind kind, nb::object label) {
    kind_ = kind;
    label_ = std::move(label);
    datetimes_ = kind == TimeKind::other && name_of(label_) == "datetime";
    zone_ = datetimes_ ? nb::handle(nb::object(label_.attr("zone"))) : nb::handle();
}

void Clock::set_label(nb::object label) {
    const TimeKind kind = kind_of(label);
    set(kind, kind == TimeKind::other ? std::move(label) : nb::object());
}

Moment Clock::first(nb::handle time) {
    Moment moment;
    return plain(time, moment) ? moment : encoded(time);
}

bool Clock::quickly(nb::handle time, Time& ticks) const {
    if (datetimes_) return encode_datetime(time, ticks);
    Moment moment;
    if (!plain(time, moment) || moment.kind != kind_) return false;
    ticks = moment.ticks;
    return true;
}

Moment Clock::among(nb::handle time) const {
    Moment moment{0, kind_, label_};
    if (quickly(time, moment.ticks)) [[likely]]
        return moment;
    if (kind_ == TimeKind::integer) {
        moment = encoded(time);
        if (moment.kind != TimeKind::other) return moment;
    }
    // What does not fit is refused there.
    const nb::object kind = label();
    return {nb::cast<Time>(times().attr("encode_as")(kind, time)), kind_, label_};
}

Time Clock::bound(nb::handle time, Round round) const {
    Time ticks = 0;
    if (quickly(time, ticks)) [[likely]]
        return ticks;
    return nb::cast<Time>(times().attr("bound")(label(), time, nb::arg("up") = round == Round::up));
}

nb::object Clock::decode(Time ticks) const {
    if (kind_ == TimeKind::integer) return nb::int_(ticks);
    if (kind_ == TimeKind::real) return nb::float_(decode_real(ticks));
    nb::object datetime = datetimes_ ? decode_datetime(ticks, zone_) : nb::object();
    return datetime.is_valid() ? datetime : times().attr("decode")(label_, ticks);
}

}  // namespace sash::face
