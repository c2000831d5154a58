//! The lines of all keys, what waits, and the way back from whatever changes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sash/operator/event_clock.hpp"
#include "sash/operator/undo_log.hpp"
#include "sash/operator/key_state.hpp"
#include "sash/operator/partials.hpp"
#include "sash/operator/plan.hpp"
#include "sash/operator/waiting_queue.hpp"
#include "sash/operator/key_states.hpp"
#include "sash/operator/row_list.hpp"
#include "sash/windows/bounds.hpp"

namespace sash::lines {

//! Every change goes through here. Between begin() and commit() or roll_back() nothing is forgotten; where a call may
//! fail, each change leaves its opposite in the journal.
template <Partials P>
class Book {
public:
    using Answer = typename P::Answer;
    using LineOf = Line<Answer>;
    using ToldOf = Told<Answer>;
    using Change = ChangeOf<Answer>;
    static constexpr LineId kNone = Roster<LineOf>::kNone;

    Book(Plan plan, P& partials) : plan_(std::move(plan)), partials_(&partials), aligned_(plan_.aligned()) {}
    Book(const Book&) = delete;
    Book& operator=(const Book&) = delete;

    const Plan& plan() const { return plan_; }
    //! One partial a time, under the time itself; otherwise one a row.
    bool aligned() const { return aligned_; }
    Views<LineOf> views() const { return Views<LineOf>(plan_); }
    P& partials() const { return *partials_; }
    //! Others with the same entries for the same lines.
    void set_partials(P& partials) { partials_ = &partials; }
    const EventClock& now() const { return now_; }
    EventClock& now() { return now_; }
    const LineOf& line(LineId id) const { return lines_[id]; }
    //! The line of a key; kNone if there is none.
    LineId current(Slot slot) const { return lines_.current(slot); }
    //! Whether a line, retired or not, is of the key.
    bool uses(Slot slot) const { return lines_.uses(slot); }
    const WaitingQueue& slides() const { return slides_; }

    // A call, and the way back

    void begin(bool may_fail) {
        journal_.on = may_fail;
        journal_.now = now_;
        journal_.count = count_;
        journal_.orders = orders_;
    }

    //! Everything as it was before begin().
    void roll_back() {
        for (; !journal_.changes.empty(); journal_.changes.pop_back()) undo(journal_.changes.back());
        now_ = journal_.now;
        count_ = journal_.count;
        orders_ = journal_.orders;
        waiting_.assign(all_waiting());
        slides_.assign(all_due());
        idle_.assign(all_idle());
        settle();
    }

    //! The call went well: forgets what no window needs, and the lines that are done.
    void commit() {
        for (const LineId id : touched_) forget(id);
        commit_end();
    }
    //! The same at the end of the stream, where nothing is worth forgetting.
    void commit_end() {
        for (const LineId id : done_) close_if_done(id);
        settle();
    }
    //! The same for all lines.
    void commit_all() {
        lines_.for_each([&](LineId id, const LineOf& line) {
            if (!line.retired()) touch(id);
        });
        commit();
    }
    //! Forgets in the midst of a call that cannot fail, so that a long batch keeps no more than a short one. All that
    //! is before the watermark has been told.
    void tidy(LineId id) {
        LineOf& line = lines_[id];
        if (journal_.on || line.rows.size() <= kFew || line.rows.size() < line.extras().tidy_at) return;
        forget(id);
        line.extras().tidy_at = 2 * line.rows.size();
    }
    //! The keys that have no line any more, since the last time.
    std::vector<Slot> take_freed() { return lines_.take_freed(); }

    // Rows

    //! A row of the key, behind its peers; where it came to lie: line and place.
    std::pair<LineId, std::size_t> put(Slot slot, Time ticks, bool null) {
        LineId id = current(slot);
        if (id == kNone) id = open(slot, ticks);
        LineOf& line = lines_[id];
        note({.kind = Change::Kind::put, .line = id, .ticks = ticks, .number = count_, .has_value = !null});
        const std::size_t place = place_row(id, line, {.ticks = ticks, .number = count_, .null = null});
        ++count_;
        touch(id);
        if (plan_.has_sessions()) settle_sessions(line, place, true);
        if (null && plan_.min_periods != 0) put_null(line, ticks, count_ - 1);
        if (!null) partials_->insert(id, line.label(place));
        return {id, place};
    }

    // What waits

    //! The row that has come to the place waits to be told.
    void wait(LineId id, std::size_t place) {
        LineOf& line = lines_[id];
        set_waiting(id, line.waiting + 1);
        if (place == line.rows.size() - line.waiting) waiting_.push(first_waiting(id));
    }
    //! The row that waits with the least time, if that is before the limit.
    std::optional<Waiting> next_waiting(const std::optional<Time>& limit) {
        for (; waiting_.any_before(limit); waiting_.pop())
            if (is_first(waiting_.least())) return waiting_.least();
        return std::nullopt;
    }
    //! It need not wait any more.
    void pop_waiting() {
        const LineId id = waiting_.pop().line;
        LineOf& line = lines_[id];
        set_waiting(id, line.waiting - 1);
        if (line.waiting != 0) {
            waiting_.push(first_waiting(id));
        } else if (line.retired()) {
            done_.push_back(id);
        }
    }

    //! When the line speaks next.
    void schedule(LineId id, std::optional<Time> due) {
        LineOf& line = lines_[id];
        note({.kind = Change::Kind::due, .line = id, .before = line.extras().due});
        line.extras().due = due;
        if (due) slides_.push({*due, line.order, id});
        if (!due && line.retired()) done_.push_back(id);
    }
    Waiting pop_slide() { return slides_.pop(); }
    //! Whether an entry of the slides counts: the others were left behind by earlier ones.
    bool is_due(const Waiting& entry) const { return is_of(entry) && due(entry.line) == entry.ticks; }

    // What was told

    const std::optional<Answer>& last(LineId id, std::size_t window) {
        auto& last = lines_[id].extras().last;
        if (last.empty()) last.resize(plan_.policies.size());
        return last[window];
    }
    void set_last(LineId id, std::size_t window, const Answer& answer) {
        std::optional<Answer>& last = lines_[id].extras().last[window];
        note({.kind = Change::Kind::last, .line = id, .window = window, .last = last});
        last = answer;
    }
    //! Nothing if it was not told.
    const ToldOf* told(LineId id, std::int64_t about, std::size_t window) const {
        return line(id).extras().told.find(about, window);
    }
    void set_told(LineId id, std::int64_t about, std::size_t window, ToldOf told) {
        std::optional<ToldOf> before = lines_[id].extras().told.exchange(about, window, std::move(told));
        note({.kind = Change::Kind::told, .line = id, .number = about, .window = window, .told = std::move(before)});
    }

    // Idle keys

    //! Drops the keys that have been idle too long. What still waits to be told of them is told.
    void retire(Time clock) {
        while (!idle_.empty() && plan_.expire->apart(idle_.least().ticks, clock, plan_.reals)) {
            const Waiting entry = idle_.pop();
            if (!is_of(entry) || lines_[entry.line].retired()) continue;
            LineOf& line = lines_[entry.line];
            if (line.newest() > entry.ticks) {
                idle_.push({line.newest(), entry.number, entry.line});
                continue;
            }
            note({.kind = Change::Kind::retired, .line = entry.line});
            line.extras().retired = clock;
            lines_.set_current(line.slot, kNone);
            done_.push_back(entry.line);
        }
    }

    std::size_t bytes() const { return lines_.bytes() + waiting_.bytes() + slides_.bytes() + idle_.bytes(); }

private:
    template <StoredPartials>
    friend class State;

    //! Fewer rows than this are not worth forgetting one by one.
    static constexpr std::size_t kFew = 64;

    //! Whether an entry is of the line that has its id now.
    bool is_of(const Waiting& entry) const {
        return lines_.has(entry.line) && lines_[entry.line].order == entry.number;
    }

    //! Whether an entry is of the first row that waits in its line: earlier ones may have come in front of it.
    bool is_first(const Waiting& entry) const {
        if (!lines_.has(entry.line) || line(entry.line).waiting == 0) return false;
        return line(entry.line).first_waiting().number == entry.number;
    }
    Waiting first_waiting(LineId id) const {
        const Row& row = line(id).first_waiting();
        return {row.ticks, row.number, id};
    }
    void set_waiting(LineId id, std::uint32_t count) {
        LineOf& line = lines_[id];
        note({.kind = Change::Kind::waiting, .line = id, .number = line.waiting});
        line.waiting = count;
    }

    const std::optional<Time>& due(LineId id) const { return line(id).extras().due; }

    void note(Change change) {
        if (journal_.on) journal_.changes.push_back(std::move(change));
    }

    void touch(LineId id) {
        if (lines_[id].touched) return;
        lines_[id].touched = true;
        touched_.push_back(id);
    }

    void settle() {
        journal_.changes.clear();
        for (const LineId id : touched_)
            if (lines_.has(id)) lines_[id].touched = false;
        touched_.clear();
        done_.clear();
    }

    LineId open(Slot slot, Time ticks) {
        const LineId id = add(slot, orders_++);
        note({.kind = Change::Kind::opened, .line = id});
        if (plan_.expire) idle_.push({ticks, lines_[id].order, id});
        return id;
    }

    LineId add(Slot slot, std::int64_t order) {
        const LineId id = lines_.add(slot, order);
        if (plan_.has_sessions()) lines_[id].extras().sessions.resize(plan_.policies.size());
        partials_->open(id);
        return id;
    }

    void close(LineId id) {
        lines_.remove(id);
        partials_->close(id);
    }

    void close_if_done(LineId id) {
        if (lines_.has(id) && lines_[id].retired() && lines_[id].waiting == 0 && !due(id)) close(id);
    }

    void settle_sessions(LineOf& line, std::size_t place, bool comes) {
        for (std::size_t window = 0; window < plan_.policies.size(); ++window) {
            const Policy& policy = plan_.policies[window];
            if (policy.kind == Policy::Kind::session)
                line.settle_sessions(window, place, comes, policy.span.length, plan_.reals);
        }
    }

    static void put_null(LineOf& line, Time ticks, std::int64_t number) {
        const std::pair null(ticks, number);
        auto& nulls = line.extras().nulls;
        nulls.insert(std::lower_bound(nulls.begin(), nulls.end(), null), null);
    }

    std::size_t place_row(LineId id, LineOf& line, const Row& row) {
        const std::size_t place = line.rows.insert(row);
        if (aligned_) return place;
        if (const std::optional<Relabelled> moved = line.extras().labels.give(place))
            partials_->relabel(id, moved->from, moved->to);
        return place;
    }

    // Forgetting

    //! Now and then, half of the rows at a time, so that it costs O(1) a row.
    void forget(LineId id) {
        if (!now_.watermark || !lines_.has(id)) return;
        LineOf& line = lines_[id];
        if (line.rows.size() > kFew) {
            std::size_t needless = line.rows.size();
            for (std::size_t window = 0; window < plan_.policies.size(); ++window)
                needless = std::min(needless, views().keep(line, window, *now_.watermark));
            if (2 * needless > line.rows.size()) forget(id, line, needless);
        }
        const std::size_t many = 2 * plan_.policies.size() * std::max(kFew, line.rows.size());
        if (line.has_extras() && line.extras().told.size() > many) line.extras().told.forget_before(*now_.watermark);
    }

    //! The first rows go, all of a time or none.
    void forget(LineId id, LineOf& line, std::size_t count) {
        while (0 < count && count < line.rows.size() && line.rows[count - 1].ticks == line.rows[count].ticks) --count;
        if (count == 0) return;
        const Row last = line.rows[count - 1];
        if (count == line.rows.size()) line.extras().newest = last.ticks;
        partials_->evict(id, line.label(count - 1));
        line.rows.forget(count);
        if (!line.has_extras()) return;
        if (!aligned_) line.extras().labels.forget(count);
        auto& nulls = line.extras().nulls;
        const std::pair<Time, std::int64_t> gone(last.ticks, last.number);
        nulls.erase(nulls.begin(), std::upper_bound(nulls.begin(), nulls.end(), gone));
        for (SessionStarts& starts : line.extras().sessions)
            if (!line.rows.empty()) starts.forget_before(line.rows.front().ticks);
    }

    // The way back

    void undo(Change& change) {
        LineOf& line = lines_[change.line];
        switch (change.kind) {
            case Change::Kind::put:
                return undo_put(line, change);
            case Change::Kind::opened:
                return close(change.line);
            case Change::Kind::waiting:
                line.waiting = static_cast<std::uint32_t>(change.number);
                return;
            case Change::Kind::retired:
                line.extras().retired.reset();
                lines_.set_current(line.slot, change.line);
                return;
            case Change::Kind::due:
                line.extras().due = change.before;
                return;
            case Change::Kind::told:
                line.extras().told.exchange(change.number, change.window, std::move(change.told));
                return;
            case Change::Kind::last:
                line.extras().last[change.window] = std::move(change.last);
        }
    }

    void undo_put(LineOf& line, const Change& change) {
        const std::size_t place = line.rows.place_of(change.ticks, change.number);
        if (change.has_value) partials_->take_back(change.line, line.label(place));
        if (plan_.has_sessions()) settle_sessions(line, place, false);
        if (line.has_extras()) std::erase(line.extras().nulls, std::pair(change.ticks, change.number));
        line.rows.erase(place);
        if (!aligned_) line.extras().labels.erase(place);
    }

    std::vector<Waiting> all_waiting() const {
        std::vector<Waiting> entries;
        lines_.for_each([&](LineId id, const LineOf& line) {
            if (line.waiting != 0) entries.push_back(first_waiting(id));
        });
        return entries;
    }
    std::vector<Waiting> all_due() const {
        std::vector<Waiting> entries;
        lines_.for_each([&](LineId id, const LineOf& line) {
            if (due(id)) entries.push_back({*due(id), line.order, id});
        });
        return entries;
    }
    std::vector<Waiting> all_idle() const {
        std::vector<Waiting> entries;
        lines_.for_each([&](LineId id, const LineOf& line) {
            if (plan_.expire && !line.retired()) entries.push_back({line.newest(), line.order, id});
        });
        return entries;
    }

    Plan plan_;
    P* partials_;
    bool aligned_;
    EventClock now_;
    //! How many rows were taken in, and how many keys there ever were.
    std::int64_t count_ = 0;
    std::int64_t orders_ = 0;
    Roster<LineOf> lines_;
    //! Lines with rows that wait for the watermark, by the first of those; lines that wait for a slide; lines that may
    //! have fallen idle, by the newest row that they had when they were looked at last.
    WaitingQueue waiting_;
    WaitingQueue slides_;
    WaitingQueue idle_;
    Journal<Answer> journal_;
    //! Of this call: lines with new rows, and lines that may have nothing left to tell.
    std::vector<LineId> touched_;
    std::vector<LineId> done_;
};

}  // namespace sash::lines
