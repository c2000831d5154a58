//! The state of an operator as bytes and back, and at other times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sash/operator/emitter.hpp"
#include "sash/operator/operator_state.hpp"
#include "sash/snapshot.hpp"

namespace sash {

//! Equal operators give equal bytes, whatever their history.
template <StoredPartials P>
class OperatorSnapshot {
public:
    using Owner = OperatorState<P>;
    using State = typename Owner::State;
    using Result = typename P::Result;
    using Mark = windows::Mark;

    explicit OperatorSnapshot(Owner& owner) : owner_(owner) {}

    //! The states in the order in which their keys came: those that take events, then those that have expired and have
    //! something to emit.
    std::vector<KeyId> keys() const {
        std::vector<KeyId> ids;
        owner_.keys_.for_each([&](KeyId id, const State&) { ids.push_back(id); });
        std::sort(ids.begin(), ids.end(), [&](KeyId one, KeyId other) {
            const State &a = owner_.keys_[one], &b = owner_.keys_[other];
            return std::pair(a.is_expired(), std::int64_t{a.order}) < std::pair(b.is_expired(), std::int64_t{b.order});
        });
        return ids;
    }

    //! What rows are known by, in the order of those keys and their rows.
    std::vector<IdSlot> ids() const {
        std::vector<IdSlot> found;
        std::unordered_set<IdSlot> seen;
        for (const KeyId id : keys())
            owner_.keys_[id].extras().ids.for_each([&](IdSlot known) {
                if (seen.insert(known).second) found.push_back(known);
            });
        return found;
    }

    void save(Writer& writer) const {
        writer.i64(owner_.count_);
        writer.i64(owner_.orders_);
        std::unordered_map<IdSlot, std::uint64_t> places;
        for (const IdSlot known : ids()) places.emplace(known, places.size());
        for (const KeyId id : keys()) {
            save(writer, id);
            owner_.keys_[id].extras().ids.for_each([&](IdSlot known) { writer.u64(places[known]); });
        }
    }

    //! Into an empty state whose clock is set; the slots of the keys in the order of `keys`, those of what rows are
    //! known by in the order of `ids`. Throws DamagedSnapshot.
    void restore(Reader& reader, const std::vector<KeySlot>& slots, const std::vector<IdSlot>& known) {
        owner_.count_ = reader.i64();
        owner_.orders_ = reader.i64();
        require(0 <= owner_.count_ && owner_.count_ <= Row::kMostNumbers && 0 <= owner_.orders_);
        for (const KeySlot slot : slots) {
            const KeyId id = restore_key(reader, slot);
            if (owner_.plan_.retracts) restore_ids(reader, owner_.keys_[id], known);
        }
        owner_.waiting_.assign(owner_.all_waiting());
        owner_.slides_.assign(owner_.all_due());
        owner_.idle_.assign(owner_.all_idle());
    }

    //! Integer times are reals from now on, by a map that keeps their order.
    template <class Map>
    void read_as_reals(Map map) {
        owner_.keys_.for_each([&](KeyId, State& state) { retime(state, map); });
        retime(owner_.now_.newest, map);
        retime(owner_.now_.watermark, map);
        owner_.waiting_.retime(map);
        owner_.slides_.retime(map);
        owner_.idle_.retime(map);
        owner_.plan_.read_as_reals(map);
    }

private:
    static void require(bool sound) {
        if (!sound) throw DamagedSnapshot("its events are not in order");
    }

    // Out

    void save(Writer& writer, KeyId id) const {
        const State& state = owner_.keys_[id];
        writer.i64(state.order);
        for (const auto& time : {std::optional(owner_.newest(state)), state.extras().due, state.extras().expired})
            save(writer, time);
        if (owner_.has_rows_) save_rows(writer, state);
        if (!owner_.has_rows_) save_labels(writer, id);
        // Labels of rows depend on their history: they are given anew.
        owner_.partials_->save(id, writer);
        save_emitted(writer, state);
    }

    void save_rows(Writer& writer, const State& state) const {
        writer.u64(state.rows().dropped());
        writer.u64(state.rows().size());
        state.rows().for_each([&](const Row& row) {
            writer.i64(row.ticks);
            writer.i64(row.number);
            writer.flag(row.has_partial);
            writer.flag(row.null);
            writer.flag(row.fires);
        });
        writer.u64(state.waiting());
        for (const windows::SessionStarts& starts : state.extras().sessions) {
            writer.u64(starts.times().size());
            for (const Time start : starts.times()) writer.i64(start);
        }
        for (std::size_t window = 0; window < state.extras().steps.size(); ++window)
            if (owner_.plan_.policies[window].stepping()) save_steps(writer, state.extras().steps[window]);
    }

    static void save_steps(Writer& writer, const windows::Steps& steps) {
        for (std::size_t place = 0; place < steps.size(); ++place) {
            writer.u64(steps.starts()[place]);
            save(writer, steps.mark(place));
        }
    }

    static void save(Writer& writer, const Mark& mark) {
        writer.u32(static_cast<std::uint32_t>(mark.kind));
        writer.i64(mark.integer);
        writer.real(mark.real);
    }

    //! Where it says which events fire as they come.
    bool saves_fired() const { return owner_.plan_.moves && owner_.plan_.emit == Emit::arrival; }

    void save_labels(Writer& writer, KeyId id) const {
        const std::vector<Time> labels = owner_.partials_->labels(id);
        writer.u64(labels.size());
        for (const Time label : labels) writer.i64(label);
    }

    static void save(Writer& writer, const std::optional<Time>& time) {
        writer.flag(time.has_value());
        writer.i64(time.value_or(0));
    }

    void save_emitted(Writer& writer, const State& state) const {
        if (saves_fired()) save(writer, state.extras().fired.value_or(Mark{}));
        for (std::size_t window = 0; window < owner_.windows(); ++window) {
            const auto& last = state.extras().last;
            const bool any = !last.empty() && last[window];
            writer.flag(any);
            if (any) owner_.partials_->write(writer, *last[window]);
        }
        const auto& entries = state.extras().revisions.entries();
        writer.u64(entries.size());
        for (const auto& [subject, window, revision] : entries) {
            // The number of one that was taken back is negative.
            const std::int64_t counted = revision.retracted ? ~revision.number : std::int64_t{revision.number};
            for (const std::int64_t number :
                 {subject, static_cast<std::int64_t>(window), revision.start, revision.end, counted})
                writer.i64(number);
            if (owner_.partials_->writes_results()) owner_.partials_->write(writer, revision.result);
        }
    }

    // In

    KeyId restore_key(Reader& reader, KeySlot slot) {
        const std::int64_t order = reader.i64();
        const std::optional<Time> newest = read_time(reader), due = read_time(reader), expired = read_time(reader);
        require(0 <= order && order < owner_.orders_ && newest);
        // Keys that take events come first: an expired state does not take their place, and nothing else does.
        const KeyId own = owner_.current(slot);
        require(own == Owner::kNone || expired);
        const KeyId id = owner_.add(slot, order);
        State& state = owner_.keys_[id];
        if (due) state.edit_extras().due = due;
        if (expired) retire(id, own, *expired);
        if (owner_.has_rows_) restore_rows(reader, state);
        if (owner_.sees_newest() || (state.rows().empty() && owner_.has_rows_)) state.edit_extras().newest = newest;
        require(!owner_.has_rows_ || owner_.newest(state) == *newest);
        // A slide before the first row finds nothing, and there may be very many of them.
        require(!due || state.rows().empty() || *due >= state.rows().front().ticks);
        owner_.partials_->restore(id, owner_.has_rows_ ? labels_of(state) : read_labels(reader), reader);
        restore_emitted(reader, id, state);
        return id;
    }

    void restore_ids(Reader& reader, State& state, const std::vector<IdSlot>& known) {
        RowIds& ids = state.edit_extras().ids;
        ids.start_at(state.rows().dropped());
        for (std::size_t place = 0; place < state.rows().size(); ++place) {
            const std::uint64_t at = reader.u64();
            require(at < known.size());
            ids.insert(place, known[static_cast<std::size_t>(at)], state.rows()[place]);
            owner_.ids_.add(known[static_cast<std::size_t>(at)]);
        }
    }

    void retire(KeyId id, KeyId own, Time expired) {
        require(owner_.plan_.expire.has_value());
        owner_.keys_[id].edit_extras().expired = expired;
        owner_.keys_.retire(id);
        if (own != Owner::kNone) owner_.keys_.set_current(own);
    }

    static std::optional<Time> read_time(Reader& reader) {
        const bool any = reader.flag();
        const Time time = reader.i64();
        return any ? std::optional(time) : std::nullopt;
    }

    static std::vector<Time> read_labels(Reader& reader) {
        std::vector<Time> labels(reader.count(sizeof(Time)));
        for (Time& label : labels) label = reader.i64();
        require(std::is_sorted(labels.begin(), labels.end()) &&
                std::adjacent_find(labels.begin(), labels.end()) == labels.end());
        return labels;
    }

    void restore_rows(Reader& reader, State& state) {
        const auto dropped = static_cast<std::size_t>(reader.u64());
        require(dropped <= static_cast<std::size_t>(owner_.count_));
        state.edit_rows().start_at(dropped);
        const std::size_t size = reader.count(sizeof(Time));
        for (std::size_t place = 0; place < size; ++place) restore_row(reader, state, place);
        const std::uint64_t waiting = reader.u64();
        require(waiting <= size);
        state.set_waiting(static_cast<std::uint32_t>(waiting));
        restore_sessions(reader, state);
        for (std::size_t window = 0; window < state.extras().steps.size(); ++window)
            if (owner_.plan_.policies[window].stepping()) restore_steps(reader, state, window);
    }

    void restore_row(Reader& reader, State& state, std::size_t place) {
        const Time ticks = reader.i64();
        const std::int64_t number = reader.i64();
        const bool has_partial = reader.flag(), null = reader.flag(), fires = reader.flag();
        require(state.rows().empty() || state.rows().back().is_before(ticks, number));
        require(number >= 0 && number < owner_.count_);
        state.edit_rows().insert(
            {.ticks = ticks, .number = number, .has_partial = has_partial, .null = null, .fires = fires});
        if (!owner_.aligned_) state.edit_extras().labels.insert(place, Labels::first_of(place));
        if (null && owner_.counts_values_) state.edit_extras().nulls.emplace_back(ticks, number);
    }

    //! Under which labels there may be partials. The oldest of them may have been evicted.
    static std::vector<Time> labels_of(const State& state) {
        std::vector<Time> labels;
        std::size_t place = 0;
        state.rows().for_each([&](const Row& row) {
            const Time label = state.label(place++);
            if (row.has_partial && (labels.empty() || labels.back() != label)) labels.push_back(label);
        });
        return labels;
    }

    void restore_sessions(Reader& reader, State& state) const {
        if (!owner_.has_sessions_) return;
        auto& sessions = state.edit_extras().sessions;
        for (std::size_t window = 0; window < sessions.size(); ++window) {
            std::vector<Time>& times = sessions[window].times();
            for (std::size_t left = reader.count(sizeof(Time)); left > 0; --left) {
                const Time start = reader.i64();
                require(times.empty() || times.back() < start);
                times.push_back(start);
            }
            const bool needed = owner_.plan_.policies[window].kind == windows::Policy::Kind::session;
            if (needed && !state.rows().empty()) require(!times.empty() && times.front() <= state.rows().front().ticks);
        }
    }

    void restore_steps(Reader& reader, State& state, std::size_t window) const {
        windows::Steps& steps = state.edit_extras().steps[window];
        const std::size_t dropped = state.rows().dropped();
        steps.start_at(dropped);
        for (std::size_t place = 0; place < state.rows().size(); ++place) {
            const std::uint64_t start = reader.u64();
            require(start >= dropped && start <= dropped + place + 1);
            steps.load(start, read_mark(reader));
        }
        if (owner_.plan_.policies[window].kind == windows::Policy::Kind::adaptive) steps.follow_measures(0);
    }

    static Mark read_mark(Reader& reader) {
        const std::uint32_t kind = reader.u32();
        require(kind <= static_cast<std::uint32_t>(Mark::Kind::real));
        const std::int64_t integer = reader.i64();
        return {static_cast<Mark::Kind>(kind), integer, reader.real()};
    }

    void restore_emitted(Reader& reader, KeyId id, State& state) {
        if (saves_fired()) {
            const Mark fired = read_mark(reader);
            if (fired.any()) state.edit_extras().fired = fired;
        }
        const std::size_t windows = owner_.windows();
        for (std::size_t window = 0; window < windows; ++window)
            if (reader.flag()) owner_.last(id, 0), state.edit_extras().last[window] = owner_.partials_->read(reader);
        for (std::size_t left = reader.count(sizeof(Time)); left > 0; --left) {
            const std::int64_t subject = reader.i64();
            const auto window = static_cast<std::uint64_t>(reader.i64());
            require(window < windows);
            const Time start = reader.i64(), end = reader.i64();
            const std::int64_t number = reader.i64();
            Result result;
            if (owner_.partials_->writes_results()) {
                result = owner_.partials_->read(reader);
            } else if (number >= 0) {
                result = result_now(id, state, subject, window, end);
            }
            Revision<Result> revision{start, end, std::move(result), number < 0 ? ~number : number, number < 0};
            state.edit_extras().revisions.exchange(subject, window, std::move(revision));
        }
    }

    //! What was emitted last of a window that may be revised is its result now. Of one that is final, nothing is asked.
    Result result_now(KeyId id, const State& state, std::int64_t subject, std::size_t window, Time end) const {
        if (owner_.now_.is_late(end)) return {};
        const auto bounds = owner_.bounds();
        std::optional<windows::Found> found;
        if (owner_.plan_.fires_on == FiresOn::slides) {
            found = bounds.at(state, window, end);
        } else if (const std::optional<std::size_t> place = place_of(state, subject, end)) {
            found = bounds.of_row(state, window, end, *place);
        }
        return found ? owner_.partials_->result(range_of(owner_, id, window, *found)) : Result{};
    }

    //! The row that a result is about, by its ordinal or its number.
    std::optional<std::size_t> place_of(const State& state, std::int64_t subject, Time end) const {
        const auto& rows = state.rows();
        if (owner_.plan_.every > 1) {
            const auto ordinal = static_cast<std::uint64_t>(subject);
            if (subject < 1 || ordinal <= rows.dropped() || ordinal > rows.ever()) return std::nullopt;
            return static_cast<std::size_t>(ordinal - 1 - rows.dropped());
        }
        const std::size_t place = rows.place_of(end, subject);
        return place < rows.size() && rows[place].number == subject ? std::optional(place) : std::nullopt;
    }

    // At other times

    template <class Map>
    static void retime(std::optional<Time>& time, Map map) {
        if (time) time = map(*time);
    }

    template <class Map>
    void retime(State& state, Map map) {
        if (!state.rows().empty()) state.edit_rows().for_each([&](Row& row) { row.ticks = map(row.ticks); });
        if (state.has_extras()) retime(state.edit_extras(), map);
    }

    template <class Map>
    void retime(typename State::Extras& extras, Map map) {
        for (auto* const time : {&extras.newest, &extras.due, &extras.expired}) retime(*time, map);
        for (auto& [ticks, number] : extras.nulls) ticks = map(ticks);
        for (windows::SessionStarts& starts : extras.sessions)
            for (Time& start : starts.times()) start = map(start);
        extras.ids.retime(map);
        // A result of a slide is known by its end, all others by a number.
        extras.revisions.retime(map, owner_.plan_.fires_on == FiresOn::slides);
    }

    Owner& owner_;
};

}  // namespace sash
