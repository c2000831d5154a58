//! Ways through a directory: to a leaf, over all of them, as far as a policy goes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sash/algorithms/mta/level.hpp"
#include "sash/store/directory.hpp"

namespace sash::store {

template <Monoid M>
template <class F>
void Directory<M>::each_digit(F f) const {
    for (std::size_t h = 0; h != levels_.size(); ++h)
        if (!levels_[h].old.infos.empty()) f(h, levels_[h].old);
    for (std::size_t h = levels_.size(); h-- > 0;)
        if (!levels_[h].young.infos.empty()) f(h, levels_[h].young);
}

template <Monoid M>
auto Directory<M>::front() const -> const Info& {
    const Info* oldest = nullptr;
    each_digit([&](std::size_t, const Digit& digit) {
        if (!oldest) oldest = &digit.infos.front();
    });
    return *oldest;
}

template <Monoid M>
auto Directory<M>::back() const -> const Info& {
    if (!levels_[0].young.infos.empty()) return levels_[0].young.infos.back();
    const Info* youngest = nullptr;
    each_digit([&](std::size_t, const Digit& digit) { youngest = &digit.infos.back(); });
    return *youngest;
}

template <Monoid M>
auto Directory<M>::total() const -> const Partial& {
    if (total_) return *total_;
    std::optional<Partial> total;
    each_digit([&](std::size_t, const Digit& digit) {
        const Partial& newer = summary(digit).aggregate;
        total = total ? monoid_.combine(*total, newer) : newer;
    });
    total_ = std::move(total);
    return *total_;
}

template <Monoid M>
auto Directory<M>::summary(const Digit& digit) const -> const Info& {
    if (!digit.summary) digit.summary = describe(digit.infos);
    return *digit.summary;
}

//! The digit whose infos a time is among, and the one of them that it belongs to.
template <Monoid M>
auto Directory<M>::find(Time time) const -> Place {
    const auto begins = [&](const Digit& digit) { return !digit.infos.empty() && digit.infos.front().key <= time; };
    for (std::size_t h = 0; h != levels_.size(); ++h)
        if (begins(levels_[h].young)) return {h, true, child(levels_[h].young.infos, time)};
    std::size_t h = levels_.size() - 1;
    while (!begins(levels_[h].old)) --h;
    return {h, false, child(levels_[h].old.infos, time)};
}

//! The last of them whose key is not after `time`.
template <Monoid M>
std::size_t Directory<M>::child(const Infos& infos, Time time) {
    const auto after = std::partition_point(infos.begin(), infos.end(), [&](const Info& i) { return i.key <= time; });
    return static_cast<std::size_t>(after - infos.begin()) - 1;
}

template <Monoid M>
auto Directory<M>::leaf(Time time, bool make_place) const -> const Info& {
    const Place place = find(time);
    const Info* info = &const_cast<Directory*>(this)->digit(place).infos[place.at];
    for (std::size_t h = place.height; h > 0; --h) {
        const Infos& infos = node(h, *info, make_place).content;
        info = &infos[child(infos, time)];
    }
    return *info;
}

template <Monoid M>
std::vector<std::uint64_t> Directory<M>::look_ahead(std::size_t most) {
    std::vector<std::uint64_t> ids;
    const Info* unknown = nullptr;
    std::size_t height = 0;
    const auto collect_all = [&] {
        ids.clear();
        unknown = nullptr;
        each_digit([&](std::size_t h, const Digit& digit) {
            if (!unknown) unknown = collect(h, digit.infos, 2 * most, ids, height);
        });
    };
    collect_all();
    if (!unknown) return ids;
    if (ids.size() < most) {
        node(height, *unknown);
        collect_all();
    } else if (asked_ != unknown->id) {
        asked_ = unknown->id;
        nodes_.want(asked_, asked_ + 1);
    }
    return ids;
}

//! Adds the numbers of leaves; where a node is not here, returns what is known of it, and its height.
template <Monoid M>
auto Directory<M>::collect(std::size_t height, const Infos& infos, std::size_t most, std::vector<std::uint64_t>& ids,
                           std::size_t& unknown) const -> const Info* {
    for (const Info& info : infos) {
        if (ids.size() >= most) return nullptr;
        if (height == 0) {
            ids.push_back(info.id);
            continue;
        }
        const auto* const here = held_[height].find(info.key);
        if (!here) return unknown = height, &info;
        if (const Info* const lower = collect(height - 1, here->content, most, ids, unknown)) return lower;
    }
    return nullptr;
}

template <Monoid M>
template <class Look, class Page>
void Directory<M>::walk(Look look, Page page) const {
    each_digit([&](std::size_t h, const Digit& digit) { walk(h, digit.infos, look, page); });
}

template <Monoid M>
template <class Look, class Page>
void Directory<M>::walk_by_digits(Look look, Page page) const {
    each_digit([&](std::size_t h, const Digit& digit) {
        if (look(summary(digit))) walk(h, digit.infos, look, page);
    });
}

//! What is read below does not take the place of `infos`: each height has its own.
template <Monoid M>
template <class Look, class Page>
void Directory<M>::walk(std::size_t height, const Infos& infos, Look& look, Page& page) const {
    for (const Info& info : infos) {
        if (!look(info)) continue;
        if (height == 0) {
            page(info);
        } else {
            walk(height - 1, node(height, info).content, look, page);
        }
    }
}

template <Monoid M>
template <class Condemns>
auto Directory<M>::refused(std::optional<Partial>& prefix, Condemns& condemns) const -> const Info* {
    const Info* found = nullptr;
    each_digit([&](std::size_t h, const Digit& digit) {
        if (found) return;
        const Partial& whole = summary(digit).aggregate;
        Partial longer = prefix ? monoid_.combine(*prefix, whole) : whole;
        if (condemns(longer)) {
            prefix = std::move(longer);
        } else {
            found = &refused(h, digit.infos, prefix, condemns);
        }
    });
    return found;
}

//! Not all of them go.
template <Monoid M>
template <class Condemns>
auto Directory<M>::refused(std::size_t height, const Infos& infos, std::optional<Partial>& prefix,
                           Condemns& condemns) const -> const Info& {
    std::vector<Partial> prefixes;
    std::optional<Partial> longer = prefix;
    for (std::size_t i = 0; i + 1 < infos.size(); ++i) {
        longer = longer ? monoid_.combine(*longer, infos[i].aggregate) : infos[i].aggregate;
        prefixes.push_back(*longer);
    }
    const auto end = std::partition_point(prefixes.begin(), prefixes.end(), condemns);
    const auto whole = static_cast<std::size_t>(end - prefixes.begin());
    if (whole > 0) prefix = std::move(prefixes[whole - 1]);
    if (height == 0) return infos[whole];
    return refused(height - 1, node(height, infos[whole]).content, prefix, condemns);
}

template <Monoid M>
template <class Page>
void Directory<M>::check_invariants(Page page) const {
    invariant(held_.size() == levels_.size(), "each height has its nodes");
    std::uint64_t entries = 0;
    each_digit([&](std::size_t h, const Digit& digit) {
        for (const Info& info : digit.infos) {
            entries += info.count;
            invariant(digit.id == kNowhere || info.id != kNowhere, "a digit is written after what it knows");
            check_page(h, info, page);
        }
        if constexpr (mta::exact<M>)
            invariant(!digit.summary || digit.summary->aggregate == describe(digit.infos).aggregate,
                      "summaries of digits are right");
    });
    invariant(entries == entries_, "entries are counted");
}

template <Monoid M>
template <class Page>
void Directory<M>::check_page(std::size_t height, const Info& info, Page& page) const {
    if (height == 0) return page(info);
    const auto& here = node(height, info);
    const Info known = describe(here.content);
    invariant(here.key == info.key && here.content.size() <= 2 * fan(), "a node has its key, and no more than its due");
    invariant(info.first == known.first && info.last == known.last && info.count == known.count, "a node is known");
    if constexpr (mta::exact<M>) invariant(info.aggregate == known.aggregate, "aggregates of nodes are right");
    for (const Info& child : here.content) {
        invariant(info.id == kNowhere || child.id != kNowhere, "a node is written after its children");
        invariant(info.least_leaf <= child.least_leaf && info.least_node <= child.least_node, "numbers have a bound");
        check_page(height - 1, child, page);
    }
}

}  // namespace sash::store
