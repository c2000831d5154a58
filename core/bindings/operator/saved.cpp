//! The state of an operator as bytes and back, and in other modes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "operator/call.hpp"

namespace sash::face {

std::unique_ptr<OperatorPartials> BoundOperator::in_mode(const OperatorPartials& partials, const Mode& from,
                                                         const Mode& to) const {
    std::unique_ptr<OperatorPartials> changed;
    if (from != to) named_errors([&] { changed = partials.with_layout(row_.layout(to), row_.forms(from, to)); });
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
    // Equal contents give equal bytes: what was wide once, and need not be any more, is written as what never was.
    Mode mode = mode_;
    mode.wide = mode_.wide && !(partials_->reach() < kNarrowReach);
    const std::unique_ptr<OperatorPartials> narrow = in_mode(*partials_, mode_, mode);
    Writer writer;
    if (narrow) engine_->state().set_partials(*narrow);
    snapshot.save(writer);
    engine_->state().set_partials(*partials_);
    const std::string bytes = writer.take();
    std::vector<bool> reals;
    for (std::size_t i = 0; i < row_.slots().size(); ++i) reals.push_back(mode.reals[i]);
    return {{reals, mode.wide},
            keys,
            ids,
            nb::bytes(bytes.data(), bytes.size()),
            {state().now().newest, state().now().watermark, finished_}};
}

void BoundOperator::restore(const nb::list& keys, const nb::list& ids,
                            const std::pair<std::vector<bool>, bool>& columns, const nb::bytes& body,
                            std::optional<Time> newest, std::optional<Time> watermark, bool finished) {
    const Busy busy = entered();
    try {
        const auto& [reals, wide] = columns;
        for (std::size_t i = 0; i < reals.size() && i < kMostSlots; ++i) mode_.reals[i] = reals[i];
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
