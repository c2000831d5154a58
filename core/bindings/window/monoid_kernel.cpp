#include "window/monoid_kernel.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>

#include "sash/window.hpp"

namespace sash::face {

void MonoidKernel::for_each_entry(Time from, std::size_t most, const Visitor& visitor) const {
    if (!keeps_entries()) throw Unsupported("list its entries");
    if (size() == 0 || for_each_from(from, most, visitor)) return;
    for_each([&](Time time, const AnyPartial& partial) {
        if (time >= from) visitor(time, partial);
    });
}

void MonoidKernel::list(Time from, std::size_t most, const Listener& listener) const {
    for_each_entry(from, most,
                   [&](Time time, const AnyPartial& partial) { listener(time, operations_->lower(partial)); });
}

void MonoidKernel::merge(const Kernel& other) {
    std::vector<Time> times;
    std::vector<AnyPartial> partials;
    const auto& source = static_cast<const MonoidKernel&>(other);
    source.for_each_entry(kEarliest, other.size(), [&](Time time, const AnyPartial& partial) {
        times.push_back(time);
        partials.push_back(operations_->taken(partial, *source.operations_));
    });
    put_all(times, partials);
}

//! The number of entries, the times, the partials: the same bytes for the same window, whatever its history.
void MonoidKernel::save(Writer& writer) const {
    Writer partials;
    writer.u64(size());
    for_each([&](Time time, const AnyPartial& partial) {
        writer.i64(time);
        operations_->write(partials, partial);
    });
    writer.raw(partials.bytes());
}

void MonoidKernel::restore(Reader& reader) {
    std::vector<Time> times(reader.count(sizeof(Time) + 1));
    for (Time& time : times) time = reader.i64();
    if (std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) != times.end())
        throw DamagedSnapshot("its times do not rise");
    for (const Time time : times) load(time, operations_->read(reader));
    if (reader.left() != 0) throw DamagedSnapshot("bytes follow its last entry");
}

template <class Map>
std::unique_ptr<Kernel> MonoidKernel::mapped(const Operations& to, Map map) const {
    std::unique_ptr<MonoidKernel> made = to.make(options_);
    for_each([&](Time time, const AnyPartial& partial) { map(*made, time, partial); });
    return made;
}

std::unique_ptr<Kernel> MonoidKernel::with_times(const TimeMap& map, const LayoutPtr& layout) const {
    return mapped(*operations_->at_times(layout), [&](MonoidKernel& to, Time time, const AnyPartial& partial) {
        to.load(map(time), operations_->retimed(partial, map));
    });
}

void MonoidKernel::load_from(const Kernel& other, std::span<const Form> forms) {
    const auto& source = static_cast<const MonoidKernel&>(other);
    source.for_each([&](Time time, const AnyPartial& partial) {
        load(time, operations_->converted(partial, *source.operations_, forms));
    });
}

std::unique_ptr<Kernel> MonoidKernel::in_form(Form form) const {
    return mapped(*operations_->in_form(form), [&](MonoidKernel& to, Time time, const AnyPartial& partial) {
        to.load(time, operations_->formed(partial, form));
    });
}

std::vector<Kinds> MonoidKernel::kinds() const {
    std::vector<Kinds> all;
    for_each([&](Time, const AnyPartial& partial) {
        const std::vector<Kinds> kinds = operations_->kinds(partial);
        all.resize(kinds.size());
        std::transform(all.begin(), all.end(), kinds.begin(), all.begin(), std::bit_or<>());
    });
    return all;
}

double MonoidKernel::reach() const {
    double reach = 0.0;
    for_each([&](Time, const AnyPartial& partial) { reach += operations_->reach(partial); });
    return reach;
}

double MonoidKernel::reach_of(Time time, const Value& value) const {
    return operations_->reach_of(time, value);
}

double MonoidKernel::reach_of(std::span<const Time> times, const Column& values) const {
    return operations_->reach_of(times, values);
}

void MonoidKernel::visit(const EntryVisitor& visitor) const {
    for_each([&](Time time, const AnyPartial& partial) { visitor(time, operations_->values_of(partial)); });
}

void MonoidKernel::visit_references(const ReferenceVisitor& visitor) const {
    if (!shares_operations_) operations_->visit_references(visitor);
    for_each_owned([&](const AnyPartial& partial) { operations_->visit_references(partial, visitor); });
}

namespace {

//! Shows what a partial lowers to: nothing where there is none, or that fails.
template <class Show>
void show_lowered(const Operations& operations, const AnyPartial* partial, Show show) {
    std::optional<Result> result;
    try {
        if (partial != nullptr) result = operations.lower(*partial);
    } catch (const std::exception&) {
        // A sum that does not fit, or a method of a user's own: the picture shows the structure all the same.
    }
    show(result ? &*result : nullptr);
}

}  // namespace

void MonoidKernel::describe(Description& description) const {
    Describer describer(description, *operations_);
    describe_to(describer);
}

void MonoidKernel::Describer::entry(Time time, const AnyPartial* own) {
    show_lowered(operations_, own, [&](const Result* result) { to_.entry(time, result); });
}

void MonoidKernel::Describer::aggregate(const char* name, Time first, Time last, const AnyPartial* partial) {
    show_lowered(operations_, partial, [&](const Result* result) { to_.aggregate(name, first, last, result); });
}

}  // namespace sash::face
