//! How a result is told: its window in labels, whether it is news, and whether it may be told again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "sash/operator/operator_state.hpp"
#include "sash/operator/partials.hpp"
#include "sash/windows/bounds.hpp"

namespace sash::lines {

//! What asked for a result: an event, or a slide of time.
struct Asker {
    bool by_event = false;
    Time ticks = 0;
    std::int64_t number = 0;
};

//! The window as its partials lie.
template <Partials P>
Question question_of(const Book<P>& book, LineId id, Found& found) {
    const auto& line = book.line(id);
    Question question{id, found.from, found.to, found.from > found.to, false};
    if (book.plan().min_periods != 0) {
        book.views().resolve(line, found);
        question.missing = line.valued(found.low, found.high) < book.plan().min_periods;
    }
    if (book.aligned()) return question;
    book.views().resolve(line, found);
    question.empty = found.low >= found.high;
    if (question.empty) return question;
    question.from = line.label(found.low);
    question.to = line.label(found.high - 1);
    return question;
}

template <Partials P>
class Voice {
public:
    using LineOf = typename Book<P>::LineOf;

    explicit Voice(Book<P>& book) : book_(book), views_(book.plan()) {}

    const Views<LineOf>& views() const { return views_; }

    //! Tells a result once and for all.
    void tell(LineId id, std::size_t window, Found found, const Asker& asker) {
        const Question asked = question_of(book_, id, found);
        const Said said = about(book_.line(id), window, found, asker);
        if (book_.plan().changes_only) return tell_news(id, said, book_.partials().answer(asked));
        book_.partials().tell(said, asked);
    }

    //! Tells a result that may be told again, if it is new or not what it was.
    void revise(LineId id, std::size_t window, Found found, const Asker& asker) {
        const std::int64_t subject = asker.by_event ? asker.number : found.end;
        Answer answer = book_.partials().answer(question_of(book_, id, found));
        Said said = about(book_.line(id), window, found, asker);
        if (const auto* const told = book_.told(id, subject, window)) {
            const bool same_ends = told->start == said.start && told->end == said.end;
            if (same_ends && book_.partials().same(told->answer, answer)) return;
            said.revision = told->revision + 1;
        }
        book_.set_told(id, subject, window, {said.start, said.end, answer, said.revision});
        if (book_.plan().changes_only) return tell_news(id, said, std::move(answer));
        book_.partials().tell(said, answer);
    }

private:
    using Answer = typename P::Answer;

    static Said about(const LineOf& line, std::size_t window, const Found& found, const Asker& asker) {
        return {.slot = line.slot,
                .window = static_cast<std::uint32_t>(window),
                .start = found.start,
                .end = found.end,
                .by_event = asker.by_event,
                .ticks = asker.ticks,
                .number = asker.number};
    }

    void tell_news(LineId id, const Said& said, Answer answer) {
        const std::optional<Answer>& last = book_.last(id, said.window);
        if (last && book_.partials().same(*last, answer)) return;
        book_.set_last(id, said.window, answer);
        book_.partials().tell(said, answer);
    }

    Book<P>& book_;
    Views<LineOf> views_;
};

}  // namespace sash::lines
