//! What rows are known by, where later ones may take them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sash/operator/indexed_list.hpp"
#include "sash/operator/row_list.hpp"
#include "sash/time.hpp"

namespace sash {

//! Names what rows are known by; the caller knows which.
using IdSlot = std::uint32_t;

//! The ids of the rows of one key, by place and back. Several rows may have one id. O(log n) a row.
class RowIds {
public:
    struct Known {
        Time ticks;
        std::int64_t number;
    };

    bool empty() const { return by_place_.empty(); }
    IdSlot operator[](std::size_t place) const { return by_place_[place]; }

    //! The row that came last of those with the id.
    std::optional<Known> last(IdSlot id) const {
        const auto after = rows_.upper_bound({id, std::numeric_limits<std::int64_t>::max()});
        if (after == rows_.begin()) return std::nullopt;
        const auto& [name, ticks] = *std::prev(after);
        return name.first == id ? std::optional(Known{ticks, name.second}) : std::nullopt;
    }

    void insert(std::size_t place, IdSlot id, const Row& row) {
        by_place_.insert(place, id);
        rows_.emplace(Name(id, row.number), row.ticks);
    }
    void erase(std::size_t place, const Row& row) {
        rows_.erase({by_place_[place], row.number});
        by_place_.erase(place);
    }
    //! The first rows go, which are still there; gone(id) is called for each.
    template <class Gone>
    void drop(const RowList& rows, std::size_t count, Gone gone) {
        for (std::size_t place = 0; place < count; ++place) {
            rows_.erase({by_place_[place], rows[place].number});
            gone(by_place_[place]);
        }
        by_place_.drop(count);
    }

    template <class F>
    void for_each(F f) const {
        by_place_.for_each(f);
    }
    template <class Map>
    void retime(Map map) {
        for (auto& [name, ticks] : rows_) ticks = map(ticks);
    }
    //! That so many rows were there before; for an empty list.
    void start_at(std::size_t dropped) { by_place_.start_at(dropped); }

    std::size_t bytes() const { return by_place_.bytes() + rows_.size() * (sizeof(Name) + sizeof(Time) + kNode); }

private:
    using Name = std::pair<IdSlot, std::int64_t>;
    //! What a map has around an entry.
    static constexpr std::size_t kNode = 4 * sizeof(void*);

    IndexedList<IdSlot> by_place_;
    std::map<Name, Time> rows_;
};

//! How many rows have each id, so that its name can be given up with the last of them.
class IdUses {
public:
    bool uses(IdSlot id) const { return id < counts_.size() && counts_[id] != 0; }
    void add(IdSlot id) {
        if (id >= counts_.size()) counts_.resize(id + 1, 0);
        ++counts_[id];
    }
    void drop(IdSlot id) {
        if (--counts_[id] == 0) freed_.push_back(id);
    }
    //! The ids that had no row any more, at some moment since the last call.
    std::vector<IdSlot> take_freed() { return std::exchange(freed_, {}); }
    std::size_t bytes() const { return counts_.capacity() * sizeof(counts_[0]); }

private:
    std::vector<std::uint32_t> counts_;
    std::vector<IdSlot> freed_;
};

}  // namespace sash
