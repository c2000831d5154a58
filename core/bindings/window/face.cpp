#include "window/face.hpp"

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "monoids/alike.hpp"
#include "monoids/python_monoid.hpp"
#include "monoids/row.hpp"
#include "monoids/rules.hpp"
#include "sash/window.hpp"
#include "window/bulk.hpp"
#include "window/operation.hpp"

namespace sash::face {

namespace {

template <class Number>
nb::tuple tuple_of(std::span<const Number> numbers) {
    nb::list list;
    for (const Number number : numbers) list.append(number);
    return nb::tuple(list);
}

}  // namespace

Window::Window(Spec spec, ValueReader reader)
    : spec_(std::move(spec)), reader_(std::move(reader)), mode_(reader_.first_mode()), kernel_(make(mode_)) {
    // That of a record is made anew each time: it may hold lists, and those of a user's own may be errors.
    if (!mode_.objects() && reader_.row() == nullptr) empty_ = spec_.aggregation.attr("empty");
}

std::unique_ptr<Kernel> Window::make(const Mode& mode) const {
    if (const RowReader* const row = reader_.row()) return make_record(*row, row->layout(mode), spec_.algorithm);
    if (mode.objects()) return make_python(spec_.aggregation, spec_.algorithm).kernel;
    return make_native(spec_, mode);
}

std::size_t Window::size() const {
    return kernel_->size();
}

std::size_t Window::length() const {
    return checked([&] { return size(); });
}

void Window::insert(nb::handle time, nb::handle value) {
    checked([&] {
        const Moment moment = size() == 0 ? Clock::first(time) : clock_.among(time);
        Value read;
        Mode mode;
        Holder holder;
        const nb::object own = spec_.find.is_none() ? nb::borrow(value) : nb::object(spec_.find(value));
        if (!reader_.read(own, read, mode, holder)) return;
        nb::object sample;
        if (compares_objects(mode)) sample = sample_with(this->sample(), compared(own));
        if (spec_.timed) read.time = (holder.time = moment_as_it_leaves(moment)).ptr();
        if (insert_alike(moment, mode, read)) return static_cast<void>(sample_ = std::move(sample));
        Change change;
        Kernel& prepared = prepare(change, mode, moment);
        reader_.settle(read, mode, change.mode);
        Kernel& kernel = fitting(change, prepared, prepared.reach_of(moment.ticks, read));
        try {
            kernel.insert(moment.ticks, read);
        } catch (const OutOfOrder& late) {
            raise_out_of_order(late.time, late.youngest, moment);
        }
        commit(change);
        sample_ = std::move(sample);
    });
}

bool Window::compares_objects(const Mode& mode) const {
    const bool objects = mode.objects() || (size() != 0 && mode_.objects());
    return objects && (reader_.inputs() == Inputs::number || reader_.inputs() == Inputs::keyed);
}

nb::object Window::compared(nb::handle value) const {
    return reader_.inputs() == Inputs::keyed ? nb::object(value[0]) : nb::borrow(value);
}

nb::object Window::sample() const {
    if (size() == 0) return {};
    if (!mode_.objects())
        return nb::borrow(reinterpret_cast<PyObject*>(mode_.value == Kind::integer ? &PyLong_Type : &PyFloat_Type));
    if (sample_.is_valid()) return sample_;
    nb::object found;
    kernel_->visit([&](Time, std::span<const Value> partial) {
        // A value, or a tuple that begins with one.
        const nb::handle held = partial.front().object;
        found = sample_with(std::move(found), nb::isinstance<nb::tuple>(held) ? nb::object(held[0]) : nb::borrow(held));
    });
    return sample_ = found;
}

nb::object Window::sample_with(nb::object sample, nb::handle compared) const {
    if (sample.is_valid() && plainly_alike(sample.ptr(), compared.ptr()))
        // Beside a float there may be no decimal, and beside an integer there may.
        return PyLong_CheckExact(compared.ptr()) ? sample : nb::borrow(compared);
    return rule_of("sash.aggregations.amounts", "checked_alike")(sample.is_valid() ? sample : nb::none(), compared);
}

void Window::forget_sample() {
    if (sample_.is_valid() && size() == 0) sample_.reset();
}

bool Window::insert_alike(const Moment& moment, const Mode& mode, Value& value) {
    if (size() == 0 || moment.kind != clock_.kind() || !mode.fits_in(mode_)) return false;
    reader_.settle(value, mode, mode_);
    const double reach = reach_ + kernel_->reach_of(moment.ticks, value);
    if (!mode_.wide && reach >= kNarrowReach) return false;
    try {
        kernel_->insert(moment.ticks, value);
    } catch (const OutOfOrder& late) {
        raise_out_of_order(late.time, late.youngest, moment);
    }
    reach_ = reach;
    return true;
}

template <class Numbers>
void Window::insert_numbers(nb::object label, std::span<const Time> ticks, Numbers values) {
    checked([&] {
        Batch batch(reader_, ticks);
        batch.read(values);
        const bool objects = mode_.objects() || (size() != 0 && reader_.join(mode_, batch.mode()).objects());
        if (!objects) return insert_batch(batch, std::move(label));
        Batch one_by_one(reader_, ticks);
        one_by_one.read(tuple_of(values));
        insert_batch(one_by_one, std::move(label));
    });
}

void Window::bulk_insert(nb::object label, std::span<const Time> ticks, std::span<const std::int64_t> values) {
    insert_numbers(std::move(label), ticks, values);
}

void Window::bulk_insert(nb::object label, std::span<const Time> ticks, std::span<const double> values) {
    insert_numbers(std::move(label), ticks, values);
}

void Window::bulk_insert(nb::object label, std::span<const Time> ticks, nb::tuple values) {
    checked([&] {
        Batch batch(reader_, ticks);
        batch.read(values);
        insert_batch(batch, std::move(label));
    });
}

void Window::bulk_insert_rows(nb::object label, std::span<const Time> ticks, const nb::list& columns) {
    checked([&] {
        Batch batch(reader_, ticks);
        batch.read_rows(columns);
        insert_batch(batch, std::move(label));
    });
}

void Window::insert_batch(Batch& batch, nb::object label) {
    if (batch.ticks().empty()) return;
    Clock clock;
    clock.set_label(std::move(label));
    nb::object sample;
    if (compares_objects(batch.mode())) {
        sample = this->sample();
        for (const Value& value : batch.values()) sample = sample_with(std::move(sample), compared(value.object));
    }
    Change change;
    const Moment moment{0, clock.kind(), clock.kind() == TimeKind::other ? clock.label() : nb::object()};
    Kernel& prepared = prepare(change, batch.mode(), moment);
    const Column column = batch.column(change.mode);
    Kernel& kernel = fitting(change, prepared, prepared.reach_of(batch.ticks(), column));
    if (spec_.timed) batch.add_times(clock);
    try {
        // Python objects are touched in the one case only.
        std::optional<nb::gil_scoped_release> released;
        if (!touches_python(change.mode)) released.emplace();
        kernel.bulk_insert(batch.ticks(), column);
    } catch (const OutOfOrder& late) {
        raise_out_of_order(late.time, late.youngest, moment);
    }
    commit(change);
    sample_ = std::move(sample);
}

Kernel& Window::prepare(Change& change, Mode mode, const Moment& moment) const {
    const bool empty = size() == 0;
    mode.wide |= always_wide(mode);
    mode.scale = empty || moment.kind != clock_.kind() ? scale_at(moment) : mode_.scale;
    if (empty) {
        change = {mode == mode_ ? nullptr : make(mode), mode, moment.kind, moment.label, 0.0};
        return change.kernel ? *change.kernel : *kernel_;
    }
    change.mode = mode == mode_ ? mode : reader_.join(mode_, mode);
    change.kind = moment.kind;
    change.label = moment.label;
    if (moment.kind != clock_.kind()) change.kernel = at_real_times(change.mode.scale);
    if (!change.mode.keeps_values_as(mode_))
        change.kernel = changed(change.kernel ? *change.kernel : *kernel_, mode_, change.mode);
    return change.kernel ? *change.kernel : *kernel_;
}

Kernel& Window::fitting(Change& change, Kernel& kernel, double further) const {
    change.reach = (size() == 0 ? 0.0 : reach_) + further;
    if (change.mode.wide || change.reach < kNarrowReach) return kernel;
    // What has left the window reaches no longer. This is O(n), and comes at most once for as much as was counted.
    change.reach = kernel.reach() + further;
    if (change.reach < kNarrowReach) return kernel;
    Mode wide = change.mode;
    wide.wide = true;
    change.kernel = changed(kernel, change.mode, wide);
    change.mode = wide;
    return *change.kernel;
}

bool Window::always_wide(const Mode& mode) const {
    const bool sums = reader_.row() != nullptr || (mode.value == Kind::integer && spec_.kernel == "sum");
    return sums && spec_.algorithm.store != nullptr;
}

TickScale Window::scale_at(const Moment& moment) const {
    if (reader_.row() == nullptr || !reader_.row()->timed()) return {};
    if (moment.kind != TimeKind::other) return {1.0, moment.kind == TimeKind::real};
    const nb::object step = moment.label.attr("step");
    if (step.is_none()) {
        PyErr_Format(PyExc_TypeError, "times of kind %S have no length in seconds, which %R needs: use days or finer",
                     moment.label.ptr(), spec_.aggregation.ptr());
        throw nb::python_error();
    }
    return {nb::cast<double>(step) * 1e-18, false};
}

std::unique_ptr<Kernel> Window::at_real_times(TickScale scale) const {
    Mode mode = mode_;
    mode.scale = scale;
    return kernel_->with_times(real_time, reader_.row() ? reader_.row()->layout(mode) : nullptr);
}

nb::object Window::moment_as_it_leaves(const Moment& moment) const {
    Clock clock;
    clock.set(moment.kind, moment.label);
    return clock.decode(moment.ticks);
}

bool Window::touches_python(const Mode& mode) const {
    return mode.objects() || (reader_.row() && !reader_.row()->objects().empty());
}

void Window::commit(Change& change) {
    if (change.kernel) std::swap(kernel_, change.kernel);
    mode_ = change.mode;
    reach_ = change.reach;
    clock_.set(change.kind, std::move(change.label));
}

std::unique_ptr<Kernel> Window::changed(const Kernel& kernel, const Mode& from, const Mode& to) const {
    if (const RowReader* const row = reader_.row()) {
        std::unique_ptr<Kernel> made = make(to);
        made->load_from(kernel, row->forms(from, to));
        return made;
    }
    if (to.objects()) return with_objects(kernel);
    if (to.value == Kind::both)
        return kernel.in_form(from.value == Kind::integer ? Form::both_of_integers : Form::both_of_reals);
    return kernel.in_form(to.value == Kind::real ? Form::real : to.wide ? Form::wide : Form::narrow);
}

std::unique_ptr<Kernel> Window::with_objects(const Kernel& kernel) const {
    const PythonMonoid monoid(spec_.aggregation);
    PythonKernel objects = make_python(spec_.aggregation, spec_.algorithm);
    if (reader_.inputs() == Inputs::number) {
        // A number is its own partial there, and of other aggregations there is no way back to the values.
        const bool plain = spec_.kernel == "min" || spec_.kernel == "max" || spec_.kernel == "sum";
        if (!plain || !abilities_of(spec_.algorithm.name).lists)
            rule_of("sash.aggregations.amounts", "refuse_among_numbers")(spec_.aggregation);
        kernel.list(kEarliest, kernel.size(), [&](Time time, const Result& result) {
            objects.load(time, monoid.lift(lowered(result).ptr(), nullptr));
        });
        return std::move(objects.kernel);
    }
    kernel.visit([&](Time time, std::span<const Value> values) {
        Object partial;
        for (const Value& value : values) {
            Object lifted = monoid.lift(reader_.restored(value, mode_).ptr(), nullptr);
            partial = partial ? monoid.combine(partial, lifted) : std::move(lifted);
        }
        objects.load(time, std::move(partial));
    });
    return std::move(objects.kernel);
}

nb::object Window::evict(nb::handle time) {
    return checked([&]() -> nb::object {
        if (time.is_none()) {
            kernel_->evict();
            return (forget_sample(), nb::none());
        }
        if (size() == 0) return (Clock::first(time), nb::bool_(false));
        const Time down = clock_.bound(time, Round::down);
        // A time between two ticks is nobody's.
        const bool found = down == clock_.bound(time, Round::up) && kernel_->evict(down);
        return (forget_sample(), nb::bool_(found));
    });
}

void Window::bulk_evict(nb::handle time) {
    checked([&] {
        if (size() == 0) return static_cast<void>(Clock::first(time));
        kernel_->bulk_evict(clock_.bound(time, Round::down));
        forget_sample();
    });
}

void Window::clear() {
    checked([&] {
        kernel_->clear();
        forget_sample();
    });
}

nb::object Window::query(nb::handle from, nb::handle to) const {
    return checked([&]() -> nb::object {
        if (from.is_none() && to.is_none()) return lowered(kernel_->query());
        if (size() == 0) {
            for (const nb::handle end : {from, to})
                if (!end.is_none()) Clock::first(end);
            return lowered(kernel_->query(kEarliest, kLatest));
        }
        const Time first = from.is_none() ? kEarliest : clock_.bound(from, Round::up);
        const Time last = to.is_none() ? kLatest : clock_.bound(to, Round::down);
        return lowered(kernel_->query(first, last));
    });
}

nb::object Window::oldest() const {
    return checked([&] { return clock_.decode(kernel_->oldest()); });
}

nb::object Window::youngest() const {
    return checked([&] { return clock_.decode(kernel_->youngest()); });
}

nb::tuple Window::entries(nb::handle after) const {
    constexpr std::size_t kAtOnce = 1024;
    return checked([&] {
        nb::list items;
        Time last = after.is_none() ? kEarliest : nb::cast<Time>(after);
        if (last == kLatest) return nb::make_tuple(items, last);
        kernel_->list(after.is_none() ? last : last + 1, kAtOnce, [&](Time time, const Result& result) {
            items.append(nb::make_tuple(clock_.decode(time), lowered(result)));
            last = time;
        });
        return nb::make_tuple(items, last);
    });
}

void Window::evict_while(const nb::callable& policy) {
    checked([&] {
        kernel_->evict_while([&](const Result& total, const Result& prefix) {
            return nb::cast<bool>(nb::bool_(policy(lowered(total), lowered(prefix))));
        });
        forget_sample();
    });
}

void Window::merge(const Window& other) {
    checked([&] {
        other.checked([&] {
            if (other.size() == 0) return;
            Moment moment{0, other.clock_.kind(),
                          other.clock_.kind() == TimeKind::other ? other.clock_.label() : nb::object()};
            if (size() != 0 && moment.kind == TimeKind::integer && clock_.kind() == TimeKind::real)
                moment.kind = TimeKind::real;
            nb::object sample;
            if (compares_objects(other.mode_)) sample = sample_with(this->sample(), other.sample());
            Change change;
            Kernel& prepared = prepare(change, other.mode_, moment);
            Kernel& kernel = fitting(change, prepared, other.kernel_->reach());
            const std::unique_ptr<Kernel> entries = other.entries_as(change.mode, change.kind);
            try {
                kernel.merge(entries ? *entries : *other.kernel_);
            } catch (const OutOfOrder& late) {
                raise_out_of_order(late.time, late.youngest, moment);
            }
            commit(change);
            sample_ = std::move(sample);
        });
    });
}

//! A kernel with this window's entries as another one keeps them; nothing where it keeps them so itself.
std::unique_ptr<Kernel> Window::entries_as(const Mode& mode, TimeKind kind) const {
    std::unique_ptr<Kernel> entries;
    if (kind != clock_.kind()) entries = at_real_times(mode.scale);
    if (!mode.keeps_values_as(mode_)) entries = changed(entries ? *entries : *kernel_, mode_, mode);
    return entries;
}

void Window::shrink_to_fit() {
    checked([&] { kernel_->shrink_to_fit(); });
}

void Window::check_invariants() const {
    checked([&] { kernel_->check_invariants(); });
}

std::size_t Window::memory() const {
    return checked([&] { return sizeof(*this) + kernel_->bytes(); });
}

void Window::visit_references(const ReferenceVisitor& visitor) const {
    // In the midst of a call the structures are not in order; what is not shown is just not collected this time.
    if (busy_) return;
    if (kernel_) kernel_->visit_references(visitor);
    visitor(spec_.aggregation.ptr());
    visitor(spec_.find.ptr());
    visitor(sample_.ptr());
    visitor(reader_.skips().ptr());
    if (const RowReader* const row = reader_.row()) row->visit_references(visitor);
}

void Window::drop_references() {
    // Nobody can reach the window any more; should a finalizer do so all the same, it is refused.
    busy_ = true;
    kernel_.reset();
    reader_.drop_references();
    spec_.aggregation.reset();
    spec_.find.reset();
    sample_.reset();
}

void Window::assign(const Window& other) {
    checked([&] {
        other.checked([&] { kernel_ = other.kernel_->copy(); });
        mode_ = other.mode_;
        clock_ = other.clock_;
        reach_ = other.reach_;
        sample_ = other.sample_;
    });
}

nb::object Window::empty() const {
    if (!empty_.is_valid()) return spec_.aggregation.attr("empty");
    // A list would be the caller's to change.
    return nb::isinstance<nb::list>(empty_) ? nb::object(nb::list(empty_)) : empty_;
}

nb::object Window::lowered(const Result& result) const {
    const bool truth = reader_.inputs() == Inputs::boolean;
    const Kind coded = reader_.inputs() == Inputs::keyed ? mode_.argument : mode_.value;
    struct Visitor {
        const Window& window;
        bool truth;
        Kind coded;
        nb::object operator()(std::monostate) const { return window.empty(); }
        nb::object operator()(std::int64_t number) const {
            return truth ? nb::object(nb::bool_(number != 0)) : nb::object(nb::int_(number));
        }
        nb::object operator()(double number) const { return nb::float_(number); }
        nb::object operator()(Coded number) const { return number_of(number.cell, coded); }
        nb::object operator()(const std::vector<Cell>& cells) const {
            nb::list numbers;
            for (const Cell cell : cells) numbers.append(number_of(cell, coded));
            return numbers;
        }
        nb::object operator()(const std::string& text) const {
            return checked_steal(
                PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
        }
        nb::object operator()(const BloomFilter& filter) const { return filter_of(filter); }
        nb::object operator()(const Object& object) const { return nb::borrow(object.get()); }
        nb::object operator()(const RecordResult& result) const { return window.result_of(result); }
    };
    return std::visit(Visitor{*this, truth, coded}, result);
}

void Window::raise_out_of_order(Time time, Time youngest, const Moment& moment) const {
    Clock clock;
    clock.set(moment.kind, moment.label);
    const nb::object message =
        nb::str(
            "time {!r} is before the youngest, {!r}, and {} takes events in order: sort them, or "
            "use an algorithm that takes late events ({})")
            .attr("format")(clock.decode(time), clock.decode(youngest), spec_.algorithm.name.c_str(),
                            able([](const Abilities& can) { return can.late; }));
    raise("OutOfOrderError", message);
}

void Window::raise_unsupported(const char* what) const {
    const std::string_view wish(what);
    const auto who = able([&](const Abilities& can) {
        if (wish == "evict by a policy") return can.policies;
        if (wish.starts_with("evict")) return can.evicts_anywhere;
        return wish.starts_with("list") ? can.lists : can.ranges;
    });
    raise("AggregationError",
          spec_.algorithm.name + " cannot " + what + ": use an algorithm that can (" + who.c_str() + ")");
}

}  // namespace sash::face
