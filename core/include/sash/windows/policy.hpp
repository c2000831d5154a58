//! Window policies as the core knows them: which kind, how long, and which ends are in.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sash/time.hpp"
#include "sash/windows/grid.hpp"
#include "sash/windows/length.hpp"

namespace sash::windows {

//! What a policy reads of an event, computed before the event comes in: a punctuation, or a measure. None is no
//! punctuation, or no measure.
struct Mark {
    enum class Kind : std::uint8_t { none, integer, real };

    Kind kind = Kind::none;
    std::int64_t integer = 0;
    double real = 0.0;

    static Mark of(std::int64_t value) { return {Kind::integer, value, static_cast<double>(value)}; }
    static Mark of(double value) { return {Kind::real, 0, value}; }
    bool any() const { return kind != Kind::none; }
    //! Whether this one is at least `distance` ahead of the other. Integers are compared exactly.
    bool is_ahead(const Mark& other, const Mark& distance) const;
    //! Whether this one is further from the other than `distance`, up or down.
    bool is_apart(const Mark& other, const Mark& distance) const;
};

inline bool Mark::is_ahead(const Mark& other, const Mark& distance) const {
    if (kind != Kind::integer || other.kind != Kind::integer) return real - other.real >= distance.real;
    __extension__ using Wide = __int128;
    const Wide ahead = static_cast<Wide>(integer) - other.integer;
    if (distance.kind == Kind::integer) return ahead >= distance.integer;
    return static_cast<long double>(ahead) >= static_cast<long double>(distance.real);
}

inline bool Mark::is_apart(const Mark& other, const Mark& distance) const {
    if (kind != Kind::integer || other.kind != Kind::integer) return std::abs(real - other.real) > distance.real;
    __extension__ using Wide = __int128;
    const Wide ahead = static_cast<Wide>(integer) - other.integer;
    const Wide apart = ahead < 0 ? -ahead : ahead;
    if (distance.kind == Kind::integer) return apart > distance.integer;
    return static_cast<long double>(apart) > static_cast<long double>(distance.real);
}

struct Policy {
    //! In groups: the predicates below ask which group a kind is in.
    enum class Kind : std::uint8_t {
        time,
        tumbling,
        session,
        landmark,
        count,
        tumbling_count,
        punctuated,
        delta,
        tumbling_delta,
        programmable,
        adaptive,
        moved
    };
    //! By the number of the kind.
    static constexpr std::string_view kNames[] = {"time",           "tumbling",       "session",    "landmark",
                                                  "count",          "tumbling_count", "punctuated", "delta",
                                                  "tumbling_delta", "programmable",   "adaptive",   "moved"};

    Kind kind = Kind::time;
    //! Of a time window; of a session, the gap.
    Span span = {};
    //! Of a tumbling window. With `left`, a block has its start and not its end.
    Grid grid = {};
    bool left = false;
    //! Of a landmark; everything without.
    std::optional<Time> since = {};
    //! Of windows of events.
    std::size_t count = 1;
    //! Of windows by a measure; of an adaptive one, its confidence.
    Mark delta = {};
    //! Of a programmable window: all that it sees is how many values there are, which rows know.
    bool counts = false;

    //! Windows begin and end between different times, so that one partial a time is enough.
    bool aligned() const { return kind <= Kind::landmark; }
    //! A window that ends long after the last event is empty.
    bool fades() const { return kind <= Kind::session; }
    //! Its windows are a function of the times alone: no row is needed to find one.
    bool timed() const { return kind == Kind::time; }
    //! No window: a block for each time that a trigger by a measure fires.
    bool fires() const { return kind == Kind::moved; }
    //! Where a window begins depends on where the one before it began, so that each row remembers its own.
    bool stepping() const { return kind >= Kind::punctuated; }
    //! Finding a window may throw.
    bool may_fail() const { return kind == Kind::programmable || (kind == Kind::tumbling && grid.may_fail()); }
};

}  // namespace sash::windows
