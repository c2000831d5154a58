//! A level whose middle waits in a store: the tail and what is read at the head are here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/store/cache.hpp"
#include "sash/store/page.hpp"
#include "sash/store/store.hpp"

namespace sash::store {

//! A mta::LevelQueue in pages of a fixed number of elements.
//!
//!     positions   |   page 3  |   page 4  |   page 5  |  older_   |  newest_  |
//!                 |<---- waits in the store, --------->|<------ is here ------>|
//!                 |      some in cache_ ------------->|
//!
//! The tail is one full page and the one that is being filled, so that what was pushed can be popped again without
//! a read. A page is put when the second page after it begins, and never changed from then on: whatever changes is at
//! the two ends, and the front is kept aside (`head_`) once it differs from its page. A page all of whose elements have
//! left before that is never put.
//!
//! Reading throws where the store does; nothing is changed by it. So does make_room(), after which one push_back cannot
//! fail but for lack of memory. Dropping never throws. A copy stands for the state at its time: it is good as long as
//! nothing is dropped from the original, and what the original has put since is put again by the copy.
template <class M, class T>
class PagedQueue {
public:
    using Position = std::uint64_t;

    PagedQueue(std::shared_ptr<Space> space, M monoid, std::uint32_t level)
        : space_(std::move(space)),
          monoid_(std::move(monoid)),
          level_(level),
          shift_(std::countr_zero(space_->shape().page)),
          cache_(space_->shape().cache),
          tally_(space_) {
        newest_.reserve(page());
        count_pages();
    }

    //! An empty queue for another level of the same structure.
    template <class Queue>
    Queue beside(std::size_t level) const {
        return Queue(space_, monoid_, static_cast<std::uint32_t>(level));
    }

    const std::shared_ptr<Space>& space() const { return space_; }
    Position begin() const { return begin_; }
    Position end() const { return newest_begin_ + newest_.size(); }
    std::size_t size() const { return static_cast<std::size_t>(end() - begin_); }
    bool empty() const { return begin_ == end(); }
    std::size_t bytes() const { return (newest_.capacity() + older_.capacity() + cache_.size() * page()) * sizeof(T); }

    const T& operator[](Position p) const {
        if (p >= newest_begin_) return newest_[p - newest_begin_];
        if (p >= tail_begin()) return older_[p - tail_begin()];
        if (p == begin_ && head_) return *head_;
        return stored_page(p >> shift_)[p & (page() - 1)];
    }
    const T& front() const { return (*this)[begin_]; }
    const T& back() const { return newest_.empty() ? older_.back() : newest_.back(); }
    T& back() { return newest_.empty() ? older_.back() : newest_.back(); }

    //! The front gets another value. Reads nothing.
    void set_front(T value) noexcept {
        if (begin_ >= newest_begin_) {
            newest_[begin_ - newest_begin_] = std::move(value);
        } else if (begin_ >= tail_begin()) {
            older_[begin_ - tail_begin()] = std::move(value);
        } else {
            head_ = std::move(value);
        }
    }

    void make_room() {
        if (newest_.size() == page() && !older_.empty()) [[unlikely]]
            hand_over();
    }

    void push_back(T value) {
        if (newest_.size() == page()) [[unlikely]]
            turn_page();
        newest_.push_back(std::move(value));
    }

    //! Undoes pushes, as far as the tail goes.
    void pop_back() {
        if (newest_.empty()) {
            std::swap(newest_, older_);
            newest_begin_ -= page();
        }
        newest_.pop_back();
    }

    void drop_before(Position p) noexcept {
        if (p <= begin_) return;
        release(std::max(begin_, tail_begin()), p);
        const Position first = begin_ >> shift_;
        begin_ = p;
        head_.reset();
        if (p >> shift_ != first) [[unlikely]]
            leave_pages(first);
    }

    //! The queue as it is here; its pages are where they are. `in` reads what `out` wrote.
    template <class Out>
    [[gnu::noinline, gnu::cold]] void save(Out& out) const {
        out.number(begin_);
        out.number(end());
        out.number(tail_begin());
        out.number(head_ ? 1 : 0);
        if (head_) out.element(*head_);
        for (Position p = std::max(begin_, tail_begin()); p != end(); ++p) out.element((*this)[p]);
    }
    template <class In>
    [[gnu::noinline, gnu::cold]] void load(const In& in) {
        begin_ = in.number();
        const Position end = in.number();
        const Position tail = in.number();
        in.check(begin_ <= end && tail <= end && end - tail <= 2 * page() && tail % page() == 0, "a level");
        if (in.number() != 0) head_ = in.template element<T>();
        newest_begin_ = tail;
        if (begin_ > tail) pad(std::min(begin_, end));
        while (this->end() != end) {
            if (newest_.size() == page()) turn_page();
            newest_.push_back(in.template element<T>());
        }
    }

private:
    std::size_t page() const { return std::size_t{1} << shift_; }
    //! Everything from here on is in older_ and newest_; the pages before it were put, if they were still wanted.
    Position tail_begin() const { return newest_begin_ - older_.size(); }
    PageKey key(Position index) const { return {space_->id(), level_, index}; }

    // Once a page, so kept out of the way of what runs once an element.

    [[gnu::noinline]] const std::vector<T>& stored_page(Position index) const {
        if (const std::vector<T>* const here = cache_.find(index)) return *here;
        const std::string bytes = space_->store().get(key(index));
        const std::string_view body = open_page(space_->store().tag(), key(index), bytes);
        const std::vector<T>& elements = cache_.add(index, read_elements<M, T>(monoid_, body, page()));
        count_pages();
        return elements;
    }

    //! Puts the older page of the tail, or keeps it only for reading if it is near the head.
    [[gnu::noinline, gnu::cold]] void hand_over() {
        const Position index = tail_begin() >> shift_;
        if (begin_ < newest_begin_) {
            const std::size_t first = begin_ > tail_begin() ? static_cast<std::size_t>(begin_ - tail_begin()) : 0;
            const std::string body = write_elements<M, T>(monoid_, older_, first);
            space_->store().put(key(index), seal_page(space_->store().tag(), key(index), body));
            const Position head = begin_ >> shift_;
            if (index < head + space_->shape().cache) {
                cache_.add(index, std::move(older_));
                older_ = {};
            }
        }
        older_.clear();
    }

    [[gnu::noinline, gnu::cold]] void turn_page() {
        make_room();
        std::vector<T> next = std::move(older_);
        next.clear();
        next.reserve(page());
        if (begin_ < end()) {
            older_ = std::move(newest_);
            newest_begin_ += page();
        } else {
            newest_begin_ = end();
            older_ = {};
        }
        newest_ = std::move(next);
        count_pages();
    }

    //! Blank places up to `p`, for elements that have left.
    [[gnu::noinline, gnu::cold]] void pad(Position p) {
        while (end() != p) {
            if (newest_.size() == page()) {
                older_ = std::move(newest_);
                newest_ = {};
                newest_begin_ += page();
            }
            newest_.emplace_back();
        }
    }

    //! Elements of the tail that own memory give it back as they leave.
    void release([[maybe_unused]] Position from, [[maybe_unused]] Position to) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>)
            for (Position p = from; p < to; ++p)
                (p >= newest_begin_ ? newest_[p - newest_begin_] : older_[p - tail_begin()]) = T{};
    }

    //! The front has come to another page than `first`.
    [[gnu::noinline, gnu::cold]] void leave_pages(Position first) noexcept {
        const Position head = begin_ >> shift_;
        const Position stored = tail_begin() >> shift_;
        if (first < std::min(head, stored)) space_->store().drop(key(first), std::min(head, stored));
        cache_.drop_before(head);
        if (begin_ >= newest_begin_) older_.clear();
        count_pages();
        look_ahead(head, std::max(stored, head));
    }

    void count_pages() const noexcept { tally_.set(cache_.size() + (older_.empty() ? 0 : 1) + 1); }

    //! Once less than half a cache lies ahead, asks for the rest of it.
    void look_ahead(Position head, Position stored) noexcept {
        const Position full = std::min<Position>(head + space_->shape().cache, stored);
        asked_ = std::max(asked_, head + 1);
        if (asked_ > head + space_->shape().cache / 2) return;
        while (asked_ < full && cache_.holds(asked_)) ++asked_;
        if (asked_ < full) space_->store().want(key(asked_), full);
        asked_ = std::max(asked_, full);
    }

    std::shared_ptr<Space> space_;
    [[no_unique_address]] M monoid_;
    std::uint32_t level_;
    int shift_;
    Position begin_ = 0;
    //! Where newest_ begins: the first place of a page.
    Position newest_begin_ = 0;
    std::vector<T> newest_;
    //! The page before newest_: full, or empty where there is none or it was put.
    std::vector<T> older_;
    //! The front, where it is not what its page has.
    std::optional<T> head_;
    //! Pages before this one need not be read ahead.
    Position asked_ = 0;
    mutable Cache<T> cache_;
    mutable Tally tally_;
};

//! The queues of a structure over M.
template <class M>
struct Paged {
    template <class T>
    using Queue = PagedQueue<M, T>;
};

}  // namespace sash::store
