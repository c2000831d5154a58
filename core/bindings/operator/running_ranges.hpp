//! The running forms of an operator's windows: of members that defer, what is in the range that was asked for last.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "monoids/mixed.hpp"
#include "sash/algorithms/key_window.hpp"
#include "sash/operator/partials.hpp"

namespace sash::face {

//! No record without members in Python has any.
template <class M>
class RunningRanges {
public:
    struct Running {};
    const Running* at(const M&, const KeyWindow<M>&, const PartialRange&) { return nullptr; }
    static bool follows(const M&) { return false; }
    void inserted(KeyId, Time, const typename M::Partial&) {}
    void evicting(KeyId, Time, const KeyWindow<M>&) {}
    void erasing(KeyId, Time, const typename M::Partial&) {}
    void drop(KeyId) {}
    void visit_references(const ReferenceVisitor&) const {}
};

//! A range of each window of a key, which moves to what is asked for: the entries on the way enter or leave. In order
//! each entry does so once a window; one that is d entries late moves it O(d), as its revisions do. It is a cache, as
//! in RunningKernelOf: whatever it cannot follow, or fails in it, drops it.
template <>
class RunningRanges<Mixed> {
public:
    using Running = Mixed::Running;
    using Window = KeyWindow<Mixed>;

    //! Nothing where no member defers, or there is so little in the range that it is done sooner without.
    const Running* at(const Mixed& mixed, const Window& window, const PartialRange& range) {
        constexpr std::size_t kFew = 16;
        if (!follows(mixed) || window.count(range.from, range.to) <= kFew) return nullptr;
        std::vector<std::optional<Range>>& windows = keys_[range.key];
        if (windows.size() <= range.window) windows.resize(range.window + 1);
        std::optional<Range>& running = windows[range.window];
        try {
            if (running && running->from <= range.to && range.from <= running->to) {
                move(*running, window, range.from, range.to);
            } else {
                running.emplace(Range{range.from, range.to, mixed.running()});
                add(*running, window, range.from, range.to);
            }
        } catch (...) {
            running.reset();
            throw;
        }
        return &running->all;
    }

    //! Whether any member defers.
    static bool follows(const Mixed& mixed) { return mixed.defers(); }

    void inserted(KeyId key, Time label, const Mixed::Partial& partial) {
        follow(key, [&](std::optional<Range>& range) {
            if (range->from <= label && label <= range->to) range->all.add(partial);
        });
    }
    void erasing(KeyId key, Time label, const Mixed::Partial& partial) {
        follow(key, [&](std::optional<Range>& range) {
            if (range->from <= label && label <= range->to) range->all.remove(partial);
        });
    }
    //! Before everything at or before the label goes.
    void evicting(KeyId key, Time label, const Window& window) {
        follow(key, [&](std::optional<Range>& range) {
            if (range->to <= label) return range.reset();
            if (range->from <= label) move(*range, window, label + 1, range->to);
        });
    }
    void drop(KeyId key) { keys_.erase(key); }
    void visit_references(const ReferenceVisitor& visitor) const {
        for (const auto& [key, windows] : keys_)
            for (const std::optional<Range>& range : windows)
                if (range) range->all.visit_references(visitor);
    }

private:
    //! All entries from the one label to the other, both in.
    struct Range {
        Time from;
        Time to;
        Running all;
    };

    static void add(Range& range, const Window& window, Time from, Time to) {
        window.for_each_between(from, to, [&](Time, const Mixed::Partial& partial) { range.all.add(partial); });
    }
    static void remove(Range& range, const Window& window, Time from, Time to) {
        window.for_each_between(from, to, [&](Time, const Mixed::Partial& partial) { range.all.remove(partial); });
    }
    static void move(Range& range, const Window& window, Time from, Time to) {
        if (from < range.from) add(range, window, from, range.from - 1);
        if (range.to < to) add(range, window, range.to + 1, to);
        if (range.from < from) remove(range, window, range.from, from - 1);
        if (to < range.to) remove(range, window, to + 1, range.to);
        range.from = from;
        range.to = to;
    }

    template <class Change>
    void follow(KeyId key, Change change) {
        const auto found = keys_.find(key);
        if (found == keys_.end()) return;
        try {
            for (std::optional<Range>& range : found->second)
                if (range) change(range);
        } catch (...) {
            keys_.erase(found);
        }
    }

    //! By key, then by window.
    std::map<KeyId, std::vector<std::optional<Range>>> keys_;
};

}  // namespace sash::face
