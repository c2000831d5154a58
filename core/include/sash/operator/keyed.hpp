//! Windows of very many keys, and the events of a batch through them in the order of their arrival.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sash/codec.hpp"
#include "sash/operator/event_clock.hpp"
#include "sash/operator/key_window.hpp"
#include "sash/windows/length.hpp"

namespace sash {

//! What the windows are, for all keys.
struct KeyedOptions {
    std::vector<Span> spans;
    std::optional<Length> lateness;
    std::optional<Length> expire;
    //! Ticks are codes of reals.
    bool reals = false;
};

//! Slots are named by the caller, who knows the keys: dense numbers from 0 on.
template <Monoid M>
class Keyed {
public:
    using Partial = typename M::Partial;
    using Slot = std::uint32_t;

    Keyed(M monoid, KeyedOptions options) : monoid_(std::move(monoid)), options_(std::move(options)) {}

    const M& monoid() const { return monoid_; }
    const KeyedOptions& options() const { return options_; }
    const EventClock& clock() const { return clock_; }
    EventClock& clock() { return clock_; }
    std::size_t slots() const { return keys_.size(); }
    bool live(Slot slot) const { return slot < keys_.size() && keys_[slot].live && !expired(keys_[slot]); }
    Time newest(Slot slot) const { return keys_[slot].newest; }
    Time touched(Slot slot) const { return keys_[slot].touched; }

    std::size_t bytes() const {
        std::size_t total = keys_.capacity() * sizeof(Key);
        for (const Key& key : keys_) total += key.window.bytes();
        return total;
    }

    //! One event, or one without a value, which changes no window: then tells each window that ends at its time,
    //! tell(window, partial), which must not throw. The event is not late.
    template <class Tell>
    void push(Slot slot, Time time, const Partial* partial, Tell tell) {
        insert(slot, time, partial);
        for (std::size_t i = 0; i < options_.spans.size(); ++i) tell(i, ending_at(keys_[slot], i, time));
    }

    //! One event, or one without a value, that is not answered: windows are asked later, by query(). Late ones are the
    //! caller's to leave out.
    void insert(Slot slot, Time time, const Partial* partial) {
        clock_.see(time, options_.lateness, options_.reals);
        Key& key = at(slot);
        if (key.live && expired(key)) key = {};
        see(key, time);
        forget(key);
        if (partial != nullptr) key.window.insert(monoid_, time, *partial);
    }

    //! What a push has changed.
    struct Change {
        Slot slot;
        Time time;
        bool inserted = false;
        //! What was at that time before.
        std::optional<Partial> before = std::nullopt;
        bool live = false;
        Time newest = 0;
        Time touched = 0;
        //! The window that had expired.
        std::optional<KeyWindow<M>> expired = std::nullopt;
    };

    //! The same, with a way back: `tell` may throw. Nothing is forgotten until forget(slot) is called.
    template <class Tell>
    void push(Slot slot, Time time, const Partial* partial, std::vector<Change>& changes, Tell tell) {
        Key& key = at(slot);
        changes.push_back({.slot = slot, .time = time, .live = key.live, .newest = key.newest, .touched = key.touched});
        Change& change = changes.back();
        clock_.see(time, options_.lateness, options_.reals);
        if (key.live && expired(key)) {
            change.expired = std::move(key.window);
            key = {};
        }
        see(key, time);
        if (partial != nullptr) {
            change.before = key.window.at(time);
            key.window.insert(monoid_, time, *partial);
            change.inserted = true;
        }
        for (std::size_t i = 0; i < options_.spans.size(); ++i) tell(i, ending_at(key, i, time));
    }

    //! Everything as it was before the changes; the clock is the caller's to put back.
    void undo(std::vector<Change>& changes) {
        for (; !changes.empty(); changes.pop_back()) {
            Change& change = changes.back();
            Key& key = keys_[change.slot];
            if (change.inserted) key.window.erase(change.time);
            if (change.before) key.window.insert(monoid_, change.time, *change.before);
            if (change.expired) key.window = std::move(*change.expired);
            key.live = change.live;
            key.newest = change.newest;
            key.touched = change.touched;
        }
    }

    void forget(Slot slot) { forget(keys_[slot]); }

    //! The window of a key that ends at a time.
    Partial query(Slot slot, std::size_t span, Time time) const {
        return live(slot) ? ending_at(keys_[slot], span, time) : monoid_.identity();
    }

    //! Whether an event is in the window of a key that ends at a time.
    bool any(Slot slot, std::size_t span, Time time) const {
        const Span& window = options_.spans[span];
        return live(slot) && keys_[slot].window.any(window.from(time, options_.reals), window.to(time));
    }

    //! Drops the keys that have been idle too long: tells each of them, drop(slot).
    template <class Drop>
    void sweep(Drop drop) {
        for (Slot slot = 0; slot < keys_.size(); ++slot) {
            if (!keys_[slot].live || !expired(keys_[slot])) continue;
            keys_[slot] = {};
            drop(slot);
        }
    }

    //! Drops what no window can hold any more, from all keys, and the keys with nothing left: tells each of those,
    //! drop(slot). Cost: O(1) a key.
    template <class Drop>
    void trim(Drop drop) {
        for (Slot slot = 0; slot < keys_.size(); ++slot) {
            Key& key = keys_[slot];
            if (!key.live) continue;
            forget(key);
            if (key.window.size() != 0) continue;
            key = {};
            drop(slot);
        }
    }

    template <class F>
    void for_each(Slot slot, F f) const {
        keys_[slot].window.for_each(f);
    }
    void load(Slot slot, Time newest, Time touched, std::span<const std::pair<Time, Partial>> entries) {
        Key& key = at(slot);
        key.live = true;
        key.newest = newest;
        key.touched = touched;
        for (const auto& [time, partial] : entries) key.window.insert(monoid_, time, partial);
    }

private:
    struct Key {
        KeyWindow<M> window;
        Time newest = 0;
        //! What the clock said when the key had its last event.
        Time touched = 0;
        bool live = false;
    };

    Key& at(Slot slot) {
        if (slot >= keys_.size()) keys_.resize(slot + 1);
        return keys_[slot];
    }

    void see(Key& key, Time time) {
        if (!key.live || time > key.newest) key.newest = time;
        key.touched = *clock_.newest;
        key.live = true;
    }

    Partial ending_at(const Key& key, std::size_t span, Time time) const {
        const Span& window = options_.spans[span];
        return key.window.query(monoid_, window.from(time, options_.reals), window.to(time));
    }

    //! Keys fall idle when the clock moves: a late event keeps its key until then.
    bool expired(const Key& key) const {
        return options_.expire && clock_.newest && *clock_.newest > key.touched &&
               options_.expire->apart(key.newest, *clock_.newest, options_.reals);
    }

    //! Drops what no window that ends at or after the watermark can hold.
    void forget(Key& key) {
        if (!clock_.watermark || options_.spans.empty()) return;
        Time needed = kLatest;
        for (const Span& span : options_.spans) needed = std::min(needed, span.from(*clock_.watermark, options_.reals));
        if (needed != kEarliest) key.window.bulk_evict(needed - 1);
    }

    M monoid_;
    KeyedOptions options_;
    EventClock clock_;
    std::vector<Key> keys_;
};

}  // namespace sash
