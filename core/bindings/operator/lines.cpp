//! The class _core.Lines: the native engine of sash.Sliding for every policy, trigger and emit that asks no Python.
#include "sash/operator/operator.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "errors.hpp"
#include "window/face.hpp"
#include "operator/keyed_input.hpp"
#include "operator/line_shelf.hpp"
#include "sash/operator/operator_snapshot.hpp"

namespace sash::face {

void bind_lines(nb::module_& module);

namespace {

using Engine = Lines<LineShelf>;
using State = lines::State<LineShelf>;
//! Kind, length, whether start and end are in, origin, since, count.
using PolicySpec = std::tuple<std::string, LengthSpec, bool, bool, Time, std::optional<Time>, std::size_t>;
//! Slide and origin.
using GridSpec = std::pair<LengthSpec, Time>;

lines::Policy policy_of(const PolicySpec& spec, bool reals) {
    using Kind = lines::Policy::Kind;
    static const std::pair<const char*, Kind> kinds[] = {
        {"time", Kind::time},         {"tumbling", Kind::tumbling}, {"session", Kind::session},
        {"landmark", Kind::landmark}, {"count", Kind::count},       {"tumbling_count", Kind::tumbling_count}};
    const auto& [name, length, with_start, with_end, origin, since, count] = spec;
    const Length own{length.first, length.second};
    lines::Policy policy{Kind::time, {own, with_start, with_end}, {own, origin, reals}, with_start, since, count};
    for (const auto& [known, kind] : kinds)
        if (name == known) policy.kind = kind;
    return policy;
}

lines::Asks asks_of(const std::string& name) {
    if (name == "events") return lines::Asks::events;
    if (name == "slides") return lines::Asks::slides;
    if (name == "passed") return lines::Asks::passed;
    return name == "session_end" ? lines::Asks::session_end : lines::Asks::nobody;
}

lines::Emit emit_of(const std::string& name) {
    if (name == "final") return lines::Emit::final;
    return name == "update" ? lines::Emit::update : lines::Emit::arrival;
}

AnswerCell cell_of(nb::handle value) {
    if (value.is_none()) return {};
    if (PyFloat_Check(value.ptr()))
        return {AnswerColumn::Tag::real, std::bit_cast<std::int64_t>(nb::cast<double>(value))};
    return {AnswerColumn::Tag::integer, nb::cast<std::int64_t>(value)};
}

class LineWindows {
public:
    LineWindows(nb::handle row, const std::vector<PolicySpec>& policies, const std::string& asks,
                const std::string& emit, std::size_t every, const std::optional<GridSpec>& grid,
                const std::optional<LengthSpec>& lateness, const std::optional<LengthSpec>& expire, bool changes_only,
                std::size_t min_periods, const nb::list& empties, double seconds_per_tick, bool reals)
        : input_(row, {seconds_per_tick, reals}) {
        lines::Plan plan;
        for (const PolicySpec& policy : policies) plan.policies.push_back(policy_of(policy, reals));
        plan.asks = asks_of(asks);
        plan.emit = emit_of(emit);
        plan.every = every;
        if (grid) plan.grid = {{grid->first.first, grid->first.second}, grid->second, reals};
        plan.lateness = length_of(lateness);
        plan.expire = length_of(expire);
        plan.changes_only = changes_only;
        plan.min_periods = min_periods;
        plan.reals = reals;
        for (const nb::handle empty : empties) comparison_.empties.push_back(cell_of(empty));
        comparison_.composite = input_.row().composite();
        shelf_ = make_shelf(input_.layout(), comparison_);
        engine_ = std::make_unique<Engine>(std::move(plan), *shelf_);
    }

    //! Which events of a batch would be late, and behind which watermark; nothing changes.
    std::vector<std::pair<std::size_t, Time>> late(const Times& ticks) const {
        return book().now().late_among({ticks.data(), ticks.size()}, plan().lateness, plan().reals);
    }

    nb::tuple extend(nb::handle keys, const Times& ticks, const nb::list& columns) {
        ToldColumns told = blank();
        input_.take(keys, ticks, columns, [&](const Rows& rows, const Mode& wider, std::size_t mark) {
            std::unique_ptr<LineShelf> changed;
            if (wider != input_.mode()) changed = in_mode(wider);
            if (changed) engine_->book().set_partials(*changed);
            try {
                guarded([&] { extend(rows, told); });
            } catch (...) {
                engine_->book().set_partials(*shelf_);
                throw;
            }
            if (changed) shelf_ = std::move(changed);
            fresh_ = input_.keys().made_since(mark);
        });
        return said(std::move(told));
    }

    nb::tuple advance(Time ticks) {
        ToldColumns told = blank();
        guarded([&] {
            attempt(told, 0.0, [&] { engine_->advance(ticks); });
            engine_->book().commit_all();
        });
        return said(std::move(told));
    }

    nb::tuple finish() {
        ToldColumns told = blank();
        guarded([&] {
            attempt(told, 0.0, [&] { engine_->finish(); });
            engine_->book().commit_end();
        });
        return said(std::move(told));
    }

    //! For each window the answers of its parts, None if it has too few values, and where it starts, None if it has no
    //! events.
    nb::list ask(nb::handle key, Time ticks) const {
        nb::list windows;
        engine_->ask(input_.keys().find(key), ticks,
                     [&](std::size_t, const lines::Question& question, std::optional<Time> start) {
                         nb::list parts;
                         for (const AnswerCell& cell : shelf_->answer(question)) parts.append(python_of(cell));
                         const nb::object answer = question.missing ? nb::none() : nb::object(parts);
                         windows.append(nb::make_tuple(answer, start));
                     });
        return windows;
    }

    nb::list keys() const {
        nb::list keys;
        for (const lines::LineId id : State(engine_->book()).lines())
            if (!book().line(id).retired()) keys.append(input_.keys().key(book().line(id).slot));
        return keys;
    }

    std::pair<std::optional<Time>, std::optional<Time>> clock() const {
        return {book().now().newest, book().now().watermark};
    }
    std::size_t memory() const { return sizeof(*this) + book().bytes() + shelf_->bytes() + input_.keys().bytes(); }

    //! The kinds of the columns, the keys of the lines in their order, and the lines.
    std::tuple<std::vector<bool>, nb::list, nb::bytes> save() const {
        const State state(engine_->book());
        nb::list keys;
        for (const lines::LineId id : state.lines()) keys.append(input_.keys().key(book().line(id).slot));
        Writer writer;
        writer.real(reach_);
        state.save(writer);
        const std::string bytes = writer.take();
        return {input_.reals(), keys, nb::bytes(bytes.data(), bytes.size())};
    }

    //! Into an engine that is new.
    void restore(const nb::list& keys, const std::vector<bool>& reals, const nb::bytes& body,
                 std::optional<Time> newest, std::optional<Time> watermark) {
        try {
            input_.set_reals(reals);
            shelf_ = make_shelf(input_.layout(), comparison_);
            engine_->book().set_partials(*shelf_);
            Reader reader({body.c_str(), body.size()});
            reach_ = reader.real();
            State(engine_->book()).restore(reader, input_.keys().slots(keys));
            if (reader.left() != 0) throw DamagedSnapshot("bytes follow its last key");
        } catch (const DamagedSnapshot& damage) {
            raise("SnapshotError", std::string("the snapshot cannot be read: ") + damage.what());
        }
        input_.keys().settle();
        engine_->book().now() = {newest, watermark};
    }

    //! Times that were integers are reals from now on. What a failure leaves behind is of no use.
    void read_times_as_reals() {
        Mode mode = input_.mode();
        mode.scale = {1.0, true};
        try {
            shelf_ = shelf_->with_times(input_.row().layout(mode), book().aligned(), real_time);
            engine_->book().set_partials(*shelf_);
            State(engine_->book()).read_as_reals(real_time);
        } catch (const Inexact& number) {
            raise_inexact(number.value);
        }
        input_.mode() = mode;
    }

private:
    //! Nothing that reaches no further can fail.
    static constexpr double kSafe = 0x1p62;

    const lines::Book<LineShelf>& book() const { return std::as_const(*engine_).book(); }
    const lines::Plan& plan() const { return book().plan(); }

    ToldColumns blank() const {
        ToldColumns told;
        told.answers.resize(input_.parts());
        return told;
    }

    //! Runs it, and everything is as it was if it fails.
    template <class Work>
    void attempt(ToldColumns& told, double reach, Work work) {
        const bool careful = !(reach_ + reach < kSafe) || plan().may_fail();
        engine_->book().begin(careful);
        engine_->book().partials().begin(careful, &told);
        try {
            work();
        } catch (...) {
            engine_->book().roll_back();
            engine_->book().take_freed();
            throw;
        }
        reach_ += reach;
    }

    void extend(const Rows& rows, ToldColumns& told) {
        LineShelf& shelf = engine_->book().partials();
        attempt(told, shelf.reach_of(rows), [&] {
            for (std::size_t i = 0; i < rows.ticks.size(); ++i) {
                const Time ticks = rows.ticks[i];
                if (engine_->is_late(ticks)) continue;
                const bool taken = shelf.lift({ticks, rows.fields.subspan(i * rows.width, rows.width)});
                engine_->take(rows.slots[i], ticks, !taken);
            }
        });
        engine_->book().commit();
    }

    std::unique_ptr<LineShelf> in_mode(const Mode& wider) const {
        std::unique_ptr<LineShelf> changed;
        const RowReader& row = input_.row();
        const LayoutPtr layout = row.layout(wider);
        const std::vector<bool> reading = row.reading(wider.reals & ~input_.mode().reals);
        guarded([&] { changed = shelf_->with_layout(layout, reading); });
        return changed;
    }

    //! What was told, as columns; then the keys that are not needed any more are dropped.
    nb::tuple said(ToldColumns told) {
        const nb::object keys = input_.keys().column(told.slots);
        for (const auto& freed : {engine_->book().take_freed(), std::exchange(fresh_, {})})
            for (const lines::Slot slot : freed)
                if (!book().uses(slot)) input_.keys().drop(slot);
        return nb::make_tuple(keys, array_of(std::move(told.windows)), array_of(std::move(told.starts)),
                              array_of(std::move(told.ends)), array_of(std::move(told.ticks)),
                              array_of(std::move(told.numbers)), array_of(std::move(told.revisions)),
                              array_of(std::move(told.missing)), listed(std::move(told.answers)));
    }

    static nb::object python_of(const AnswerCell& cell) {
        if (cell.tag == AnswerColumn::Tag::none) return nb::none();
        if (cell.tag == AnswerColumn::Tag::integer) return nb::int_(cell.word);
        return nb::float_(std::bit_cast<double>(cell.word));
    }

    KeyedInput input_;
    Comparison comparison_;
    std::unique_ptr<LineShelf> shelf_;
    std::unique_ptr<Engine> engine_;
    //! How far results of integers may have come: the sizes of all that ever came in.
    double reach_ = 0.0;
    //! The keys that were new in the last batch.
    std::vector<lines::Slot> fresh_;
};

}  // namespace

void bind_lines(nb::module_& module) {
    using namespace nb::literals;
    nb::class_<LineWindows>(module, "Lines")
        .def(nb::init<nb::handle, const std::vector<PolicySpec>&, const std::string&, const std::string&, std::size_t,
                      const std::optional<GridSpec>&, const std::optional<LengthSpec>&,
                      const std::optional<LengthSpec>&, bool, std::size_t, const nb::list&, double, bool>(),
             "row"_a, "policies"_a, "asks"_a, "emit"_a, "every"_a, "grid"_a.none(), "lateness"_a.none(),
             "expire"_a.none(), "changes_only"_a, "min_periods"_a, "empties"_a, "seconds_per_tick"_a, "reals"_a)
        .def("late", &LineWindows::late)
        .def("extend", nb::overload_cast<nb::handle, const Times&, const nb::list&>(&LineWindows::extend),
             "keys"_a.none(), "ticks"_a, "columns"_a)
        .def("advance", &LineWindows::advance)
        .def("finish", &LineWindows::finish)
        .def("ask", &LineWindows::ask, "key"_a.none(), "ticks"_a)
        .def("keys", &LineWindows::keys)
        .def("clock", &LineWindows::clock)
        .def("memory", &LineWindows::memory)
        .def("save", &LineWindows::save)
        .def("restore", &LineWindows::restore, "keys"_a, "reals"_a, "body"_a, "newest"_a.none(), "watermark"_a.none())
        .def("read_times_as_reals", &LineWindows::read_times_as_reals);
}

}  // namespace sash::face
