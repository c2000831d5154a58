//! The events of one push_many, read before anything changes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "monoids/row.hpp"
#include "operator/partials.hpp"
#include "sash/operator/operator_state.hpp"
#include "windows/policy_config.hpp"

namespace sash::face {

//! A column of marks: an array of numbers, in which NaN is no mark, or Python's own values, or none.
class MarkColumn {
public:
    explicit MarkColumn(nb::handle column);
    windows::Mark operator[](std::size_t i) const;

private:
    enum class Kind : std::uint8_t { none, integers, reals, objects };
    using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    Kind kind_ = Kind::none;
    Integers integers_;
    Reals reals_;
    std::vector<windows::Mark> marks_;
};

//! Columns as fields of rows that lie one behind the other, some rows at a time, and what windows and the trigger read
//! of each row.
class EventBatch {
public:
    //! Columns of numbers, one for each slot of the record. They stay where they are, and so do the ticks.
    EventBatch(const RowReader& row, const Times& ticks, const nb::list& columns);
    //! What Python read of each value: marks for each window, or none at all; flags, or None.
    void read_marks(const nb::list& marks, nb::handle fires, nb::handle nulls);

    std::size_t size() const { return ticks_.size(); }
    std::span<const Time> ticks() const { return ticks_; }
    Time ticks(std::size_t i) const { return ticks_[i]; }
    //! Which of its columns are reals.
    const Mode& mode() const { return mode_; }
    //! From now on integers are read as such a mode has them; whether that makes them others.
    bool settle(const Mode& to);
    //! The fields of an event, until those of another are asked for. Those behind it are read ahead.
    std::span<Field> fields(std::size_t i) {
        if (i - first_ >= rows_) load(i, kAhead);
        return {fields_.data() + (i - first_) * width_, width_};
    }
    //! Calls f(ticks, fields) with those of all events, in parts. Throws Inexact where an integer is no real: what was
    //! read once is read again without.
    template <class F>
    void for_each_part(F f) {
        for (std::size_t first = 0; first < size(); first += rows_) {
            load(first, kAhead);
            f(ticks_.subspan(first, rows_), std::span<const Field>(fields_.data(), rows_ * width_));
        }
    }
    //! All at once, for whoever asks for them in any order.
    void load_all() { load(0, size()); }

    //! An event whose partial was lifted, if it has one. The marks are those of the last event that was made.
    IncomingEvent event(std::size_t i, KeySlot slot, bool has_partial, IdSlot id = 0) {
        if (!marks_.empty()) read_own(i);
        const bool null = !has_partial || (nulls_ && nulls_->data()[i] != 0);
        return {slot, ticks(i), has_partial, null, !fires_ || fires_->data()[i] != 0, own_, id};
    }

    using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

private:
    //! So many are still in the first cache when they are taken in.
    static constexpr std::size_t kAhead = 256;

    static std::optional<Flags> flags_of(nb::handle flags);
    //! At most so many rows from the first on.
    void load(std::size_t first, std::size_t rows);
    void read_own(std::size_t i) {
        for (std::size_t window = 0; window < own_.size(); ++window) own_[window] = marks_[window][i];
    }

    const RowReader& row_;
    std::span<const Time> ticks_;
    std::size_t width_;
    std::vector<SlotColumn> columns_;
    //! What was found in the columns, and how they are read.
    Mode mode_;
    Mode to_;
    //! Of the rows from the first on.
    std::vector<Field> fields_;
    std::size_t first_ = 0;
    std::size_t rows_ = 0;
    std::vector<MarkColumn> marks_;
    std::vector<windows::Mark> own_;
    std::optional<Flags> fires_;
    std::optional<Flags> nulls_;
};

//! What each row of a push_many does to those before it, and what it is known by; sash.operator.changes has the flags.
class ChangeBatch {
public:
    ChangeBatch(const EventBatch::Flags& does, std::vector<IdSlot> ids) : does_(does), ids_(std::move(ids)) {}

    std::size_t size() const { return ids_.size(); }
    bool adds(std::size_t i) const { return (does_.data()[i] & 1) != 0; }
    bool removes(std::size_t i) const { return (does_.data()[i] & 2) != 0; }
    IdSlot id(std::size_t i) const { return ids_[i]; }

private:
    EventBatch::Flags does_;
    std::vector<IdSlot> ids_;
};

//! The places of rows, key by key, those of a key in their own order: what a key has is in the cache from its first row
//! to its last. Keys that are not known may be any beyond the others. Rows stay as they are where they are few beside
//! the keys.
std::vector<std::size_t> by_slot(std::span<const KeySlot> slots, std::size_t keys);

}  // namespace sash::face
