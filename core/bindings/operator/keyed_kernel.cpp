#include "operator/keyed_kernel.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sash/monoids/record.hpp"

namespace sash::face {

namespace {

std::pair<std::int64_t, AnswerColumn::Tag> told(const Outcome& outcome) {
    using Tag = AnswerColumn::Tag;
    if (const auto* const integer = std::get_if<std::int64_t>(&outcome)) return {*integer, Tag::integer};
    if (const auto* const real = std::get_if<double>(&outcome)) return {std::bit_cast<std::int64_t>(*real), Tag::real};
    return {0, Tag::none};
}

//! The places of rows, key by key, those of a key in their own order: what a key has is in the cache from its first row
//! to its last. Slots of keys that are not known may be any beyond the others. Rows stay as they are where they are few
//! beside the keys.
std::vector<std::size_t> by_slot(std::span<const std::uint32_t> slots, std::size_t keys) {
    std::vector<std::size_t> places(slots.size());
    if (slots.size() < keys) {
        std::iota(places.begin(), places.end(), std::size_t{0});
        return places;
    }
    const auto home = [keys](std::uint32_t slot) { return std::min<std::size_t>(slot, keys); };
    std::vector<std::size_t> next(keys + 2, 0);
    for (const std::uint32_t slot : slots) ++next[home(slot) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t i = 0; i < slots.size(); ++i) places[next[home(slots[i])]++] = i;
    return places;
}

template <class Storage>
class KeyedOver final : public KeyedKernel {
public:
    using M = Record<Storage>;

    KeyedOver(M record, KeyedOptions options) : keyed_(std::move(record), std::move(options)) {}

    void extend(const Rows& rows, std::span<AnswerColumn> answers) override {
        const double reach = reach_of(rows);
        if (reach_ + reach < kSafe) {
            run(rows, answers, [&](std::uint32_t slot, Time time, const Storage* partial, auto tell) {
                keyed_.push(slot, time, partial, tell);
            });
        } else {
            extend_with_a_way_back(rows, answers);
        }
        reach_ += reach;
    }

    void insert(const Rows& rows) override {
        reach_ += reach_of(rows);
        Storage lifted = keyed_.monoid().blank();
        const std::uint32_t most = rows.slots.empty() ? 0 : *std::max_element(rows.slots.begin(), rows.slots.end());
        for (const std::size_t i : by_slot(rows.slots, most)) {
            const bool taken = layout().lift(event(rows, i), lifted.data());
            keyed_.insert(rows.slots[i], rows.ticks[i], taken ? &lifted : nullptr);
        }
    }

    void answer(std::span<const std::uint32_t> slots, std::span<const Time> ticks,
                std::span<AnswerColumn> answers) const override {
        for (AnswerColumn& column : answers) column.words.resize(ticks.size()), column.tags.resize(ticks.size());
        const std::size_t parts = layout().parts();
        for (const std::size_t i : by_slot(slots, keyed_.slots())) {
            for (std::size_t window = 0; window < keyed_.options().spans.size(); ++window) {
                const Storage partial = keyed_.query(slots[i], window, ticks[i]);
                for (std::size_t part = 0; part < parts; ++part) {
                    AnswerColumn& column = answers[window * parts + part];
                    std::tie(column.words[i], column.tags[i]) = told(layout().lower(part, partial.data()));
                }
            }
        }
    }

    void trim(const std::function<void(std::uint32_t)>& drop) override { keyed_.trim(drop); }

    std::vector<std::pair<std::vector<Outcome>, bool>> ask(std::uint32_t slot, Time time) const override {
        std::vector<std::pair<std::vector<Outcome>, bool>> windows;
        for (std::size_t i = 0; i < keyed_.options().spans.size(); ++i)
            windows.emplace_back(keyed_.monoid().lower(keyed_.query(slot, i, time)), keyed_.any(slot, i, time));
        return windows;
    }

    void sweep(const std::function<void(std::uint32_t)>& drop) override { keyed_.sweep(drop); }
    bool live(std::uint32_t slot) const override { return keyed_.live(slot); }
    EventClock& clock() override { return keyed_.clock(); }
    double reach() const override { return reach_; }
    void set_reach(double reach) override { reach_ = reach; }
    std::size_t bytes() const override { return sizeof(*this) + keyed_.bytes(); }

    void save(std::uint32_t slot, Writer& writer) const override {
        std::vector<Time> times;
        Writer partials;
        keyed_.for_each(slot, [&](Time time, const Storage& partial) {
            times.push_back(time);
            Codec<M>::write(partials, keyed_.monoid(), partial);
        });
        writer.i64(keyed_.newest(slot));
        writer.i64(keyed_.touched(slot));
        writer.u64(times.size());
        for (const Time time : times) writer.i64(time);
        writer.raw(partials.bytes());
    }

    void restore(std::uint32_t slot, Reader& reader) override {
        const Time newest = reader.i64();
        const Time touched = reader.i64();
        std::vector<Time> times(reader.count(sizeof(Time) + 1));
        for (Time& time : times) time = reader.i64();
        std::vector<std::pair<Time, Storage>> entries;
        for (const Time time : times) entries.emplace_back(time, Codec<M>::read(reader, keyed_.monoid()));
        keyed_.load(slot, newest, touched, entries);
    }

    std::unique_ptr<KeyedKernel> with_layout(const LayoutPtr& layout, const std::vector<bool>& wide) const override {
        const M record(layout);
        return mapped(record, keyed_.options(), [&](Time time, const Storage& partial) {
            return std::pair(time, keyed_.monoid().widened(wide, partial, record));
        });
    }

    std::unique_ptr<KeyedKernel> with_times(const LayoutPtr& layout, const KeyedOptions& options,
                                            Time (*map)(Time)) const override {
        auto moved = mapped(M(layout), options, [&](Time time, Storage partial) {
            keyed_.monoid().retime(partial, map);
            return std::pair(map(time), std::move(partial));
        });
        EventClock& clock = moved->keyed_.clock();
        if (clock.newest) clock.newest = map(*clock.newest);
        if (clock.watermark) clock.watermark = map(*clock.watermark);
        return moved;
    }

private:
    //! Nothing that reaches no further can fail.
    static constexpr double kSafe = 0x1p62;

    const Layout& layout() const { return keyed_.monoid().layout(); }

    Event event(const Rows& rows, std::size_t i) const {
        return {rows.ticks[i], rows.fields.subspan(i * rows.width, rows.width)};
    }

    double reach_of(const Rows& rows) const {
        double reach = 0.0;
        if (layout().may_fail())
            for (std::size_t i = 0; i < rows.ticks.size(); ++i) reach += layout().reach(event(rows, i));
        return reach;
    }

    void tell(std::span<AnswerColumn> answers, std::size_t window, const Storage& partial) const {
        const std::size_t parts = layout().parts();
        for (std::size_t part = 0; part < parts; ++part) {
            const auto [word, tag] = told(layout().lower(part, partial.data()));
            answers[window * parts + part].words.push_back(word);
            answers[window * parts + part].tags.push_back(tag);
        }
    }

    void extend_with_a_way_back(const Rows& rows, std::span<AnswerColumn> answers) {
        const EventClock clock = keyed_.clock();
        std::vector<typename Keyed<M>::Change> changes;
        try {
            run(rows, answers, [&](std::uint32_t slot, Time time, const Storage* partial, auto tell) {
                keyed_.push(slot, time, partial, changes, tell);
            });
        } catch (...) {
            keyed_.undo(changes);
            keyed_.clock() = clock;
            throw;
        }
        for (const auto& change : changes) keyed_.forget(change.slot);
    }

    template <class Push>
    void run(const Rows& rows, std::span<AnswerColumn> answers, Push push) {
        Storage lifted = keyed_.monoid().blank();
        for (std::size_t i = 0; i < rows.ticks.size(); ++i) {
            const Time time = rows.ticks[i];
            if (keyed_.clock().is_late(time)) continue;
            const std::uint32_t slot = rows.slots[i];
            const bool taken = layout().lift(event(rows, i), lifted.data());
            push(slot, time, taken ? &lifted : nullptr,
                 [&](std::size_t window, const Storage& partial) { tell(answers, window, partial); });
        }
    }

    template <class Map>
    std::unique_ptr<KeyedOver> mapped(const M& record, const KeyedOptions& options, Map map) const {
        auto moved = std::make_unique<KeyedOver>(record, options);
        const bool retimed = options.reals != keyed_.options().reals;
        for (std::uint32_t slot = 0; slot < keyed_.slots(); ++slot) {
            if (!keyed_.live(slot)) continue;
            std::vector<std::pair<Time, Storage>> entries;
            keyed_.for_each(slot, [&](Time time, const Storage& partial) { entries.push_back(map(time, partial)); });
            const auto moment = [&](Time time) { return retimed ? map(time, record.identity()).first : time; };
            moved->keyed_.load(slot, moment(keyed_.newest(slot)), moment(keyed_.touched(slot)), entries);
        }
        moved->keyed_.clock() = keyed_.clock();
        moved->reach_ = reach_;
        return moved;
    }

    Keyed<M> keyed_;
    //! How far results of integers may have come: the sizes of all that ever came in.
    double reach_ = 0.0;
};

}  // namespace

std::unique_ptr<KeyedKernel> make_keyed(const LayoutPtr& layout, const KeyedOptions& options) {
    std::unique_ptr<KeyedKernel> kernel;
    with_storage(*layout, [&]<class Storage>(std::type_identity<Storage>) {
        kernel = std::make_unique<KeyedOver<Storage>>(Record<Storage>(layout), options);
    });
    return kernel;
}

}  // namespace sash::face
