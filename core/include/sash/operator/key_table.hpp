//! Integer keys to slots: open addressing with linear probing, a power of two of places, at most half of them taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/hash.hpp"

namespace sash {

//! The keys belong to the caller, who gives the key of a slot: `key_of(slot)`. A place has the slot and a part of the
//! key's hash, which says where it belongs; keys are compared only where they are most likely the same, and are not
//! looked at when the table grows. 16 to 32 bytes a key.
class KeyTable {
public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::size_t bytes() const { return places_.capacity() * sizeof(Place); }

    //! The slot of a key; kNone if it has none.
    template <class KeyOf>
    std::uint32_t find(std::int64_t key, KeyOf key_of) const {
        if (places_.empty()) return kNone;
        const std::uint32_t tag = tag_of(key);
        for (std::size_t at = home(tag);; at = next(at)) {
            const Place& place = places_[at];
            if (place.slot == kNone) return kNone;
            if (place.tag == tag && key_of(place.slot) == key) return place.slot;
        }
    }

    //! The key will be looked for soon.
    void prefetch(std::int64_t key) const {
        if (!places_.empty()) __builtin_prefetch(&places_[home(tag_of(key))]);
    }

    //! Gives a key a slot; it must have none.
    void insert(std::int64_t key, std::uint32_t slot) {
        if (2 * (size_ + 1) > places_.size()) grow();
        put({slot, tag_of(key)});
        ++size_;
    }

    //! Forgets a key and its slot, which must be there. The places behind it close ranks, so that no search stops too
    //! early.
    void erase(std::int64_t key, std::uint32_t slot) {
        std::size_t hole = home(tag_of(key));
        while (places_[hole].slot != slot) hole = next(hole);
        for (std::size_t at = next(hole); places_[at].slot != kNone; at = next(at)) {
            const std::size_t wanted = home(places_[at].tag);
            const bool may_move = hole <= at ? wanted <= hole || wanted > at : wanted <= hole && wanted > at;
            if (!may_move) continue;
            places_[hole] = places_[at];
            hole = at;
        }
        places_[hole].slot = kNone;
        --size_;
    }

private:
    struct Place {
        std::uint32_t slot = kNone;
        std::uint32_t tag = 0;
    };

    static std::uint32_t tag_of(std::int64_t key) { return static_cast<std::uint32_t>(hash_integer(key)); }
    std::size_t home(std::uint32_t tag) const { return tag & (places_.size() - 1); }
    std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }

    void put(const Place& place) {
        std::size_t at = home(place.tag);
        while (places_[at].slot != kNone) at = next(at);
        places_[at] = place;
    }

    void grow() {
        std::vector<Place> old(places_.empty() ? 16 : places_.size() * 2);
        std::swap(old, places_);
        for (const Place& place : old)
            if (place.slot != kNone) put(place);
    }

    std::vector<Place> places_;
    std::size_t size_ = 0;
};

}  // namespace sash
