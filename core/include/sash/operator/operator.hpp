//! The operator: windows of very many keys, joined to a trigger and to when results are emitted.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sash/operator/emitter.hpp"
#include "sash/operator/event_trigger.hpp"
#include "sash/operator/operator_state.hpp"
#include "sash/operator/plan.hpp"
#include "sash/operator/slide_trigger.hpp"

namespace sash {

//! Events of keys go in; what they trigger is emitted to the partials. Keys are named by dense numbers. Each call is
//! between begin() and commit() of the state, or roll_back() where it has thrown.
template <Partials P>
class Operator {
public:
    Operator(OperatorPlan plan, P& partials) : state_(std::move(plan), partials), events_(state_), slides_(state_) {}

    OperatorState<P>& state() { return state_; }
    const OperatorState<P>& state() const { return state_; }
    bool is_late(Time ticks) const { return state_.now().is_late(ticks); }

    //! One event, which is not late; the partials have it.
    void take(IncomingEvent&& event) {
        move_clock(event.ticks);
        const KeyId id = state_.open(event.slot, event.ticks);
        const OperatorPlan& plan = state_.plan();
        if (plan.moves && plan.emit == Emit::arrival) event.fires = state_.has_moved(id, event.marks.back());
        state_.has_rows() ? take_row(id, event) : take_at_once(id, event);
    }

    //! The row of the key that is known by the id leaves, and results that change are revised; nothing if there is no
    //! such row. Returns the time of one that the watermark has passed: it stays.
    std::optional<Time> take_back(KeySlot slot, IdSlot known) {
        const KeyId id = state_.current(slot);
        if (id == state_.kNone) return std::nullopt;
        const std::optional<std::size_t> place = state_.place_of(id, known);
        if (!place) return std::nullopt;
        const Row row = state_.key(id).rows()[*place];
        if (is_late(row.ticks)) return row.ticks;
        if (fires_at_slides()) slides_.leaving(id, *place);
        state_.remove(id, *place, unaffected_);
        if (fires_at_slides()) {
            slides_.left(id, row.ticks, unaffected_);
        } else {
            events_.left(id, row, unaffected_);
        }
        return std::nullopt;
    }

    //! An event without a result, late or not; for a plan that needs no rows.
    void insert(const IncomingEvent& event) {
        move_clock(event.ticks);
        state_.put_partial(state_.open(event.slot, event.ticks), event.ticks, event.has_partial);
    }

    //! No event before the ticks will come any more.
    void advance(Time ticks) {
        move_clock(ticks);
        move_watermark(ticks);
    }

    //! The end of the stream: everything that waits is emitted.
    void finish() {
        if (fires_at_slides()) {
            slides_.fire(std::nullopt);
        } else {
            events_.watermark(std::nullopt);
        }
    }

    //! The end of the windows of now: the newest event, or the slide that fires next.
    std::optional<Time> now() const {
        const std::optional<Time>& newest = state_.now().newest;
        return newest && fires_at_slides() ? state_.plan().grid.first(*newest) : newest;
    }

    //! The windows of a key that end at the ticks: visit(window, range, start), without a start if no rows are in it. A
    //! key that is not known has empty windows.
    template <class Visit>
    void query(KeySlot slot, Time ticks, Visit visit) const {
        const KeyId id = state_.current(slot);
        const PartialRange nothing{id, 0, 0, true, state_.plan().min_periods != 0};
        for (std::size_t window = 0; window < state_.windows(); ++window) {
            std::optional<windows::Found> found;
            if (id != state_.kNone) found = find(id, window, ticks);
            const std::optional<Time> start = found ? std::optional(found->start) : std::nullopt;
            visit(window, found ? range_of(state_, id, window, *found) : nothing, start);
        }
    }

private:
    bool fires_at_slides() const { return state_.plan().fires_on == FiresOn::slides; }

    //! Apart, so that each of the two ways of an event has registers of its own.
    [[gnu::noinline]] void take_row(KeyId id, const IncomingEvent& event) {
        const std::size_t place = state_.put(id, event, unaffected_);
        // What is emitted at once does not depend on the watermark, and finds its window alone where that has moved.
        const bool at_once = state_.plan().emit == Emit::arrival && !fires_at_slides();
        if (at_once) follow_newest();
        if (fires_at_slides()) {
            slides_.row(id, event.ticks, place, unaffected_);
        } else {
            events_.row(id, place, unaffected_);
        }
        if (!at_once) follow_newest();
        state_.tidy(id);
    }

    //! Windows that are found by the time of the event alone.
    void take_at_once(KeyId id, const IncomingEvent& event) {
        const std::int64_t number = state_.count();
        follow_newest();
        state_.slide(id, event.ticks, event.has_partial);
        if (state_.plan().fires_on == FiresOn::demand || !event.fires) return;
        for (std::size_t window = 0; window < state_.windows(); ++window) emit_at_once(id, event, window, number);
    }

    void emit_at_once(KeyId id, const IncomingEvent& event, std::size_t window, std::int64_t number) {
        const windows::Found found = state_.bounds().ending(state_.plan().policies[window], event.ticks);
        if (state_.plan().changes_only) return emit_change(id, window, found, number);
        const Emission emission{.slot = event.slot,
                                .window = static_cast<std::uint32_t>(window),
                                .start = found.start,
                                .end = found.end,
                                .number = number,
                                .by_event = true};
        state_.partials().emit(emission, PartialRange{id, found.from, found.to, found.from > found.to, false, window});
    }

    [[gnu::noinline]] void emit_change(KeyId id, std::size_t window, const windows::Found& found, std::int64_t number) {
        Emitter<P>(state_).emit(id, window, found, {true, number});
    }

    std::optional<windows::Found> find(KeyId id, std::size_t window, Time ticks) const {
        if (state_.has_rows()) return state_.bounds().at(state_.key(id), window, ticks);
        const windows::Found found = state_.bounds().ending(state_.plan().policies[window], ticks);
        return state_.partials().any(id, found.from, found.to) ? std::optional(found) : std::nullopt;
    }

    //! The watermark trails the newest event.
    void follow_newest() {
        const OperatorPlan& plan = state_.plan();
        if (plan.lateness) move_watermark(plan.lateness->before(*state_.now().newest, plan.reals));
    }

    void move_clock(Time ticks) {
        EventClock& now = state_.now();
        if (now.newest && ticks <= *now.newest) return;
        if (fires_at_slides() && !slides_.final()) slides_.fire(ticks);
        now.newest = ticks;
        if (state_.plan().expire) state_.expire(ticks);
    }

    void move_watermark(Time ticks) {
        EventClock& now = state_.now();
        if (now.watermark && ticks <= *now.watermark) return;
        now.watermark = ticks;
        if (fires_at_slides()) {
            if (slides_.final()) slides_.fire(ticks);
        } else if (state_.waits()) {
            events_.watermark(ticks);
        }
    }

    OperatorState<P> state_;
    EventTrigger<P> events_;
    SlideTrigger<P> slides_;
    //! Of the row that is being taken in: from which place on windows are what they were, one a window.
    std::vector<std::size_t> unaffected_;
};

}  // namespace sash
