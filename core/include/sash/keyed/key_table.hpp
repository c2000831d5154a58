//! Integer keys to slots: open addressing with linear probing, a power of two of places, at most half of them taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/hash.hpp"

namespace sash {

class KeyTable {
public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::size_t bytes() const { return places_.capacity() * sizeof(Place); }

    //! The slot of a key; kNone if it has none.
    std::uint32_t find(std::int64_t key) const {
        if (places_.empty()) return kNone;
        for (std::size_t at = home(key);; at = next(at)) {
            if (places_[at].slot == kNone) return kNone;
            if (places_[at].key == key) return places_[at].slot;
        }
    }

    //! Gives a key a slot; it must have none.
    void insert(std::int64_t key, std::uint32_t slot) {
        if (2 * (size_ + 1) > places_.size()) grow();
        put(key, slot);
        ++size_;
    }

    //! Forgets a key, which must be there. The places behind it close ranks, so that no search stops too early.
    void erase(std::int64_t key) {
        std::size_t hole = home(key);
        while (places_[hole].key != key || places_[hole].slot == kNone) hole = next(hole);
        for (std::size_t at = next(hole); places_[at].slot != kNone; at = next(at)) {
            const std::size_t wanted = home(places_[at].key);
            const bool may_move = hole <= at ? wanted <= hole || wanted > at : wanted <= hole && wanted > at;
            if (!may_move) continue;
            places_[hole] = places_[at];
            hole = at;
        }
        places_[hole].slot = kNone;
        --size_;
    }

    void clear() {
        places_.clear();
        size_ = 0;
    }

private:
    struct Place {
        std::int64_t key = 0;
        std::uint32_t slot = kNone;
    };

    std::size_t home(std::int64_t key) const {
        return static_cast<std::size_t>(hash_integer(key)) & (places_.size() - 1);
    }
    std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }

    void put(std::int64_t key, std::uint32_t slot) {
        std::size_t at = home(key);
        while (places_[at].slot != kNone) at = next(at);
        places_[at] = {key, slot};
    }

    void grow() {
        std::vector<Place> old(places_.empty() ? 16 : places_.size() * 2);
        std::swap(old, places_);
        for (const Place& place : old)
            if (place.slot != kNone) put(place.key, place.slot);
    }

    std::vector<Place> places_;
    std::size_t size_ = 0;
};

}  // namespace sash
