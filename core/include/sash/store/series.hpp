//! The pages of one kind that a structure has in its store, by numbers that rise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sash/store/page.hpp"
#include "sash/store/store.hpp"

namespace sash::store {

//! No page of that number is in the store.
inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

//! A page gets the next number when it is put. What is not needed any more is dropped by bury(), which the call that
//! follows makes: whoever had a copy of the time before has let go of it by then. Nobody remembers which numbers are in
//! use: those of the pages that are known go one by one, and all below the least one that is in use.
class Series {
public:
    Series(std::shared_ptr<Space> space, std::uint32_t kind) : space_(std::move(space)), kind_(kind) {}

    //! The number of the page that is put next.
    std::uint64_t next() const { return next_; }
    std::uint64_t put(const std::string& body) {
        const PageKey key = key_of(next_);
        space_->store().put(key, seal_page(space_->store().tag(), key, body));
        return next_++;
    }
    std::string get(std::uint64_t id) const {
        const PageKey key = key_of(id);
        const std::string bytes = space_->store().get(key);
        return std::string(open_page(space_->store().tag(), key, bytes));
    }
    //! The pages [first, last) will be read soon.
    void want(std::uint64_t first, std::uint64_t last) const noexcept { space_->store().want(key_of(first), last); }

    //! A page that is not needed any more, if it is in the store.
    void kill(std::uint64_t id) {
        if (id != kNowhere) dead_.push_back(id);
    }
    std::size_t dead() const { return dead_.size(); }
    //! No page below `least` is in use.
    void bury(std::uint64_t least = 0) noexcept {
        if (least > swept_) drop(swept_, least);
        std::sort(dead_.begin(), dead_.end());
        for (auto first = std::lower_bound(dead_.begin(), dead_.end(), swept_); first != dead_.end();) {
            const auto gap = std::adjacent_find(first, dead_.end(), [](auto a, auto b) { return a + 1 != b; });
            const auto end = gap == dead_.end() ? gap : gap + 1;
            drop(*first, *(end - 1) + 1);
            first = end;
        }
        dead_.clear();
    }

    template <class Out>
    void save(Out& out) const {
        out.number(next_);
        out.number(swept_);
    }
    template <class In>
    void load(const In& in) {
        next_ = in.number();
        swept_ = in.number();
        in.check(swept_ <= next_, "numbers of pages");
    }

private:
    PageKey key_of(std::uint64_t id) const { return {space_->id(), kind_, id}; }
    void drop(std::uint64_t first, std::uint64_t last) noexcept {
        space_->store().drop(key_of(first), last);
        if (first <= swept_) swept_ = std::max(swept_, last);
    }

    std::shared_ptr<Space> space_;
    std::uint32_t kind_;
    std::uint64_t next_ = 0;
    //! All below it are dropped.
    std::uint64_t swept_ = 0;
    std::vector<std::uint64_t> dead_;
};

}  // namespace sash::store
