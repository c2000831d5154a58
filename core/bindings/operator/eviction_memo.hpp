//! What a programmable window's function gave for two integers, while one event is taken in.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace sash::face {

namespace nb = nanobind;

//! A late event steps hundreds of windows again. Where they see counts, most of them ask the same.
class EvictionMemo {
public:
    void clear() { asked_ = 0; }

    //! ask() where it is not known, or either is no plain integer.
    template <class Ask>
    bool get(std::size_t window, nb::handle total, nb::handle old, Ask ask) {
        Entry entry{window, 0, 0, false};
        if (!read(total, entry.total) || !read(old, entry.old)) return ask();
        const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(std::min(asked_, entries_.size()));
        const auto found = std::find_if(entries_.begin(), end, [&](const Entry& one) { return one.asks(entry); });
        if (found != end) return found->evicts;
        entry.evicts = ask();
        entries_[asked_++ % entries_.size()] = entry;
        return entry.evicts;
    }

private:
    struct Entry {
        std::size_t window;
        long long total;
        long long old;
        bool evicts;

        bool asks(const Entry& other) const {
            return total == other.total && old == other.old && window == other.window;
        }
    };

    static bool read(nb::handle value, long long& integer) {
        int overflow = 0;
        if (!PyLong_CheckExact(value.ptr())) return false;
        integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
        return overflow == 0;
    }

    //! A step asks about two runs, one that leaves and one that does not.
    std::array<Entry, 4> entries_;
    std::size_t asked_ = 0;
};

}  // namespace sash::face
