//! Keys of any kind to slots: integers by a native table, all others by Python's own hash.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <vector>

#include "monoids/object.hpp"
#include "operator/emitted_results.hpp"
#include "sash/operator/key_table.hpp"

namespace sash::face {

namespace nb = nanobind;

//! Keys that are equal in Python are one key: 1, 1.0 and True too.
class Keys {
public:
    using Slot = std::uint32_t;

    //! The slots of keys, new ones for those that have none.
    std::vector<Slot> slots(std::span<const std::int64_t> keys);
    std::vector<Slot> slots(const nb::list& keys);
    Slot slot(nb::handle key);
    //! The slots of keys, KeyTable::kNone for those that have none.
    std::vector<Slot> known(std::span<const std::int64_t> keys) const;
    //! KeyTable::kNone if the key has none.
    Slot find(nb::handle key) const;
    //! The key of a slot, as it was first given.
    nb::object key(Slot slot) const;
    //! The keys of what was emitted: an array if all of them are integers, otherwise a list.
    nb::object column(const EmissionList& emissions) const;
    //! The key of a slot is gone; the slot is free for another.
    void drop(Slot slot);
    //! How many slots were ever given out, dropped ones included; and how many have a key.
    std::size_t size() const { return names_.size(); }
    std::size_t used() const { return names_.size() - free_.size(); }
    //! The slots that were made since a mark are given back, newest first.
    void drop_since(std::size_t mark);
    std::size_t mark() const { return made_.size(); }
    //! The slots that were made since a mark.
    std::vector<Slot> made_since(std::size_t mark) const {
        return {made_.begin() + static_cast<std::ptrdiff_t>(mark), made_.end()};
    }
    void settle() { std::vector<Slot>().swap(made_); }
    std::size_t bytes() const;
    void visit_references(const ReferenceVisitor& visitor) const {
        visitor(others_.ptr());
        visitor(given_.ptr());
    }

private:
    //! The key of a slot: two words, since there are as many as keys.
    struct Name {
        //! An integer that was given as something else is disguised.
        enum class Kind : std::uint8_t { free, integer, disguised, other };

        std::int64_t integer = 0;
        Kind kind = Kind::free;

        static Name of(std::int64_t key) { return {key, Kind::integer}; }
        //! Whoever makes it keeps the object alive.
        static Name of(nb::handle key) { return {reinterpret_cast<std::intptr_t>(key.ptr()), Kind::other}; }
        nb::handle other() const { return reinterpret_cast<PyObject*>(static_cast<std::intptr_t>(integer)); }
    };

    static bool integer_of(nb::handle key, std::int64_t& integer);
    Slot slot_of(std::int64_t key);
    Slot slot_of(nb::handle key);
    Slot make(Name name);
    Slot find(std::int64_t key) const {
        return integers_.find(key, [this](Slot slot) { return names_[slot].integer; });
    }

    KeyTable integers_;
    //! Key to slot. It owns the keys.
    nb::dict others_;
    //! Slot to key, for integers that were given as something else: 1.0, True.
    nb::dict given_;
    std::vector<Name> names_;
    std::vector<Slot> free_;
    //! In the order in which they were made, since the last settle.
    std::vector<Slot> made_;
};

}  // namespace sash::face
