//! Events in: one, or many by columns.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "operator/call.hpp"

namespace sash::face {

namespace {

//! A row that came late: which, its time, and the watermark.
struct LateRow {
    std::size_t place;
    Time ticks;
    Time watermark;
};

}  // namespace

Mode BoundOperator::joined(const Mode& mode) const {
    Mode wider = mode_;
    wider.integers |= mode.integers;
    wider.reals |= mode.reals;
    return wider;
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
    const Mode wider = joined(mode);
    row_.settle(holder.fields, mode, wider);
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
        const auto reach_of = [&](const OperatorPartials& partials) {
            return partials.reach_of({&moment.ticks, 1}, holder.fields);
        };
        in_mode(wider, reach_of, [&] {
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
        results.append(result_of(*this, out, i, keyed_ ? keys_.key(out.emissions.slot(i)) : nb::object(nb::none())));
    drop_freed({});
    return results;
}

void BoundOperator::check_ends(std::span<const Time> ticks) const {
    if (ticks.empty() || plan().fires_on != FiresOn::slides) return;
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
        holder.members.push_back(object.takes(found) ? found.ptr() : nullptr);
        holder.kept.push_back(std::move(found));
    }
}

std::vector<KeySlot> BoundOperator::key_slots(nb::handle keys, std::size_t size) {
    Times integers;
    if (!keyed_) return std::vector<KeySlot>(size, key_slot(nb::none()));
    if (nb::try_cast(keys, integers, false)) return keys_.slots(std::span(integers.data(), integers.size()));
    return keys_.slots(nb::cast<nb::list>(keys));
}

//! In the loop itself: it is a good part of what an event costs.
[[gnu::always_inline]] inline void BoundOperator::take(EventBatch& batch, std::size_t i, KeySlot slot, IdSlot id,
                                                       nb::handle rows, OperatorPartials& partials, Holder& holder) {
    if (!row_.objects().empty()) read_members(rows[i], batch.ticks(i), holder);
    const bool taken = partials.lift({batch.ticks(i), batch.fields(i), holder.members, holder.time.ptr()});
    engine_->take(batch.event(i, slot, taken, id));
}

void BoundOperator::take_all(EventBatch& batch, std::span<const KeySlot> slots, nb::handle rows,
                             OperatorPartials& partials) {
    // What very many keys have is not in the cache.
    constexpr std::size_t kMany = 1024, kAhead = 8;
    const bool fetches = keys_.size() >= kMany;
    Holder holder;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (fetches && i + 3 * kAhead < batch.size()) {
            state().prefetch_id(slots[i + 3 * kAhead]);
            state().prefetch(slots[i + 2 * kAhead]);
            state().prefetch_entries(slots[i + kAhead]);
        }
        if (!engine_->is_late(batch.ticks(i))) take(batch, i, slots[i], 0, rows, partials, holder);
    }
}

void BoundOperator::change_all(EventBatch& batch, std::span<const KeySlot> slots, nb::handle rows,
                               const ChangeBatch& changes, OperatorPartials& partials, nb::handle on_late) {
    Holder holder;
    std::vector<LateRow> late;
    const auto refuse = [&](std::size_t i, Time ticks) { late.push_back({i, ticks, *state().now().watermark}); };
    for (std::size_t i = 0, next = 0; i < changes.size(); ++i) {
        const std::size_t own = changes.adds(i) ? next++ : next;
        const std::optional<Time> gone =
            changes.removes(i) ? engine_->take_back(slots[i], changes.id(i)) : std::optional<Time>();
        if (gone) {
            refuse(i, *gone);
        } else if (changes.adds(i) && engine_->is_late(batch.ticks(own))) {
            refuse(i, batch.ticks(own));
        } else if (changes.adds(i)) {
            take(batch, own, slots[i], changes.id(i), rows, partials, holder);
        }
    }
    if (late.empty() || on_late.is_none()) return;
    const nb::gil_scoped_acquire held;
    for (const LateRow& row : late) on_late(row.place, row.watermark, row.ticks);
}

ChangeBatch BoundOperator::changes_of(nb::handle changes) {
    const auto does = nb::cast<EventBatch::Flags>(changes[0]);
    Times integers;
    if (nb::try_cast(changes[1], integers, false))
        return {does, ids_.slots(std::span(integers.data(), integers.size()))};
    return {does, ids_.slots(nb::cast<nb::list>(changes[1]))};
}

std::unique_ptr<OperatorResults> BoundOperator::push_many(nb::handle keys, const Times& ticks, const nb::list& columns,
                                                          nb::handle rows, const nb::list& marks, nb::handle fires,
                                                          nb::handle nulls, nb::handle on_late, nb::handle changes) {
    const Busy busy = entered();
    EventBatch batch(row_, ticks, columns);
    batch.read_marks(marks, fires, nulls);
    if (!finished_) check_ends(batch.ticks());
    if (changes.is_none()) hand_over_late(batch.ticks(), on_late);
    EmittedResults out = blank();
    if (finished_) return given(std::move(out));
    if (!state().has_rows()) out.reserve(batch.size() * plan().windows());
    const std::size_t mark = keys_.mark();
    std::vector<KeySlot> made;
    std::vector<IdSlot> made_ids;
    try {
        std::optional<ChangeBatch> script;
        if (!changes.is_none()) script = changes_of(changes);
        const std::vector<KeySlot> slots = key_slots(keys, script ? script->size() : batch.size());
        run(batch, out, [&](OperatorPartials& partials) {
            if (!script) return take_all(batch, slots, rows, partials);
            change_all(batch, slots, rows, *script, partials, on_late);
        });
        made = keys_.made_since(mark);
        made_ids = ids_.made_since(0);
    } catch (...) {
        keys_.drop_since(mark);
        ids_.drop_since(0);
        throw;
    }
    keys_.settle();
    ids_.settle();
    std::unique_ptr<OperatorResults> results = given(std::move(out));
    drop_freed(made);
    for (const IdSlot id : made_ids)
        if (!state().ids().uses(id)) ids_.drop(id);
    return results;
}

}  // namespace sash::face
