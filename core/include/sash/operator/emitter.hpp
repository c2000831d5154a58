//! How a result is emitted: its window in labels, whether it has changed, and whether it may be revised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "sash/operator/operator_state.hpp"
#include "sash/operator/partials.hpp"
#include "sash/windows/bounds.hpp"

namespace sash {

//! What made the trigger fire: an event, at whose time the window ends, or a slide of time.
struct Cause {
    bool by_event = false;
    std::int64_t number = 0;
};

//! The window as its partials lie.
template <Partials P>
PartialRange range_of(const OperatorState<P>& operator_state, KeyId id, std::size_t window, windows::Found& found) {
    const auto& state = operator_state.key(id);
    PartialRange range{id, found.from, found.to, found.from > found.to, false, window};
    if (operator_state.plan().min_periods != 0) {
        operator_state.bounds().resolve(state, found);
        range.missing = state.valued(found.low, found.high) < operator_state.plan().min_periods;
    }
    if (operator_state.aligned()) return range;
    operator_state.bounds().resolve(state, found);
    range.empty = found.low >= found.high;
    if (range.empty) return range;
    range.from = state.label(found.low);
    range.to = state.label(found.high - 1);
    return range;
}

template <Partials P>
class Emitter {
public:
    explicit Emitter(OperatorState<P>& state) : state_(state) {}

    //! Emits a result once and for all.
    void emit(KeyId id, std::size_t window, windows::Found found, const Cause& cause) {
        const PartialRange range = range_of(state_, id, window, found);
        const Emission emission = about(id, window, found, cause);
        attempt(emission, [&] {
            if (state_.plan().changes_only) return emit_change(id, emission, state_.partials().result(range));
            state_.partials().emit(emission, range);
        });
    }

    //! Emits a result that may be revised, if it is new or not what it was.
    void revise(KeyId id, std::size_t window, windows::Found found, const Cause& cause) {
        const PartialRange range = range_of(state_, id, window, found);
        const Emission emission = about(id, window, found, cause);
        attempt(emission, [&] { revise(id, emission, state_.partials().result(range)); });
    }
    //! The same where the result is known.
    void revise(KeyId id, std::size_t window, const windows::Found& found, const Cause& cause,
                typename P::Result result) {
        revise(id, about(id, window, found, cause), std::move(result));
    }

    //! Emits once more a result that is none any more, if it was emitted. One that may come again goes on counting.
    void retract(KeyId id, std::size_t window, std::int64_t subject, bool by_event, bool may_come_again) {
        if (!state_.is_emitted(id, subject, window)) return;
        Revision<Result> last = *state_.revision(id, subject, window);
        const Emission emission{.slot = state_.slot(id),
                                .window = static_cast<std::uint32_t>(window),
                                .start = last.start,
                                .end = last.end,
                                .number = by_event ? subject : 0,
                                .by_event = by_event,
                                .retracted = true,
                                .revision = last.number + 1};
        last = {last.start, last.end, {}, last.number + 1, true};
        state_.set_revision(id, subject, window, may_come_again ? std::optional(std::move(last)) : std::nullopt);
        // It has no value that could have changed.
        if (!state_.plan().changes_only) state_.partials().emit(emission, Result{});
    }

private:
    using Result = typename P::Result;

    void revise(KeyId id, Emission emission, Result result) {
        const std::size_t window = emission.window;
        const std::int64_t subject = emission.by_event ? emission.number : emission.end;
        if (const auto* const before = state_.revision(id, subject, window)) {
            const bool same_ends = before->start == emission.start && before->end == emission.end;
            if (!before->retracted && same_ends && state_.partials().same(before->result, result)) return;
            emission.revision = before->number + 1;
        }
        if (state_.plan().changes_only) {
            emit_change(id, emission, result);
        } else {
            state_.partials().emit(emission, result);
        }
        state_.set_revision(id, subject, window,
                            Revision<Result>{emission.start, emission.end, std::move(result), emission.revision});
    }

    //! A result that fails when its time has come is no fault of the event that has come: where failures are kept, it
    //! is set aside, and the stream goes on.
    template <class Run>
    void attempt(const Emission& emission, Run run) {
        const bool waited = state_.plan().emit == Emit::final || state_.plan().fires_on != FiresOn::events;
        if (!waited || !state_.partials().keeps_failures()) return run();
        try {
            run();
        } catch (const std::exception&) {
            state_.partials().fail(emission);
        }
    }

    Emission about(KeyId id, std::size_t window, const windows::Found& found, const Cause& cause) const {
        return {.slot = state_.slot(id),
                .window = static_cast<std::uint32_t>(window),
                .start = found.start,
                .end = found.end,
                .number = cause.number,
                .by_event = cause.by_event};
    }

    void emit_change(KeyId id, const Emission& emission, const Result& result) {
        const std::optional<Result>& last = state_.last(id, emission.window);
        if (last && state_.partials().same(*last, result)) return;
        state_.set_last(id, emission.window, result);
        state_.partials().emit(emission, result);
    }

    OperatorState<P>& state_;
};

}  // namespace sash
