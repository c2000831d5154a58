#include "window/bulk.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "monoids/row.hpp"
#include "sash/hash.hpp"
#include "sash/monoids/widen.hpp"

namespace sash::face {

void Batch::read(std::span<const std::int64_t> integers) {
    mode_ = reader_.first_mode();
    cells_ = integers;
}

void Batch::read(std::span<const double> reals) {
    mode_ = reader_.first_mode();
    if (reader_.inputs() == Inputs::number || reader_.inputs() == Inputs::any) mode_.value = Kind::real;
    reals_ = reals;
    std::size_t first = 0;
    while (first < reals.size() && reader_.accepts(reals[first])) ++first;
    if (first == reals.size()) return;
    std::vector<std::size_t> kept(first);
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    for (std::size_t i = first + 1; i < reals.size(); ++i)
        if (reader_.accepts(reals[i])) kept.push_back(i);
    keep_ticks(kept);
    own_reals_.reserve(kept.size());
    for (const std::size_t i : kept) own_reals_.push_back(reals[i]);
    reals_ = own_reals_;
}

void Batch::read(nb::tuple values) {
    source_ = std::move(values);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < source_.size(); ++i) {
        Value value;
        Mode mode;
        Holder holder;
        if (!reader_.read(source_[i], value, mode, holder)) continue;
        mode_ = kept.empty() ? mode : reader_.join(mode_, mode);
        kept.push_back(i);
        values_.push_back(value);
        modes_.push_back(mode);
        holders_.push_back(std::move(holder));
    }
    if (kept.size() != source_.size()) keep_ticks(kept);
}

void Batch::read_rows(const nb::list& columns) {
    const std::size_t width = reader_.row()->slots().size();
    mode_ = reader_.first_mode();
    fields_.resize(ticks_.size() * width);
    for (std::size_t slot = 0; slot < width; ++slot)
        reader_.row()->column(slot, columns[slot], mode_).read(0, ticks_.size(), fields_.data() + slot, width);
    keep_rows();
}

void Batch::keep_rows() {
    const std::size_t width = reader_.row()->slots().size();
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
        const std::span<Field> row(fields_.data() + i * width, width);
        if (!reader_.row()->takes(row)) continue;
        kept.push_back(i);
        Value value;
        value.row = row;
        values_.push_back(value);
        modes_.push_back(mode_);
    }
    if (kept.size() != ticks_.size()) keep_ticks(kept);
}

void Batch::add_times(const Clock& clock) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        times_.push_back(clock.decode(ticks_[i]));
        values_[i].time = times_.back().ptr();
    }
}

void Batch::keep_ticks(const std::vector<std::size_t>& kept) {
    own_ticks_.reserve(kept.size());
    for (const std::size_t i : kept) own_ticks_.push_back(ticks_[i]);
    ticks_ = own_ticks_;
}

Column Batch::column(const Mode& to) {
    if (reader_.inputs() == Inputs::ignored) {
        own_cells_.assign(ticks_.size(), 1);
        return {own_cells_.size(), {}, own_cells_, {}};
    }
    if (!cells_.empty()) return column_of_cells(to);
    if (!reals_.empty()) return column_of_reals();
    for (std::size_t i = 0; i < values_.size(); ++i) reader_.settle(values_[i], modes_[i], to);
    return {values_.size(), values_, {}, {}};
}

Column Batch::column_of_cells(const Mode& to) {
    if (reader_.inputs() == Inputs::hashable) {
        for (const Cell cell : cells_) own_cells_.push_back(static_cast<Cell>(hash_integer(cell)));
        cells_ = own_cells_;
    } else if (to.value == Kind::real || to.value == Kind::both) {
        own_reals_.resize(cells_.size());
        std::transform(cells_.begin(), cells_.end(), own_reals_.begin(), exact_real);
        reals_ = own_reals_;
        Column column = column_of_reals();
        column.whole = true;
        return column;
    }
    return {cells_.size(), {}, cells_, {}};
}

Column Batch::column_of_reals() {
    if (reader_.sums()) return {reals_.size(), {}, {}, reals_};
    own_cells_.resize(reals_.size());
    const bool hashed = reader_.inputs() == Inputs::hashable;
    std::transform(reals_.begin(), reals_.end(), own_cells_.begin(),
                   [&](double real) { return hashed ? static_cast<Cell>(hash_real(real)) : reader_.code(real); });
    return {reals_.size(), {}, own_cells_, {}};
}

}  // namespace sash::face
