//! The longest stretch in which every value is greater than the one before it.
#pragma once

#include <cstdint>
#include <functional>
#include <tuple>

#include "sash/monoids/delta.hpp"
#include "sash/monoids/event_count.hpp"
#include "sash/monoids/tick_scale.hpp"
#include "sash/number.hpp"

namespace sash {

//! A run of neighbours that rises strictly: how many, and time and value of its two ends.
struct Stretch {
    std::int64_t length;
    Time start_time;
    Cell start;
    Time end_time;
    Cell end;
    bool operator==(const Stretch&) const = default;

    //! This run and the one that follows it as one.
    Stretch then(const Stretch& later) const {
        return {length + later.length, start_time, start, later.end_time, later.end};
    }
};

//! Of runs of equal length the oldest. A NaN lies beyond the infinities as a cell (number.hpp), but as a number it is
//! no rise: it ends a run and is one of its own.
struct LongestIncreasingRun {
    using Input = Cell;
    struct Partial {
        std::int64_t count;
        //! The run at the older end, the one at the younger end, and the longest.
        Stretch head;
        Stretch tail;
        Stretch best;
    };
    struct Output {
        Time start;
        Time end;
        Number span;
        std::int64_t length;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;
    static constexpr bool timed = true;

    //! Not read: times come out as they are, not as lengths.
    TickScale scale;
    NumberKind kind = NumberKind::integer;

    Partial identity() const { return {}; }
    Partial lift(Time time, Input value) const {
        const Stretch alone{1, time, value, time, value};
        return {1, alone, alone, alone};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.count == 0) return newer;
        if (newer.count == 0) return older;
        Partial both{older.count + newer.count, older.head, newer.tail, older.best};
        if (rises(older.tail.end, newer.head.start)) {
            const Stretch joint = older.tail.then(newer.head);
            if (older.head.length == older.count) both.head = joint;
            if (newer.tail.length == newer.count) both.tail = older.tail.then(newer.tail);
            if (joint.length > both.best.length) both.best = joint;
        }
        if (newer.best.length > both.best.length) both.best = newer.best;
        return both;
    }
    bool defined(const Partial& partial) const { return partial.count > 0; }
    Output lower(const Partial& partial) const {
        const Stretch& best = partial.best;
        return {best.start_time, best.end_time, difference(best.start, best.end, kind), best.length};
    }

    template <class Map>
    void retime(Partial& partial, Map map) const {
        if (partial.count == 0) return;
        for (Stretch* run : {&partial.head, &partial.tail, &partial.best}) {
            run->start_time = map(run->start_time);
            run->end_time = map(run->end_time);
        }
    }
    //! Maps every stored number, such as integers that become reals.
    template <class Map>
    void renumber(Partial& partial, Map map) const {
        if (partial.count == 0) return;
        for (Stretch* run : {&partial.head, &partial.tail, &partial.best}) {
            run->start = map(run->start);
            run->end = map(run->end);
        }
    }

private:
    bool rises(Cell before, Cell after) const {
        return kind == NumberKind::integer ? before < after : decode_real(before) < decode_real(after);
    }
};

inline auto fields(LongestIncreasingRun::Partial& partial) {
    const auto run = [](Stretch& part) {
        return std::make_tuple(EventCount{part.length}, std::ref(part.start_time), std::ref(part.start),
                               std::ref(part.end_time), std::ref(part.end));
    };
    return std::tuple_cat(std::make_tuple(EventCount{partial.count}), run(partial.head), run(partial.tail),
                          run(partial.best));
}

}  // namespace sash
