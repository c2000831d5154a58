//! Batches of keyed events on their way into the core, for both engines of sash.Sliding.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "window/face.hpp"
#include "operator/keyed_kernel.hpp"
#include "operator/keys.hpp"
#include "monoids/row.hpp"
#include "sash/windows/grid.hpp"
#include "sash/monoids/record/compiled.hpp"
#include "sash/monoids/widen.hpp"

namespace sash::face {

//! Ticks and the same length as a real, of which one is meant.
using LengthSpec = std::pair<std::int64_t, double>;

inline std::optional<Length> length_of(const std::optional<LengthSpec>& spec) {
    if (!spec) return std::nullopt;
    return Length{spec->first, spec->second};
}

inline nb::object python_of(const Outcome& outcome) {
    if (const auto* const integer = std::get_if<std::int64_t>(&outcome)) return nb::int_(*integer);
    if (const auto* const real = std::get_if<double>(&outcome)) return nb::float_(*real);
    return nb::none();
}

//! A list of (words, tags).
inline nb::list listed(std::vector<AnswerColumn> columns) {
    nb::list lists;
    for (AnswerColumn& column : columns) {
        std::vector<std::uint8_t> tags;
        tags.reserve(column.tags.size());
        for (const AnswerColumn::Tag tag : column.tags) tags.push_back(static_cast<std::uint8_t>(tag));
        lists.append(nb::make_tuple(array_of(std::move(column.words)), array_of(std::move(tags))));
    }
    return lists;
}

//! Runs it without the interpreter's lock, and gives errors of the core their names.
template <class Run>
void guarded(Run run) {
    try {
        const nb::gil_scoped_release released;
        run();
    } catch (const Inexact& number) {
        raise_inexact(number.value);
    } catch (const CompiledError& error) {
        raise("AggregationError",
              std::string(error.what()) + ": run the aggregation uncompiled to see which and where");
    }
}

//! Who the keys are, which columns a record reads, and what kinds they have turned out to be.
class KeyedInput {
public:
    KeyedInput(nb::handle row, TickScale scale) : row_(row) { mode_.scale = scale; }

    const RowReader& row() const { return row_; }
    const Mode& mode() const { return mode_; }
    Mode& mode() { return mode_; }
    const Keys& keys() const { return keys_; }
    Keys& keys() { return keys_; }
    std::size_t parts() const { return row_.parts().size(); }
    LayoutPtr layout() const { return row_.layout(mode_); }

    //! Which columns are reals, and which are from now on.
    std::vector<bool> reals() const {
        std::vector<bool> reals;
        for (std::size_t i = 0; i < row_.slots().size(); ++i) reals.push_back(mode_.reals[i]);
        return reals;
    }
    void set_reals(const std::vector<bool>& reals) {
        for (std::size_t i = 0; i < reals.size() && i < kMostSlots; ++i) mode_.reals[i] = reals[i];
    }

    //! Reads a batch and runs it, run(rows, mode, mark): in the mode that it makes necessary, with the keys that are
    //! new since the mark. If that fails, the keys are as they were.
    template <class Run>
    void take(nb::handle keys, const Times& ticks, const nb::list& columns, Run run) {
        std::vector<Field> fields(ticks.size() * row_.slots().size());
        Mode mode;
        mode.scale = mode_.scale;
        for (std::size_t slot = 0; slot < row_.slots().size(); ++slot)
            row_.read_slot(slot, columns[slot], fields, mode);
        const std::size_t mark = keys_.mark();
        try {
            const std::vector<Keys::Slot> slots = slots_of(keys, ticks.size());
            const Mode wider = settle(mode, fields);
            run(Rows{slots, {ticks.data(), ticks.size()}, fields, row_.slots().size()}, wider, mark);
            mode_ = wider;
        } catch (...) {
            keys_.drop_since(mark);
            throw;
        }
        keys_.settle();
    }

    //! KeyTable::kNone for keys that are not known.
    std::vector<Keys::Slot> known(nb::handle keys, std::size_t size) const {
        Times integers;
        if (keys.is_none()) return std::vector<Keys::Slot>(size, keys_.find(nb::int_(0)));
        if (nb::try_cast(keys, integers, false)) return keys_.known(std::span(integers.data(), integers.size()));
        std::vector<Keys::Slot> slots;
        for (const nb::handle key : nb::cast<nb::list>(keys)) slots.push_back(keys_.find(key));
        return slots;
    }

private:
    std::vector<Keys::Slot> slots_of(nb::handle keys, std::size_t size) {
        Times integers;
        if (keys.is_none()) return std::vector<Keys::Slot>(size, keys_.slots(std::span<const std::int64_t>(kOne))[0]);
        if (nb::try_cast(keys, integers, false)) return keys_.slots(std::span(integers.data(), integers.size()));
        return keys_.slots(nb::cast<nb::list>(keys));
    }

    //! Reads the columns of the batch as reals where the windows have reals; the mode for both.
    Mode settle(const Mode& mode, std::span<Field> fields) const {
        Mode wider = mode_;
        wider.reals |= mode.reals;
        const std::size_t width = row_.slots().size();
        if (mode.reals != wider.reals)
            for (std::size_t i = 0; i < fields.size(); i += width)
                row_.settle(fields.subspan(i, width), mode.reals, wider.reals);
        return wider;
    }

    static constexpr std::int64_t kOne[] = {0};

    RowReader row_;
    Mode mode_;
    Keys keys_;
};

}  // namespace sash::face
