//! The trigger at every slide of event time: each key with events in its window speaks at each multiple of the slide.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sash/operator/operator_state.hpp"
#include "sash/operator/plan.hpp"
#include "sash/operator/emitter.hpp"

namespace sash::lines {

//! Each line has at most one entry that counts in the queue: the next slide at which it may speak. With `final` a slide
//! is due when the watermark has passed it, otherwise when the newest event has. Slides that were due before a line had
//! events are not its own; with `update` a late event makes them so.
template <Partials P>
class Slides {
public:
    using LineOf = typename Book<P>::LineOf;

    explicit Slides(Book<P>& book) : book_(book), voice_(book), grid_(book.plan().grid) {}

    //! A row has come to the place.
    void row(LineId id, std::size_t place) {
        const Time ticks = book_.line(id).rows[place].ticks;
        const Time clock = *book_.now().newest;
        if (updates()) revise_from(id, place, clock);
        const std::optional<Time> due = grid_.first(final() ? ticks : std::max(clock, ticks));
        const std::optional<Time> before = book_.line(id).extras().due;
        if (due && (!before || *due < *before)) book_.schedule(id, due);
    }

    //! Slides before the limit are told; without one, all of them.
    void speak(std::optional<Time> limit) {
        while (book_.slides().any_before(limit)) {
            const Waiting entry = book_.pop_slide();
            if (book_.is_due(entry)) slide(entry.line, entry.ticks, !limit);
        }
    }

    bool final() const { return book_.plan().emit == Emit::final; }

private:
    bool updates() const { return book_.plan().emit == Emit::update; }

    void slide(LineId id, Time ticks, bool ending) {
        const LineOf& line = book_.line(id);
        if (line.retired() && ticks >= *line.extras().retired) return book_.schedule(id, std::nullopt);
        if (tell_all(id, line, ticks, ending)) return book_.schedule(id, grid_.after(ticks));
        // A row at the slide itself is in a later window, where the end is out.
        const std::size_t following = line.rows.until(ticks);
        if (following == line.rows.size()) return book_.schedule(id, std::nullopt);
        const std::optional<Time> next = grid_.after(ticks);
        const std::optional<Time> own = grid_.first(line.rows[following].ticks);
        book_.schedule(id, next && own ? std::optional(std::max(*next, *own)) : std::nullopt);
    }

    //! Whether any window has rows.
    bool tell_all(LineId id, const LineOf& line, Time ticks, bool ending) {
        const bool over = ending && stops_before(line, ticks);
        bool any = false;
        for (std::size_t window = 0; window < book_.plan().policies.size(); ++window) {
            if (over && !book_.plan().policies[window].fades()) continue;
            const std::optional<Found> found = voice_.views().at(line, window, ticks);
            if (!found) continue;
            any = true;
            if (updates()) {
                voice_.revise(id, window, *found, {});
            } else {
                voice_.tell(id, window, *found, {});
            }
        }
        return any;
    }

    //! At the end of the stream a window that never empties would speak forever: it stops where event time has.
    bool stops_before(const LineOf& line, Time ticks) const {
        const std::optional<Time>& clock = book_.now().newest;
        if (!clock || ticks < *clock) return false;
        const std::optional<Time> own = grid_.first(line.newest());
        return own && ticks > *own;
    }

    void revise_from(LineId id, std::size_t place, Time clock) {
        const LineOf& line = book_.line(id);
        std::vector<bool> touched(book_.plan().policies.size(), true);
        std::size_t left = touched.size();
        std::optional<Time> due = grid_.first(line.rows[place].ticks);
        for (; left > 0 && due && *due < clock; due = grid_.after(*due)) {
            for (std::size_t window = 0; window < touched.size(); ++window) {
                if (!touched[window]) continue;
                const std::optional<Found> found = voice_.views().at(line, window, *due);
                if (is_beyond(line, place, window, *due, found)) {
                    touched[window] = false;
                    --left;
                } else if (found) {
                    voice_.revise(id, window, *found, {});
                }
            }
        }
    }

    //! Whether this window at the slide, and at every later one, is what it was before the row came.
    bool is_beyond(const LineOf& line, std::size_t place, std::size_t window, Time due,
                   const std::optional<Found>& found) const {
        // Not at the time of the settled row: where the end is out, the window there ends before that row.
        const std::size_t settled = voice_.views().settled(line, window, place);
        if (settled < line.rows.size() && due > line.rows[settled].ticks) return true;
        // A slide at the time of the row itself need not hold it, where the end is out.
        return book_.plan().policies[window].fades() && due > line.rows[place].ticks && (!found || found->low > place);
    }

    Book<P>& book_;
    Voice<P> voice_;
    const Grid& grid_;
};

}  // namespace sash::lines
