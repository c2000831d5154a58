//! Hands: where ranges begin and end that slide over the tree, such as windows that share it.
#pragma once

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sash/algorithms/fiba/bulk_evict.hpp"
#include "sash/algorithms/fiba/range.hpp"

namespace sash {

//! A Two-Stacks over entries that stay where they are. The entries [from, to] are
//!
//!     the leaf that `from` cuts            leaves between      the leaf that `to` cuts
//!     [ .. | first .. split ) .. stop )    [   middle    ]     [ begin .. end ) .. ]
//!            suffix           rest                               tail
//!
//! and where one leaf is cut by both, all are of that leaf. Where leaves have groups, the suffixes are those of one. As
//! long as neither end moves back, each entry goes once into the tail, once into the suffixes, each group into a few
//! rests, and each leaf once into the middle: O(1) combines an entry. A range that no hand serves takes no more of them
//! than without hands.
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
    Time from = 0;
    //! suffix[i] is the aggregate of the entries [i, split) of that leaf, for i in [first, split).
    std::uint32_t first = 0;
    std::uint32_t split = 0;
    std::vector<Partial> suffix = {};
    //! Of the entries [split, stop), and of the leaves between; both together, once they are asked for.
    std::uint32_t stop = 0;
    std::optional<Partial> rest = {};
    std::optional<Partial> middle = {};
    std::optional<Partial> between = {};
    bool between_known = false;
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
    //! The same as `changes` where a range may begin further on and end with the right leaf, and nothing is to be made
    //! for it but suffixes.
    std::uint64_t ready = 0;
    //! The number of the query that used it last.
    std::uint64_t used = 0;
    //! The hand that was used after it.
    std::uint32_t next = 0;

    //! The tail, or a part of it, was made when its leaf was the right one.
    bool tail_on_right = false;

    bool in_one_leaf() const { return first_leaf == last_leaf; }
    auto owned() const { return std::tie(suffix, rest, middle, between, tail); }
};

template <Monoid M>
auto Fiba<M>::query(Time from, Time to) const -> Partial {
    ensure_fresh();
    if (const Hand* const hand = hand_in_turn(from, to))
        return monoid_.combine(
            hand->between ? monoid_.combine(hand->suffix[hand->at], *hand->between) : hand->suffix[hand->at], back_);
    if (size_ == 0 || from > to || from > youngest_ || to < oldest()) return monoid_.identity();
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
//! it has all that its range needs: a suffix of its first leaf, what is between, and the whole right leaf behind them.
template <Monoid M>
auto Fiba<M>::hand_in_turn(Time from, Time to) const -> const Hand* {
    if (to < youngest_ || hands_.empty()) return nullptr;
    const std::uint32_t turn = hands_[last_hand_].next;
    Hand& hand = hands_[turn];
    if (hand.ready != changes_ || hand.last_leaf != right_[0] || from < hand.from || hand.anchor < oldest())
        return nullptr;
    std::uint32_t at = std::max(hand.at, hand.node.begin());
    while (at < hand.stop && hand.node.times[at] < from) ++at;
    if (at >= hand.stop) return nullptr;
    if (at >= hand.split) {
        follow_begin(hand, at);
        between(hand);
    }
    hand.at = at;
    hand.from = from;
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
    prefetch_next(path);
    const Leaf node = leaf(path.id[0]);
    hand.first_leaf = hand.last_leaf = path.id[0];
    hand.node = node;
    hand.low = hand.last_low = path.low;
    hand.high = hand.last_high = path.high;
    hand.first_was_right = hand.last_was_right = path.id[0] == right_[0];
    hand.anchor = node.times[node.end() - 1];
    hand.at = hand.first = hand.split = hand.stop = hand.end = node.lower_bound(from);
    hand.rest.reset();
    hand.middle.reset();
    hand.tail.reset();
    hand.between_known = false;
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
    hand.ready = changes_ - 1;
    const std::uint32_t at = leaf(hand.first_leaf).lower_bound(from);
    follow_end(hand, at, to);
    follow_begin(hand, at);
    hand.at = at;
    const auto own = static_cast<std::uint32_t>(&hand - hands_.data());
    hands_[last_hand_].next = own;
    last_hand_ = own;
    std::optional<Partial> total;
    if (at < hand.stop) total = hand.suffix[at];
    const auto add = [&](const std::optional<Partial>& part) {
        if (part) total = total ? monoid_.combine(*total, *part) : *part;
    };
    add(at < hand.stop ? between(hand) : hand.middle);
    ends_at_back(hand, to) ? add(back_) : add(hand.tail);
    hand.seen = to;
    hand.used = queries_;
    hand.changes = changes;
    hand.from = from;
    const bool ready = at < hand.stop && ends_at_back(hand, to) && !hand.first_was_right && !hand.tail_on_right;
    if (ready) hand.ready = changes;
    return total;
}

//! Whether the range ends with the whole right leaf, whose total is ready.
template <Monoid M>
bool Fiba<M>::ends_at_back(const Hand& hand, Time to) const {
    return to == youngest_ && !hand.in_one_leaf();
}

//! Moves the end of the range on, which will begin at a place.
template <Monoid M>
void Fiba<M>::follow_end(Hand& hand, std::uint32_t at, Time to) const {
    if (hand.last_was_right ? hand.last_leaf != right_[0] : to >= hand.last_high) move_end(hand, search(to));
    if (ends_at_back(hand, to)) return;
    const Leaf node = leaf(hand.last_leaf);
    const std::uint32_t end = to == kLatest ? node.end() : node.lower_bound(to + 1);
    // From the begin on whole groups may be less than what is missing.
    if (!hand.in_one_leaf() && end > hand.end + fiba::kGroups) hand.tail.reset();
    if (!hand.tail && !hand.in_one_leaf()) hand.end = node.begin();
    // What was evicted since from a leaf that is cut by both ends is no entry any more; follow_begin() drops the tail.
    hand.end = std::max(hand.end, node.begin());
    if (hand.in_one_leaf() && at >= hand.stop) {
        // All of them will be suffixes.
        hand.end = std::max(hand.end, end);
    } else if (hand.end < end) {
        add_run(hand.tail, node, hand.end, end);
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
            hand.first = hand.split = hand.stop = leaf(hand.first_leaf).end();
            hand.rest.reset();
            hand.last_low = hand.high;
        }
        hand.between_known = false;
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

//! Makes suffixes from the place on, up to the end of its group.
template <Monoid M>
void Fiba<M>::follow_begin(Hand& hand, std::uint32_t at) const {
    const Leaf node = leaf(hand.first_leaf);
    if (hand.in_one_leaf() && at >= hand.stop) {
        hand.first = hand.split = hand.stop = hand.end;
        hand.rest.reset();
        hand.tail.reset();
        hand.between_known = false;
    }
    if (at >= hand.stop || (at >= hand.first && at < hand.split)) return;
    const std::uint32_t split = std::min(hand.stop, end_of_group(node, at));
    if (split != hand.split) {
        hand.first = hand.split = split;
        hand.rest.reset();
        hand.between_known = false;
        add_run(hand.rest, node, split, hand.stop);
    }
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

//! The total and what lies in [first, last) of a leaf, which may be empty.
template <Monoid M>
void Fiba<M>::add_run(std::optional<Partial>& total, const Leaf& node, std::uint32_t first, std::uint32_t last) const {
    for_each_run(node, first, last,
                 [&](const Partial* from, const Partial* to) { fiba::append_run(monoid_, total, from, to); });
}

//! What lies behind the suffixes and before the tail.
template <Monoid M>
auto Fiba<M>::between(Hand& hand) const -> const std::optional<Partial>& {
    if (hand.between_known) return hand.between;
    hand.between = hand.rest ? hand.rest : hand.middle;
    if (hand.rest && hand.middle) hand.between = monoid_.combine(*hand.rest, *hand.middle);
    hand.between_known = true;
    return hand.between;
}

template <Monoid M>
std::size_t Fiba<M>::bytes() const {
    std::size_t partials = suffix_.capacity();
    for (const Hand& hand : hands_) partials += hand.suffix.capacity();
    return sizeof(*this) + pool_.bytes() + partials * sizeof(Partial) + hands_.capacity() * sizeof(Hand);
}

}  // namespace sash
