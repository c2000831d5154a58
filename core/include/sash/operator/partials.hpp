//! The seam between an operator and what it aggregates.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sash/operator/key_state.hpp"
#include "sash/snapshot.hpp"
#include "sash/time.hpp"

namespace sash {

//! A window of a key as its partials lie: the labels from its first to its last, both in.
struct PartialRange {
    KeyId key;
    Time from;
    Time to;
    //! No rows are in it.
    bool empty;
    //! Too few values are in it for a result.
    bool missing;
    //! Which of the plan's windows it is.
    std::size_t window = 0;
};

//! What a result is of, and what made the trigger fire.
struct Emission {
    KeySlot slot;
    std::uint32_t window;
    Time start;
    //! Also the time of the event that fired the trigger, if one did.
    Time end;
    //! Of that event.
    std::int64_t number = 0;
    //! An event fired the trigger, not a slide of time.
    bool by_event = false;
    //! It was emitted before and is none any more.
    bool retracted = false;
    //! The window has too few values for a result; whoever takes it sets this.
    bool missing = false;
    std::int64_t revision = 0;
};

//! Keeps the partials of each key under labels that ascend with its rows, and takes what is emitted. Emitting may be
//! refused by an exception; so may an insert, an erasure, and what a programmable window sees. Nothing else throws.
template <class P>
concept Partials = requires(P p, KeyId key, Time label, std::span<const Time> labels, const PartialRange& range,
                            std::span<const PartialRange> ranges, const Emission& emission,
                            const typename P::Result& result, std::size_t window) {
    p.open(key);
    p.close(key);
    //! Something of the key will be asked for soon; where that is was fetched before its entries are.
    p.prefetch(key, true);
    //! The event that is being taken in; an equal label combines: old (x) new.
    p.insert(key, label);
    //! Everything at or before the label goes.
    p.evict(key, label);
    //! Both in one call: everything before the first label goes, then the event that is being taken in comes under the
    //! second, if it has a partial.
    p.slide(key, label, label, true);
    //! What is at exactly the label goes.
    p.erase(key, label);
    { p.empty(key) } -> std::convertible_to<bool>;
    { p.any(key, label, label) } -> std::convertible_to<bool>;
    //! The call went well, or every change since it began is undone, under the labels of now.
    p.commit();
    p.roll_back();
    //! What was under the first labels is under the second now; both ascend.
    p.relabel(key, labels, labels);
    p.emit(emission, range);
    p.emit(emission, result);
    { p.result(range) } -> std::convertible_to<typename P::Result>;
    //! Of ranges of one key and window whose ends only move on.
    { p.results(ranges) } -> std::convertible_to<std::vector<typename P::Result>>;
    { p.same(result, result) } -> std::convertible_to<bool>;
    //! Whether results that fail are set aside, and the exception that is being handled as the failure of one. What
    //! was written of that result goes.
    { p.keeps_failures() } -> std::convertible_to<bool>;
    p.fail(emission);
    //! What a programmable window sees of a run, and whether it lets a prefix of that run go.
    { p.evicts(window, p.seen_by(window, range), range) } -> std::convertible_to<bool>;
    //! The same where it sees how many values there are.
    { p.evicts(window, p.counted(window), window) } -> std::convertible_to<bool>;
};

//! Partials and results that can be written.
template <class P>
concept StoredPartials = Partials<P> && requires(P p, KeyId key, std::span<const Time> labels, Writer& writer,
                                                 Reader& reader, const typename P::Result& result) {
    //! In the order of their labels, which are written only where no rows are.
    p.save(key, writer);
    p.restore(key, labels, reader);
    { p.labels(key) } -> std::convertible_to<std::vector<Time>>;
    //! Whether results that may be revised can be written; they are computed anew otherwise.
    { p.writes_results() } -> std::convertible_to<bool>;
    p.write(writer, result);
    { p.read(reader) } -> std::convertible_to<typename P::Result>;
};

}  // namespace sash
