//! Integer keys to slots: open addressing with linear probing, a power of two of places, at most half of them taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/hash.hpp"

namespace sash {

//! The keys belong to the caller, who gives the key of a slot: `key_of(slot)`. A place has the slot and a part of the
//! key's hash, so that keys are compared only where they are most likely the same. 16 to 32 bytes a key.
class KeyTable {
public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::size_t bytes() const { return places_.capacity() * sizeof(Place); }

    //! The slot of a key; kNone if it has none.
    template <class KeyOf>
    std::uint32_t find(std::int64_t key, KeyOf key_of) const {
        if (places_.empty()) return kNone;
        const Hash hash = hash_integer(key);
        for (std::size_t at = home(hash);; at = next(at)) {
            const Place& place = places_[at];
            if (place.slot == kNone) return kNone;
            if (place.tag == tag(hash) && key_of(place.slot) == key) return place.slot;
        }
    }

    //! The key will be looked for soon: where it is; and then the slot there, which most likely is its own.
    void prefetch(std::int64_t key) const {
        if (!places_.empty()) __builtin_prefetch(&places_[home(hash_integer(key))]);
    }
    std::uint32_t likely(std::int64_t key) const {
        return places_.empty() ? kNone : places_[home(hash_integer(key))].slot;
    }

    //! Gives a key a slot; it must have none, and `key_of` knows it.
    template <class KeyOf>
    void insert(std::uint32_t slot, KeyOf key_of) {
        if (2 * (size_ + 1) > places_.size()) grow(key_of);
        put(hash_integer(key_of(slot)), slot);
        ++size_;
    }

    //! Forgets the key of a slot, which must be there. The places behind it close ranks, so that no search stops too
    //! early.
    template <class KeyOf>
    void erase(std::uint32_t slot, KeyOf key_of) {
        std::size_t hole = home(hash_integer(key_of(slot)));
        while (places_[hole].slot != slot) hole = next(hole);
        for (std::size_t at = next(hole); places_[at].slot != kNone; at = next(at)) {
            const std::size_t wanted = home(hash_integer(key_of(places_[at].slot)));
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

    static std::uint32_t tag(Hash hash) { return static_cast<std::uint32_t>(hash >> 32); }
    std::size_t home(Hash hash) const { return static_cast<std::size_t>(hash) & (places_.size() - 1); }
    std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }

    void put(Hash hash, std::uint32_t slot) {
        std::size_t at = home(hash);
        while (places_[at].slot != kNone) at = next(at);
        places_[at] = {slot, tag(hash)};
    }

    template <class KeyOf>
    void grow(KeyOf key_of) {
        std::vector<Place> old(places_.empty() ? 16 : places_.size() * 2);
        std::swap(old, places_);
        for (const Place& place : old)
            if (place.slot != kNone) put(hash_integer(key_of(place.slot)), place.slot);
    }

    std::vector<Place> places_;
    std::size_t size_ = 0;
};

}  // namespace sash
