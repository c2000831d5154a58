//! The trigger at every slide of event time: for each key with events in its window, at each multiple of the slide.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sash/operator/emitter.hpp"
#include "sash/operator/operator_state.hpp"
#include "sash/operator/plan.hpp"

namespace sash {

//! Each key has at most one entry that counts in the queue: the next slide at which its trigger may fire. With `final`
//! a slide is due when the watermark has passed it, otherwise when the newest event has. Slides that were due before a
//! key had events are not its own; with `update` a late event makes them so.
template <Partials P>
class SlideTrigger {
public:
    using State = typename OperatorState<P>::State;

    explicit SlideTrigger(OperatorState<P>& state) : state_(state), emitter_(state), grid_(state.plan().grid) {}

    //! An event has come to the place, where its row or its pane is; windows are what they were from `unaffected` on,
    //! one place a window.
    void row(KeyId id, Time ticks, std::size_t place, std::span<const std::size_t> unaffected) {
        const Time clock = *state_.now().newest;
        if (updates()) revise_from(id, ticks, place, unaffected, clock);
        const std::optional<Time> due = grid_.first(final() ? ticks : std::max(clock, ticks));
        const std::optional<Time> before = state_.key(id).extras().due;
        if (due && (!before || *due < *before)) state_.schedule(id, due);
    }

    //! The row at the place will leave.
    void leaving(KeyId id, std::size_t place) {
        limits_.clear();
        if (!updates()) return;
        const State& state = state_.key(id);
        for (std::size_t window = 0; window < state_.plan().policies.size(); ++window)
            limits_.push_back(first_without(state, window, place));
    }
    //! It has, and its time was this.
    void left(KeyId id, Time ticks, std::span<const std::size_t> unaffected) {
        const State& state = state_.key(id);
        if (updates()) revise_without(id, state, ticks, unaffected);
        const std::optional<Time>& due = state.extras().due;
        if (!due) return;
        if (state.rows().empty()) return state_.schedule(id, std::nullopt);
        // None of the slides before its first row is its own.
        const std::optional<Time> own = grid_.first(state.rows().front().ticks);
        if (!own || *own > *due) state_.schedule(id, own);
    }

    //! Slides before the limit fire; without one, all of them.
    void fire(std::optional<Time> limit) {
        while (state_.slides().any_before(limit)) {
            const Waiting entry = state_.pop_slide();
            if (state_.is_due(entry)) slide(entry.key, entry.ticks, !limit);
        }
    }

    bool final() const { return state_.plan().emit == Emit::final; }

private:
    bool updates() const { return state_.plan().emit == Emit::update; }

    void slide(KeyId id, Time ticks, bool ending) {
        const State& state = state_.key(id);
        if (state.is_expired() && ticks >= *state.extras().expired) return state_.schedule(id, std::nullopt);
        if (const std::optional<Time>& watermark = state_.now().watermark)
            state_.evict_before(id, std::min(*watermark, ticks));
        if (emit_all(id, state, ticks, ending)) return state_.schedule(id, grid_.after(ticks));
        // A row at the slide itself is in a later window, where the end is out.
        const std::size_t following = state.rows().until(ticks);
        if (following == state.rows().size()) return state_.schedule(id, std::nullopt);
        const std::optional<Time> next = grid_.after(ticks);
        const std::optional<Time> own = grid_.first(state.rows()[following].ticks);
        state_.schedule(id, next && own ? std::optional(std::max(*next, *own)) : std::nullopt);
    }

    //! Whether any window has rows.
    bool emit_all(KeyId id, const State& state, Time ticks, bool ending) {
        const bool over = ending && stops_before(state, ticks);
        const auto bounds = state_.bounds();
        bool any = false;
        for (std::size_t window = 0; window < state_.plan().policies.size(); ++window) {
            if (over && !state_.plan().policies[window].fades()) continue;
            const std::optional<windows::Found> found = bounds.at(state, window, ticks);
            if (!found) continue;
            any = true;
            if (updates()) {
                emitter_.revise(id, window, *found, {});
            } else {
                emitter_.emit(id, window, *found, {});
            }
        }
        return any;
    }

    //! At the end of the stream a window that never empties would fire forever: it stops where event time has.
    bool stops_before(const State& state, Time ticks) const {
        const std::optional<Time>& clock = state_.now().newest;
        if (!clock || ticks < *clock) return false;
        const std::optional<Time> own = grid_.first(state.newest());
        return own && ticks > *own;
    }

    void revise_from(KeyId id, Time ticks, std::size_t place, std::span<const std::size_t> unaffected, Time clock) {
        const State& state = state_.key(id);
        const auto bounds = state_.bounds();
        std::vector<bool> touched(unaffected.size(), true);
        std::size_t left = touched.size();
        std::optional<Time> due = grid_.first(ticks);
        for (; left > 0 && due && *due < clock; due = grid_.after(*due)) {
            for (std::size_t window = 0; window < touched.size(); ++window) {
                if (!touched[window]) continue;
                const std::optional<windows::Found> found = bounds.at(state, window, *due);
                if (is_beyond(state, place, window, unaffected[window], *due, found)) {
                    touched[window] = false;
                    --left;
                } else if (found) {
                    emitter_.revise(id, window, *found, {});
                }
            }
        }
    }

    //! The first slide from which on no window holds the row at the place; nothing if there is none before the clock.
    std::optional<Time> first_without(const State& state, std::size_t window, std::size_t place) const {
        if (!state_.plan().policies[window].fades()) return std::nullopt;
        const auto bounds = state_.bounds();
        const Time clock = *state_.now().newest;
        std::optional<Time> due = grid_.first(state.rows()[place].ticks);
        for (; due && *due < clock; due = grid_.after(*due))
            if (is_beyond(state, place, window, state.rows().size(), *due, bounds.at(state, window, *due))) return due;
        return std::nullopt;
    }

    void revise_without(KeyId id, const State& state, Time ticks, std::span<const std::size_t> unaffected) {
        const auto bounds = state_.bounds();
        const Time clock = *state_.now().newest;
        for (std::optional<Time> due = grid_.first(ticks); due && *due < clock; due = grid_.after(*due)) {
            bool any = false;
            for (std::size_t window = 0; window < unaffected.size(); ++window) {
                if (limits_[window] && *due >= *limits_[window]) continue;
                if (unaffected[window] < state.rows().size() && *due > state.rows()[unaffected[window]].ticks) continue;
                any = true;
                if (const std::optional<windows::Found> found = bounds.at(state, window, *due)) {
                    emitter_.revise(id, window, *found, {});
                } else {
                    emitter_.retract(id, window, *due, false, true);
                }
            }
            if (!any) return;
        }
    }

    //! Whether this window at the slide, and at every later one, is what it was before the row came.
    bool is_beyond(const State& state, std::size_t place, std::size_t window, std::size_t unaffected, Time due,
                   const std::optional<windows::Found>& found) const {
        // Not at the time of the unaffected row: where the end is out, the window there ends before that row.
        if (unaffected < state.rows().size() && due > state.rows()[unaffected].ticks) return true;
        // A slide at the time of the row itself need not hold it, where the end is out.
        return state_.plan().policies[window].fades() && due > state.rows()[place].ticks &&
               (!found || found->low > place);
    }

    OperatorState<P>& state_;
    Emitter<P> emitter_;
    const windows::Grid& grid_;
    //! Of the row that leaves, one a window.
    std::vector<std::optional<Time>> limits_;
};

}  // namespace sash
