//! Snapshots: the window's bytes, and the frame around them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>
#include <string_view>
#include <utility>

#include "errors.hpp"
#include "monoids/row.hpp"
#include "window/face.hpp"
#include "window/operation.hpp"

namespace sash::face {

namespace {

constexpr std::pair<std::string_view, Kind> kKinds[] = {
    {"int", Kind::integer}, {"float", Kind::real}, {"object", Kind::object}};

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
std::string Window::mode_name() const {
    if (const RowReader* const row = reader_.row()) {
        std::string letters("row:");
        for (std::size_t i = 0; i < row->slots().size(); ++i) letters += mode_.reals[i] ? 'f' : 'i';
        return letters;
    }
    const std::string value(name_of(mode_.value));
    return reader_.inputs() == Inputs::keyed ? value + " " + std::string(name_of(mode_.argument)) : value;
}

Mode Window::row_mode_named(std::string_view name) const {
    Mode mode = reader_.first_mode();
    const std::vector<Slot>& slots = reader_.row()->slots();
    if (!name.starts_with("row:") || name.size() != slots.size() + 4)
        throw DamagedSnapshot("its columns are not those of this aggregation");
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const char letter = name[i + 4];
        if (letter != 'i' && (letter != 'f' || slots[i].reader.inputs() != Inputs::number))
            throw DamagedSnapshot("it names no kind of column that this aggregation has");
        mode.reals[i] = letter == 'f';
    }
    return mode;
}

Mode Window::mode_named(std::string_view name) const {
    if (reader_.row()) return row_mode_named(name);
    const std::size_t gap = name.find(' ');
    Mode mode{kind_named(name.substr(0, gap)), Kind::integer};
    if (gap != std::string_view::npos) mode.argument = kind_named(name.substr(gap + 1));
    // Only what this aggregation's values can become.
    const bool keyed = reader_.inputs() == Inputs::keyed;
    const bool several = keyed || reader_.inputs() == Inputs::number || reader_.inputs() == Inputs::any;
    const bool objects = keyed || reader_.inputs() == Inputs::any || reader_.inputs() == Inputs::object;
    const bool possible = several || mode.value == reader_.first_mode().value;
    if (!possible || (mode.objects() && !objects) || (mode.argument == Kind::object) != (mode.objects() && keyed))
        throw DamagedSnapshot("its kind of value is not one of this aggregation: " + std::string(name.substr(0, 40)));
    return mode;
}

std::string Window::save() const {
    return checked([&] {
        Writer writer;
        kernel_->save(writer);
        return writer.take();
    });
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
        commit(change);
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
