#include "operator/operator.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "errors.hpp"
#include "operator/config.hpp"
#include "operator/event_batch.hpp"
#include "sash/monoids/record/compiled.hpp"
#include "sash/monoids/widen.hpp"
#include "window/face.hpp"

namespace sash::face {

namespace {

constexpr const char* kWhat = "operator";

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

//! Errors of the core by their Python names.
template <class Run>
void named_errors(Run run) {
    try {
        run();
    } catch (const Inexact& number) {
        raise_inexact(number.value);
    } catch (const CompiledError& error) {
        raise("AggregationError",
              std::string(error.what()) + ": run the aggregation uncompiled to see which and where");
    }
}

bool is_true(nb::handle value) {
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) throw nb::python_error();
    return truth != 0;
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
    if (retired_) Busy::refuse(kWhat);
    return Busy(busy_, kWhat);
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
    keys_.visit_references(visitor);
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

template <class Work, class Commit>
void BoundOperator::attempt(EmittedResults& out, bool release, Work work, Commit commit) {
    const bool careful = runs_python() || mode_.wide || plan().may_fail();
    auto& state = engine_->state();
    const auto run = [&] {
        state.begin(careful);
        state.partials().begin(careful, &out);
        try {
            work();
        } catch (...) {
            state.roll_back();
            state.take_freed();
            throw;
        }
        commit();
    };
    named_errors([&] {
        if (release && !runs_python()) {
            const nb::gil_scoped_release released;
            run();
        } else {
            run();
        }
    });
}

std::unique_ptr<OperatorPartials> BoundOperator::in_mode(const OperatorPartials& partials, const Mode& from,
                                                         const Mode& to) const {
    std::unique_ptr<OperatorPartials> changed;
    if (from != to) named_errors([&] { changed = partials.with_layout(row_.layout(to), row_.forms(from, to)); });
    return changed;
}

template <class Work>
void BoundOperator::in_mode(Mode mode, std::span<const Time> ticks, std::span<const Field> fields, Work work) {
    std::unique_ptr<OperatorPartials> changed = in_mode(*partials_, mode_, mode);
    const auto now = [&]() -> const OperatorPartials& { return changed ? *changed : *partials_; };
    const double further = now().reach_of(ticks, fields);
    double reach = reach_ + further;
    // What has been evicted reaches no longer. This is O(n), and comes at most once for as much as was counted.
    if (!mode.wide && !(reach < kNarrowReach)) reach = now().reach() + further;
    if (!mode.wide && !(reach < kNarrowReach)) {
        Mode wide = mode;
        wide.wide = true;
        changed = in_mode(now(), mode, wide);
        mode = wide;
    }
    if (changed) engine_->state().set_partials(*changed);
    const Mode before = std::exchange(mode_, mode);
    try {
        work();
    } catch (...) {
        engine_->state().set_partials(*partials_);
        mode_ = before;
        throw;
    }
    if (changed) partials_ = std::move(changed);
    reach_ = reach;
}

void BoundOperator::drop_freed(std::span<const KeySlot> made) {
    const std::vector<KeySlot> freed = engine_->state().take_freed();
    for (const auto& slots : {std::span<const KeySlot>(freed), made})
        for (const KeySlot slot : slots)
            if (!state().uses(slot)) keys_.drop(slot);
}

std::unique_ptr<OperatorResults> BoundOperator::given(EmittedResults out) {
    hand_over_failed(out);
    return std::make_unique<OperatorResults>(nb::find(*this), *this, std::move(out));
}

Mode BoundOperator::settled(const Mode& mode, std::span<Field> fields) const {
    Mode wider = mode_;
    wider.reals |= mode.reals;
    const std::size_t width = row_.slots().size();
    if (mode.reals != wider.reals)
        for (std::size_t i = 0; i < fields.size(); i += width)
            row_.settle(fields.subspan(i, width), mode.reals, wider.reals);
    return wider;
}

nb::object BoundOperator::checked_key(nb::handle key) const {
    if (PyUnicode_CheckExact(key.ptr()) || PyLong_CheckExact(key.ptr())) return nb::borrow(key);
    return checked_key_(key);
}

KeySlot BoundOperator::key_slot(nb::handle key) {
    return keyed_ ? keys_.slot(key) : keys_.slot(nb::int_(0));
}

nb::object BoundOperator::push(nb::handle key, nb::handle time, nb::handle value, nb::handle on_late) {
    const Busy busy = entered();
    const Moment moment = clock_.among(time);
    if (moment.kind != clock_.kind()) return nb::none();
    const nb::object own = keyed_ ? checked_key(key) : nb::none();
    if (finished_ || engine_->is_late(moment.ticks)) {
        on_late(own, time_of(moment.ticks), value,
                finished_ ? nb::none() : time_of(state().now().watermark.value_or(0)));
        return nb::list();
    }
    check_ends({&moment.ticks, 1});
    Holder holder;
    Value read;
    Mode mode;
    row_.read(value, read, mode, holder);
    const Mode wider = settled(mode, holder.fields);
    std::vector<windows::Mark> marks;
    for (const nb::object& mark : marks_) marks.push_back(mark.is_none() ? windows::Mark{} : mark_of(mark(value)));
    const bool fires = fires_.is_none() || is_true(fires_(value));
    const bool skipped = !skips_.is_none() && is_true(skips_(value));
    if (row_.timed() && !row_.objects().empty()) holder.time = time_of(moment.ticks);
    const IncomingValue incoming{moment.ticks, holder.fields, holder.members, holder.time.ptr()};
    EmittedResults out = blank();
    const std::size_t mark = keys_.mark();
    try {
        const KeySlot slot = key_slot(own);
        in_mode(wider, {&moment.ticks, 1}, holder.fields, [&] {
            attempt(
                out, false,
                [&] {
                    const bool taken = engine_->state().partials().lift(incoming);
                    engine_->take({slot, moment.ticks, taken, !taken || skipped, fires, marks});
                },
                [&] { engine_->state().commit(); });
        });
    } catch (...) {
        keys_.drop_since(mark);
        throw;
    }
    keys_.settle();
    hand_over_failed(out);
    nb::list results;
    for (std::size_t i = 0; i < out.size(); ++i)
        results.append(result_of(*this, out, i, keyed_ ? keys_.key(out.emissions[i].slot) : nb::object(nb::none())));
    drop_freed({});
    return results;
}

void BoundOperator::hand_over_failed(const EmittedResults& out) const {
    for (const auto& [emission, error] : out.failed)
        on_failure_(keyed_ ? keys_.key(emission.slot) : nb::object(nb::none()), start_of(emission),
                    time_of(emission.end), emission.by_event ? time_of(emission.ticks) : nb::object(nb::none()), error);
}

void BoundOperator::check_ends(std::span<const Time> ticks) const {
    if (ticks.empty()) return;
    const Time latest = *std::max_element(ticks.begin(), ticks.end());
    if (plan().ends_exist(latest)) return;
    const nb::str text(time_of(latest));
    throw std::overflow_error(std::string("windows of the event at ") + text.c_str() +
                              " end beyond 64 bits: use earlier times, or a coarser unit");
}

void BoundOperator::hand_over_late(std::span<const Time> ticks, nb::handle on_late) const {
    if (on_late.is_none()) return;
    if (finished_) {
        for (std::size_t i = 0; i < ticks.size(); ++i) on_late(i, nb::none());
        return;
    }
    for (const auto& [place, watermark] : state().now().late_among(ticks, plan().lateness, plan().reals))
        on_late(place, watermark);
}

void BoundOperator::read_members(nb::handle row, Time ticks, Holder& holder) const {
    holder.members.clear();
    holder.kept.clear();
    if (row_.timed()) holder.time = time_of(ticks);
    for (const ObjectSpec& object : row_.objects()) {
        nb::object found = object.find(row);
        holder.members.push_back(is_true(object.skips(found)) ? nullptr : found.ptr());
        holder.kept.push_back(std::move(found));
    }
}

std::vector<KeySlot> BoundOperator::key_slots(nb::handle keys, std::size_t size) {
    Times integers;
    if (!keyed_) return std::vector<KeySlot>(size, key_slot(nb::none()));
    if (nb::try_cast(keys, integers, false)) return keys_.slots(std::span(integers.data(), integers.size()));
    return keys_.slots(nb::cast<nb::list>(keys));
}

template <class Take>
void BoundOperator::run(EventBatch& batch, EmittedResults& out, Take take) {
    in_mode(settled(batch.mode(), batch.fields()), batch.ticks(), batch.fields(), [&] {
        OperatorPartials& partials = engine_->state().partials();
        attempt(out, true, [&] { take(partials); }, [&] { engine_->state().commit(); });
    });
}

std::unique_ptr<OperatorResults> BoundOperator::push_many(nb::handle keys, const Times& ticks, const nb::list& columns,
                                                          nb::handle rows, const nb::list& marks, nb::handle fires,
                                                          nb::handle nulls, nb::handle on_late) {
    const Busy busy = entered();
    EventBatch batch(row_, ticks, columns);
    batch.read_marks(marks, fires, nulls);
    if (!finished_) check_ends(batch.ticks());
    hand_over_late(batch.ticks(), on_late);
    EmittedResults out = blank();
    if (finished_) return given(std::move(out));
    if (!state().has_rows()) out.reserve(batch.size() * plan().policies.size());
    const std::size_t mark = keys_.mark();
    std::vector<KeySlot> made;
    try {
        const std::vector<KeySlot> slots = key_slots(keys, batch.size());
        run(batch, out, [&](OperatorPartials& partials) {
            Holder holder;
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (engine_->is_late(batch.ticks(i))) continue;
                if (!row_.objects().empty()) read_members(rows[i], batch.ticks(i), holder);
                const bool taken = partials.lift({batch.ticks(i), batch.fields(i), holder.members, holder.time.ptr()});
                engine_->take(batch.event(i, slots[i], taken));
            }
        });
        made = keys_.made_since(mark);
    } catch (...) {
        keys_.drop_since(mark);
        throw;
    }
    keys_.settle();
    std::unique_ptr<OperatorResults> results = given(std::move(out));
    drop_freed(made);
    return results;
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

nb::list BoundOperator::query(nb::handle key, std::optional<Time> ticks) const {
    const Busy busy = entered();
    nb::list results;
    const std::optional<Time> at = ticks ? ticks : engine_->now();
    if (!at) return results;
    const nb::object own = keyed_ ? checked_key(key) : nb::object(nb::int_(0));
    engine_->query(keys_.find(own), *at, [&](std::size_t window, const PartialRange& range, std::optional<Time> start) {
        const nb::object value = shape_.value(partials_->result(range));
        Emission emission{.slot = 0,
                          .window = static_cast<std::uint32_t>(window),
                          .start = start.value_or(0),
                          .end = *at,
                          .ticks = 0,
                          .number = 0};
        const nb::object begin = start ? start_of(emission) : nb::object(nb::none());
        results.append(result_type_(keyed_ ? own : nb::object(nb::none()), begin, time_of(*at), value, 0, nb::none(),
                                    nb::none(), windows_[window]));
    });
    return results;
}

// Windows that the caller looks up

void BoundOperator::insert(const Times& keys, const Times& ticks, const nb::list& columns) {
    const Busy busy = entered();
    EventBatch batch(row_, ticks, columns);
    EmittedResults out = blank();
    const std::size_t mark = keys_.mark();
    try {
        const std::vector<KeySlot> slots = keys_.slots(std::span(keys.data(), keys.size()));
        const KeySlot most = slots.empty() ? 0 : *std::max_element(slots.begin(), slots.end());
        run(batch, out, [&](OperatorPartials& partials) {
            for (const std::size_t i : by_slot(slots, most))
                engine_->insert(batch.event(i, slots[i], partials.lift({batch.ticks(i), batch.fields(i)})));
        });
    } catch (...) {
        keys_.drop_since(mark);
        throw;
    }
    keys_.settle();
}

std::unique_ptr<OperatorResults> BoundOperator::query_many(const Times& keys, const Times& ticks) {
    const Busy busy = entered();
    const std::vector<KeySlot> slots = keys_.known(std::span(keys.data(), keys.size()));
    const std::size_t windows = plan().policies.size();
    EmittedResults out = blank();
    out.emissions.resize(slots.size() * windows);
    for (ResultColumn& column : out.columns) column.resize(out.emissions.size());
    named_errors([&] {
        const nb::gil_scoped_release released;
        for (const std::size_t i : by_slot(slots, keys_.size()))
            engine_->query(slots[i], ticks.data()[i], [&](std::size_t window, const PartialRange& range, auto) {
                OperatorPartials::Result result = partials_->result(range);
                for (std::size_t cell = 0; cell < result.size(); ++cell)
                    out.columns[cell][i * windows + window] = std::move(result[cell]);
            });
    });
    return std::make_unique<OperatorResults>(nb::find(*this), *this, std::move(out));
}

void BoundOperator::trim() {
    const Busy busy = entered();
    engine_->state().trim();
    drop_freed({});
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
    return sizeof(*this) + state().bytes() + partials_->bytes() + keys_.bytes();
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

// Snapshots

BoundOperator::Saved BoundOperator::save() const {
    // Whoever has retired it may read it.
    const Busy busy(busy_, kWhat);
    const Snapshot snapshot(engine_->state());
    nb::list keys;
    for (const KeyId id : snapshot.keys()) keys.append(keys_.key(state().slot(id)));
    // Equal contents give equal bytes: what was wide once, and need not be any more, is written as what never was.
    Mode mode = mode_;
    mode.wide = mode_.wide && !(partials_->reach() < kNarrowReach);
    const std::unique_ptr<OperatorPartials> narrow = in_mode(*partials_, mode_, mode);
    Writer writer;
    if (narrow) engine_->state().set_partials(*narrow);
    snapshot.save(writer);
    engine_->state().set_partials(*partials_);
    const std::string bytes = writer.take();
    std::vector<bool> reals;
    for (std::size_t i = 0; i < row_.slots().size(); ++i) reals.push_back(mode.reals[i]);
    return {{reals, mode.wide},
            keys,
            nb::bytes(bytes.data(), bytes.size()),
            {state().now().newest, state().now().watermark, finished_}};
}

void BoundOperator::restore(const nb::list& keys, const std::pair<std::vector<bool>, bool>& columns,
                            const nb::bytes& body, std::optional<Time> newest, std::optional<Time> watermark,
                            bool finished) {
    const Busy busy = entered();
    try {
        const auto& [reals, wide] = columns;
        for (std::size_t i = 0; i < reals.size() && i < kMostSlots; ++i) mode_.reals[i] = reals[i];
        mode_.wide = wide;
        partials_ = make_partials(row_.layout(mode_), shape_);
        engine_->state().set_partials(*partials_);
        Reader reader({body.c_str(), body.size()});
        engine_->state().now() = {newest, watermark};
        Snapshot(engine_->state()).restore(reader, keys_.slots(keys));
        if (reader.left() != 0) throw DamagedSnapshot("bytes follow its last key");
        reach_ = partials_->reach();
        if (!wide && !(reach_ < kNarrowReach)) throw DamagedSnapshot("its integers need more than 64 bits");
    } catch (const DamagedSnapshot& damage) {
        raise("SnapshotError", std::string("the snapshot cannot be read: ") + damage.what());
    }
    keys_.settle();
    finished_ = finished;
}

void BoundOperator::read_times_as_reals() {
    const Busy busy = entered();
    Mode mode = mode_;
    mode.scale = {1.0, true};
    try {
        partials_ = partials_->with_times(row_.layout(mode), state().aligned(), real_time);
        engine_->state().set_partials(*partials_);
        Snapshot(engine_->state()).read_as_reals(real_time);
    } catch (const Inexact& number) {
        raise_inexact(number.value);
    }
    mode_ = mode;
    clock_.set(TimeKind::real, {});
}

}  // namespace sash::face
