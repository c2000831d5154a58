//! The state of an operator as bytes and back, and in other modes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "operator/call.hpp"

namespace sash::face {

std::unique_ptr<OperatorPartials> BoundOperator::in_mode(const OperatorPartials& partials, const Mode& from,
                                                         const Mode& to) const {
    std::unique_ptr<OperatorPartials> changed;
    if (!from.keeps_values_as(to))
        named_errors([&] { changed = partials.with_layout(row_.layout(to), row_.forms(from, to)); });
    return changed;
}

BoundOperator::Saved BoundOperator::save() const {
    // Whoever has retired it may read it.
    const Busy busy(busy_, kOperator);
    const Snapshot snapshot(engine_->state());
    nb::list keys;
    for (const KeyId id : snapshot.keys()) keys.append(keys_.key(state().slot(id)));
    nb::list ids;
    for (const IdSlot id : snapshot.ids()) ids.append(ids_.key(id));
    const auto [mode, partials] = canonical();
    Writer writer;
    if (partials) engine_->state().set_partials(*partials);
    snapshot.save(writer);
    engine_->state().set_partials(*partials_);
    const std::string bytes = writer.take();
    return {column_kinds(mode),
            keys,
            ids,
            nb::bytes(bytes.data(), bytes.size()),
            {state().now().newest, state().now().watermark, finished_}};
}

//! Equal contents give equal bytes: what was wide once, or of both kinds, and need not be any more, is written as what
//! never was.
std::pair<Mode, std::unique_ptr<OperatorPartials>> BoundOperator::canonical() const {
    const Mode mode = row_.without_strangers(mode_, partials_->kinds());
    std::unique_ptr<OperatorPartials> partials = in_mode(*partials_, mode_, mode);
    const OperatorPartials& now = partials ? *partials : *partials_;
    if (!mode.wide || !(now.reach() < kNarrowReach)) return {mode, std::move(partials)};
    Mode narrow = mode;
    narrow.wide = false;
    return {narrow, in_mode(now, mode, narrow)};
}

BoundOperator::ColumnKinds BoundOperator::column_kinds(const Mode& mode) const {
    ColumnKinds columns;
    auto& [reals, wide, both] = columns;
    wide = mode.wide;
    for (std::size_t i = 0; i < row_.slots().size(); ++i) {
        reals.push_back(mode.reals[i]);
        if (mode.numbers(i) == Kind::both) both.push_back(i);
    }
    return columns;
}

void BoundOperator::restore(const nb::list& keys, const nb::list& ids, const ColumnKinds& columns,
                            const nb::bytes& body, std::optional<Time> newest, std::optional<Time> watermark,
                            bool finished) {
    const Busy busy = entered();
    try {
        const auto& [reals, wide, both] = columns;
        for (std::size_t i = 0; i < reals.size() && i < kMostSlots; ++i) {
            mode_.reals[i] = reals[i];
            mode_.integers[i] = !reals[i];
        }
        for (const std::size_t slot : both) {
            if (slot >= row_.slots().size()) throw DamagedSnapshot("it has numbers in a column that there is not");
            mode_.integers[slot] = true;
        }
        mode_.wide = wide;
        partials_ = make_partials(row_.layout(mode_), shape_);
        engine_->state().set_partials(*partials_);
        Reader reader({body.c_str(), body.size()});
        engine_->state().now() = {newest, watermark};
        Snapshot(engine_->state()).restore(reader, keys_.slots(keys), ids_.slots(ids));
        if (reader.left() != 0) throw DamagedSnapshot("bytes follow its last key");
        reach_ = partials_->reach();
        if (!wide && !(reach_ < kNarrowReach)) throw DamagedSnapshot("its integers need more than 64 bits");
    } catch (const DamagedSnapshot& damage) {
        raise("SnapshotError", std::string("the snapshot cannot be read: ") + damage.what());
    }
    for (Keys* const names : {&keys_, &ids_}) names->settle();
    finished_ = finished;
}

void BoundOperator::read_times_as_reals() {
    const Busy busy = entered();
    Mode mode = mode_;
    mode.scale = {1.0, true};
    try {
        partials_ = partials_->with_times(row_.layout(mode), state().aligned(), real_time);
        engine_->state().set_partials(*partials_);
        Snapshot(engine_->state()).read_as_reals(real_time);
    } catch (const Inexact& number) {
        raise_inexact(number.value);
    }
    mode_ = mode;
    clock_.set(TimeKind::real, {});
}

}  // namespace sash::face
