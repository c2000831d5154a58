//! Triggers at work, where events ask: at once, when they are final, or at once and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sash/operator/operator_state.hpp"
#include "sash/operator/plan.hpp"
#include "sash/operator/emitter.hpp"

namespace sash::lines {

template <Partials P>
class Speaker {
public:
    using LineOf = typename Book<P>::LineOf;

    explicit Speaker(Book<P>& book) : book_(book), voice_(book) {}

    //! A row has come to the place.
    void row(LineId id, std::size_t place) {
        const Plan& plan = book_.plan();
        const LineOf& line = book_.line(id);
        if (plan.asks == Asks::nobody) return;
        if (plan.asks != Asks::events || plan.emit == Emit::final) return book_.wait(id, place);
        if (plan.emit == Emit::update) return revise_from(id, line, place);
        if (picks(static_cast<std::int64_t>(line.rows.ever())))
            tell(id, line, line.rows[place].ticks, place, line.rows[place].number);
    }

    //! What is before the limit is final; without one, everything is.
    void watermark(std::optional<Time> limit) {
        switch (book_.plan().asks) {
            case Asks::passed:
                return newest_passed(limit);
            case Asks::session_end:
                return sessions_over(limit);
            case Asks::events:
                return final_rows(limit);
            default:
                return;
        }
    }

private:
    bool counts() const { return book_.plan().every > 1; }
    //! Whether the event of that number asks, the first being 1.
    bool picks(std::int64_t number) const { return number % static_cast<std::int64_t>(book_.plan().every) == 0; }

    void tell(LineId id, const LineOf& line, Time ticks, std::size_t place, std::int64_t number) {
        for (std::size_t window = 0; window < book_.plan().policies.size(); ++window)
            voice_.tell(id, window, voice_.views().of_row(line, window, ticks, place), {true, ticks, number});
    }

    //! Where a row is: of interest only to windows of events, and where events are counted.
    std::size_t place_of(const LineOf& line, const Waiting& entry) const {
        return book_.aligned() && !counts() ? 0 : line.rows.place_of(entry.ticks, entry.number);
    }

    void final_rows(std::optional<Time> limit) {
        while (const std::optional<Waiting> next = book_.next_waiting(limit)) {
            book_.pop_waiting();
            final_row(*next);
        }
    }

    void final_row(const Waiting& entry) {
        const LineOf& line = book_.line(entry.line);
        const std::size_t place = place_of(line, entry);
        const auto count = static_cast<std::int64_t>(line.rows.dropped() + place + 1);
        if (counts() && !picks(count)) return;
        tell(entry.line, line, entry.ticks, place, counts() ? count : entry.number);
    }

    //! Each line that the watermark has passed rows of answers once, for the newest of those.
    void newest_passed(std::optional<Time> limit) {
        std::map<std::int64_t, Waiting> newest;
        while (const std::optional<Waiting> next = book_.next_waiting(limit)) {
            book_.pop_waiting();
            newest.insert_or_assign(book_.line(next->line).order, *next);
        }
        std::vector<Waiting> entries;
        for (const auto& [order, entry] : newest) entries.push_back(entry);
        std::sort(entries.begin(), entries.end(), [](const Waiting& one, const Waiting& other) { return other > one; });
        for (const Waiting& entry : entries) {
            const LineOf& line = book_.line(entry.line);
            tell(entry.line, line, entry.ticks, place_of(line, entry), entry.number);
        }
    }

    //! Each session answers once, when no event can join it any more.
    void sessions_over(std::optional<Time> limit) {
        const Policy& session = book_.plan().policies[0];
        while (const std::optional<Waiting> next = book_.next_waiting(std::nullopt)) {
            if (limit && !voice_.views().ends(session, next->ticks, *limit)) return;
            const LineOf& line = book_.line(next->line);
            const std::size_t place = line.rows.place_of(next->ticks, next->number);
            book_.pop_waiting();
            if (place + 1 == line.rows.size() || voice_.views().ends(session, next->ticks, line.rows[place + 1].ticks))
                tell(next->line, line, next->ticks, place, next->number);
        }
    }

    // emit="update"

    void revise_from(LineId id, const LineOf& line, std::size_t place) {
        const std::size_t first = line.rows.until(line.rows[place].ticks);
        if (counts()) return revise_counted(id, line, first);
        const std::size_t windows = book_.plan().policies.size();
        for (std::size_t window = 0; window < windows; ++window) revise(id, line, window, place);
        std::vector<std::size_t> settled;
        for (std::size_t window = 0; window < windows; ++window)
            settled.push_back(voice_.views().settled(line, window, place));
        const std::size_t last = *std::max_element(settled.begin(), settled.end());
        for (std::size_t at = first; at < last; ++at)
            for (std::size_t window = 0; at != place && window < windows; ++window)
                if (at < settled[window] && book_.told(id, line.rows[at].number, window) != nullptr)
                    revise(id, line, window, at);
    }

    void revise(LineId id, const LineOf& line, std::size_t window, std::size_t place) {
        const Row& row = line.rows[place];
        voice_.revise(id, window, voice_.views().of_row(line, window, row.ticks, place), {true, row.ticks, row.number});
    }

    //! The new row makes every later one the next in number: each of their results is about another event.
    void revise_counted(LineId id, const LineOf& line, std::size_t first) {
        for (std::size_t at = first; at < line.rows.size(); ++at) {
            const auto count = static_cast<std::int64_t>(line.rows.dropped() + at + 1);
            if (!picks(count)) continue;
            const Time ticks = line.rows[at].ticks;
            for (std::size_t window = 0; window < book_.plan().policies.size(); ++window)
                voice_.revise(id, window, voice_.views().of_row(line, window, ticks, at), {true, ticks, count});
        }
    }

    Book<P>& book_;
    Voice<P> voice_;
};

}  // namespace sash::lines
