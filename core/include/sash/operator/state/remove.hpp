//! How a row that is taken back leaves the state of its key.
#pragma once

#include "sash/operator/operator_state.hpp"

namespace sash {

template <Partials P>
std::optional<std::size_t> OperatorState<P>::place_of(KeyId id, IdSlot known) const {
    const State& state = key(id);
    const auto row = state.extras().ids.last(known);
    if (!row) return std::nullopt;
    const std::size_t place = state.rows().place_of(row->ticks, row->number);
    // Rows are dropped now and then: what is not needed is not there, whether it was dropped or not.
    if (now_.watermark && place < first_needed(state, *now_.watermark, windows_)) return std::nullopt;
    return place;
}

template <Partials P>
void OperatorState<P>::remove(KeyId id, std::size_t place, std::vector<std::size_t>& unaffected) {
    touch(id);
    const bool wanted = has_steps_ || plan_.emit == Emit::update;
    unaffected.clear();
    // What held the row is known while it is there.
    for (std::size_t window = 0; wanted && window < plan_.policies.size(); ++window)
        unaffected.push_back(plan_.policies[window].stepping() ? 0 : bounds().unaffected(key(id), window, place) - 1);
    if (key(id).rows()[place].has_partial) partials_->erase(id, key(id).label(place));
    remove_row(id, place);
    for (std::size_t window = 0; wanted && window < plan_.policies.size(); ++window)
        if (plan_.policies[window].stepping()) unaffected[window] = unstep(id, window, place);
}

template <Partials P>
void OperatorState<P>::remove_row(KeyId id, std::size_t place) {
    State& state = keys_[id];
    auto& extras = state.edit_extras();
    const Row row = state.rows()[place];
    const IdSlot known = extras.ids[place];
    if (undo_.on) note(id, changes::RowRemoved{row, extras.labels[place], known});
    stop_waiting(id, place);
    if (has_sessions_) follow_sessions(state, place, false);
    std::erase(extras.nulls, std::pair(row.ticks, std::int64_t{row.number}));
    extras.ids.erase(place, row);
    ids_.drop(known);
    extras.labels.erase(place);
    state.edit_rows().erase(place);
    // The queue knows the first that waits: it may be another now.
    if (state.waiting() != 0) waiting_.push(first_waiting(id));
}

//! The row at the place waits no more, if it did.
template <Partials P>
void OperatorState<P>::stop_waiting(KeyId id, std::size_t place) {
    const State& state = key(id);
    if (place + state.waiting() >= state.rows().size()) set_waiting(id, state.waiting() - 1);
}

template <Partials P>
std::size_t OperatorState<P>::unstep(KeyId id, std::size_t window, std::size_t place) {
    windows::Steps& steps = keys_[id].edit_extras().steps[window];
    const bool adaptive = plan_.policies[window].kind == Policy::Kind::adaptive;
    const windows::Mark mark = steps.mark(place);
    windows::Steps::Before before;
    steps.remove(place);
    if (adaptive) steps.follow_measures(place);
    try {
        const std::size_t settled = steps.settle_without(
            place, [&](std::size_t start, std::size_t at) { return next_start(id, window, start, at); }, before);
        if (undo_.on) note(id, changes::Unstepped{window, place, std::move(before), mark});
        return past_first(window, settled);
    } catch (...) {
        steps.put_back(place, mark, before);
        if (adaptive) steps.follow_measures(place);
        throw;
    }
}

}  // namespace sash
