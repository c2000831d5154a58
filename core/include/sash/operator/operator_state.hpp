//! The state of an operator: all keys, what waits, and the way back from whatever changes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sash/operator/event_clock.hpp"
#include "sash/operator/key_state.hpp"
#include "sash/operator/key_states.hpp"
#include "sash/operator/partials.hpp"
#include "sash/operator/plan.hpp"
#include "sash/operator/undo_log.hpp"
#include "sash/operator/waiting_queue.hpp"
#include "sash/windows/bounds.hpp"

namespace sash {

//! An event on its way in: whose it is, whether it has a partial, whether its value is null, whether it fires the
//! trigger, what the windows read of it, one mark each where any of them reads one, and what it is known by, where it
//! may be taken back.
struct IncomingEvent {
    KeySlot slot;
    Time ticks;
    bool has_partial = true;
    bool null = false;
    bool fires = true;
    std::span<const windows::Mark> marks = {};
    IdSlot id = 0;
};

//! Every change goes through here. Between begin() and commit() or roll_back() nothing is dropped; where a call may
//! fail, each change leaves its opposite in the undo log.
template <Partials P>
class OperatorState {
public:
    using Result = typename P::Result;
    using State = KeyState<Result>;
    using Policy = windows::Policy;
    static constexpr KeyId kNone = KeyStates<State>::kNone;

    OperatorState(OperatorPlan plan, P& partials)
        : plan_(std::move(plan)),
          partials_(&partials),
          windows_(plan_.windows()),
          aligned_(plan_.aligned()),
          has_rows_(plan_.needs_rows()),
          has_sessions_(plan_.has(Policy::Kind::session)),
          has_steps_(plan_.has_steps()),
          counts_values_(plan_.counts_values()) {}
    OperatorState(const OperatorState&) = delete;
    OperatorState& operator=(const OperatorState&) = delete;

    const OperatorPlan& plan() const { return plan_; }
    std::size_t windows() const { return windows_; }
    //! One partial a time, under the time itself; otherwise one a row.
    bool aligned() const { return aligned_; }
    bool has_rows() const { return has_rows_; }
    windows::Bounds<State> bounds() const { return {plan_.policies, plan_.reals}; }
    P& partials() const { return *partials_; }
    //! Others with the same entries for the same keys.
    void set_partials(P& partials) { partials_ = &partials; }
    const EventClock& now() const { return now_; }
    EventClock& now() { return now_; }
    const State& key(KeyId id) const { return keys_[id]; }
    KeySlot slot(KeyId id) const { return keys_.slot(id); }
    //! The state of a key; kNone if there is none.
    KeyId current(KeySlot slot) const { return keys_.current(slot); }
    //! Whether a state, expired or not, is of the key.
    bool uses(KeySlot slot) const { return keys_.uses(slot); }
    const WaitingQueue& slides() const { return slides_; }
    std::int64_t count() const { return count_; }

    // A call, and the way back

    void begin(bool may_fail) {
        undo_.on = may_fail;
        undo_.now = now_;
        undo_.count = count_;
        undo_.orders = orders_;
    }

    //! Everything as it was before begin().
    void roll_back();

    //! The call went well: drops what no window needs, and the states that are done.
    void commit() {
        partials_->commit();
        for (const KeyId id : touched_) drop_needless(id);
        commit_end();
    }
    //! The same at the end of the stream, where nothing is worth dropping.
    void commit_end() {
        partials_->commit();
        for (const KeyId id : done_) close_if_done(id);
        settle();
    }
    //! The same for all keys.
    void commit_all() {
        keys_.for_each([&](KeyId id, const State& state) {
            if (!state.is_expired()) touch(id);
        });
        commit();
    }
    //! Drops rows in the midst of a call that cannot fail, so that a long batch retains no more than a short one. All
    //! that is before the watermark has been emitted.
    void tidy(KeyId id) {
        State& state = keys_[id];
        if (undo_.on || state.rows().size() <= kFew || state.rows().size() < state.extras().drop_at) return;
        drop_rows(id);
        state.edit_extras().drop_at = 2 * state.rows().size();
    }
    //! The keys that have no state any more, since the last call.
    std::vector<KeySlot> take_freed() { return keys_.take_freed(); }
    //! What rows are known by.
    IdUses& ids() { return ids_; }
    const IdUses& ids() const { return ids_; }

    //! Partials go once no window which ends at or after the watermark, or the time, can hold them. Before a result is
    //! computed: what is left is its window, and the total is ready.
    void evict_needless(KeyId id) { evict_needless(id, now_.watermark); }
    void evict_before(KeyId id, Time time) { evict_needless(id, time); }

    //! An event of the key will come soon: first which state it has, then that, then where its partials are.
    void prefetch_id(KeySlot slot) const { keys_.prefetch(slot); }
    void prefetch(KeySlot slot) const {
        const KeyId id = current(slot);
        if (id == kNone) return;
        if (has_rows_) __builtin_prefetch(&keys_[id]);
        partials_->prefetch(id, false);
    }
    void prefetch_entries(KeySlot slot) const {
        const KeyId id = current(slot);
        if (id != kNone) partials_->prefetch(id, true);
    }

    //! Drops what no window after the watermark can hold, and the keys that have nothing left. O(keys).
    void trim() {
        keys_.for_each([&](KeyId id, const State&) {
            evict_needless(id, now_.watermark);
            if (partials_->empty(id)) close(id);
        });
    }

    // Rows

    //! The state of a key, which is made if there is none.
    KeyId open(KeySlot slot, Time ticks) {
        const KeyId found = current(slot);
        return found != kNone ? found : open_new(slot, ticks);
    }

    //! An event that leaves no row: its partial alone.
    void put_partial(KeyId id, Time ticks, bool has_partial) {
        count_in(id, ticks);
        if (has_partial) partials_->insert(id, ticks);
    }
    //! The same, once the partials have gone that no window can hold any more.
    void slide(KeyId id, Time ticks, bool has_partial) {
        count_in(id, ticks);
        partials_->slide(id, needed_from(keys_[id], now_.watermark), ticks, has_partial);
    }

    //! A row of the key, behind its peers; the place that it came to. Where the plan has panes, the row is that of its
    //! pane, and may have been there. `unaffected` gets for each window the place from which on windows are what they
    //! were.
    std::size_t put(KeyId id, const IncomingEvent& event, std::vector<std::size_t>& unaffected);

    //! Where the row is that came last of those with the id, if a window may still need it.
    std::optional<std::size_t> place_of(KeyId id, IdSlot known) const;
    //! The row at the place leaves. `unaffected` is as above, in the places of now. O(log n) combines.
    void remove(KeyId id, std::size_t place, std::vector<std::size_t>& unaffected);

    //! Whether an event with the mark fires, where those do whose measure has moved since one came that did.
    bool has_moved(KeyId id, const windows::Mark& mark);
    //! Whether the row at the place fires, where those do whose measure has moved since one before it did.
    bool begins_block(const State& state, std::size_t place) const {
        const std::size_t blocks = plan_.policies.size() - 1;
        return state.rows().dropped() + place != 0 && state.extras().steps[blocks].first(place) == place;
    }

    // What waits

    //! Whether any row does.
    bool waits() const { return !waiting_.empty(); }
    //! The row that has come to the place waits to be emitted.
    void wait(KeyId id, std::size_t place) {
        State& state = keys_[id];
        set_waiting(id, state.waiting() + 1);
        if (place == state.rows().size() - state.waiting()) waiting_.push(first_waiting(id));
    }
    //! The row that waits with the least time, if that is before the limit.
    std::optional<Waiting> next_waiting(const std::optional<Time>& limit) {
        for (; waiting_.any_before(limit); waiting_.pop())
            if (is_first(waiting_.least())) return waiting_.least();
        return std::nullopt;
    }
    //! It need not wait any more.
    void pop_waiting() {
        const KeyId id = waiting_.pop().key;
        State& state = keys_[id];
        set_waiting(id, state.waiting() - 1);
        if (state.waiting() != 0) {
            waiting_.push(first_waiting(id));
        } else if (state.is_expired()) {
            done_.push_back(id);
        }
    }

    //! When the trigger fires next for the key.
    void schedule(KeyId id, std::optional<Time> due) {
        State& state = keys_[id];
        if (undo_.on) note(id, changes::Scheduled{state.extras().due});
        state.edit_extras().due = due;
        if (due) slides_.push({*due, state.order, id});
        if (!due && state.is_expired()) done_.push_back(id);
    }
    Waiting pop_slide() { return slides_.pop(); }
    //! Whether an entry of the slides counts: the others were left behind by earlier ones.
    bool is_due(const Waiting& entry) const { return is_of(entry) && due(entry.key) == entry.ticks; }

    // What was emitted

    const std::optional<Result>& last(KeyId id, std::size_t window) {
        auto& last = keys_[id].edit_extras().last;
        if (last.empty()) last.resize(windows_);
        return last[window];
    }
    void set_last(KeyId id, std::size_t window, const Result& result) {
        std::optional<Result>& last = keys_[id].edit_extras().last[window];
        if (undo_.on) note(id, changes::EmittedLast<Result>{window, std::move(last)});
        last = result;
    }
    //! Nothing if it was not emitted.
    const Revision<Result>* revision(KeyId id, std::int64_t subject, std::size_t window) const {
        return key(id).extras().revisions.find(subject, window);
    }
    //! Whether it was, and was not taken back.
    bool is_emitted(KeyId id, std::int64_t subject, std::size_t window) const {
        const Revision<Result>* const before = revision(id, subject, window);
        return before != nullptr && !before->retracted;
    }
    //! Without a new one, what was emitted is forgotten.
    void set_revision(KeyId id, std::int64_t subject, std::size_t window, std::optional<Revision<Result>> revision) {
        std::optional<Revision<Result>> before =
            keys_[id].edit_extras().revisions.exchange(subject, window, std::move(revision));
        if (undo_.on) note(id, changes::Revised<Result>{subject, window, std::move(before)});
    }

    // Idle keys

    //! Drops the keys that have been idle too long. What still waits to be emitted of them is emitted.
    void expire(Time clock) {
        while (!idle_.empty() && plan_.expire->apart(idle_.least().ticks, clock, plan_.reals)) {
            const Waiting entry = idle_.pop();
            if (!is_of(entry) || keys_[entry.key].is_expired()) continue;
            State& state = keys_[entry.key];
            if (newest(state) > entry.ticks) {
                idle_.push({newest(state), entry.number, entry.key});
                continue;
            }
            if (undo_.on) note(entry.key, changes::Expired{});
            state.edit_extras().expired = clock;
            keys_.retire(entry.key);
            done_.push_back(entry.key);
        }
    }

    //! Calls f(result) on every result that is retained.
    template <class F>
    void for_each_result(F f) const {
        keys_.for_each([&](KeyId, const State& state) {
            for (const auto& entry : state.extras().revisions.entries()) f(entry.revision.result);
            for (const std::optional<Result>& last : state.extras().last)
                if (last) f(*last);
        });
    }

    std::size_t bytes() const {
        return keys_.bytes() + ids_.bytes() + waiting_.bytes() + slides_.bytes() + idle_.bytes();
    }

private:
    template <StoredPartials>
    friend class OperatorSnapshot;

    //! Fewer rows than this are not worth dropping one by one.
    static constexpr std::size_t kFew = 64;

    //! Whether an entry is of the state that has its id now.
    bool is_of(const Waiting& entry) const { return keys_.has(entry.key) && keys_[entry.key].order == entry.number; }

    //! Whether an entry is of the first row that waits of its key: earlier ones may have come in front of it.
    bool is_first(const Waiting& entry) const {
        if (!keys_.has(entry.key) || key(entry.key).waiting() == 0) return false;
        return key(entry.key).first_waiting().number == entry.number;
    }
    Waiting first_waiting(KeyId id) const {
        const Row& row = key(id).first_waiting();
        return {row.ticks, row.number, id};
    }
    void set_waiting(KeyId id, std::uint32_t count) {
        State& state = keys_[id];
        if (undo_.on) note(id, changes::RowsWaiting{state.waiting()});
        state.set_waiting(count);
    }

    const std::optional<Time>& due(KeyId id) const { return key(id).extras().due; }

    //! Called only where the undo log is on: most calls cannot fail.
    template <class What>
    void note(KeyId id, What what) {
        undo_.changes.push_back({id, std::move(what)});
    }

    void touch(KeyId id) {
        if (keys_[id].touched) return;
        keys_[id].touched = true;
        touched_.push_back(id);
    }

    //! Whether the newest event of a key is noted: where keys expire, and its rows do not, or not for sure, have its
    //! time.
    bool sees_newest() const { return plan_.expire && (plan_.panes || !has_rows_ || plan_.retracts); }
    Time newest(const State& state) const {
        return sees_newest() ? state.extras().newest.value_or(kEarliest) : state.newest();
    }
    void see(KeyId id, Time ticks) {
        std::optional<Time>& newest = keys_[id].edit_extras().newest;
        if (undo_.on) note(id, changes::NewestSeen{newest});
        newest = std::max(newest.value_or(ticks), ticks);
    }

    //! An event that leaves no row.
    void count_in(KeyId id, Time ticks) {
        ++count_;
        if (undo_.on) touch(id);
        if (plan_.expire) see(id, ticks);
    }

    void settle() {
        undo_.changes.clear();
        for (const KeyId id : touched_)
            if (keys_.has(id)) keys_[id].touched = false;
        touched_.clear();
        done_.clear();
    }

    //! Apart: once for each key, and the way of every other event is short.
    [[gnu::noinline]] KeyId open_new(KeySlot slot, Time ticks) {
        const KeyId id = add(slot, orders_++);
        if (undo_.on) note(id, changes::Opened{});
        if (plan_.expire) idle_.push({ticks, keys_[id].order, id});
        return id;
    }

    KeyId add(KeySlot slot, std::int64_t order) {
        const KeyId id = keys_.add(slot, order, plan_.expire.has_value());
        if (has_sessions_) keys_[id].edit_extras().sessions.resize(plan_.policies.size());
        if (has_steps_) keys_[id].edit_extras().steps.resize(plan_.policies.size());
        partials_->open(id);
        return id;
    }

    void close(KeyId id) {
        keys_[id].extras().ids.for_each([&](IdSlot known) { ids_.drop(known); });
        keys_.remove(id);
        partials_->close(id);
    }

    void close_if_done(KeyId id) {
        if (keys_.has(id) && keys_[id].is_expired() && keys_[id].waiting() == 0 && !due(id)) close(id);
    }

    // Rows, in put.hpp

    std::size_t put_row(KeyId id, const IncomingEvent& event);
    std::size_t put_in_pane(KeyId id, const IncomingEvent& event);
    std::size_t put_pane_row(KeyId id, Time label, bool has_partial);
    void follow_sessions(State& state, std::size_t place, bool comes);
    static void put_null(State& state, Time ticks, std::int64_t number);
    void find_unaffected(KeyId id, std::size_t place, std::span<const windows::Mark> marks,
                         std::vector<std::size_t>& unaffected);
    std::size_t step(KeyId id, std::size_t window, std::size_t place, const windows::Mark& mark);
    void relabel(KeyId id, const Relabelled& moved);
    std::vector<Time> labels_gone(KeyId id) const;
    std::size_t past_first(std::size_t window, std::size_t settled) const;
    std::size_t next_start(KeyId id, std::size_t window, std::size_t start, std::size_t place) const;
    std::size_t leaving(KeyId id, std::size_t window, std::size_t start, std::size_t place) const;
    std::size_t leaving_by_count(const State& state, std::size_t window, std::size_t start, std::size_t place) const;

    // Rows that are taken back, in remove.hpp

    void remove_row(KeyId id, std::size_t place);
    void stop_waiting(KeyId id, std::size_t place);
    std::size_t unstep(KeyId id, std::size_t window, std::size_t place);

    // Dropping, in drop.hpp

    void drop_needless(KeyId id);
    void evict_needless(KeyId id, const std::optional<Time>& time);
    //! Where partials lie under times: the first that a window which ends at or after the time may need.
    Time needed_from(const State& state, const std::optional<Time>& time) const;
    //! By the first of the policies.
    std::size_t first_needed(const State& state, Time time, std::size_t policies) const;
    //! Whether the row at the place has the time of the one before it.
    static bool peers(const State& state, std::size_t place) {
        return state.rows()[place - 1].ticks == state.rows()[place].ticks;
    }
    void drop_rows(KeyId id);
    void drop_rows(KeyId id, State& state, std::size_t count);

    // The way back, in undo.hpp

    void undo(KeyId id, changes::Opened);
    void undo(KeyId id, changes::Expired);
    void undo(KeyId id, const changes::RowPut& put);
    void undo(KeyId id, const changes::PaneFilled& filled);
    void undo(KeyId id, const changes::RowRemoved& removed);
    void undo(KeyId id, const changes::Stepped& stepped);
    void undo(KeyId id, const changes::Unstepped& unstepped);
    void undo(KeyId id, changes::RowsWaiting waited);
    void undo(KeyId id, const changes::Scheduled& scheduled);
    void undo(KeyId id, const changes::NewestSeen& newest);
    void undo(KeyId id, const changes::Fired& fired);
    void undo(KeyId id, changes::Revised<Result>& revised);
    void undo(KeyId id, changes::EmittedLast<Result>& emitted);
    std::vector<Waiting> all_waiting() const;
    std::vector<Waiting> all_due() const;
    std::vector<Waiting> all_idle() const;

    OperatorPlan plan_;
    P* partials_;
    std::size_t windows_;
    bool aligned_;
    bool has_rows_;
    bool has_sessions_;
    bool has_steps_;
    bool counts_values_;
    EventClock now_;
    //! How many events were taken in, and how many keys there ever were.
    std::int64_t count_ = 0;
    std::int64_t orders_ = 0;
    KeyStates<State> keys_;
    IdUses ids_;
    //! Keys with rows that wait for the watermark, by the first of those; keys that wait for a slide; keys that may
    //! have fallen idle, by the newest row that they had when they were looked at last.
    WaitingQueue waiting_;
    WaitingQueue slides_;
    WaitingQueue idle_;
    UndoLog<Result> undo_;
    //! Of this call: keys with new rows, and keys that may have nothing left to emit.
    std::vector<KeyId> touched_;
    std::vector<KeyId> done_;
};

}  // namespace sash

#include "sash/operator/state/drop.hpp"
#include "sash/operator/state/put.hpp"
#include "sash/operator/state/remove.hpp"
#include "sash/operator/state/undo.hpp"
