//! The nodes of a directory: how they are read, written and dropped, and how the whole is put down and taken up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sash/store/directory.hpp"

namespace sash::store {

template <Monoid M>
std::size_t Directory<M>::bytes() const {
    std::size_t infos = 0;
    for (const Level& level : levels_) infos += level.old.infos.capacity() + level.young.infos.capacity();
    for (const Nodes& nodes : held_)
        for (const auto& here : nodes) infos += here.content.capacity();
    return infos * sizeof(Info) + levels_.capacity() * sizeof(Level) + held_.capacity() * sizeof(Nodes);
}

template <Monoid M>
std::size_t Directory<M>::held() const {
    std::size_t pages = 0;
    each_digit([&](std::size_t, const Digit&) { ++pages; });
    for (const Nodes& nodes : held_) pages += nodes.size();
    return pages;
}

//! A node, from the store if it is not here. Nodes that were only read make place for it.
template <Monoid M>
auto Directory<M>::node(std::size_t height, const Info& info, bool make_place) const -> typename Nodes::Held& {
    Nodes& nodes = held_[height];
    if (auto* const here = nodes.find(info.key)) return *here;
    Infos children = read(info.id);
    std::uint64_t count = 0;
    for (const Info& child : children) count += child.count;
    if (count != info.count || children.front().key != info.key || children.back().last != info.last)
        throw DamagedSnapshot("a page is not the one that its window has written");
    if (make_place) nodes.make_place(most_held());
    if (nodes.size() >= most_held()) crowded_ = true;
    return nodes.add(info.key, std::move(children), false);
}

template <Monoid M>
std::string Directory<M>::written(const Infos& infos) const {
    Writer body;
    StateWriter<M> out(body, monoid_);
    out.number(infos.size());
    for (const Info& info : infos) {
        for (const Time time : {info.key, info.first, info.last}) body.i64(time);
        for (const std::uint64_t number : {info.count, info.id, info.least_leaf, info.least_node}) out.number(number);
        out.element(info.aggregate);
    }
    return body.take();
}

template <Monoid M>
auto Directory<M>::read(std::uint64_t id) const -> Infos {
    const std::string body = nodes_.get(id);
    Reader reader(body);
    const StateReader<M> in(reader, monoid_);
    Infos infos;
    for (std::size_t left = in.count(); left > 0; --left) {
        Info info{reader.i64(), reader.i64(), reader.i64(), in.number(),
                  in.number(),  in.number(),  in.number(),  monoid_.identity()};
        info.aggregate = in.template element<Partial>();
        in.check(infos.empty() || infos.back().last < info.key, "order of pages");
        infos.push_back(std::move(info));
    }
    in.check(!infos.empty() && reader.left() == 0, "group of pages");
    return infos;
}

template <Monoid M>
template <class F>
void Directory<M>::make_room(F write_leaf) {
    for (std::size_t h = 0; h != levels_.size(); ++h) {
        while (levels_[h].old.infos.size() > 2 * fan()) lift(h, false);
        while (levels_[h].young.infos.size() > 2 * fan()) lift(h, true);
    }
    for (std::size_t h = 1; h != held_.size(); ++h)
        held_[h].trim(most_held(), [&](auto& page) { write(h, known(h, page.key), write_leaf); });
    crowded_ = false;
}

//! What is known of a node that is changed, so that all above it is here.
template <Monoid M>
auto Directory<M>::known(std::size_t height, Time key) -> Info& {
    const Place place = find(key);
    Info* info = &digit(place).infos[place.at];
    for (std::size_t h = place.height; h > height; --h) {
        Infos& children = node(h, *info).content;
        info = &children[child(children, key)];
    }
    return *info;
}

//! A page that is not in the store, after all below it that are not.
template <Monoid M>
template <class F>
void Directory<M>::write(std::size_t height, Info& info, F& write_leaf) {
    if (info.id != kNowhere) return;
    if (height == 0) return write_leaf(info);
    auto& page = node(height, info);
    for (Info& child : page.content) write(height - 1, child, write_leaf);
    info.id = nodes_.put(written(page.content));
    note_least(info, page.content);
    page.changed = false;
}

template <Monoid M>
template <class F>
void Directory<M>::write_all(F write_leaf) {
    for (std::size_t h = 0; h != levels_.size(); ++h) {
        for (Digit* const digit : {&levels_[h].old, &levels_[h].young}) {
            for (Info& info : digit->infos) write(h, info, write_leaf);
            if (digit->id == kNowhere && !digit->infos.empty()) digit->id = nodes_.put(written(digit->infos));
        }
    }
}

template <Monoid M>
std::uint64_t Directory<M>::least_leaf(std::uint64_t next) const {
    each_digit([&](std::size_t, const Digit& digit) {
        for (const Info& info : digit.infos) next = std::min(next, info.least_leaf);
    });
    return next;
}

template <Monoid M>
void Directory<M>::bury(bool sweep) noexcept {
    if (!sweep) return nodes_.bury();
    std::uint64_t least = nodes_.next();
    each_digit([&](std::size_t, const Digit& digit) {
        least = std::min(least, digit.id);
        for (const Info& info : digit.infos) least = std::min(least, info.least_node);
    });
    nodes_.bury(least);
    unnamed_ = false;
}

template <Monoid M>
template <class Out>
void Directory<M>::save(Out& out) const {
    nodes_.save(out);
    out.number(levels_.size());
    for (const Level& level : levels_) {
        out.number(level.old.id);
        out.number(level.young.id);
    }
}

template <Monoid M>
template <class In>
void Directory<M>::load(const In& in) {
    nodes_.load(in);
    const std::size_t heights = in.count();
    in.check(heights > 0, "heights");
    levels_.resize(heights);
    held_.resize(heights);
    for (Level& level : levels_) {
        for (Digit* const digit : {&level.old, &level.young}) {
            digit->id = in.number();
            if (digit->id != kNowhere) digit->infos = read(digit->id);
        }
    }
    const Info* before = nullptr;
    each_digit([&](std::size_t, const Digit& digit) {
        in.check(!before || before->last < digit.infos.front().key, "order of pages");
        before = &digit.infos.back();
        for (const Info& info : digit.infos) entries_ += info.count;
    });
}

}  // namespace sash::store
