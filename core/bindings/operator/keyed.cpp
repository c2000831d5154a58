//! The class _core.Keyed: the native engine of sash.Sliding.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "errors.hpp"
#include "window/face.hpp"
#include "operator/keyed_input.hpp"
#include "operator/keyed_kernel.hpp"

namespace sash::face {

//! In lines.cpp: the engine for all that this one does not do.
void bind_lines(nb::module_& module);

namespace {

using SpanSpec = std::tuple<std::int64_t, double, bool, bool>;

class KeyedWindows {
public:
    KeyedWindows(nb::handle row, const std::vector<SpanSpec>& spans, const std::optional<LengthSpec>& lateness,
                 const std::optional<LengthSpec>& expire, double seconds_per_tick, bool reals)
        : input_(row, {seconds_per_tick, reals}) {
        for (const auto& [ticks, real, with_start, with_end] : spans)
            options_.spans.push_back({{ticks, real}, with_start, with_end});
        options_.lateness = length_of(lateness);
        options_.expire = length_of(expire);
        options_.reals = reals;
        kernel_ = make_keyed(input_.layout(), options_);
    }

    //! Which events of a batch would be late, and behind which watermark; nothing changes. None of them as a rule.
    std::vector<std::pair<std::size_t, Time>> late(const Times& ticks) const {
        return kernel_->clock().late_among({ticks.data(), ticks.size()}, options_.lateness, options_.reals);
    }

    //! A list of (words, tags), a window after the other, in each a part after the other.
    nb::list extend(nb::handle keys, const Times& ticks, const nb::list& columns) {
        std::vector<AnswerColumn> answers(columns_of_answers());
        take(keys, ticks, columns, [&](KeyedKernel& kernel, const Rows& rows) { kernel.extend(rows, answers); });
        sweep();
        return listed(std::move(answers));
    }

    //! Takes the events in, late or not, and answers none.
    void insert(nb::handle keys, const Times& ticks, const nb::list& columns) {
        take(keys, ticks, columns, [](KeyedKernel& kernel, const Rows& rows) { kernel.insert(rows); });
    }

    //! What extend gives, for windows that end at the ticks. A key that is not known has empty windows.
    nb::list answer(nb::handle keys, const Times& ticks) const {
        const std::vector<Keys::Slot> slots = input_.known(keys, ticks.size());
        std::vector<AnswerColumn> answers(columns_of_answers());
        guarded([&] { kernel_->answer(slots, {ticks.data(), ticks.size()}, answers); });
        return listed(std::move(answers));
    }

    //! Drops what no window after the watermark can hold. Gives back the keys that have nothing left.
    nb::list trim() {
        nb::list dropped;
        kernel_->trim([&](std::uint32_t slot) {
            dropped.append(input_.keys().key(slot));
            input_.keys().drop(slot);
        });
        return dropped;
    }

    void advance(Time time) {
        EventClock& clock = kernel_->clock();
        clock.see(time, std::nullopt, options_.reals);
        clock.advance(time);
        sweep();
    }

    //! For each window the answers of its parts, and whether there is an event in it.
    nb::list ask(nb::handle key, Time time) const {
        const Keys::Slot slot = input_.keys().find(key);
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
        for (const Keys::Slot slot : live()) keys.append(input_.keys().key(slot));
        return keys;
    }

    std::pair<std::optional<Time>, std::optional<Time>> clock() const {
        return {kernel_->clock().newest, kernel_->clock().watermark};
    }

    std::size_t memory() const { return sizeof(*this) + kernel_->bytes() + input_.keys().bytes(); }

    //! The kinds of the columns, and the windows of the live keys in the order of keys().
    std::pair<std::vector<bool>, nb::bytes> save() const {
        Writer writer;
        writer.real(kernel_->reach());
        for (const Keys::Slot slot : live()) kernel_->save(slot, writer);
        const std::string bytes = writer.take();
        return {input_.reals(), nb::bytes(bytes.data(), bytes.size())};
    }

    void restore(const nb::list& keys, const std::vector<bool>& reals, const nb::bytes& body,
                 std::optional<Time> newest, std::optional<Time> watermark) {
        try {
            input_.set_reals(reals);
            kernel_ = make_keyed(input_.layout(), options_);
            Reader reader({body.c_str(), body.size()});
            kernel_->set_reach(reader.real());
            for (const Keys::Slot slot : input_.keys().slots(keys)) kernel_->restore(slot, reader);
            if (reader.left() != 0) throw DamagedSnapshot("bytes follow its last key");
        } catch (const DamagedSnapshot& damage) {
            raise("SnapshotError", std::string("the snapshot cannot be read: ") + damage.what());
        }
        input_.keys().settle();
        kernel_->clock() = {newest, watermark};
    }

    //! Times that were integers are reals from now on.
    void read_times_as_reals() {
        KeyedOptions options = options_;
        options.reals = true;
        Mode mode = input_.mode();
        mode.scale = {1.0, true};
        try {
            kernel_ = kernel_->with_times(input_.row().layout(mode), options, real_time);
        } catch (const Inexact& number) {
            raise_inexact(number.value);
        }
        options_ = options;
        input_.mode() = mode;
    }

private:
    std::size_t columns_of_answers() const { return options_.spans.size() * input_.parts(); }

    //! Runs a batch through the kernel, run(kernel, rows); if that fails, nothing has changed.
    template <class Run>
    void take(nb::handle keys, const Times& ticks, const nb::list& columns, Run run) {
        input_.take(keys, ticks, columns, [&](const Rows& rows, const Mode& wider, std::size_t mark) {
            std::unique_ptr<KeyedKernel> changed;
            if (wider != input_.mode()) changed = in_mode(wider);
            guarded([&] { run(changed ? *changed : *kernel_, rows); });
            if (changed) kernel_ = std::move(changed);
            // A key whose events were all late has no window.
            for (const Keys::Slot slot : input_.keys().made_since(mark))
                if (!kernel_->live(slot)) input_.keys().drop(slot);
        });
    }

    std::unique_ptr<KeyedKernel> in_mode(const Mode& wider) const {
        std::unique_ptr<KeyedKernel> changed;
        const RowReader& row = input_.row();
        const LayoutPtr layout = row.layout(wider);
        const std::vector<bool> reading = row.reading(wider.reals & ~input_.mode().reals);
        guarded([&] { changed = kernel_->with_layout(layout, reading); });
        return changed;
    }

    //! Now and then, so that it costs O(1) an event: the windows of expired keys are empty anyway.
    void sweep() {
        if (!options_.expire || ++calls_ < kSweep) return;
        calls_ = 0;
        kernel_->sweep([&](std::uint32_t slot) { input_.keys().drop(slot); });
    }

    std::vector<Keys::Slot> live() const {
        std::vector<Keys::Slot> slots;
        for (Keys::Slot slot = 0; slot < input_.keys().size(); ++slot)
            if (kernel_->live(slot)) slots.push_back(slot);
        return slots;
    }

    static constexpr unsigned kSweep = 64;

    KeyedInput input_;
    KeyedOptions options_;
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
        .def("insert", &KeyedWindows::insert, "keys"_a.none(), "ticks"_a, "columns"_a)
        .def("answer", &KeyedWindows::answer, "keys"_a.none(), "ticks"_a)
        .def("trim", &KeyedWindows::trim)
        .def("advance", &KeyedWindows::advance)
        .def("ask", &KeyedWindows::ask, "key"_a.none(), "ticks"_a)
        .def("keys", &KeyedWindows::keys)
        .def("clock", &KeyedWindows::clock)
        .def("memory", &KeyedWindows::memory)
        .def("save", &KeyedWindows::save)
        .def("restore", &KeyedWindows::restore, "keys"_a, "reals"_a, "body"_a, "newest"_a.none(), "watermark"_a.none())
        .def("read_times_as_reals", &KeyedWindows::read_times_as_reals);
    bind_lines(module);
}

}  // namespace sash::face
