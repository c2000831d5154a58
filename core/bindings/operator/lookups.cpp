//! Windows that the caller asks for: of one key, or of many keys and times at once.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "operator/call.hpp"

namespace sash::face {

namespace {

//! The keys that were asked for, one a result. The operator need not know any of them.
nb::object repeated(const Times& keys, std::size_t windows) {
    std::vector<std::int64_t> repeated;
    repeated.reserve(keys.size() * windows);
    for (std::size_t i = 0; i < keys.size(); ++i) repeated.insert(repeated.end(), windows, keys.data()[i]);
    return array_of(std::move(repeated));
}

}  // namespace

nb::list BoundOperator::query(nb::handle key, std::optional<Time> ticks) const {
    const Busy busy = entered();
    nb::list results;
    const std::optional<Time> at = ticks ? ticks : engine_->now();
    if (!at) return results;
    const nb::object own = keyed_ ? checked_key(key) : nb::object(nb::int_(0));
    engine_->query(keys_.find(own), *at, [&](std::size_t window, const PartialRange& range, std::optional<Time> start) {
        const nb::object value = shape_.value(partials_->result(range));
        Emission emission{.slot = 0,
                          .window = static_cast<std::uint32_t>(window),
                          .start = start.value_or(0),
                          .end = *at,
                          .number = 0};
        const nb::object begin = start ? start_of(emission) : nb::object(nb::none());
        results.append(result_type_(keyed_ ? own : nb::object(nb::none()), begin, time_of(*at), value, 0, nb::none(),
                                    nb::none(), windows_[window]));
    });
    return results;
}

void BoundOperator::insert(const Times& keys, const Times& ticks, const nb::list& columns) {
    const Busy busy = entered();
    EventBatch batch(row_, ticks, columns);
    EmittedResults out = blank();
    const std::size_t mark = keys_.mark();
    try {
        const std::vector<KeySlot> slots = keys_.slots(std::span(keys.data(), keys.size()));
        const KeySlot most = slots.empty() ? 0 : *std::max_element(slots.begin(), slots.end());
        run(batch, out, [&](OperatorPartials& partials) {
            batch.load_all();
            for (const std::size_t i : by_slot(slots, most))
                engine_->insert(batch.event(i, slots[i], partials.lift({batch.ticks(i), batch.fields(i)})));
        });
    } catch (...) {
        keys_.drop_since(mark);
        throw;
    }
    keys_.settle();
}

std::unique_ptr<OperatorResults> BoundOperator::query_many(const Times& keys, const Times& ticks) {
    const Busy busy = entered();
    const std::vector<KeySlot> slots = keys_.known(std::span(keys.data(), keys.size()));
    const std::size_t windows = plan().policies.size();
    EmittedResults out = blank();
    out.emissions = EmissionList(slots.size() * windows);
    for (ResultColumn& column : out.columns) column = ResultColumn(out.emissions.size());
    named_errors([&] {
        const nb::gil_scoped_release released;
        for (const std::size_t i : by_slot(slots, keys_.size()))
            engine_->query(slots[i], ticks.data()[i], [&](std::size_t window, const PartialRange& range, auto) {
                OperatorPartials::Result result = partials_->result(range);
                for (std::size_t cell = 0; cell < result.size(); ++cell)
                    out.columns[cell].set(i * windows + window, std::move(result[cell]));
            });
    });
    return std::make_unique<OperatorResults>(nb::find(*this), *this, std::move(out), repeated(keys, windows));
}

void BoundOperator::trim() {
    const Busy busy = entered();
    engine_->state().trim();
    drop_freed({});
}

}  // namespace sash::face
