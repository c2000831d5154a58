#include "operator/operator.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "operator/call.hpp"
#include "operator/config.hpp"

namespace sash::face {

namespace {

TickScale scale_of(nb::handle config, bool reals) {
    return {nb::cast<double>(config.attr("seconds_per_tick")), reals};
}

std::vector<nb::object> all_of(nb::handle items) {
    std::vector<nb::object> objects;
    for (const nb::handle item : nb::iter(items)) objects.push_back(nb::borrow(item));
    return objects;
}

Clock clock_of(nb::handle config) {
    Clock clock;
    clock.set_label(config.attr("kind"));
    return clock;
}

}  // namespace

BoundOperator::BoundOperator(nb::object config)
    : config_(std::move(config)),
      row_(config_.attr("row")),
      clock_(clock_of(config_)),
      shape_(row_, clock_, mode_, outputs_of(config_), all_of(config_.attr("empties")), rules_of(config_),
             config_.attr("same"), config_.attr("codec"), nb::cast<bool>(config_.attr("makes_objects"))),
      keyed_(nb::cast<bool>(config_.attr("keyed"))),
      result_type_(config_.attr("result_type")),
      windows_(all_of(config_.attr("windows"))),
      marks_(all_of(config_.attr("marks"))),
      fires_(config_.attr("fires")),
      skips_(config_.attr("skips")),
      checked_key_(config_.attr("checked_key")),
      early_start_(config_.attr("early_start")) {
    const bool reals = clock_.kind() == TimeKind::real;
    mode_.scale = scale_of(config_, reals);
    OperatorPlan plan = plan_of(config_, reals);
    runs_python_ = shape_.makes_objects() || plan.has(windows::Policy::Kind::programmable);
    partials_ = make_partials(row_.layout(mode_), shape_);
    engine_ = std::make_unique<Engine>(std::move(plan), *partials_);
}

// Calls

Busy BoundOperator::entered() const {
    if (retired_) Busy::refuse(kOperator);
    return Busy(busy_, kOperator);
}

void BoundOperator::retire(bool now) {
    if (now) static_cast<void>(entered());
    retired_ = now;
}

void BoundOperator::visit_references(const ReferenceVisitor& visitor) const {
    // In the midst of a call the structures are not in order; what is not shown is just not collected this time.
    if (busy_) return;
    partials_->visit_references(visitor);
    state().for_each_result([&](const ResultShape::Cells& cells) { face::visit_references(cells, visitor); });
    for (const Keys* const names : {&keys_, &ids_}) names->visit_references(visitor);
    row_.visit_references(visitor);
    shape_.visit_references(visitor);
    for (const std::vector<nb::object>* const objects : {&windows_, &marks_})
        for (const nb::object& object : *objects) visitor(object.ptr());
    for (const nb::object* const object :
         {&config_, &result_type_, &fires_, &skips_, &checked_key_, &early_start_, &on_failure_})
        visitor(object->ptr());
}

void BoundOperator::drop_references() {
    // Should a finalizer call it all the same, it is refused.
    busy_ = true;
    engine_.reset();
    partials_.reset();
    config_.reset();
    marks_.clear();
    for (nb::object* const object : {&fires_, &skips_, &checked_key_, &on_failure_}) object->reset();
}

EmittedResults BoundOperator::blank() const {
    EmittedResults out;
    out.columns.resize(shape_.cells());
    out.keeps_failures = !on_failure_.is_none();
    return out;
}

void BoundOperator::drop_freed(std::span<const KeySlot> made) {
    const std::vector<KeySlot> freed = engine_->state().take_freed();
    for (const auto& slots : {std::span<const KeySlot>(freed), made})
        for (const KeySlot slot : slots)
            if (!state().uses(slot)) keys_.drop(slot);
    for (const IdSlot id : engine_->state().ids().take_freed())
        if (!state().ids().uses(id)) ids_.drop(id);
}

std::unique_ptr<OperatorResults> BoundOperator::given(EmittedResults out) {
    hand_over_failed(out);
    nb::object keys = keyed_ ? keys_.column(out.emissions) : nb::object(nb::none());
    return std::make_unique<OperatorResults>(nb::find(*this), *this, std::move(out), std::move(keys));
}

nb::object BoundOperator::checked_key(nb::handle key) const {
    if (PyUnicode_CheckExact(key.ptr()) || PyLong_CheckExact(key.ptr())) return nb::borrow(key);
    return checked_key_(key);
}

KeySlot BoundOperator::key_slot(nb::handle key) {
    return keyed_ ? keys_.slot(key) : keys_.slot(nb::int_(0));
}

void BoundOperator::hand_over_failed(const EmittedResults& out) const {
    for (const auto& [emission, error] : out.failed)
        on_failure_(keyed_ ? keys_.key(emission.slot) : nb::object(nb::none()), start_of(emission),
                    time_of(emission.end), emission.by_event ? time_of(emission.end) : nb::object(nb::none()), error);
}

std::unique_ptr<OperatorResults> BoundOperator::advance(Time ticks) {
    const Busy busy = entered();
    EmittedResults out = blank();
    attempt(out, true, [&] { engine_->advance(ticks); }, [&] { engine_->state().commit_all(); });
    std::unique_ptr<OperatorResults> results = given(std::move(out));
    drop_freed({});
    return results;
}

std::unique_ptr<OperatorResults> BoundOperator::finish() {
    const Busy busy = entered();
    EmittedResults out = blank();
    attempt(out, true, [&] { engine_->finish(); }, [&] { engine_->state().commit_end(); });
    finished_ = true;
    std::unique_ptr<OperatorResults> results = given(std::move(out));
    drop_freed({});
    return results;
}

// What it knows

nb::list BoundOperator::keys() const {
    const Busy busy = entered();
    nb::list keys;
    for (const KeyId id : Snapshot(engine_->state()).keys())
        if (!state().key(id).is_expired()) keys.append(keyed_ ? keys_.key(state().slot(id)) : nb::object(nb::none()));
    return keys;
}

std::optional<Time> BoundOperator::watermark() const {
    const Busy busy = entered();
    return state().now().watermark;
}

std::size_t BoundOperator::memory() const {
    const Busy busy = entered();
    return sizeof(*this) + state().bytes() + partials_->bytes() + keys_.bytes() + ids_.bytes();
}

nb::object BoundOperator::time_of(Time ticks) const {
    try {
        return clock_.decode(ticks);
    } catch (nb::python_error& error) {
        // There is no such time: it lies before the first one.
        if (!error.matches(PyExc_OverflowError) && !error.matches(PyExc_ValueError)) throw;
        return nb::none();
    }
}

nb::object BoundOperator::start_of(const Emission& emission) const {
    if (emission.start != kEarliest) return time_of(emission.start);
    return early_start_(emission.window, emission.end, emission.by_event);
}

}  // namespace sash::face
