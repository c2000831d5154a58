//! Snapshots: the window's bytes, and the frame around them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "monoids/row.hpp"
#include "window/face.hpp"
#include "window/operation.hpp"

namespace sash::face {

namespace {

constexpr std::pair<std::string_view, Kind> kKinds[] = {
    {"int", Kind::integer}, {"float", Kind::real}, {"both", Kind::both}, {"object", Kind::object}};

//! Integers that are summed in 128 bits.
constexpr std::string_view kWide = "wide";

std::string_view name_of(Kind kind) {
    for (const auto& [name, known] : kKinds)
        if (known == kind) return name;
    return "";
}

Kind kind_named(std::string_view name) {
    for (const auto& [known, kind] : kKinds)
        if (known == name) return kind;
    throw DamagedSnapshot("it names no kind of value that this Sash knows: " + std::string(name.substr(0, 40)));
}

std::string_view bytes_of(const nb::bytes& blob) {
    return {blob.c_str(), blob.size()};
}

nb::bytes to_bytes(std::string_view bytes) {
    return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

//! The kinds of a record's columns, a letter each.
std::string Window::name_of(const Mode& mode) const {
    if (const RowReader* const row = reader_.row()) {
        std::string letters("row:");
        for (std::size_t i = 0; i < row->slots().size(); ++i) {
            const Kind numbers = mode.numbers(i);
            letters += numbers == Kind::both ? 'b' : numbers == Kind::real ? 'f' : mode.wide ? 'w' : 'i';
        }
        return letters;
    }
    const std::string value(mode.wide ? kWide : face::name_of(mode.value));
    return reader_.inputs() == Inputs::keyed ? value + " " + std::string(face::name_of(mode.argument)) : value;
}

Mode Window::row_mode_named(std::string_view name) const {
    Mode mode = reader_.first_mode();
    const std::vector<Slot>& slots = reader_.row()->slots();
    if (!name.starts_with("row:") || name.size() != slots.size() + 4)
        throw DamagedSnapshot("its columns are not those of this aggregation");
    mode.wide = name.find('w', 4) != std::string_view::npos;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const char letter = name[i + 4];
        const bool number = slots[i].reader.inputs() == Inputs::number;
        if (letter != (mode.wide ? 'w' : 'i') && !(number && (letter == 'f' || letter == 'b')))
            throw DamagedSnapshot("it names no kind of column that this aggregation has");
        mode.reals[i] = letter == 'f' || letter == 'b';
        mode.integers[i] = number && letter != 'f';
    }
    return mode;
}

Mode Window::mode_named(std::string_view name) const {
    if (reader_.row()) return row_mode_named(name);
    if (name == kWide && spec_.kernel == "sum") return {.wide = true};
    const std::size_t gap = name.find(' ');
    Mode mode{kind_named(name.substr(0, gap)), Kind::integer};
    if (gap != std::string_view::npos) mode.argument = kind_named(name.substr(gap + 1));
    // Only what this aggregation's values can become.
    const bool keyed = reader_.inputs() == Inputs::keyed;
    const bool several = keyed || reader_.inputs() == Inputs::number || reader_.inputs() == Inputs::any;
    const bool objects = several || reader_.inputs() == Inputs::object;
    const bool possible = mode.value == Kind::both ? keyed || reader_.inputs() == Inputs::number
                                                   : several || mode.value == reader_.first_mode().value;
    if (!possible || mode.argument == Kind::both || (mode.objects() && !objects) ||
        (mode.argument == Kind::object) != (mode.objects() && keyed))
        throw DamagedSnapshot("its kind of value is not one of this aggregation: " + std::string(name.substr(0, 40)));
    return mode;
}

std::tuple<nb::object, nb::object, nb::bytes> Window::save() const {
    return checked([&]() -> std::tuple<nb::object, nb::object, nb::bytes> {
        Writer writer;
        const auto [mode, kernel] = canonical();
        (kernel ? *kernel : *kernel_).save(writer);
        const nb::bytes body = to_bytes(writer.bytes());
        if (size() == 0) return {nb::none(), nb::none(), body};
        return {clock_.label(), nb::str(name_of(mode).c_str()), body};
    });
}

//! Equal contents give equal bytes: a window that was wide once, or held objects or numbers of another kind beside its
//! numbers, and holds nothing any more that needs it, is written as one that never was. What a store holds stays as it
//! is.
std::pair<Mode, std::unique_ptr<Kernel>> Window::canonical() const {
    if (size() == 0 || spec_.algorithm.store) return {mode_, nullptr};
    if (mode_.objects()) return without_objects();
    const Mode mode = without_strangers();
    std::unique_ptr<Kernel> kernel = mode.keeps_values_as(mode_) ? nullptr : changed(*kernel_, mode_, mode);
    const Kernel& now = kernel ? *kernel : *kernel_;
    if (!mode.wide || !(now.reach() < kNarrowReach)) return {mode, std::move(kernel)};
    Mode narrow = mode;
    narrow.wide = false;
    return {narrow, changed(now, mode, narrow)};
}

Mode Window::without_strangers() const {
    if (const RowReader* const row = reader_.row()) return row->without_strangers(mode_, kernel_->kinds());
    if (mode_.value != Kind::both) return mode_;
    const Kinds kinds = kernel_->kinds().front();
    Mode mode = mode_;
    mode.value = !kinds.reals ? Kind::integer : kinds.integers ? Kind::both : Kind::real;
    mode.wide = mode.value == Kind::integer && spec_.kernel == "sum";
    return mode;
}

//! The values are read again, as if they came for the first time.
std::pair<Mode, std::unique_ptr<Kernel>> Window::without_objects() const {
    struct Read {
        Time time;
        Value value;
        Mode mode;
    };
    const bool keyed = reader_.inputs() == Inputs::keyed;
    if (!keyed && reader_.inputs() != Inputs::any) return {mode_, nullptr};
    // Aggregates of several entries are no values.
    if (!abilities_of(spec_.algorithm.name).lists) return {mode_, nullptr};
    std::vector<Read> read;
    Mode mode;
    kernel_->visit([&](Time time, std::span<const Value> partial) {
        const nb::object held = nb::borrow(partial.front().object);
        for (const nb::handle item : keyed ? nb::make_tuple(held) : nb::cast<nb::tuple>(held)) {
            Holder holder;
            Read one{time, {}, {}};
            reader_.read(item, one.value, one.mode, holder);
            mode = read.empty() ? one.mode : reader_.join(mode, one.mode);
            read.push_back(one);
        }
    });
    if (mode.objects()) return {mode_, nullptr};
    std::unique_ptr<Kernel> kernel = make(mode);
    try {
        for (Read& one : read) {
            reader_.settle(one.value, one.mode, mode);
            kernel->insert(one.time, one.value);
        }
    } catch (const Inexact&) {
        // Integers and floats that do not go together stay objects.
        return {mode_, nullptr};
    }
    return {mode, std::move(kernel)};
}

void Window::restore(std::string_view mode, nb::object label, std::string_view body) {
    checked([&] {
        Change change;
        change.mode = mode_named(mode);
        Clock clock;
        clock.set_label(std::move(label));
        change.kind = clock.kind();
        if (clock.kind() == TimeKind::other) change.label = clock.label();
        change.mode.scale = scale_at({0, change.kind, change.label});
        change.kernel = make(change.mode);
        Reader reader(body);
        change.kernel->restore(reader);
        // Over a store sums are wide from the start, and no page is read before it is needed.
        if (!change.mode.wide && !spec_.algorithm.store) change.reach = change.kernel->reach();
        if (!(change.reach < kNarrowReach)) throw DamagedSnapshot("its integers need more than 64 bits");
        commit(change);
        sample_.reset();
    });
}

void bind_snapshots(nb::module_& module) {
    module.def("seal", [](const nb::bytes& header, const nb::bytes& body) {
        return to_bytes(seal(bytes_of(header), bytes_of(body)));
    });
    module.def("open_snapshot", [](const nb::bytes& blob) {
        try {
            const Frame frame = open_frame(bytes_of(blob));
            return nb::make_tuple(to_bytes(frame.header), to_bytes(frame.body));
        } catch (const DamagedSnapshot& damage) {
            raise("SnapshotError", std::string("the snapshot cannot be read: ") + damage.what());
        }
    });
}

}  // namespace sash::face
