//! The pages of a paged FiBA in the order of their times, in groups of some hundreds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"

namespace sash::store {

//! No page of that number is in the store.
inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

//! What is known of a page without reading it.
template <class Partial>
struct PageInfo {
    //! Not after any of its times, and after all times of the pages before it. It names the page here.
    Time key;
    Time first;
    Time last;
    std::uint64_t count;
    //! Its number in the store; kNowhere while it was changed since, and is here.
    std::uint64_t id;
    Partial aggregate;
};

//! Groups are what a commit writes anew: those in which nothing has changed are in the store as they are.
template <class Partial>
class Directory {
public:
    using Info = PageInfo<Partial>;
    //! As many pages a group; twice as many make two of them.
    static constexpr std::size_t kGroup = 256;

    struct Group {
        std::vector<Info> pages;
        //! Its number in the store; kNowhere once it has changed.
        std::uint64_t id = kNowhere;
    };
    struct Cursor {
        std::size_t group;
        std::size_t at;
    };

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    //! Entries in all pages.
    std::uint64_t entries() const { return entries_; }
    const Info& front() const { return groups_.front().pages.front(); }
    const Info& back() const { return groups_.back().pages.back(); }
    const Info& at(Cursor cursor) const { return groups_[cursor.group].pages[cursor.at]; }

    //! The last page whose key is not after `time`, searched from the young end; there is one.
    Cursor find(Time time) const {
        std::size_t group = groups_.size() - 1;
        while (groups_[group].pages.front().key > time) --group;
        const auto& pages = groups_[group].pages;
        const auto after =
            std::partition_point(pages.begin(), pages.end(), [&](const Info& p) { return p.key <= time; });
        return {group, static_cast<std::size_t>(after - pages.begin()) - 1};
    }
    //! The page of a rank, counted from the old end.
    Cursor nth(std::size_t rank) const {
        std::size_t group = 0;
        for (; rank >= groups_[group].pages.size(); ++group) rank -= groups_[group].pages.size();
        return {group, rank};
    }
    //! How many pages lie before it.
    std::size_t rank(Cursor cursor) const {
        std::size_t before = cursor.at;
        for (std::size_t g = 0; g != cursor.group; ++g) before += groups_[g].pages.size();
        return before;
    }

    void push_back(Info info) {
        if (groups_.empty() || groups_.back().pages.size() >= kGroup) groups_.emplace_back();
        note(groups_.back(), info);
        groups_.back().pages.push_back(std::move(info));
    }
    void push_front(Info info) {
        if (groups_.empty() || groups_.front().pages.size() >= kGroup) groups_.emplace_front();
        Group& group = groups_.front();
        note(group, info);
        group.pages.insert(group.pages.begin(), std::move(info));
    }
    void insert_after(Cursor cursor, Info info) {
        Group& group = groups_[cursor.group];
        note(group, info);
        group.pages.insert(group.pages.begin() + static_cast<std::ptrdiff_t>(cursor.at) + 1, std::move(info));
        if (group.pages.size() >= 2 * kGroup) halve(cursor.group);
    }
    void set(Cursor cursor, Info info) {
        Group& group = groups_[cursor.group];
        entries_ -= group.pages[cursor.at].count;
        --size_;
        note(group, info);
        group.pages[cursor.at] = std::move(info);
    }
    //! A page was written where it was not: that changes its number alone.
    void place(Cursor cursor, std::uint64_t id) {
        change(groups_[cursor.group]);
        groups_[cursor.group].pages[cursor.at].id = id;
    }
    void erase(Cursor cursor) {
        Group& group = groups_[cursor.group];
        forget(group, group.pages[cursor.at]);
        group.pages.erase(group.pages.begin() + static_cast<std::ptrdiff_t>(cursor.at));
        if (group.pages.empty()) groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(cursor.group));
    }
    //! Drops the oldest pages.
    template <class F>
    void pop_front(std::size_t pages, F dropped) {
        while (pages > 0) {
            Group& group = groups_.front();
            const std::size_t some = std::min(pages, group.pages.size());
            for (std::size_t i = 0; i != some; ++i) {
                dropped(group.pages[i]);
                forget(group, group.pages[i]);
            }
            group.pages.erase(group.pages.begin(), group.pages.begin() + static_cast<std::ptrdiff_t>(some));
            if (group.pages.empty()) groups_.pop_front();
            pages -= some;
        }
    }

    template <class F>
    void for_each(F f) const {
        for (const Group& group : groups_)
            for (const Info& info : group.pages) f(info);
    }
    const std::deque<Group>& groups() const { return groups_; }
    //! A group was written, or read.
    void place_group(std::size_t group, std::uint64_t id) { groups_[group].id = id; }
    void load_group(std::vector<Info> pages, std::uint64_t id) {
        groups_.emplace_back();
        for (Info& info : pages) {
            note(groups_.back(), info);
            groups_.back().pages.push_back(std::move(info));
        }
        groups_.back().id = id;
    }
    //! Numbers of groups in the store that have changed since.
    std::vector<std::uint64_t> take_dead_groups() { return std::exchange(dead_, {}); }

private:
    void change(Group& group) {
        if (group.id != kNowhere) dead_.push_back(std::exchange(group.id, kNowhere));
    }
    void note(Group& group, const Info& info) {
        change(group);
        ++size_;
        entries_ += info.count;
    }
    void forget(Group& group, const Info& info) {
        change(group);
        --size_;
        entries_ -= info.count;
    }
    void halve(std::size_t at) {
        Group& group = groups_[at];
        Group rest;
        const auto middle = group.pages.begin() + static_cast<std::ptrdiff_t>(group.pages.size() / 2);
        rest.pages.assign(std::make_move_iterator(middle), std::make_move_iterator(group.pages.end()));
        group.pages.erase(middle, group.pages.end());
        groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(rest));
    }

    std::deque<Group> groups_;
    std::size_t size_ = 0;
    std::uint64_t entries_ = 0;
    std::vector<std::uint64_t> dead_;
};

}  // namespace sash::store
