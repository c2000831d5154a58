#include "window/clock.hpp"

#include <string_view>
#include <utility>

#include "sash/monoids/widen.hpp"
#include "sash/number.hpp"

namespace sash::face {

namespace {

nb::object times() {
    return nb::module_::import_("sash.times");
}

TimeKind kind_of(nb::handle label) {
    const nb::str text(label.attr("name"));
    const std::string_view name = text.c_str();
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
}

void Clock::set_label(nb::object label) {
    const TimeKind kind = kind_of(label);
    set(kind, kind == TimeKind::other ? std::move(label) : nb::object());
}

Moment Clock::first(nb::handle time) {
    Moment moment;
    return plain(time, moment) ? moment : encoded(time);
}

Moment Clock::among(nb::handle time) const {
    Moment moment;
    if (plain(time, moment) && moment.kind == kind_) [[likely]]
        return moment;
    if (kind_ == TimeKind::integer) {
        moment = encoded(time);
        if (moment.kind != TimeKind::other) return moment;
    }
    // What does not fit is refused there.
    const nb::object kind = label();
    moment.ticks = nb::cast<Time>(times().attr("encode_as")(kind, time));
    moment.kind = kind_;
    moment.label = label_;
    return moment;
}

Time Clock::bound(nb::handle time, Round round) const {
    Moment moment;
    if (plain(time, moment) && moment.kind == kind_) [[likely]]
        return moment.ticks;
    return nb::cast<Time>(times().attr("bound")(label(), time, nb::arg("up") = round == Round::up));
}

nb::object Clock::decode(Time ticks) const {
    if (kind_ == TimeKind::integer) return nb::int_(ticks);
    if (kind_ == TimeKind::real) return nb::float_(decode_real(ticks));
    return times().attr("decode")(label_, ticks);
}

}  // namespace sash::face
