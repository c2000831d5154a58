//! Pages of one height that are here, to be read or changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

#include "sash/algorithm.hpp"

namespace sash::store {

//! Found by their keys; the one that was used last is at the end. References hold until their page goes.
template <class Content>
class HeldPages {
public:
    struct Held {
        Time key;
        Content content;
        //! It is not what the store has.
        bool changed;
    };

    std::size_t size() const { return pages_.size(); }
    auto begin() { return pages_.begin(); }
    auto end() { return pages_.end(); }
    auto begin() const { return pages_.begin(); }
    auto end() const { return pages_.end(); }

    //! Nothing where the page is not here.
    Held* find(Time key) {
        const auto here = std::find_if(pages_.begin(), pages_.end(), [&](const Held& h) { return h.key == key; });
        if (here == pages_.end()) return nullptr;
        pages_.splice(pages_.end(), pages_, here);
        return &pages_.back();
    }
    Held& add(Time key, Content content, bool changed) {
        pages_.push_back({key, std::move(content), changed});
        return pages_.back();
    }
    //! Where there are `most`, one that was only read goes.
    void make_place(std::size_t most) {
        if (pages_.size() < most) return;
        const auto clean = std::find_if(pages_.begin(), pages_.end(), [](const Held& h) { return !h.changed; });
        if (clean != pages_.end()) pages_.erase(clean);
    }
    //! Leaves at most `most`; `write` sees each that was changed before it goes.
    template <class F>
    void trim(std::size_t most, F write) {
        while (pages_.size() > most) {
            const Time key = pages_.front().key;
            if (pages_.front().changed) write(pages_.front());
            erase(key);
        }
    }
    void erase(Time key) {
        pages_.remove_if([&](const Held& held) { return held.key == key; });
    }
    void drop_through(Time last) {
        pages_.remove_if([&](const Held& held) { return held.key <= last; });
    }

private:
    std::list<Held> pages_;
};

}  // namespace sash::store
