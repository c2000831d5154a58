//! Triggers that fire on events: at once, when they are final, or at once and again for what late events revise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sash/operator/emitter.hpp"
#include "sash/operator/operator_state.hpp"
#include "sash/operator/plan.hpp"

namespace sash {

template <Partials P>
class EventTrigger {
public:
    using State = typename OperatorState<P>::State;

    explicit EventTrigger(OperatorState<P>& state) : state_(state), emitter_(state) {}

    //! A row has come to the place; windows are what they were from `unaffected` on, one place a window.
    void row(KeyId id, std::size_t place, std::span<const std::size_t> unaffected) {
        const OperatorPlan& plan = state_.plan();
        if (plan.fires_on == FiresOn::demand) return;
        if (plan.fires_on != FiresOn::events || plan.emit == Emit::final) return state_.wait(id, place);
        const State& state = state_.key(id);
        const bool updates = plan.emit == Emit::update;
        if (!updates && !picks(static_cast<std::int64_t>(state.rows().ever()))) return;
        const Row& row = state.rows()[place];
        if (!updates && !row.fires) return;
        state_.evict_needless(id);
        if (updates) return revise_from(id, state, place, unaffected);
        emit(id, row.ticks, place, row.number);
    }

    //! A row has left; windows are what they were from `unaffected` on.
    void left(KeyId id, const Row& row, std::span<const std::size_t> unaffected) {
        const OperatorPlan& plan = state_.plan();
        if (plan.fires_on != FiresOn::events || plan.emit != Emit::update) return;
        const State& state = state_.key(id);
        const std::size_t first = state.rows().until(row.ticks);
        if (counts()) {
            revise_counted(id, state, first);
            return retract_last(id, state);
        }
        for (std::size_t window = 0; window < windows(); ++window)
            emitter_.retract(id, window, row.number, true, false);
        revise_between(id, state, first, unaffected);
    }

    //! What is before the limit is final; without one, everything is.
    void watermark(std::optional<Time> limit) {
        switch (state_.plan().fires_on) {
            case FiresOn::passed:
                return newest_passed(limit);
            case FiresOn::session_end:
                return sessions_over(limit);
            case FiresOn::events:
                return final_rows(limit);
            default:
                return;
        }
    }

private:
    std::size_t windows() const { return state_.windows(); }
    //! Whether the last of the policies says which rows fire.
    bool by_blocks() const { return state_.plan().policies.size() != windows(); }
    bool fires(const State& state, std::size_t place) const {
        return state.rows()[place].fires && (!by_blocks() || state_.begins_block(state, place));
    }
    bool counts() const { return state_.plan().every > 1; }
    //! Whether the event of that ordinal fires, the first being 1.
    bool picks(std::int64_t ordinal) const {
        return !counts() || ordinal % static_cast<std::int64_t>(state_.plan().every) == 0;
    }

    void emit(KeyId id, Time ticks, std::size_t place, std::int64_t number) {
        const auto bounds = state_.bounds();
        for (std::size_t window = 0; window < windows(); ++window)
            emitter_.emit(id, window, bounds.of_row(state_.key(id), window, ticks, place), {true, number});
    }

    //! The same for a row that is final. Nothing before it can come any more, and rows are emitted in order of time.
    void emit_final(KeyId id, Time ticks, std::size_t place, std::int64_t number) {
        state_.evict_before(id, ticks);
        emit(id, ticks, place, number);
    }

    //! Where a row is: of interest only to windows of events, and where events are counted.
    std::size_t place_of(const State& state, const Waiting& entry) const {
        return state_.aligned() && !counts() ? 0 : state.rows().place_of(entry.ticks, entry.number);
    }

    void final_rows(std::optional<Time> limit) {
        while (const std::optional<Waiting> next = state_.next_waiting(limit)) {
            const State& state = state_.key(next->key);
            const bool fired = fires(state, state.rows().size() - state.waiting());
            state_.pop_waiting();
            if (fired) final_row(*next);
        }
    }

    void final_row(const Waiting& entry) {
        const State& state = state_.key(entry.key);
        const std::size_t place = place_of(state, entry);
        const auto ordinal = static_cast<std::int64_t>(state.rows().dropped() + place + 1);
        if (counts() && !picks(ordinal)) return;
        emit_final(entry.key, entry.ticks, place, counts() ? ordinal : entry.number);
    }

    //! Each key that the watermark has passed rows of emits once, for the newest of those.
    void newest_passed(std::optional<Time> limit) {
        std::map<std::int64_t, Waiting> newest;
        while (const std::optional<Waiting> next = state_.next_waiting(limit)) {
            state_.pop_waiting();
            newest.insert_or_assign(state_.key(next->key).order, *next);
        }
        std::vector<Waiting> entries;
        for (const auto& [order, entry] : newest) entries.push_back(entry);
        std::sort(entries.begin(), entries.end(), [](const Waiting& one, const Waiting& other) { return other > one; });
        for (const Waiting& entry : entries)
            emit_final(entry.key, entry.ticks, place_of(state_.key(entry.key), entry), entry.number);
    }

    //! Each session emits once, when no event can join it any more.
    void sessions_over(std::optional<Time> limit) {
        const windows::Policy& session = state_.plan().policies[0];
        const auto bounds = state_.bounds();
        while (const std::optional<Waiting> next = state_.next_waiting(std::nullopt)) {
            if (limit && !bounds.ends(session, next->ticks, *limit)) return;
            const auto& rows = state_.key(next->key).rows();
            const std::size_t place = rows.place_of(next->ticks, next->number);
            state_.pop_waiting();
            if (place + 1 == rows.size() || bounds.ends(session, next->ticks, rows[place + 1].ticks))
                emit_final(next->key, next->ticks, place, next->number);
        }
    }

    // emit="update"

    void revise_from(KeyId id, const State& state, std::size_t place, std::span<const std::size_t> unaffected) {
        const std::size_t first = state.rows().until(state.rows()[place].ticks);
        if (counts()) return revise_counted(id, state, first);
        if (fires(state, place))
            for (std::size_t window = 0; window < windows(); ++window) revise(id, state, window, place);
        revise_between(id, state, first, unaffected, place);
    }

    //! What was emitted of the rows from the first on that are affected, but for one that was seen to. Where
    //! they are many, all results of a window are computed together, before any of them is emitted.
    void revise_between(KeyId id, const State& state, std::size_t first, std::span<const std::size_t> unaffected,
                        std::optional<std::size_t> done = {}) {
        const std::size_t last = std::min(state.rows().size(), *std::max_element(unaffected.begin(), unaffected.end()));
        constexpr std::size_t kFew = 8;
        const bool together = last > first + kFew;
        revised_.assign(together ? windows() : 0, {});
        for (std::size_t window = 0; window < revised_.size(); ++window) {
            RevisedRows& own = revised_[window];
            for (std::size_t at = first; at < last; ++at) {
                own.changes.push_back(at == done ? Again::same : change_of(id, state, window, at, unaffected));
                if (own.changes.back() == Again::revised) own.add(state_, id, window, at);
            }
            own.compute(state_);
        }
        for (std::size_t at = first; at < last; ++at)
            for (std::size_t window = 0; at != done && window < windows(); ++window)
                revise_again(
                    id, state, window, at,
                    together ? revised_[window].changes[at - first] : change_of(id, state, window, at, unaffected));
    }

    //! What becomes of the result of a row.
    enum class Again : std::uint8_t { same, revised, retracted };

    void revise_again(KeyId id, const State& state, std::size_t window, std::size_t at, Again change) {
        if (change == Again::same) return;
        const std::int64_t number = state.rows()[at].number;
        if (change == Again::retracted) return emitter_.retract(id, window, number, true, true);
        if (revised_.empty()) return revise(id, state, window, at);
        revised_[window].emit_next(emitter_, id, window, number);
    }

    //! A row that no longer fires has no result, and one that does from now on has its first.
    [[gnu::noinline]] Again change_of(KeyId id, const State& state, std::size_t window, std::size_t at,
                                      std::span<const std::size_t> unaffected) const {
        const bool emitted = state_.is_emitted(id, state.rows()[at].number, window);
        const bool fired = by_blocks() && at < unaffected.back() ? fires(state, at) : emitted;
        if (emitted && !fired) return Again::retracted;
        return fired && (at < unaffected[window] || !emitted) ? Again::revised : Again::same;
    }

    void revise(KeyId id, const State& state, std::size_t window, std::size_t place) {
        const Row& row = state.rows()[place];
        emitter_.revise(id, window, state_.bounds().of_row(state, window, row.ticks, place), {true, row.number});
    }

    //! A row that has come or gone makes every later one another in number: each of their results is about another
    //! event.
    void revise_counted(KeyId id, const State& state, std::size_t first) {
        const std::size_t every = state_.plan().every, dropped = state.rows().dropped();
        for (std::size_t at = first + every - 1 - (dropped + first) % every; at < state.rows().size(); at += every) {
            const auto ordinal = static_cast<std::int64_t>(dropped + at + 1);
            const Time ticks = state.rows()[at].ticks;
            for (std::size_t window = 0; window < windows(); ++window)
                emitter_.revise(id, window, state_.bounds().of_row(state, window, ticks, at), {true, ordinal});
        }
    }

    //! After a row has gone, the result of the greatest number may be about none.
    void retract_last(KeyId id, const State& state) {
        const auto beyond = static_cast<std::int64_t>(state.rows().ever() + 1);
        for (std::size_t window = 0; window < windows(); ++window) emitter_.retract(id, window, beyond, true, true);
    }

    //! The rows of one window that a late event revises, in their order.
    struct RevisedRows {
        //! Of all rows that may be affected; the rest is about those that are revised.
        std::vector<Again> changes;
        std::vector<windows::Found> found;
        std::vector<PartialRange> ranges;
        std::vector<typename P::Result> results;
        std::size_t next = 0;

        void add(const OperatorState<P>& state, KeyId id, std::size_t window, std::size_t place) {
            const State& own = state.key(id);
            found.push_back(state.bounds().of_row(own, window, own.rows()[place].ticks, place));
            ranges.push_back(range_of(state, id, window, found.back()));
        }
        void compute(const OperatorState<P>& state) {
            if (!ranges.empty()) results = state.partials().results(ranges);
        }
        void emit_next(Emitter<P>& emitter, KeyId id, std::size_t window, std::int64_t number) {
            emitter.revise(id, window, found[next], {true, number}, std::move(results[next]));
            ++next;
        }
    };

    OperatorState<P>& state_;
    Emitter<P> emitter_;
    //! One a window, where results are computed together; of no use after the call.
    std::vector<RevisedRows> revised_;
};

}  // namespace sash
