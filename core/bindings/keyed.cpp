//! The class _core.Keyed: the native engine of sash.Sliding.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>

#include "errors.hpp"
#include "face.hpp"
#include "keyed_kernel.hpp"
#include "keys.hpp"
#include "row.hpp"
#include "sash/record/compiled.hpp"
#include "sash/widen.hpp"

namespace sash::face {

namespace {

using Times = nb::ndarray<const Time, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
//! Ticks and the same length as a real, of which one is meant.
using LengthSpec = std::pair<std::int64_t, double>;
using SpanSpec = std::tuple<std::int64_t, double, bool, bool>;

template <class T>
nb::object array_of(std::vector<T> values) {
    auto* const kept = std::make_unique<std::vector<T>>(std::move(values)).release();
    const nb::capsule owner(kept, [](void* pointer) noexcept {
        const std::unique_ptr<std::vector<T>> kept(static_cast<std::vector<T>*>(pointer));
    });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

std::optional<Length> length_of(const std::optional<LengthSpec>& spec) {
    if (!spec) return std::nullopt;
    return Length{spec->first, spec->second};
}

class KeyedWindows {
public:
    KeyedWindows(nb::handle row, const std::vector<SpanSpec>& spans, const std::optional<LengthSpec>& lateness,
                 const std::optional<LengthSpec>& expire, double seconds_per_tick, bool reals)
        : row_(row) {
        for (const auto& [ticks, real, with_start, with_end] : spans)
            options_.spans.push_back({{ticks, real}, with_start, with_end});
        options_.lateness = length_of(lateness);
        options_.expire = length_of(expire);
        options_.reals = reals;
        mode_.scale = {seconds_per_tick, reals};
        kernel_ = make_keyed(row_.layout(mode_), options_);
    }

    //! Which events of a batch would be late, and behind which watermark; nothing changes. None of them as a rule.
    std::vector<std::pair<std::size_t, Time>> late(const Times& ticks) const {
        std::vector<std::pair<std::size_t, Time>> late;
        EventClock clock = kernel_->clock();
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            if (clock.is_late(ticks(i))) {
                late.emplace_back(i, *clock.watermark);
            } else {
                clock.see(ticks(i), options_.lateness, options_.reals);
            }
        }
        return late;
    }

    //! A list of (words, tags), a window after the other, in each a part after the other.
    nb::list extend(nb::handle keys, const Times& ticks, const nb::list& columns) {
        std::vector<Field> fields(ticks.size() * row_.slots().size());
        Mode mode;
        mode.scale = mode_.scale;
        for (std::size_t slot = 0; slot < row_.slots().size(); ++slot)
            row_.read_slot(slot, columns[slot], fields, mode);
        const std::size_t mark = keys_.mark();
        std::vector<AnswerColumn> answers;
        try {
            const std::vector<Keys::Slot> slots = slots_of(keys, ticks.size());
            const Mode wider = settle(mode, fields);
            answers.resize(options_.spans.size() * row_.parts().size());
            run({slots, {ticks.data(), ticks.size()}, fields, row_.slots().size()}, answers, wider);
        } catch (...) {
            keys_.drop_since(mark);
            throw;
        }
        keys_.settle();
        sweep();
        nb::list lists;
        for (AnswerColumn& column : answers) lists.append(listed(std::move(column)));
        return lists;
    }

    void advance(Time time) {
        EventClock& clock = kernel_->clock();
        clock.see(time, std::nullopt, options_.reals);
        clock.advance(time);
        sweep();
    }

    //! For each window the answers of its parts, and whether there is an event in it.
    nb::list ask(nb::handle key, Time time) const {
        const Keys::Slot slot = keys_.find(key);
        nb::list windows;
        for (const auto& [outcomes, filled] : kernel_->ask(slot, time)) {
            nb::list parts;
            for (const Outcome& outcome : outcomes) parts.append(python_of(outcome));
            windows.append(nb::make_tuple(parts, filled));
        }
        return windows;
    }

    nb::list keys() const {
        nb::list keys;
        for (const Keys::Slot slot : live()) keys.append(keys_.key(slot));
        return keys;
    }

    std::pair<std::optional<Time>, std::optional<Time>> clock() const {
        return {kernel_->clock().newest, kernel_->clock().watermark};
    }

    std::size_t memory() const { return sizeof(*this) + kernel_->bytes() + keys_.bytes(); }

    //! The kinds of the columns, and the windows of the live keys in the order of keys().
    std::pair<std::vector<bool>, nb::bytes> save() const {
        std::vector<bool> reals;
        for (std::size_t i = 0; i < row_.slots().size(); ++i) reals.push_back(mode_.reals[i]);
        Writer writer;
        writer.real(kernel_->reach());
        for (const Keys::Slot slot : live()) kernel_->save(slot, writer);
        const std::string bytes = writer.take();
        return {reals, nb::bytes(bytes.data(), bytes.size())};
    }

    void restore(const nb::list& keys, const std::vector<bool>& reals, const nb::bytes& body,
                 std::optional<Time> newest, std::optional<Time> watermark) {
        try {
            for (std::size_t i = 0; i < reals.size() && i < kMostSlots; ++i) mode_.reals[i] = reals[i];
            kernel_ = make_keyed(row_.layout(mode_), options_);
            Reader reader({body.c_str(), body.size()});
            kernel_->set_reach(reader.real());
            for (const Keys::Slot slot : keys_.slots(keys)) kernel_->restore(slot, reader);
            if (reader.left() != 0) throw DamagedSnapshot("bytes follow its last key");
        } catch (const DamagedSnapshot& damage) {
            raise("SnapshotError", std::string("the snapshot cannot be read: ") + damage.what());
        }
        keys_.settle();
        kernel_->clock() = {newest, watermark};
    }

    //! Times that were integers are reals from now on.
    void read_times_as_reals() {
        KeyedOptions options = options_;
        options.reals = true;
        Mode mode = mode_;
        mode.scale = {1.0, true};
        try {
            kernel_ = kernel_->with_times(row_.layout(mode), options, real_time);
        } catch (const Inexact& number) {
            raise_inexact(number.value);
        }
        options_ = options;
        mode_ = mode;
    }

private:
    std::vector<Keys::Slot> slots_of(nb::handle keys, std::size_t size) {
        Times integers;
        if (keys.is_none()) return std::vector<Keys::Slot>(size, keys_.slots(std::span<const std::int64_t>(kOne))[0]);
        if (nb::try_cast(keys, integers, false)) return keys_.slots(std::span(integers.data(), integers.size()));
        return keys_.slots(nb::cast<nb::list>(keys));
    }

    //! Reads the columns of the batch, or those of the windows, as reals where the other has reals.
    Mode settle(const Mode& mode, std::span<Field> fields) const {
        Mode wider = mode_;
        wider.reals |= mode.reals;
        const std::size_t width = row_.slots().size();
        if (mode.reals != wider.reals)
            for (std::size_t i = 0; i < fields.size(); i += width)
                row_.settle(fields.subspan(i, width), mode.reals, wider.reals);
        return wider;
    }

    void run(const Rows& rows, std::span<AnswerColumn> answers, const Mode& wider) {
        try {
            std::unique_ptr<KeyedKernel> changed;
            if (wider != mode_)
                changed = kernel_->with_layout(row_.layout(wider), row_.reading(wider.reals & ~mode_.reals));
            KeyedKernel& kernel = changed ? *changed : *kernel_;
            {
                const nb::gil_scoped_release released;
                kernel.extend(rows, answers);
            }
            if (changed) kernel_ = std::move(changed);
            mode_ = wider;
        } catch (const Inexact& number) {
            raise_inexact(number.value);
        } catch (const CompiledError& error) {
            raise("AggregationError",
                  std::string(error.what()) + ": run the aggregation uncompiled to see which and where");
        }
    }

    //! Now and then, so that it costs O(1) an event: the windows of expired keys are empty anyway.
    void sweep() {
        if (!options_.expire || ++calls_ < kSweep) return;
        calls_ = 0;
        kernel_->sweep([&](std::uint32_t slot) { keys_.drop(slot); });
    }

    std::vector<Keys::Slot> live() const {
        std::vector<Keys::Slot> slots;
        for (Keys::Slot slot = 0; slot < keys_.size(); ++slot)
            if (kernel_->live(slot)) slots.push_back(slot);
        return slots;
    }

    static nb::object python_of(const Outcome& outcome) {
        if (const auto* const integer = std::get_if<std::int64_t>(&outcome)) return nb::int_(*integer);
        if (const auto* const real = std::get_if<double>(&outcome)) return nb::float_(*real);
        return nb::none();
    }

    static nb::tuple listed(AnswerColumn column) {
        std::vector<std::uint8_t> tags;
        tags.reserve(column.tags.size());
        for (const AnswerColumn::Tag tag : column.tags) tags.push_back(static_cast<std::uint8_t>(tag));
        return nb::make_tuple(array_of(std::move(column.words)), array_of(std::move(tags)));
    }

    static constexpr std::int64_t kOne[] = {0};
    static constexpr unsigned kSweep = 64;

    RowReader row_;
    KeyedOptions options_;
    Mode mode_;
    Keys keys_;
    std::unique_ptr<KeyedKernel> kernel_;
    unsigned calls_ = 0;
};

}  // namespace

void bind_keyed(nb::module_& module) {
    using namespace nb::literals;
    nb::class_<KeyedWindows>(module, "Keyed")
        .def(nb::init<nb::handle, const std::vector<SpanSpec>&, const std::optional<LengthSpec>&,
                      const std::optional<LengthSpec>&, double, bool>(),
             "row"_a, "spans"_a, "lateness"_a.none(), "expire"_a.none(), "seconds_per_tick"_a, "reals"_a)
        .def("late", &KeyedWindows::late)
        .def("extend", &KeyedWindows::extend, "keys"_a.none(), "ticks"_a, "columns"_a)
        .def("advance", &KeyedWindows::advance)
        .def("ask", &KeyedWindows::ask, "key"_a.none(), "ticks"_a)
        .def("keys", &KeyedWindows::keys)
        .def("clock", &KeyedWindows::clock)
        .def("memory", &KeyedWindows::memory)
        .def("save", &KeyedWindows::save)
        .def("restore", &KeyedWindows::restore, "keys"_a, "reals"_a, "body"_a, "newest"_a.none(), "watermark"_a.none())
        .def("read_times_as_reals", &KeyedWindows::read_times_as_reals);
}

}  // namespace sash::face
