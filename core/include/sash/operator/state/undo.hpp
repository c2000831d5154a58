//! The way back: each change of the undo log by its opposite, the last one first.
#pragma once

#include "sash/operator/operator_state.hpp"

namespace sash {

template <Partials P>
void OperatorState<P>::roll_back() {
    partials_->roll_back();
    for (; !undo_.changes.empty(); undo_.changes.pop_back()) {
        Change<Result>& change = undo_.changes.back();
        std::visit([&](auto& what) { undo(change.key, what); }, change.what);
    }
    now_ = undo_.now;
    count_ = undo_.count;
    orders_ = undo_.orders;
    waiting_.assign(all_waiting());
    slides_.assign(all_due());
    idle_.assign(all_idle());
    settle();
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, changes::Opened) {
    close(id);
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, changes::Expired) {
    keys_[id].edit_extras().expired.reset();
    keys_.reinstate(id);
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, const changes::RowPut& put) {
    if (!has_rows_) return;
    State& state = keys_[id];
    const std::size_t place = state.rows().place_of(put.ticks, put.number);
    if (has_sessions_) follow_sessions(state, place, false);
    if (state.has_extras()) std::erase(state.edit_extras().nulls, std::pair(put.ticks, put.number));
    if (plan_.retracts) {
        RowIds& ids = state.edit_extras().ids;
        ids_.drop(ids[place]);
        ids.erase(place, state.rows()[place]);
    }
    state.edit_rows().erase(place);
    if (!aligned_) state.edit_extras().labels.erase(place);
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, const changes::PaneFilled& filled) {
    State& state = keys_[id];
    state.edit_rows().set_has_partial(state.rows().place_of(filled.ticks, filled.number), false);
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, const changes::RowRemoved& removed) {
    State& state = keys_[id];
    const auto& [row, label, known] = removed;
    auto& extras = state.edit_extras();
    const std::size_t place = state.edit_rows().put_back(row);
    extras.labels.insert(place, label);
    extras.ids.insert(place, known, row);
    ids_.add(known);
    if (has_sessions_) follow_sessions(state, place, true);
    if (row.null && counts_values_) put_null(state, row.ticks, row.number);
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, const changes::Stepped& stepped) {
    keys_[id].edit_extras().steps[stepped.window].erase(stepped.place, stepped.starts);
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, const changes::Unstepped& unstepped) {
    const auto& [window, place, starts, mark] = unstepped;
    windows::Steps& steps = keys_[id].edit_extras().steps[window];
    steps.put_back(place, mark, starts);
    if (plan_.policies[window].kind == Policy::Kind::adaptive) steps.follow_measures(place);
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, changes::RowsWaiting waited) {
    keys_[id].set_waiting(waited.count);
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, const changes::Scheduled& scheduled) {
    keys_[id].edit_extras().due = scheduled.due;
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, const changes::NewestSeen& newest) {
    keys_[id].edit_extras().newest = newest.ticks;
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, const changes::Fired& fired) {
    keys_[id].edit_extras().fired = fired.mark;
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, changes::Revised<Result>& revised) {
    keys_[id].edit_extras().revisions.exchange(revised.subject, revised.window, std::move(revised.revision));
}

template <Partials P>
void OperatorState<P>::undo(KeyId id, changes::EmittedLast<Result>& emitted) {
    keys_[id].edit_extras().last[emitted.window] = std::move(emitted.result);
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
