//! The operator: windows of very many keys, joined to who asks and when it is told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sash/operator/operator_state.hpp"
#include "sash/operator/plan.hpp"
#include "sash/operator/slide_trigger.hpp"
#include "sash/operator/event_trigger.hpp"
#include "sash/operator/emitter.hpp"

namespace sash {

//! Events of keys go in; what they trigger is told to the partials. Keys are named by dense numbers. Each call is
//! between begin() and commit(), or roll_back() where it has thrown.
template <lines::Partials P>
class Lines {
public:
    using Slot = lines::Slot;

    Lines(lines::Plan plan, P& partials) : book_(std::move(plan), partials), speaker_(book_), slides_(book_) {}

    lines::Book<P>& book() { return book_; }
    const lines::Book<P>& book() const { return book_; }
    bool is_late(Time ticks) const { return book_.now().is_late(ticks); }

    //! One event, which is not late; the partials have it.
    void take(Slot slot, Time ticks, bool null) {
        move_clock(ticks);
        const auto [id, place] = book_.put(slot, ticks, null);
        if (asks_at_slides()) {
            slides_.row(id, place);
        } else {
            speaker_.row(id, place);
        }
        const lines::Plan& plan = book_.plan();
        if (plan.lateness) move_watermark(plan.lateness->before(*book_.now().newest, plan.reals));
        book_.tidy(id);
    }

    //! No event before the ticks will come any more.
    void advance(Time ticks) {
        move_clock(ticks);
        move_watermark(ticks);
    }

    //! The end of the stream: everything that waits is told.
    void finish() {
        if (asks_at_slides()) {
            slides_.speak(std::nullopt);
        } else {
            speaker_.watermark(std::nullopt);
        }
    }

    //! Tells the windows of a key that end at the ticks: ask(window, question, start), without a start if it has no
    //! rows. A key without a line has empty windows.
    template <class Ask>
    void ask(Slot slot, Time ticks, Ask ask) const {
        const lines::LineId id = book_.current(slot);
        const bool too_few = book_.plan().min_periods != 0;
        for (std::size_t window = 0; window < book_.plan().policies.size(); ++window) {
            std::optional<lines::Found> found;
            if (id != book_.kNone) found = book_.views().at(book_.line(id), window, ticks);
            const lines::Question nothing{id, 0, 0, true, too_few};
            const std::optional<Time> start = found ? std::optional(found->start) : std::nullopt;
            ask(window, found ? lines::question_of(book_, id, *found) : nothing, start);
        }
    }

private:
    bool asks_at_slides() const { return book_.plan().asks == lines::Asks::slides; }

    void move_clock(Time ticks) {
        EventClock& now = book_.now();
        if (now.newest && ticks <= *now.newest) return;
        if (asks_at_slides() && !slides_.final()) slides_.speak(ticks);
        now.newest = ticks;
        if (book_.plan().expire) book_.retire(ticks);
    }

    void move_watermark(Time ticks) {
        EventClock& now = book_.now();
        if (now.watermark && ticks <= *now.watermark) return;
        now.watermark = ticks;
        if (asks_at_slides()) {
            if (slides_.final()) slides_.speak(ticks);
        } else {
            speaker_.watermark(ticks);
        }
    }

    lines::Book<P> book_;
    lines::Speaker<P> speaker_;
    lines::Slides<P> slides_;
};

}  // namespace sash
