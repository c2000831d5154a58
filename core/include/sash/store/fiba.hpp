//! FiBA over pages: late events in a window larger than memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sash/algorithms/fiba.hpp"
#include "sash/store/directory.hpp"
#include "sash/store/held.hpp"
#include "sash/store/run.hpp"
#include "sash/store/series.hpp"
#include "sash/store/store.hpp"

namespace sash::store {

//! A finger tree whose cold leaves are pages in a store.
//!
//!      oldest                                                                       youngest
//!     |  head_: one page,  |  pages_: the pages between in a finger tree,  |  hot_: the youngest entries,  |
//!     |  suffix_ a stack   |  whose nodes are pages too; in the store      |  a FiBA in memory             |
//!
//!     query() = suffix_[begin_] (x) pages_.total() (x) hot_.query()
//!
//! pages_ has the inner levels: both ends of each are here, and a few nodes. So an insert into the last few pages is
//! one into a FiBA in memory, an evict at the front an index bump, and a late event costs the way to its page in
//! pages_, O(log d) nodes, and the page: each is a read, unless late events come in runs. A changed page is written
//! under another number, when its place here is needed or at a commit. What is here is O(log n), and `cache` pages of
//! each height.
//!
//! What may fail on account of the store is done before anything is changed: make_room() writes what has to
//! go, reads come next. Pages that are not needed any more are dropped by the call that follows, so that a copy is a
//! way back as long as no further call has been made. Where a combine may throw, changes are made beside such a copy.
template <Monoid M>
class PagedFiba {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;

    PagedFiba(M monoid, std::shared_ptr<Space> space)
        : monoid_(std::move(monoid)),
          space_(std::move(space)),
          leaves_(space_, 0),
          pages_(monoid_, space_),
          hot_(monoid_),
          tally_(space_) {
        count_pages();
    }
    template <class In>
    PagedFiba(M monoid, std::shared_ptr<Space> space, const In& in);

    std::size_t size() const { return head_size() + pages_.entries() + hot_.size(); }
    Time oldest() const {
        if (head_size() > 0) return head_.time(begin_);
        return pages_.empty() ? hot_.oldest() : pages_.front().first;
    }
    Time youngest() const { return hot_.size() > 0 ? hot_.youngest() : edge(); }
    std::size_t bytes() const;

    //! At most 6 combines; after a page has come, gone or changed, O(log n) once.
    Partial query() const;
    //! Both ends in. Reads the pages at the two ends, and the ways to them.
    Partial query(Time from, Time to) const;
    std::size_t count(Time from, Time to) const;

    void insert(Time time, Partial partial);
    //! All or none.
    void bulk_insert(std::span<const Time> times, std::span<Partial> partials);
    void evict();
    bool evict(Time time);
    void bulk_evict(Time time);
    template <class Policy>
    void evict_while(Policy policy);
    void clear();

    template <class F>
    void for_each(F f) const {
        for_each_from(kEarliest, size(), std::move(f));
    }
    template <class F>
    void for_each_from(Time from, std::size_t most, F f) const;
    void load(Time time, Partial partial) { insert(time, std::move(partial)); }
    void check_invariants() const;

    //! Writes what is changed and in no page; then all that is not in the store.
    template <class Out>
    void save(Out& out) const {
        const_cast<PagedFiba*>(this)->write_changes();
        save_state(out);
    }

private:
    using Entries = Run<M>;
    using Pages = Directory<M>;
    using Info = typename Pages::Info;
    using Infos = typename Pages::Infos;
    using Held = typename HeldPages<Entries>::Held;

    std::size_t page() const { return space_->shape().page; }
    std::size_t head_size() const { return head_.size() - begin_; }
    //! The last time before hot_: whatever is after it belongs there. Called only where there is one.
    bool has_cold() const { return head_size() > 0 || !pages_.empty(); }
    Time edge() const { return pages_.empty() ? head_.last() : pages_.back().last; }

    // fiba_pages.hpp: reading, writing, dropping
    void make_room();
    void make_room_soon() noexcept;
    void spill();
    void write(Info& info);
    void write_changes();
    void bury(bool all = false) noexcept;
    Held& held(const Info& info, bool make_place = true) const;
    std::size_t most_held() const { return std::max<std::size_t>(space_->shape().cache, 1); }
    void count_pages() const noexcept { tally_.set(cache_.size() + 1 + hot_.size() / page() + pages_.held()); }
    template <class Out>
    void save_state(Out& out) const;
    template <class In>
    void load_state(const In& in);

    // fiba_changes.hpp
    template <class F>
    void changing(F f);
    void insert_before_edge(Time time, const Partial& partial);
    void insert_into_head(Time time, const Partial& partial);
    void insert_into_page(Infos& infos, std::size_t at, Time time, const Partial& partial);
    void split_head();
    Info cut(Entries& entries);
    void refresh(Info& info, Held& held);
    bool evict_from_head(Time time);
    bool evict_from_page(Time time);
    void erase_from_page(Infos& infos, std::size_t at, Time time);
    Info describe(Time key, const Entries& entries) const;
    void set_head(const Entries& run, std::size_t begin);
    void clear_head();
    void compact_head();
    void fill_suffix(std::size_t upto);
    void take_head();
    void drop_through(Time last);
    void drop_pages();
    void look_ahead() noexcept;
    void read_pages_of(std::span<const Time> times);

    // fiba_queries.hpp
    //! The aggregate of a prefix, or nothing.
    using Maybe = std::optional<Partial>;
    void add(Maybe& total, const Partial& newer) const;
    void add_run(Maybe& total, const Entries& run, std::size_t begin, Time from, Time to) const;
    template <class Whole>
    static auto among(Time from, Time to, Whole whole);
    template <class Condemns>
    std::size_t condemned_entries(const Entries& run, std::size_t begin, const Maybe& prefix, Condemns& condemns) const;

    [[no_unique_address]] M monoid_;
    std::shared_ptr<Space> space_;
    //! The oldest page from begin_ on; suffix_[i] is the aggregate of its entries from i on.
    Entries head_;
    std::size_t begin_ = 0;
    std::vector<Partial> suffix_;
    //! The pages in the store, in the order of their numbers and of their times.
    Series leaves_;
    Pages pages_;
    Fiba<M> hot_;
    mutable HeldPages<Entries> cache_;
    //! The number of the last page that was read ahead.
    std::uint64_t asked_ = kNowhere;
    mutable Tally tally_;
};

}  // namespace sash::store

#include "sash/store/fiba_changes.hpp"
#include "sash/store/fiba_pages.hpp"
#include "sash/store/fiba_queries.hpp"
