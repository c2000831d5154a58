//! Labels of rows: they ascend with the places, and leave room for late rows between two neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "sash/lines/row_list.hpp"
#include "sash/time.hpp"

namespace sash::lines {

//! The distance of labels that are given out at the ends, and where they end.
inline constexpr Time kLabelGap = Time{1} << 32;
inline constexpr Time kLastLabel = Time{1} << 62;

//! A label for a row that goes to the place, after one that got the recent label; nothing if there is no room.
inline std::optional<Time> label_at(const RowList& rows, std::size_t place, Time recent) {
    if (place == rows.size()) {
        if (rows.empty()) return 0;
        const Time label = rows.back().label + kLabelGap;
        return label < kLastLabel ? std::optional(label) : std::nullopt;
    }
    const Time next = rows[place].label;
    if (place == 0) return next > -kLastLabel ? std::optional(next - kLabelGap) : std::nullopt;
    const Time room = next - rows[place - 1].label;
    if (room <= 1) return std::nullopt;
    // Late rows come in runs, up or down: leave most of the room to those that follow.
    const Time step = std::max<Time>(1, room / 64);
    return next == recent ? next - step : next - room + step;
}

//! Labels before and after.
struct Relabelled {
    std::vector<Time> from;
    std::vector<Time> to;
};

//! New labels for all rows; those of all but the row at the place, which had none.
inline Relabelled relabel(RowList& rows, std::size_t place) {
    Relabelled labels;
    std::size_t at = 0;
    rows.for_each([&](Row& row) {
        const Time label = static_cast<Time>(at) * kLabelGap;
        if (at++ != place) {
            labels.from.push_back(row.label);
            labels.to.push_back(label);
        }
        row.label = label;
    });
    return labels;
}

}  // namespace sash::lines
