#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

#include "sash/number.hpp"

namespace sash {

//! The number of the row that a window picks: the one with the extreme key, the oldest of them on ties, or the one at
//! an end. Whoever keeps the rows can then take any of their columns. An event is (key, number); at an end the key is
//! read only for being there.
struct RowOf {
    enum class Pick : std::uint8_t { greatest, least, first, last };

    using Input = std::pair<Cell, Cell>;
    using Output = std::int64_t;
    struct Partial {
        Cell key;
        std::int64_t row;
        std::int64_t present;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;

    Pick pick = Pick::greatest;

    Partial identity() const { return {0, 0, 0}; }
    Partial lift(const Input& value) const { return {value.first, value.second, 1}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (older.present == 0) return newer;
        if (newer.present == 0) return older;
        return takes_newer(older.key, newer.key) ? newer : older;
    }
    bool defined(const Partial& partial) const { return partial.present != 0; }
    Output lower(const Partial& partial) const { return partial.row; }

    //! Maps every stored number, such as integers that become reals.
    template <class Map>
    void renumber(Partial& partial, Map map) const {
        const bool ordered = pick == Pick::greatest || pick == Pick::least;
        if (ordered && partial.present != 0) partial.key = map(partial.key);
    }

private:
    bool takes_newer(Cell older, Cell newer) const {
        switch (pick) {
            case Pick::greatest:
                return newer > older;
            case Pick::least:
                return newer < older;
            case Pick::first:
                return false;
            case Pick::last:
                break;
        }
        return true;
    }
};

inline auto fields(RowOf::Partial& partial) {
    return std::tie(partial.key, partial.row, partial.present);
}

}  // namespace sash
