//! The way back: each change of the undo log by its opposite, the last one first.
#pragma once

#include "sash/operator/operator_state.hpp"

namespace sash {

template <Partials P>
void OperatorState<P>::roll_back() {
    partials_->roll_back();
    for (; !undo_.changes.empty(); undo_.changes.pop_back()) undo(undo_.changes.back());
    now_ = undo_.now;
    count_ = undo_.count;
    orders_ = undo_.orders;
    waiting_.assign(all_waiting());
    slides_.assign(all_due());
    idle_.assign(all_idle());
    settle();
}

template <Partials P>
void OperatorState<P>::undo(Change<Result>& change) {
    State& state = keys_[change.key];
    switch (change.kind) {
        case Kind::put:
            return undo_put(state, change);
        case Kind::removed:
            return undo_remove(state, change);
        case Kind::unsteps:
            return undo_unstep(state, change);
        case Kind::filled:
            return state.edit_rows().set_has_partial(state.rows().place_of(change.ticks, change.number), false);
        case Kind::steps:
            return state.edit_extras().steps[change.window].erase(static_cast<std::size_t>(change.number),
                                                                  change.starts);
        case Kind::opened:
            return close(change.key);
        case Kind::waiting:
            return state.set_waiting(static_cast<std::uint32_t>(change.number));
        case Kind::expired:
            state.edit_extras().expired.reset();
            return keys_.reinstate(change.key);
        case Kind::due:
            state.edit_extras().due = change.before;
            return;
        case Kind::fired:
            state.edit_extras().fired = change.seldom->fired;
            return;
        case Kind::newest:
            state.edit_extras().newest = change.before;
            return;
        case Kind::revision:
            state.edit_extras().revisions.exchange(change.number, change.window, std::move(change.revision));
            return;
        case Kind::last:
            state.edit_extras().last[change.window] = std::move(change.last);
    }
}

template <Partials P>
void OperatorState<P>::undo_put(State& state, const Change<Result>& change) {
    if (!has_rows_) return;
    const std::size_t place = state.rows().place_of(change.ticks, change.number);
    if (has_sessions_) follow_sessions(state, place, false);
    if (state.has_extras()) std::erase(state.edit_extras().nulls, std::pair(change.ticks, change.number));
    if (plan_.retracts) {
        RowIds& ids = state.edit_extras().ids;
        ids_.drop(ids[place]);
        ids.erase(place, state.rows()[place]);
    }
    state.edit_rows().erase(place);
    if (!aligned_) state.edit_extras().labels.erase(place);
}

template <Partials P>
void OperatorState<P>::undo_remove(State& state, const Change<Result>& change) {
    const auto& [row, label, known, mark, fired] = *change.seldom;
    auto& extras = state.edit_extras();
    const std::size_t place = state.edit_rows().put_back(row);
    extras.labels.insert(place, label);
    extras.ids.insert(place, known, row);
    ids_.add(known);
    if (has_sessions_) follow_sessions(state, place, true);
    if (row.null && counts_values_) put_null(state, row.ticks, row.number);
}

template <Partials P>
void OperatorState<P>::undo_unstep(State& state, const Change<Result>& change) {
    windows::Steps& steps = state.edit_extras().steps[change.window];
    const auto place = static_cast<std::size_t>(change.number);
    steps.put_back(place, change.seldom->mark, change.starts);
    if (plan_.policies[change.window].kind == Policy::Kind::adaptive) steps.follow_measures(place);
}

// The queues anew: what a call left in them is not worth a note.

template <Partials P>
std::vector<Waiting> OperatorState<P>::all_waiting() const {
    std::vector<Waiting> entries;
    keys_.for_each([&](KeyId id, const State& state) {
        if (state.waiting() != 0) entries.push_back(first_waiting(id));
    });
    return entries;
}

template <Partials P>
std::vector<Waiting> OperatorState<P>::all_due() const {
    std::vector<Waiting> entries;
    keys_.for_each([&](KeyId id, const State& state) {
        if (due(id)) entries.push_back({*due(id), state.order, id});
    });
    return entries;
}

template <Partials P>
std::vector<Waiting> OperatorState<P>::all_idle() const {
    std::vector<Waiting> entries;
    keys_.for_each([&](KeyId id, const State& state) {
        if (plan_.expire && !state.is_expired()) entries.push_back({newest(state), state.order, id});
    });
    return entries;
}

}  // namespace sash
