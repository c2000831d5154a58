//! The class _core.KeySlots: keys as small numbers that stay, for buckets of streams.
#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "collector.hpp"
#include "operator/keys.hpp"
#include "window/face.hpp"

namespace sash::face {

namespace {

//! Keys by themselves, with no operator around them. What was looked up stays.
class KeySlots {
public:
    nb::object of_integers(const Times& keys) { return settled(keys_.slots(std::span(keys.data(), keys.size()))); }
    nb::object of(const nb::list& keys) {
        const std::size_t mark = keys_.mark();
        try {
            return settled(keys_.slots(keys));
        } catch (...) {
            // A key without a hash: what came before it goes again.
            keys_.drop_since(mark);
            throw;
        }
    }
    nb::object key(std::int64_t slot) const {
        check(slot);
        return keys_.key(static_cast<Keys::Slot>(slot));
    }
    void drop(const Times& slots) {
        for (std::size_t i = 0; i < slots.size(); ++i) check(slots.data()[i]);
        for (std::size_t i = 0; i < slots.size(); ++i) keys_.drop(static_cast<Keys::Slot>(slots.data()[i]));
    }
    std::size_t size() const { return keys_.used(); }
    std::size_t bound() const { return keys_.size(); }
    std::size_t bytes() const { return keys_.bytes(); }

    void visit_references(const ReferenceVisitor& visitor) const { keys_.visit_references(visitor); }
    void drop_references() { keys_ = {}; }

private:
    void check(std::int64_t slot) const {
        if (slot < 0 || static_cast<std::size_t>(slot) >= bound()) throw nb::index_error("no key ever had this slot");
    }
    nb::object settled(const std::vector<Keys::Slot>& slots) {
        keys_.settle();
        return array_of(std::vector<std::int64_t>(slots.begin(), slots.end()));
    }

    Keys keys_;
};

}  // namespace

void bind_key_slots(nb::module_& module) {
    nb::class_<KeySlots>(module, "KeySlots", nb::type_slots(Collected<KeySlots>::slots))
        .def(nb::init<>())
        .def("__len__", &KeySlots::size)
        .def("of_integers", &KeySlots::of_integers)
        .def("of", &KeySlots::of)
        .def("key", &KeySlots::key)
        .def("drop", &KeySlots::drop)
        .def("bound", &KeySlots::bound)
        .def("memory", &KeySlots::bytes);
}

}  // namespace sash::face
