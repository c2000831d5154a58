//! The pages of one level that are here for reading.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sash::store {

//! A few pages, found by their index; the one that was used longest ago makes room. The two that were used last are
//! always among them, so that two references may be held at a time. A copy is empty: it can read all of it again.
template <class T>
class Cache {
public:
    using Elements = std::vector<T>;

    explicit Cache(std::size_t pages) : capacity_(std::max<std::size_t>(pages, 2)) {}
    Cache(const Cache& other) : capacity_(other.capacity_) {}
    Cache(Cache&&) noexcept = default;
    Cache& operator=(Cache other) noexcept {
        std::swap(capacity_, other.capacity_);
        pages_.swap(other.pages_);
        return *this;
    }
    ~Cache() = default;

    std::size_t size() const { return pages_.size(); }

    //! Nothing where the page is not here. The pages lie in the order of their use, the last one at the end.
    const Elements* find(std::uint64_t index) {
        if (!pages_.empty() && pages_.back().index == index) return &pages_.back().elements;
        const auto found = std::find_if(pages_.begin(), pages_.end(), [&](const Page& p) { return p.index == index; });
        if (found == pages_.end()) return nullptr;
        std::rotate(found, found + 1, pages_.end());
        return &pages_.back().elements;
    }

    const Elements& add(std::uint64_t index, Elements elements) {
        if (pages_.size() >= capacity_) pages_.erase(pages_.begin());
        pages_.push_back({index, std::move(elements)});
        return pages_.back().elements;
    }

    bool holds(std::uint64_t index) const {
        return std::any_of(pages_.begin(), pages_.end(), [&](const Page& page) { return page.index == index; });
    }

    void drop_before(std::uint64_t index) noexcept {
        std::erase_if(pages_, [&](const Page& page) { return page.index < index; });
    }

private:
    struct Page {
        std::uint64_t index;
        Elements elements;
    };

    std::size_t capacity_;
    std::vector<Page> pages_;
};

}  // namespace sash::store
