//! How an event comes into the state of its key: as a row, or into its pane, and as a partial.
#pragma once

#include "sash/operator/operator_state.hpp"

namespace sash {

template <Partials P>
bool OperatorState<P>::has_moved(KeyId id, const windows::Mark& mark) {
    if (!mark.any()) return false;
    std::optional<windows::Mark>& fired = keys_[id].edit_extras().fired;
    if (fired && !mark.is_apart(*fired, *plan_.moves)) return false;
    const bool first = !fired;
    if (undo_.on) note(id, changes::Fired{fired});
    fired = mark;
    return !first;
}

template <Partials P>
std::size_t OperatorState<P>::put(KeyId id, const IncomingEvent& event, std::vector<std::size_t>& unaffected) {
    touch(id);
    const std::size_t place = plan_.panes ? put_in_pane(id, event) : put_row(id, event);
    // Only revisions look at it, but steps are taken here whatever is emitted.
    if (has_steps_ || plan_.emit == Emit::update) find_unaffected(id, place, event.marks, unaffected);
    return place;
}

template <Partials P>
std::size_t OperatorState<P>::put_row(KeyId id, const IncomingEvent& event) {
    State& state = keys_[id];
    if (sees_newest()) see(id, event.ticks);
    if (undo_.on) note(id, changes::RowPut{event.ticks, count_});
    const std::int64_t number = count_++;
    const std::size_t place = state.edit_rows().insert({.ticks = event.ticks,
                                                        .number = number,
                                                        .has_partial = event.has_partial,
                                                        .null = event.null,
                                                        .fires = event.fires});
    const auto gone = [&] { return labels_gone(id); };
    const std::optional<Relabelled> moved =
        aligned_ ? std::optional<Relabelled>() : state.edit_extras().labels.give(place, gone);
    const Time label = aligned_ ? event.ticks : state.extras().labels.recent();
    if (plan_.retracts) {
        state.edit_extras().ids.insert(place, event.id, state.rows()[place]);
        ids_.add(event.id);
    }
    if (has_sessions_) follow_sessions(state, place, true);
    if (event.null && counts_values_) put_null(state, event.ticks, number);
    if (moved) relabel(id, *moved);
    if (event.has_partial) partials_->insert(id, label);
    return place;
}

//! Partials and the way back follow.
template <Partials P>
void OperatorState<P>::relabel(KeyId id, const Relabelled& moved) {
    partials_->relabel(id, moved.from, moved.to);
    for (Change<Result>& change : undo_.changes) {
        auto* const removed = std::get_if<changes::RowRemoved>(&change.what);
        if (removed == nullptr || change.key != id) continue;
        const auto found = std::lower_bound(moved.from.begin(), moved.from.end(), removed->label);
        removed->label = moved.to[static_cast<std::size_t>(found - moved.from.begin())];
    }
}

//! Of the rows that were taken back in this call, ascending.
template <Partials P>
std::vector<Time> OperatorState<P>::labels_gone(KeyId id) const {
    std::vector<Time> labels;
    for (const Change<Result>& change : undo_.changes) {
        const auto* const removed = std::get_if<changes::RowRemoved>(&change.what);
        if (removed != nullptr && change.key == id) labels.push_back(removed->label);
    }
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
}

//! All events of a pane are one row and one partial, under the pane's label.
template <Partials P>
std::size_t OperatorState<P>::put_in_pane(KeyId id, const IncomingEvent& event) {
    const Time label = plan_.panes->label(event.ticks);
    if (plan_.expire) see(id, event.ticks);
    const std::size_t place = put_pane_row(id, label, event.has_partial);
    if (event.has_partial) partials_->insert(id, label);
    return place;
}

template <Partials P>
std::size_t OperatorState<P>::put_pane_row(KeyId id, Time label, bool has_partial) {
    State& state = keys_[id];
    const std::int64_t number = count_++;
    const std::size_t place = state.rows().until(label);
    if (place == state.rows().size() || state.rows()[place].ticks != label) {
        if (undo_.on) note(id, changes::RowPut{label, number});
        state.edit_rows().insert(
            {.ticks = label, .number = number, .has_partial = has_partial, .null = false, .fires = true});
    } else if (has_partial && !state.rows()[place].has_partial) {
        if (undo_.on) note(id, changes::PaneFilled{label, state.rows()[place].number});
        state.edit_rows().set_has_partial(place, true);
    }
    return place;
}

template <Partials P>
void OperatorState<P>::follow_sessions(State& state, std::size_t place, bool comes) {
    for (std::size_t window = 0; window < plan_.policies.size(); ++window) {
        const Policy& policy = plan_.policies[window];
        if (policy.kind == Policy::Kind::session)
            state.edit_extras().sessions[window].follow(state.rows(), place, comes, policy.span.length, plan_.reals);
    }
}

template <Partials P>
void OperatorState<P>::put_null(State& state, Time ticks, std::int64_t number) {
    const std::pair null(ticks, number);
    auto& nulls = state.edit_extras().nulls;
    nulls.insert(std::lower_bound(nulls.begin(), nulls.end(), null), null);
}

template <Partials P>
void OperatorState<P>::find_unaffected(KeyId id, std::size_t place, std::span<const windows::Mark> marks,
                                       std::vector<std::size_t>& unaffected) {
    unaffected.clear();
    for (std::size_t window = 0; window < plan_.policies.size(); ++window) {
        const windows::Mark mark = marks.empty() ? windows::Mark{} : marks[window];
        unaffected.push_back(plan_.policies[window].stepping() ? step(id, window, place, mark)
                                                               : bounds().unaffected(keys_[id], window, place));
    }
}

template <Partials P>
std::size_t OperatorState<P>::step(KeyId id, std::size_t window, std::size_t place, const windows::Mark& mark) {
    State& state = keys_[id];
    windows::Steps& steps = state.edit_extras().steps[window];
    steps.insert(place, mark);
    if (plan_.policies[window].kind == Policy::Kind::adaptive) steps.follow_measures(place);
    windows::Steps::Before before;
    try {
        const std::size_t settled = steps.settle(
            place, [&](std::size_t start, std::size_t at) { return next_start(id, window, start, at); }, before);
        if (undo_.on) note(id, changes::Stepped{window, place, std::move(before)});
        return past_first(window, settled);
    } catch (...) {
        steps.erase(place, before);
        throw;
    }
}

//! The first row of all begins a block and does not fire: which one that is may have changed where blocks have not.
template <Partials P>
std::size_t OperatorState<P>::past_first(std::size_t window, std::size_t settled) const {
    return settled + plan_.policies[window].fires();
}

//! Where the window of a row begins, given where that of the row before began.
template <Partials P>
std::size_t OperatorState<P>::next_start(KeyId id, std::size_t window, std::size_t start, std::size_t place) const {
    const Policy& policy = plan_.policies[window];
    if (policy.kind == Policy::Kind::programmable) return leaving(id, window, start, place);
    return keys_[id].extras().steps[window].next(policy, start, place);
}

//! The step of a programmable window. Rows without a value have no result to show: they go with the first that has one.
template <Partials P>
std::size_t OperatorState<P>::leaving(KeyId id, std::size_t window, std::size_t start, std::size_t place) const {
    const State& state = keys_[id];
    if (state.valued(start, place + 1) == 0) return start;
    if (plan_.policies[window].counts) return leaving_by_count(state, window, start, place);
    const Time begin = state.label(start);
    const auto run = [&](std::size_t end) {
        return PartialRange{id, begin, end == start ? begin : state.label(end), false, false};
    };
    const auto total = partials_->seen_by(window, run(place));
    return windows::Steps::while_leaving(start, place, [&](std::size_t end) {
        while (state.valued(start, end + 1) == 0) ++end;
        return !partials_->evicts(window, total, run(end));
    });
}

//! The same where a count is all that is seen: no partial is looked at.
template <Partials P>
std::size_t OperatorState<P>::leaving_by_count(const State& state, std::size_t window, std::size_t start,
                                               std::size_t place) const {
    const auto total = partials_->counted(state.valued(start, place + 1));
    return windows::Steps::while_leaving(start, place, [&](std::size_t end) {
        std::size_t values = state.valued(start, end + 1);
        while (values == 0) values = state.valued(start, ++end + 1);
        return !partials_->evicts(window, total, values);
    });
}

}  // namespace sash
