//! The four points that draw a line chart: first, last, least and greatest, with their times.
#pragma once

#include <cmath>
#include <cstdint>
#include <tuple>

#include "sash/monoids/extrema.hpp"
#include "sash/monoids/tick_scale.hpp"
#include "sash/number.hpp"

namespace sash {

//! A time and the encoded number at it.
struct TimedCell {
    Time time;
    Cell value;
    bool operator==(const TimedCell&) const = default;
};

//! The oldest wins a tie.
struct M4 {
    using Input = Cell;
    struct Partial {
        TimedCell first;
        TimedCell last;
        TimedCell least;
        TimedCell greatest;
        std::int64_t present;
    };
    struct Point {
        Time time;
        Number value;
    };
    struct Output {
        Point first;
        Point last;
        Point least;
        Point greatest;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;
    static constexpr bool timed = true;

    //! Not read: times come out as they are, not as lengths.
    TickScale scale;
    NumberKind kind = NumberKind::integer;

    Partial identity() const { return {}; }
    Partial lift(Time time, Input value) const {
        const TimedCell point{time, value};
        return {point, point, point, point, 1};
    }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.present == 0) return newer;
        if (newer.present == 0) return older;
        return {older.first, newer.last,
                wins<Extreme::least>(newer.least.value, older.least.value) ? newer.least : older.least,
                wins<Extreme::greatest>(newer.greatest.value, older.greatest.value) ? newer.greatest : older.greatest,
                1};
    }
    bool defined(const Partial& partial) const { return partial.present != 0; }
    Output lower(const Partial& partial) const {
        return {point(partial.first), point(partial.last), point(partial.least), point(partial.greatest)};
    }

    template <class Map>
    void retime(Partial& partial, Map map) const {
        if (partial.present == 0) return;
        for (TimedCell* point : {&partial.first, &partial.last, &partial.least, &partial.greatest})
            point->time = map(point->time);
    }
    //! Maps every stored number, such as integers that become reals.
    template <class Map>
    void renumber(Partial& partial, Map map) const {
        if (partial.present == 0) return;
        for (TimedCell* point : {&partial.first, &partial.last, &partial.least, &partial.greatest})
            point->value = map(point->value);
    }

private:
    //! A NaN is more extreme than any number, at either end.
    template <Extreme E>
    bool wins(Cell a, Cell b) const {
        const bool a_nan = is_nan(a);
        const bool b_nan = is_nan(b);
        return a_nan || b_nan ? a_nan && !b_nan : beats<E>(a, b);
    }
    bool is_nan(Cell cell) const { return kind == NumberKind::real && std::isnan(decode_real(cell)); }
    Point point(const TimedCell& cell) const { return {cell.time, decode(cell.value, kind)}; }
};

inline auto fields(M4::Partial& partial) {
    return std::tie(partial.first.time, partial.first.value, partial.last.time, partial.last.value, partial.least.time,
                    partial.least.value, partial.greatest.time, partial.greatest.value, partial.present);
}

}  // namespace sash
