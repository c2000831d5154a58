//! The states of all keys, and whose they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/operator/key_state.hpp"
#include "sash/operator/slab_list.hpp"

namespace sash {

//! States by dense ids, which are given again, and by their keys. A key has at most one state that takes events, and
//! any number that have expired.
template <class State>
class KeyStates {
public:
    static constexpr KeyId kNone = ~KeyId{0};

    //! How many ids were given out; some may have no state.
    KeyId ids() const { return static_cast<KeyId>(states_.size()); }
    bool has(KeyId id) const { return slots_[id] != kNoSlot; }
    const State& operator[](KeyId id) const { return states_[id]; }
    State& operator[](KeyId id) { return states_[id]; }
    KeySlot slot(KeyId id) const { return slots_[id]; }

    //! The state of a key that takes events; kNone if there is none.
    KeyId current(KeySlot slot) const { return slot < current_.size() ? current_[slot] : kNone; }
    //! The same will be asked for soon.
    void prefetch(KeySlot slot) const {
        if (slot < current_.size()) __builtin_prefetch(&current_[slot]);
    }
    //! The state takes no events of its key any more, or does so again.
    void retire(KeyId id) {
        current_[slots_[id]] = kNone;
        ++retired_[slots_[id]];
    }
    void reinstate(KeyId id) {
        current_[slots_[id]] = id;
        --retired_[slots_[id]];
    }
    void set_current(KeyId id) { current_[slots_[id]] = id; }
    //! Whether a state, expired or not, is of the key.
    bool uses(KeySlot slot) const { return current(slot) != kNone || (slot < retired_.size() && retired_[slot] != 0); }
    //! The keys that have no state any more, since the last call.
    std::vector<KeySlot> take_freed() { return std::exchange(freed_, {}); }

    //! A state that takes the events of its key from now on. `expires` says whether it may ever be retired.
    KeyId add(KeySlot slot, std::int64_t order, bool expires) {
        KeyId id = ids();
        if (free_.empty()) {
            states_.grow(id + 1);
            slots_.push_back(slot);
        } else {
            id = free_.back();
            free_.pop_back();
            slots_[id] = slot;
        }
        states_[id].order = order;
        if (slot >= current_.size()) current_.resize(slot + 1, kNone);
        if (expires && slot >= retired_.size()) retired_.resize(slot + 1, 0);
        current_[slot] = id;
        return id;
    }

    void remove(KeyId id) {
        const KeySlot slot = slots_[id];
        if (current_[slot] == id) {
            current_[slot] = kNone;
        } else {
            --retired_[slot];
        }
        if (!uses(slot)) freed_.push_back(slot);
        states_[id] = {};
        slots_[id] = kNoSlot;
        free_.push_back(id);
    }

    //! Every state with its id.
    template <class F>
    void for_each(F f) const {
        for (KeyId id = 0; id < ids(); ++id)
            if (has(id)) f(id, states_[id]);
    }
    template <class F>
    void for_each(F f) {
        for (KeyId id = 0; id < ids(); ++id)
            if (has(id)) f(id, states_[id]);
    }

    std::size_t bytes() const {
        std::size_t total = states_.size() * sizeof(State) +
                            (slots_.capacity() + current_.capacity() + retired_.capacity()) * sizeof(KeyId);
        for_each([&](KeyId, const State& state) { total += state.bytes(); });
        return total;
    }

private:
    static constexpr KeySlot kNoSlot = ~KeySlot{0};

    //! By id; one without a slot is free.
    SlabList<State> states_;
    std::vector<KeySlot> slots_;
    std::vector<KeyId> free_;
    //! By slot: its state, and how many expired states are of it.
    std::vector<KeyId> current_;
    std::vector<std::uint32_t> retired_;
    std::vector<KeySlot> freed_;
};

}  // namespace sash
