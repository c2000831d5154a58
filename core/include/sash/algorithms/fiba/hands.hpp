//! Hands: where ranges begin and end that slide over the tree, such as windows that share it.
#pragma once

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sash/algorithms/fiba/range.hpp"

namespace sash {

//! A Two-Stacks over entries that stay where they are. The entries [from, to] are
//!
//!     the leaf that `from` cuts      leaves between      the leaf that `to` cuts
//!     [ .. | first .. split )        [   middle    ]     [ begin .. end ) .. ]
//!            suffix                                        tail
//!
//! and where one leaf is cut by both, suffix and tail are of that leaf. As long as neither end moves back, each entry
//! goes once into the tail, once into the suffixes, and each leaf once into the middle: O(1) combines an entry.
template <Monoid M>
struct Fiba<M>::Hand {
    //! The leaf where it begins, the times [low, high) that belong there, and its last entry when the hand was put
    //! there. The right leaf has all later times too.
    Id first_leaf = fiba::kNone;
    Time low = 0;
    Time high = 0;
    Time anchor = 0;
    bool first_was_right = false;
    //! That leaf, and where the last query began in it.
    Leaf node = {};
    std::uint32_t at = 0;
    //! suffix[i] is the aggregate of the entries [i, split) of that leaf, for i in [first, split).
    std::uint32_t first = 0;
    std::uint32_t split = 0;
    std::vector<Partial> suffix = {};
    std::optional<Partial> middle = {};
    //! The leaf where it ends, the times that belong there, and the aggregate of its entries before `end`.
    Id last_leaf = fiba::kNone;
    Time last_low = 0;
    Time last_high = 0;
    bool last_was_right = false;
    std::uint32_t end = 0;
    std::optional<Partial> tail = {};
    //! The latest end asked for.
    Time seen = 0;
    //! Of the tree and of the right leaf, when the hand was put there.
    std::uint64_t changes = 0;
    std::uint64_t right_changes = 0;
    //! The number of the query that used it last.
    std::uint64_t used = 0;
    //! The hand that was used after it.
    std::uint32_t next = 0;

    //! The tail, or a part of it, was made when its leaf was the right one.
    bool tail_on_right = false;

    bool in_one_leaf() const { return first_leaf == last_leaf; }
    auto owned() const { return std::tie(suffix, middle, tail); }
};

template <Monoid M>
auto Fiba<M>::query(Time from, Time to) const -> Partial {
    ensure_fresh();
    if (size_ == 0 || from > to || from > youngest_ || to < oldest()) return monoid_.identity();
    if (const Hand* const hand = hand_in_turn(from, to))
        return monoid_.combine(
            hand->middle ? monoid_.combine(hand->suffix[hand->at], *hand->middle) : hand->suffix[hand->at], back_);
    from = std::max(from, oldest());
    to = std::min(to, youngest_);
    if (std::optional<Partial> suffix = near_suffix(from, to)) return std::move(*suffix);
    std::optional<Partial> total = query_by_hand(from, to);
    return total ? std::move(*total) : monoid_.identity();
}

//! Whether what the hand keeps is about this tree. A leaf whose last entry is there is where it was, since only
//! evictions from the front leave the number of changes alone.
template <Monoid M>
bool Fiba<M>::is_current(const Hand& hand) const {
    if (hand.changes != changes_ || hand.anchor < oldest()) return false;
    if (hand.first_was_right && hand.first_leaf != right_[0]) return false;
    return !(hand.first_was_right || hand.tail_on_right) || hand.right_changes == right_changes_;
}

//! Windows that slide side by side are asked for in turn, and a little further each time. The hand whose turn it is, if
//! it has all that its range needs: a suffix of its first leaf, the middle, and the whole right leaf behind them.
template <Monoid M>
auto Fiba<M>::hand_in_turn(Time from, Time to) const -> const Hand* {
    if (to < youngest_ || hands_.empty()) return nullptr;
    const std::uint32_t turn = hands_[last_hand_].next;
    Hand& hand = hands_[turn];
    if (hand.changes != changes_ || from < hand.low || from >= hand.high || hand.anchor < oldest()) return nullptr;
    if (hand.first_was_right || hand.tail_on_right || hand.in_one_leaf() || hand.last_leaf != right_[0]) return nullptr;
    std::uint32_t at = std::max(hand.at, hand.node.begin());
    if (at > hand.node.begin() && hand.node.times[at - 1] >= from) return nullptr;
    while (at < hand.split && hand.node.times[at] < from) ++at;
    if (at < hand.first || at >= hand.split) return nullptr;
    hand.at = at;
    hand.seen = youngest_;
    hand.used = ++queries_;
    last_hand_ = turn;
    return &hand;
}

//! The hand at the range, if neither end has moved back; otherwise one that is of no use any more, or a new one.
template <Monoid M>
auto Fiba<M>::hand_at(Time from, Time to) const -> Hand& {
    ++queries_;
    for (Hand& hand : hands_) {
        const bool within = hand.low <= from && (from < hand.high || hand.first_was_right);
        if (within && hand.seen <= to && is_current(hand)) return hand;
    }
    Hand* idle = nullptr;
    for (Hand& hand : hands_) {
        if (!is_current(hand)) hand.used = 0;
        if (idle == nullptr || hand.used < idle->used) idle = &hand;
    }
    // A window that slides comes back to its hand before all others have been used twice.
    const bool reuse = idle != nullptr && (hands_.size() == kMostHands || idle->used + 2 * hands_.size() < queries_);
    Hand& hand = reuse ? *idle : hands_.emplace_back();
    put_hand(hand, from);
    return hand;
}

//! An empty range that begins in the leaf of a time.
template <Monoid M>
void Fiba<M>::put_hand(Hand& hand, Time from) const {
    const Path path = search(from);
    const Leaf node = leaf(path.id[0]);
    hand.first_leaf = hand.last_leaf = path.id[0];
    hand.node = node;
    hand.low = hand.last_low = path.low;
    hand.high = hand.last_high = path.high;
    hand.first_was_right = hand.last_was_right = path.id[0] == right_[0];
    hand.anchor = node.times[node.end() - 1];
    hand.at = hand.first = hand.split = hand.end = node.lower_bound(from);
    hand.middle.reset();
    hand.tail.reset();
    hand.seen = from;
    hand.changes = changes_;
    hand.right_changes = right_changes_;
    hand.tail_on_right = false;
}

//! From a time that the hand serves to one at or before the youngest. A combine that throws leaves a hand that serves
//! nothing.
template <Monoid M>
auto Fiba<M>::query_by_hand(Time from, Time to) const -> std::optional<Partial> {
    Hand& hand = hand_at(from, to);
    const std::uint64_t changes = std::exchange(hand.changes, changes_ - 1);
    follow_end(hand, to);
    const std::uint32_t at = leaf(hand.first_leaf).lower_bound(from);
    follow_begin(hand, at);
    hand.at = at;
    const auto own = static_cast<std::uint32_t>(&hand - hands_.data());
    hands_[last_hand_].next = own;
    last_hand_ = own;
    std::optional<Partial> total;
    if (at < hand.split) total = hand.suffix[at];
    const auto add = [&](const std::optional<Partial>& part) {
        if (part) total = total ? monoid_.combine(*total, *part) : *part;
    };
    add(hand.middle);
    ends_at_back(hand, to) ? add(back_) : add(hand.tail);
    hand.seen = to;
    hand.used = queries_;
    hand.changes = changes;
    return total;
}

//! Whether the range ends with the whole right leaf, whose total is ready.
template <Monoid M>
bool Fiba<M>::ends_at_back(const Hand& hand, Time to) const {
    return to == youngest_ && !hand.in_one_leaf();
}

//! Moves the end of the range on.
template <Monoid M>
void Fiba<M>::follow_end(Hand& hand, Time to) const {
    if (hand.last_was_right ? hand.last_leaf != right_[0] : to >= hand.last_high) move_end(hand, search(to));
    if (ends_at_back(hand, to)) return;
    const Leaf node = leaf(hand.last_leaf);
    const std::uint32_t end = to == kLatest ? node.end() : node.lower_bound(to + 1);
    if (!hand.tail && !hand.in_one_leaf()) hand.end = node.begin();
    // What was evicted since from a leaf that is cut by both ends is no entry any more; follow_begin() drops the tail.
    hand.end = std::max(hand.end, node.begin());
    if (hand.end < end) {
        fiba::append_run(monoid_, hand.tail, node.partials + hand.end, node.partials + end);
        hand.end = end;
    }
    hand.tail_on_right |= hand.last_leaf == right_[0];
    hand.right_changes = right_changes_;
}

//! Another leaf is cut at the end, unless what was the right leaf is so no more: what lies before it is the middle.
template <Monoid M>
void Fiba<M>::move_end(Hand& hand, const Path& path) const {
    if (hand.last_leaf != path.id[0]) {
        if (hand.in_one_leaf()) {
            // The whole rest of the leaf belongs to the range now: suffixes of it are made when they are asked for.
            hand.first = hand.split = leaf(hand.first_leaf).end();
            hand.last_low = hand.high;
        }
        const std::optional<Partial> passed = fold_range(hand.last_low, path.low - 1);
        if (passed) hand.middle = hand.middle ? monoid_.combine(*hand.middle, *passed) : *passed;
        hand.tail.reset();
        hand.tail_on_right = false;
    }
    hand.last_leaf = path.id[0];
    hand.last_low = path.low;
    hand.last_high = path.high;
    hand.last_was_right = path.id[0] == right_[0];
}

//! Makes suffixes from the place on.
template <Monoid M>
void Fiba<M>::follow_begin(Hand& hand, std::uint32_t at) const {
    const Leaf node = leaf(hand.first_leaf);
    if (hand.in_one_leaf() && at >= hand.split) {
        hand.first = hand.split = hand.end;
        hand.tail.reset();
    }
    if (at >= hand.first) return;
    if (hand.suffix.size() < leaf_max()) hand.suffix.resize(leaf_max());
    // What is before the first suffix is asked before the loop: see append_run().
    std::uint32_t i = hand.first;
    if (i == hand.split) {
        --i;
        hand.suffix[i] = node.partials[i];
    }
    for (; i > at; --i) hand.suffix[i - 1] = monoid_.combine(node.partials[i - 1], hand.suffix[i]);
    hand.first = at;
}

template <Monoid M>
std::size_t Fiba<M>::bytes() const {
    std::size_t partials = suffix_.capacity();
    for (const Hand& hand : hands_) partials += hand.suffix.capacity();
    return sizeof(*this) + pool_.bytes() + partials * sizeof(Partial) + hands_.capacity() * sizeof(Hand);
}

}  // namespace sash
