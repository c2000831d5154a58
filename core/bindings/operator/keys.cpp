#include "operator/keys.hpp"

#include <cmath>
#include <utility>

#include "arrays.hpp"

namespace sash::face {

bool Keys::integer_of(nb::handle key, std::int64_t& integer) {
    if (PyLong_Check(key.ptr())) {
        int overflow = 0;
        integer = PyLong_AsLongLongAndOverflow(key.ptr(), &overflow);
        return overflow == 0;
    }
    if (!PyFloat_Check(key.ptr())) return false;
    const double real = PyFloat_AS_DOUBLE(key.ptr());
    if (!(std::abs(real) < 0x1p63) || real != std::floor(real)) return false;
    integer = static_cast<std::int64_t>(real);
    return true;
}

std::vector<Keys::Slot> Keys::slots(std::span<const std::int64_t> keys) {
    std::vector<Slot> slots;
    slots.reserve(keys.size());
    constexpr std::size_t kAhead = 8;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i + kAhead < keys.size()) integers_.prefetch(keys[i + kAhead]);
        slots.push_back(slot_of(keys[i]));
    }
    return slots;
}

std::vector<Keys::Slot> Keys::slots(const nb::list& keys) {
    std::vector<Slot> slots;
    slots.reserve(keys.size());
    for (const nb::handle key : keys) slots.push_back(slot(key));
    return slots;
}

Keys::Slot Keys::slot(nb::handle key) {
    std::int64_t integer = 0;
    if (!integer_of(key, integer)) return slot_of(key);
    const std::size_t before = made_.size();
    const Slot slot = slot_of(integer);
    if (made_.size() != before && !PyLong_CheckExact(key.ptr())) {
        given_[nb::int_(slot)] = key;
        names_[slot].kind = Name::Kind::disguised;
    }
    return slot;
}

std::vector<Keys::Slot> Keys::known(std::span<const std::int64_t> keys) const {
    std::vector<Slot> slots;
    slots.reserve(keys.size());
    for (const std::int64_t key : keys) slots.push_back(find(key));
    return slots;
}

Keys::Slot Keys::slot_of(std::int64_t key) {
    Slot slot = find(key);
    if (slot != KeyTable::kNone) return slot;
    slot = make(Name::of(key));
    integers_.insert(key, slot);
    return slot;
}

Keys::Slot Keys::slot_of(nb::handle key) {
    PyObject* const found = PyDict_GetItemWithError(others_.ptr(), key.ptr());
    if (found != nullptr) return static_cast<Slot>(PyLong_AsUnsignedLong(found));
    if (PyErr_Occurred()) throw nb::python_error();
    const Slot slot = make(Name::of(key));
    others_[key] = slot;
    return slot;
}

Keys::Slot Keys::make(Name name) {
    Slot slot = static_cast<Slot>(names_.size());
    if (!free_.empty()) {
        slot = free_.back();
        free_.pop_back();
        names_[slot] = name;
    } else {
        names_.push_back(name);
    }
    made_.push_back(slot);
    return slot;
}

Keys::Slot Keys::find(nb::handle key) const {
    std::int64_t integer = 0;
    if (integer_of(key, integer)) return find(integer);
    PyObject* const found = PyDict_GetItemWithError(others_.ptr(), key.ptr());
    if (found == nullptr && PyErr_Occurred()) throw nb::python_error();
    return found == nullptr ? KeyTable::kNone : static_cast<Slot>(PyLong_AsUnsignedLong(found));
}

nb::object Keys::key(Slot slot) const {
    const Name& name = names_[slot];
    if (name.kind == Name::Kind::disguised) return nb::borrow(given_[nb::int_(slot)]);
    return name.kind == Name::Kind::other ? nb::borrow(name.other()) : nb::object(nb::int_(name.integer));
}

nb::object Keys::column(const EmissionList& emissions) const {
    std::vector<std::int64_t> integers;
    integers.reserve(emissions.size());
    for (std::size_t place = 0; place < emissions.size(); ++place) {
        const Name& name = names_[emissions.slot(place)];
        if (name.kind != Name::Kind::integer) break;
        integers.push_back(name.integer);
    }
    if (integers.size() == emissions.size()) return array_of(std::move(integers));
    nb::list keys;
    for (std::size_t place = 0; place < emissions.size(); ++place) keys.append(key(emissions.slot(place)));
    return keys;
}

void Keys::drop(Slot slot) {
    Name& name = names_[slot];
    if (name.kind == Name::Kind::free) return;
    if (name.kind == Name::Kind::disguised && PyDict_DelItem(given_.ptr(), nb::int_(slot).ptr()) != 0)
        throw nb::python_error();
    if (name.kind != Name::Kind::other) {
        integers_.erase(name.integer, slot);
    } else if (PyDict_DelItem(others_.ptr(), name.other().ptr()) != 0) {
        throw nb::python_error();
    }
    name = {};
    free_.push_back(slot);
}

void Keys::drop_since(std::size_t mark) {
    while (made_.size() > mark) {
        drop(made_.back());
        made_.pop_back();
    }
}

std::size_t Keys::bytes() const {
    // About as many as an entry of a dictionary and its objects.
    constexpr std::size_t kObjects = 150;
    return integers_.bytes() + names_.capacity() * sizeof(Name) + (free_.capacity() + made_.capacity()) * sizeof(Slot) +
           (others_.size() + given_.size()) * kObjects;
}

}  // namespace sash::face
