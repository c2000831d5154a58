#include "operator/event_batch.hpp"

#include <algorithm>
#include <numeric>

namespace sash::face {

using windows::Mark;

MarkColumn::MarkColumn(nb::handle column) {
    if (nb::try_cast(column, integers_, false)) {
        kind_ = Kind::integers;
    } else if (nb::try_cast(column, reals_, false)) {
        kind_ = Kind::reals;
    } else if (!column.is_none()) {
        kind_ = Kind::objects;
        for (const nb::handle value : nb::iter(column)) marks_.push_back(mark_of(value));
    }
}

Mark MarkColumn::operator[](std::size_t i) const {
    switch (kind_) {
        case Kind::integers:
            return Mark::of(integers_.data()[i]);
        case Kind::reals:
            return reals_.data()[i] == reals_.data()[i] ? Mark::of(reals_.data()[i]) : Mark{};
        case Kind::objects:
            return marks_[i];
        default:
            return {};
    }
}

EventBatch::EventBatch(const RowReader& row, const Times& ticks, const nb::list& columns)
    : row_(row), ticks_(ticks.data(), ticks.size()), width_(row.slots().size()) {
    for (std::size_t slot = 0; slot < width_; ++slot) columns_.push_back(row.column(slot, columns[slot], mode_));
    to_ = mode_;
}

bool EventBatch::settle(const Mode& to) {
    to_ = to;
    rows_ = 0;
    return mode_.reals != to_.reals;
}

void EventBatch::load(std::size_t first, std::size_t rows) {
    rows_ = 0;
    rows = std::min(rows, size() - first);
    if (fields_.size() < rows * width_) fields_.resize(rows * width_);
    for (std::size_t slot = 0; slot < width_; ++slot) columns_[slot].read(first, rows, fields_.data() + slot, width_);
    if (mode_.reals != to_.reals)
        for (std::size_t i = 0; i < rows; ++i) row_.settle({fields_.data() + i * width_, width_}, mode_, to_);
    first_ = first;
    rows_ = rows;
}

std::optional<EventBatch::Flags> EventBatch::flags_of(nb::handle flags) {
    if (flags.is_none()) return std::nullopt;
    return nb::cast<Flags>(flags);
}

void EventBatch::read_marks(const nb::list& marks, nb::handle fires, nb::handle nulls) {
    for (const nb::handle column : marks) marks_.emplace_back(column);
    own_.resize(marks_.size());
    fires_ = flags_of(fires);
    nulls_ = flags_of(nulls);
}

std::vector<std::size_t> by_slot(std::span<const KeySlot> slots, std::size_t keys) {
    std::vector<std::size_t> places(slots.size());
    if (slots.size() < keys) {
        std::iota(places.begin(), places.end(), std::size_t{0});
        return places;
    }
    const auto home = [keys](KeySlot slot) { return std::min<std::size_t>(slot, keys); };
    std::vector<std::size_t> next(keys + 2, 0);
    for (const KeySlot slot : slots) ++next[home(slot) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t i = 0; i < slots.size(); ++i) places[next[home(slots[i])]++] = i;
    return places;
}

}  // namespace sash::face
