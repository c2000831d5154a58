//! The multiples of a slide, from an origin on, in both directions.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "sash/number.hpp"
#include "sash/time.hpp"
#include "sash/windows/length.hpp"

namespace sash::windows {

//! Beyond 2^52 neighbouring multiples are one real: a time has no place among them.
class OffGrid : public std::invalid_argument {
public:
    OffGrid(double time, double every)
        : std::invalid_argument("the time " + text_of(time) + " has no place among the multiples of " + text_of(every) +
                                ": use a longer slide, or integers") {}
};

//! A multiple beyond the first or last time of 64 bits is none. Over reals, finding one may throw OffGrid.
class Grid {
public:
    Grid() = default;
    Grid(Length every, Time origin, bool reals) : every_(every), origin_(origin), reals_(reals) {}

    bool may_fail() const { return reals_; }
    //! Integer ticks are reals from now on, by this map.
    template <class Map>
    void read_as_reals(Map map) {
        origin_ = map(origin_);
        reals_ = true;
    }

    //! The least multiple at or after.
    std::optional<Time> first(Time ticks) const { return at(index(ticks)); }
    //! The least multiple after.
    std::optional<Time> after(Time ticks) const {
        const Index found = index(ticks);
        const std::optional<Time> multiple = at(found);
        return !multiple || *multiple > ticks ? multiple : at(found + 1);
    }
    //! The greatest multiple before.
    std::optional<Time> before(Time ticks) const { return at(index(ticks) - 1); }
    //! The greatest multiple at or before.
    std::optional<Time> last(Time ticks) const {
        const Index found = index(ticks);
        const std::optional<Time> multiple = at(found);
        return multiple == ticks ? multiple : at(found - 1);
    }

private:
    //! Multiples may lie outside of 64 bits.
    __extension__ using Index = __int128;

    std::optional<Time> at(Index index) const {
        if (reals_) return encode_real(decode_real(origin_) + static_cast<double>(index) * every_.real);
        const Index ticks = origin_ + index * every_.ticks;
        if (ticks < kEarliest || ticks > kLatest) return std::nullopt;
        return static_cast<Time>(ticks);
    }

    //! Which multiple is the least at or after the ticks.
    Index index(Time ticks) const {
        if (reals_) return real_index(ticks);
        // A division of 64 bits is several times as fast as one of 128.
        Time distance;
        if (!__builtin_sub_overflow(ticks, origin_, &distance)) return rounded_up(distance, every_.ticks);
        return rounded_up<Index>(static_cast<Index>(ticks) - origin_, every_.ticks);
    }

    //! Division rounds to zero, which is up for what is negative.
    template <class Integer>
    static Integer rounded_up(Integer distance, Integer every) {
        return distance / every + (distance > 0 && distance % every != 0);
    }

    Index real_index(Time ticks) const {
        const double distance = (decode_real(ticks) - decode_real(origin_)) / every_.real;
        if (!(std::abs(distance) < 0x1p52)) throw OffGrid(decode_real(ticks), every_.real);
        Index index = static_cast<Index>(std::ceil(distance));
        while (*at(index) < ticks) ++index;
        while (*at(index - 1) >= ticks) --index;
        return index;
    }

    Length every_{1, 1.0};
    Time origin_ = 0;
    bool reals_ = false;
};

}  // namespace sash::windows
