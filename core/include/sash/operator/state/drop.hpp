//! What no window can hold any more: partials go at once, rows by halves.
#pragma once

#include "sash/operator/operator_state.hpp"

namespace sash {

template <Partials P>
void OperatorState<P>::drop_needless(KeyId id) {
    if (!now_.watermark || !keys_.has(id)) return;
    evict_needless(id, now_.watermark);
    drop_rows(id);
    State& state = keys_[id];
    const std::size_t many = 2 * plan_.policies.size() * std::max(kFew, state.rows().size());
    if (state.has_extras() && state.extras().revisions.size() > many)
        state.edit_extras().revisions.drop_before(*now_.watermark);
}

template <Partials P>
void OperatorState<P>::evict_needless(KeyId id, const std::optional<Time>& time) {
    if (!time || windows_ == 0) return;
    const State& state = keys_[id];
    if (aligned_) {
        const Time needed = needed_from(state, time);
        if (needed != kEarliest) partials_->evict(id, needed - 1);
    } else if (const std::size_t first = first_needed(state, *time, plan_.policies.size()); first != 0) {
        partials_->evict(id, state.label(first - 1));
    }
}

template <Partials P>
inline Time OperatorState<P>::needed_from(const State& state, const std::optional<Time>& time) const {
    if (!time || windows_ == 0) return kEarliest;
    const auto bounds = this->bounds();
    Time needed = kLatest;
    for (std::size_t window = 0; window < windows_; ++window)
        needed = std::min(needed, bounds.needed_from(state, window, *time));
    return needed;
}

template <Partials P>
std::size_t OperatorState<P>::first_needed(const State& state, Time time, std::size_t policies) const {
    std::size_t needed = state.rows().size();
    for (std::size_t window = 0; window < policies && needed != 0; ++window)
        needed = std::min(needed, bounds().first_needed(state, window, time));
    return needed;
}

//! Now and then, half of the rows at a time, so that it costs O(1) a row.
template <Partials P>
void OperatorState<P>::drop_rows(KeyId id) {
    const State& state = keys_[id];
    if (state.rows().size() <= kFew || !now_.watermark) return;
    const std::size_t needless = first_needed(state, *now_.watermark, plan_.policies.size());
    if (2 * needless > state.rows().size()) drop_rows(id, keys_[id], needless);
}

//! The first rows go, all of a time or none.
template <Partials P>
void OperatorState<P>::drop_rows(KeyId id, State& state, std::size_t count) {
    while (0 < count && count < state.rows().size() && peers(state, count)) --count;
    if (count == 0) return;
    const Row last = state.rows()[count - 1];
    const Time label = state.label(count - 1);
    if (count == state.rows().size() && !sees_newest()) state.edit_extras().newest = last.ticks;
    partials_->evict(id, label);
    if (plan_.retracts) state.edit_extras().ids.drop(state.rows(), count, [&](IdSlot known) { ids_.drop(known); });
    state.edit_rows().drop(count);
    if (!state.has_extras()) return;
    auto& extras = state.edit_extras();
    if (!aligned_) extras.labels.drop(count);
    const std::pair<Time, std::int64_t> gone(last.ticks, last.number);
    extras.nulls.erase(extras.nulls.begin(), std::upper_bound(extras.nulls.begin(), extras.nulls.end(), gone));
    for (windows::SessionStarts& starts : extras.sessions)
        if (!state.rows().empty()) starts.drop_before(state.rows().front().ticks);
    for (windows::Steps& steps : extras.steps)
        if (steps.size() != 0) steps.drop(count);
}

}  // namespace sash
