//! The seam between lines and what they aggregate.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "sash/operator/key_state.hpp"
#include "sash/snapshot.hpp"
#include "sash/time.hpp"

namespace sash::lines {

//! A window of a line as its partials lie: the labels from its first to its last, both in.
struct Question {
    LineId line;
    Time from;
    Time to;
    //! No rows are in it.
    bool empty;
    //! Too few values are in it for a result.
    bool missing;
};

//! What a result is of, and what asked for it.
struct Said {
    Slot slot;
    std::uint32_t window;
    Time start;
    Time end;
    //! An event asked, not a slide of time: its ticks, and its number.
    bool by_event;
    Time ticks;
    std::int64_t number;
    std::int64_t revision = 0;
};

//! Keeps the partials of each line under labels that ascend with its rows, and takes results. What is told may be
//! refused by an exception; nothing else throws, but for an insert.
template <class P>
concept Partials = requires(P p, LineId line, Time label, std::span<const Time> labels, const Question& question,
                            const Said& said, const typename P::Answer& answer) {
    p.open(line);
    p.close(line);
    //! The event that is being taken in; an equal label combines: old (x) new. What throws has inserted all the same.
    p.insert(line, label);
    //! The opposite of the last insert that has not been taken back, under the label that it has now.
    p.take_back(line, label);
    //! Everything at or before the label goes.
    p.evict(line, label);
    //! What was under the first labels is under the second now; both ascend.
    p.relabel(line, labels, labels);
    p.tell(said, question);
    p.tell(said, answer);
    { p.answer(question) } -> std::convertible_to<typename P::Answer>;
    { p.same(answer, answer) } -> std::convertible_to<bool>;
};

//! Partials and answers that can be written.
template <class P>
concept StoredPartials = Partials<P> && requires(P p, LineId line, std::span<const Time> labels, Writer& writer,
                                                 Reader& reader, const typename P::Answer& answer) {
    //! In the order of their labels, which are not written.
    p.save(line, writer);
    p.restore(line, labels, reader);
    p.write(writer, answer);
    { p.read(reader) } -> std::convertible_to<typename P::Answer>;
};

}  // namespace sash::lines
