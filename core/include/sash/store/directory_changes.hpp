//! How a directory changes: leaves come and go at the ends and in the middle, digits become nodes and nodes digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "sash/store/directory.hpp"

namespace sash::store {

//! As a node of these children, which is not in the store.
template <Monoid M>
auto Directory<M>::describe(const Infos& infos) const -> Info {
    Info info{infos.front().key, infos.front().first, infos.back().last, 0, kNowhere, 0, 0, infos.front().aggregate};
    for (std::size_t i = 1; i < infos.size(); ++i) info.aggregate = monoid_.combine(info.aggregate, infos[i].aggregate);
    for (const Info& child : infos) info.count += child.count;
    note_least(info, infos);
    return info;
}

template <Monoid M>
void Directory<M>::note_least(Info& info, const Infos& infos) const {
    info.least_leaf = kNowhere;
    info.least_node = std::min(info.id, nodes_.next());
    for (const Info& child : infos) {
        info.least_leaf = std::min(info.least_leaf, child.least_leaf);
        info.least_node = std::min(info.least_node, child.least_node);
    }
}

//! After a change of its infos.
template <Monoid M>
void Directory<M>::touch(Digit& digit) {
    nodes_.kill(std::exchange(digit.id, kNowhere));
    digit.summary.reset();
    total_.reset();
    if (digit.infos.size() > 2 * fan()) crowded_ = true;
}

template <Monoid M>
void Directory<M>::push(Digit& digit, typename Infos::iterator at, Info leaf) {
    entries_ += leaf.count;
    digit.infos.insert(at, std::move(leaf));
    touch(digit);
}

template <Monoid M>
template <class F>
void Directory<M>::change(Time time, F f) {
    const Place place = find(time);
    Infos& infos = digit(place).infos;
    const std::size_t size = infos.size();
    entries_ -= infos[place.at].count;
    change(place.height, infos, place.at, time, f);
    for (std::size_t i = place.at; i + size < place.at + infos.size() + 1; ++i) entries_ += infos[i].count;
    touch(digit(place));
    lower_roof();
}

template <Monoid M>
template <class F>
void Directory<M>::change(std::size_t height, Infos& infos, std::size_t at, Time time, F& f) {
    if (height == 0) return f(infos, at);
    auto& below = node(height, infos[at], false);
    change(height - 1, below.content, child(below.content, time), time, f);
    settle(height, infos, at, below);
}

//! The children of a node have changed: it is known anew, as two nodes where they are too many, or it is gone.
template <Monoid M>
void Directory<M>::settle(std::size_t height, Infos& infos, std::size_t at, typename Nodes::Held& changed) {
    nodes_.kill(infos[at].id);
    const auto place = infos.begin() + static_cast<std::ptrdiff_t>(at);
    Infos& children = changed.content;
    if (children.empty()) {
        held_[height].erase(changed.key);
        infos.erase(place);
        return;
    }
    Infos rest;
    if (children.size() > 2 * fan()) {
        const auto middle = children.begin() + static_cast<std::ptrdiff_t>(children.size() / 2);
        rest.assign(std::make_move_iterator(middle), std::make_move_iterator(children.end()));
        children.erase(middle, children.end());
    }
    *place = describe(children);
    changed.key = place->key;
    changed.changed = true;
    if (rest.empty()) return;
    Info younger = describe(rest);
    held_[height].add(younger.key, std::move(rest), true);
    crowded_ = true;
    infos.insert(place + 1, std::move(younger));
}

//! Half of a digit, the one towards the middle, becomes a node of the next height.
template <Monoid M>
void Directory<M>::lift(std::size_t height, bool young) {
    Digit& from = digit({height, young, 0});
    const std::size_t begin = young ? 0 : from.infos.size() - fan();
    const auto first = from.infos.begin() + static_cast<std::ptrdiff_t>(begin);
    Infos children(first, first + static_cast<std::ptrdiff_t>(fan()));
    Info info = describe(children);
    from.infos.erase(first, first + static_cast<std::ptrdiff_t>(fan()));
    touch(from);
    if (levels_.size() == height + 1) {
        levels_.emplace_back();
        held_.emplace_back();
    }
    held_[height + 1].add(info.key, std::move(children), true);
    Digit& to = digit({height + 1, young, 0});
    to.infos.insert(young ? to.infos.end() : to.infos.begin(), std::move(info));
    touch(to);
}

template <Monoid M>
template <class F>
void Directory<M>::drop_through(Time last, F dropped) {
    const Place place = find(last);
    const auto clear = [&](std::size_t height, Digit& digit) {
        forget(height, digit.infos, digit.infos.size(), dropped);
        touch(digit);
    };
    for (std::size_t h = 0; h != (place.young ? levels_.size() : place.height); ++h) clear(h, levels_[h].old);
    if (place.young)
        for (std::size_t h = levels_.size() - 1; h > place.height; --h) clear(h, levels_[h].young);
    Digit& cut = digit(place);
    Info info = cut.infos[place.at];
    forget(place.height, cut.infos, place.at + 1, dropped);
    touch(cut);
    // The nodes on the way open: what is younger of their children makes the old digits.
    for (std::size_t h = place.height; h > 0; --h) {
        Infos children = std::move(node(h, info, false).content);
        const std::size_t at = child(children, last);
        info = children[at];
        forget(h - 1, children, at + 1, dropped);
        levels_[h - 1].old.infos = std::move(children);
        touch(levels_[h - 1].old);
    }
    for (Nodes& nodes : held_) nodes.drop_through(last);
    lower_roof();
    entries_ = 0;
    each_digit([&](std::size_t, const Digit& digit) {
        for (const Info& known : digit.infos) entries_ += known.count;
    });
}

template <Monoid M>
template <class F>
void Directory<M>::clear(F dropped) {
    const auto clear = [&](std::size_t height, Digit& digit) {
        forget(height, digit.infos, digit.infos.size(), dropped);
        touch(digit);
    };
    for (std::size_t h = 0; h != levels_.size(); ++h) {
        clear(h, levels_[h].old);
        clear(h, levels_[h].young);
    }
    levels_.resize(1);
    held_.assign(1, {});
    entries_ = 0;
}

//! The first `end` of them leave. What is below nodes leaves without a word: sweeping finds it.
template <Monoid M>
template <class F>
void Directory<M>::forget(std::size_t height, Infos& infos, std::size_t end, F& dropped) {
    for (std::size_t i = 0; i != end; ++i) {
        if (height == 0) {
            dropped(infos[i]);
        } else {
            nodes_.kill(infos[i].id);
            unnamed_ = true;
        }
    }
    infos.erase(infos.begin(), infos.begin() + static_cast<std::ptrdiff_t>(end));
}

//! Heights without a node go.
template <Monoid M>
void Directory<M>::lower_roof() {
    while (levels_.size() > 1 && levels_.back().old.infos.empty() && levels_.back().young.infos.empty()) {
        levels_.pop_back();
        held_.pop_back();
    }
}

}  // namespace sash::store
