//! Labels of rows: they ascend with the places, and leave room for late rows between two neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "sash/operator/indexed_list.hpp"
#include "sash/time.hpp"

namespace sash {

//! Labels before and after.
struct Relabelled {
    std::vector<Time> from;
    std::vector<Time> to;
};

//! The labels of the rows of a key, by place.
class Labels : public IndexedList<Time> {
public:
    //! The label of a row that is read back.
    static Time first_of(std::size_t place) { return static_cast<Time>(place) * kGap; }

    //! For a row that has come to the place. Where there is no room, all labels are new: those of the other rows, and
    //! `gone`, ascending, of rows that may come back.
    template <class Gone>
    std::optional<Relabelled> give(std::size_t place, Gone gone) {
        const std::optional<Time> label = free_at(place);
        insert(place, label.value_or(0));
        std::optional<Relabelled> moved;
        if (!label) moved = renew(place, gone());
        recent_ = label ? *label : (*this)[place];
        return moved;
    }

    //! What was given last.
    Time recent() const { return recent_; }

private:
    //! The distance of labels that are given out at the ends, and where they end.
    static constexpr Time kGap = Time{1} << 32;
    static constexpr Time kEnd = Time{1} << 62;

    std::optional<Time> free_at(std::size_t place) const {
        if (place == size()) {
            if (empty()) return 0;
            const Time label = back() + kGap;
            return label < kEnd ? std::optional(label) : std::nullopt;
        }
        const Time next = (*this)[place];
        if (place == 0) return next > -kEnd ? std::optional(next - kGap) : std::nullopt;
        const Time room = next - (*this)[place - 1];
        if (room <= 1) return std::nullopt;
        // Late rows come in runs, up or down: leave most of the room to those that follow.
        const Time step = std::max<Time>(1, room / 64);
        return next == recent_ ? next - step : next - room + step;
    }

    Relabelled renew(std::size_t place, const std::vector<Time>& gone) {
        Relabelled labels;
        std::size_t at = 0, given = 0;
        auto dead = gone.begin();
        const auto give_next = [&](Time label) {
            labels.from.push_back(label);
            labels.to.push_back(first_of(given++));
        };
        for_each([&](Time& label) {
            if (at++ == place) {
                label = first_of(given++);
                return;
            }
            for (; dead != gone.end() && *dead < label; ++dead) give_next(*dead);
            while (dead != gone.end() && *dead == label) ++dead;
            give_next(label);
            label = labels.to.back();
        });
        for (; dead != gone.end(); ++dead) give_next(*dead);
        return labels;
    }

    Time recent_ = 0;
};

}  // namespace sash
