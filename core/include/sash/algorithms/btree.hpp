//! The classic B-tree augmented with aggregates: late events at O(log n), the baseline of FiBA.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/btree/check.hpp"
#include "sash/algorithms/btree/running.hpp"
#include "sash/algorithms/btree/shape.hpp"
#include "sash/algorithms/describe.hpp"

namespace sash {

//! Every node keeps the aggregate of its subtree:
//!
//!     up(y) = up(z0) (x) v0 (x) up(z1) (x) ... (x) v_last (x) up(z_last)        z: children, v: the node's own entries
//!
//! So query() is the root's aggregate, O(1) and without a combine; insert, evict and range queries are O(log n).
//! Times come in any order; an equal time combines: old (x) new.
//!
//! A change marks the nodes that it touched stale, then computes their aggregates anew, from below. Where a combine
//! throws, an insert takes its entry out again and passes the exception on. An evict never fails: it leaves the nodes
//! stale, and the next query or insert that needs them computes them, and may throw then.
template <Monoid M>
class BTree {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;
    static constexpr std::size_t kLargestMinArity = 1024;

    //! Nodes have min_arity to 2 min_arity children.
    explicit BTree(M monoid = M{}, std::size_t min_arity = 8)
        : monoid_(std::move(monoid)), shape_(checked(min_arity)) {}

    std::size_t size() const { return shape_.size(); }
    Time oldest() const { return shape_.oldest(); }
    Time youngest() const { return shape_.youngest(); }
    std::size_t min_arity() const { return shape_.min_arity(); }
    std::size_t height() const { return shape_.height(); }
    std::size_t bytes() const { return sizeof(*this) + shape_.pool().bytes(); }
    auto owned() const { return std::tie(shape_.pool()); }

    Partial query() const {
        if (size() == 0) return monoid_.identity();
        refresh(shape_.root());
        return aggregate(shape_.root());
    }

    //! The entries from `from` to `to`, both ends in; the identity when there are none.
    Partial query(Time from, Time to) const {
        btree::Running<M> sum(monoid_);
        if (size() != 0 && from <= to) {
            refresh(shape_.root());
            add_between(shape_.root(), from, to, sum);
        }
        return std::move(sum).result();
    }

    void insert(Time time, Partial partial) { place(time, std::move(partial)); }

    //! Any order; repeated times combine in the order of arrival. All of them or, when one throws, none. Takes the
    //! partials out of the span.
    void bulk_insert(std::span<const Time> times, std::span<Partial> partials) {
        std::vector<Replaced> replaced;
        std::size_t done = 0;
        try {
            for (; done != times.size(); ++done) {
                replaced.reserve(grown(replaced));
                auto old = place(times[done], std::move(partials[done]));
                if (old) replaced.push_back({done, std::move(*old)});
            }
        } catch (...) {
            take_back(times.first(done), std::move(replaced));
            throw;
        }
    }

    void evict() { erase(shape_.first()); }

    //! Exactly the entry at `time`; false when there is none.
    bool evict(Time time) {
        const btree::Path path = shape_.find(time);
        if (path.found) erase(path);
        return path.found;
    }

    //! Everything at or before `time`, one by one: O(m log n).
    void bulk_evict(Time time) {
        if (size() != 0 && youngest() <= time) return clear();
        while (size() != 0 && oldest() <= time) evict();
    }

    //! Evicts the longest prefix for which policy(total, prefix) holds, with the aggregates of all entries and of the
    //! prefix. The policy is monotone: where it fails, it fails for every longer prefix. O(log n) calls of it.
    template <class Policy>
    void evict_while(Policy policy) {
        if (size() == 0) return;
        const Partial total = query();
        btree::Running<M> prefix(monoid_);
        const auto holds = [&](const Partial& longer) -> bool { return policy(total, longer); };
        const std::optional<Time> stays = first_refused(shape_.root(), prefix, holds);
        if (!stays) return clear();
        while (oldest() < *stays) evict();
    }

    //! The entries' own partials, oldest first.
    template <class F>
    void for_each(F f) const {
        if (size() != 0) visit(shape_.root(), f);
    }

    template <class Out>
    void describe(Out& out) const {
        if (size() != 0) describe_below(out, shape_.root(), {true, true});
    }

    void load(Time time, Partial partial) { insert(time, std::move(partial)); }

    //! Gives all memory back.
    void clear() { shape_ = Shape(shape_.min_arity()); }

    //! `same(a, b)` compares partials. Leave it out, and aggregates are compared where partials have an exact ==.
    template <class Same>
    void check_invariants(Same same) const {
        btree::Checker<M, Same>(monoid_, shape_, same).run();
    }
    void check_invariants() const { check_invariants(btree::ExactlySame<M>{}); }

private:
    using Shape = btree::Shape<Partial>;
    using Id = btree::Id;

    //! What a bulk insert must put back: the partial that times[index] found.
    struct Replaced {
        std::size_t index;
        Partial partial;
    };

    static std::size_t checked(std::size_t min_arity) {
        if (min_arity < 2 || min_arity > kLargestMinArity)
            throw std::invalid_argument("min_arity must be from 2 to " + std::to_string(kLargestMinArity) + ", not " +
                                        std::to_string(min_arity) + "; leave it out for 8");
        return min_arity;
    }

    //! Room for one more, doubling: reserve() on its own would grow by one.
    static std::size_t grown(const std::vector<Replaced>& log) {
        return log.size() < log.capacity() ? log.capacity() : 2 * log.size() + 1;
    }

    const Partial& aggregate(Id id) const { return shape_[id].head().aggregate; }

    //! Computes the stale aggregates under `id`, from below. What is done stays done if a combine throws.
    void refresh(Id id) const {
        const auto node = shape_[id];
        if (!node.head().stale) return;
        if (!node.leaf())
            for (std::size_t i = 0; i <= node.count(); ++i) refresh(node.child(i));
        Partial& total = node.head().aggregate;
        total = node.leaf() ? node.partial(0) : aggregate(node.child(0));
        for (std::size_t i = node.leaf() ? 1 : 0; i != node.count(); ++i) {
            append(monoid_, total, node.partial(i));
            if (!node.leaf()) append(monoid_, total, aggregate(node.child(i + 1)));
        }
        node.head().stale = false;
    }

    //! Inserts or combines; gives back the partial that a combination replaced.
    std::optional<Partial> place(Time time, Partial partial) {
        const btree::Path path = shape_.find(time);
        if (path.found) return combine_into(path, partial);
        const bool appends = shape_.only_appends(path) && !shape_[shape_.root()].head().stale;
        shape_.insert(path, time, std::move(partial));
        try {
            if (appends) {
                extend(path);
            } else {
                refresh(shape_.root());
            }
        } catch (...) {
            shape_.erase(shape_.find(time));
            throw;
        }
        return std::nullopt;
    }

    //! A new youngest entry that split nothing: one combine a level.
    void extend(const btree::Path& path) const {
        const auto leaf = shape_[path.back().node];
        const Partial& youngest = leaf.partial(leaf.count() - 1);
        for (std::size_t depth = path.size(); depth-- > 0;) {
            const auto& head = shape_[path[depth].node].head();
            append(monoid_, head.aggregate, youngest);
            head.stale = false;
        }
    }

    Partial combine_into(const btree::Path& path, const Partial& partial) {
        Partial& entry = shape_.partial(path.back());
        Partial other = monoid_.combine(entry, partial);
        std::swap(entry, other);
        shape_.mark_stale(path);
        try {
            refresh(shape_.root());
        } catch (...) {
            std::swap(entry, other);
            shape_.mark_stale(path);
            throw;
        }
        return other;
    }

    //! Undoes the first inserts of a bulk, the last one first.
    void take_back(std::span<const Time> times, std::vector<Replaced> replaced) noexcept {
        for (std::size_t i = times.size(); i-- > 0;) {
            const btree::Path path = shape_.find(times[i]);
            if (replaced.empty() || replaced.back().index != i) {
                shape_.erase(path);
                continue;
            }
            shape_.partial(path.back()) = std::move(replaced.back().partial);
            shape_.mark_stale(path);
            replaced.pop_back();
        }
    }

    void erase(const btree::Path& path) noexcept {
        shape_.erase(path);
        try {
            if (size() != 0) refresh(shape_.root());
        } catch (...) {
            // The nodes stay stale; who needs them next computes them, and reports.
        }
    }

    template <class F>
    void visit(Id id, F& f) const {
        const auto node = shape_[id];
        for (std::size_t i = 0; i <= node.count(); ++i) {
            if (!node.leaf()) visit(node.child(i), f);
            if (i != node.count()) f(node.time(i), node.partial(i));
        }
    }

    //! Which ends of the window lie below a node. A brief description opens no other node.
    struct Ends {
        bool oldest;
        bool youngest;
    };

    template <class Out>
    void describe_below(Out& out, Id id, Ends ends) const {
        const auto node = shape_[id];
        const bool stale = node.head().stale;
        out.begin(node.leaf() ? "leaf" : "inner");
        out.aggregate(stale ? "waits" : "up", first_below(id), last_below(id),
                      stale ? nullptr : &node.head().aggregate);
        if (out.brief() && !ends.oldest && !ends.youngest) {
            out.omit(count_below(id));
        } else if (node.leaf()) {
            describe_run(out, node.count(), [&](std::size_t i) { out.entry(node.time(i), &node.partial(i)); });
        } else {
            describe_children(out, node, ends);
        }
        out.end();
    }

    //! In a brief description, the first and the last child of a node of many.
    template <class Out, class Node>
    void describe_children(Out& out, const Node& node, Ends ends) const {
        const std::size_t last = node.count();
        for (std::size_t i = 0; i <= last; ++i) {
            if (out.brief() && last > 2 && i == 1) {
                std::size_t entries = last - 2;
                for (; i != last; ++i) entries += count_below(node.child(i));
                describe_omitted(out, entries);
                out.entry(node.time(i - 1), &node.partial(i - 1));
            }
            describe_below(out, node.child(i), {ends.oldest && i == 0, ends.youngest && i == last});
            if (i != last) out.entry(node.time(i), &node.partial(i));
        }
    }

    std::size_t count_below(Id id) const {
        std::size_t entries = 0;
        const auto count = [&entries](Time, const Partial&) { ++entries; };
        visit(id, count);
        return entries;
    }

    Time first_below(Id id) const {
        while (!shape_[id].leaf()) id = shape_[id].child(0);
        return shape_[id].time(0);
    }
    Time last_below(Id id) const {
        while (!shape_[id].leaf()) id = shape_[id].child(shape_[id].count());
        return shape_[id].time(shape_[id].count() - 1);
    }

    void add_between(Id id, Time from, Time to, btree::Running<M>& sum) const {
        const auto node = shape_[id];
        const std::size_t begin = node.lower(from);
        const std::size_t end = node.upper(to);
        if (begin == end) {
            if (!node.leaf()) add_between(node.child(begin), from, to, sum);
            return;
        }
        if (!node.leaf()) add_since(node.child(begin), from, sum);
        for (std::size_t i = begin; i != end; ++i) {
            sum.add(node.partial(i));
            if (!node.leaf() && i + 1 != end) sum.add(aggregate(node.child(i + 1)));
        }
        if (!node.leaf()) add_until(node.child(end), to, sum);
    }

    void add_since(Id id, Time from, btree::Running<M>& sum) const {
        const auto node = shape_[id];
        const std::size_t begin = node.lower(from);
        if (!node.leaf()) add_since(node.child(begin), from, sum);
        for (std::size_t i = begin; i != node.count(); ++i) {
            sum.add(node.partial(i));
            if (!node.leaf()) sum.add(aggregate(node.child(i + 1)));
        }
    }

    void add_until(Id id, Time to, btree::Running<M>& sum) const {
        const auto node = shape_[id];
        const std::size_t end = node.upper(to);
        for (std::size_t i = 0; i != end; ++i) {
            if (!node.leaf()) sum.add(aggregate(node.child(i)));
            sum.add(node.partial(i));
        }
        if (!node.leaf()) add_until(node.child(end), to, sum);
    }

    //! The time of the first entry under `id` with which `prefix` no longer holds. When there is none, all of them
    //! have joined `prefix`, also where rounding made the subtree's aggregate fail and its entries one by one not.
    template <class Holds>
    std::optional<Time> first_refused(Id id, btree::Running<M>& prefix, const Holds& holds) const {
        const auto node = shape_[id];
        for (std::size_t i = 0; i <= node.count(); ++i) {
            if (!node.leaf() && !prefix.add_if(aggregate(node.child(i)), holds))
                if (const auto refused = first_refused(node.child(i), prefix, holds)) return refused;
            if (i != node.count() && !prefix.add_if(node.partial(i), holds)) return node.time(i);
        }
        return std::nullopt;
    }

    [[no_unique_address]] M monoid_;
    Shape shape_;
};

}  // namespace sash
