//! Which pages a paged FiBA has, in the order of their times: a finger tree whose cold nodes are pages themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/store/held.hpp"
#include "sash/store/series.hpp"
#include "sash/store/state.hpp"

namespace sash::store {

//! What is known of a page without reading it: of a leaf, which holds entries, or of a node, which holds such infos.
template <class Partial>
struct PageInfo {
    //! Not after any of its times, and after all times of the pages before it: it names the page here. A node has the
    //! key of its first child.
    Time key;
    Time first;
    Time last;
    //! Entries in it and below.
    std::uint64_t count;
    //! Its number in the store; kNowhere while it was changed since, and is here.
    std::uint64_t id;
    //! No leaf below it has a smaller number, and no node, itself among them; nor will they get one.
    std::uint64_t least_leaf;
    std::uint64_t least_node;
    Partial aggregate;
};

//! The leaves from the old end to the young one, and what is known of each.
//!
//!     height 0    old digit  o o o                                                    o o o o  young digit
//!            1                     N N N                                    N N N N
//!            2                            N N ...                  ... N N
//!
//! Each height has two digits, runs of infos that are here: at height 0 of leaves, at height h of nodes, whose children
//! are h - 1 high. What lies between the two digits of a height is in the digits of the heights above. A young digit of
//! 2 fan() infos makes a node of the older half, an old digit one of its younger half; a node of more than 2 fan()
//! children is halved. So there are O(log n) digits and heights, and a leaf that is d leaves from an end is O(log d)
//! nodes away. Few nodes of each height are held here. One that is changed is held until it is written, and so are all
//! above it, since what is known of it has changed there.
//!
//! Nodes are read before anything is changed: leaf(time) brings the way to a leaf here.
template <Monoid M>
class Directory {
public:
    using Partial = typename M::Partial;
    using Info = PageInfo<Partial>;
    using Infos = std::vector<Info>;

    Directory(M monoid, const std::shared_ptr<Space>& space)
        : monoid_(std::move(monoid)), shape_(space->shape()), nodes_(space, 1), levels_(1), held_(1) {}

    bool empty() const { return entries_ == 0; }
    //! Entries in all leaves.
    std::uint64_t entries() const { return entries_; }
    //! The oldest and the youngest of what is in digits: a leaf, or a node.
    const Info& front() const;
    const Info& back() const;
    //! The aggregate of all leaves, of which there are some.
    const Partial& total() const;
    std::size_t bytes() const;
    //! Pages that are here, and digits, which are as large.
    std::size_t held() const;

    //! The last leaf whose key is not after `time`; there is one. Reads at most a node of each height.
    const Info& leaf(Time time, bool make_place = true) const;
    //! The numbers of the oldest leaves, up to twice `most`, as far as they are known here; asks for the node that has
    //! the next of them, and reads it where less than `most` are known.
    std::vector<std::uint64_t> look_ahead(std::size_t most);
    //! Goes through leaves and nodes in order: look(info) says whether to go into it, page(leaf) sees leaves.
    template <class Look, class Page>
    void walk(Look look, Page page) const;
    //! The same, by whole digits where they do.
    template <class Look, class Page>
    void walk_by_digits(Look look, Page page) const;
    //! The oldest leaf that a policy does not condemn as a whole, or nothing; all before it are added to the prefix.
    template <class Condemns>
    const Info* refused(std::optional<Partial>& prefix, Condemns& condemns) const;

    void push_back(Info leaf) { push(levels_[0].young, levels_[0].young.infos.end(), std::move(leaf)); }
    void push_front(Info leaf) { push(levels_[0].old, levels_[0].old.infos.begin(), std::move(leaf)); }
    //! Calls f(infos, at) for the leaf of a time, in infos[at]: it may change it, erase it or insert one after it. The
    //! way to it is here.
    template <class F>
    void change(Time time, F f);
    //! The leaves up to the one whose key is `last` leave; dropped(info) sees those that are known. The way to it is
    //! here.
    template <class F>
    void drop_through(Time last, F dropped);
    template <class F>
    void clear(F dropped);

    //! Whether make_room() has something to do.
    bool crowded() const { return crowded_ || nodes_.dead() >= 64; }
    //! Makes nodes of digits that are too long, and writes nodes that are too many here. Throws with nothing lost.
    //! write_leaf(info) writes a leaf that is not in the store, and notes its number.
    template <class F>
    void make_room(F write_leaf);
    //! All leaves and nodes that are not in the store.
    template <class F>
    void write_all(F write_leaf);
    //! What a leaf that was changed is known by.
    Info& changed_leaf(Time key) { return known(0, key); }

    //! Whether leaves have left that nobody has named: those below least_leaf() are not in use.
    bool unnamed() const { return unnamed_; }
    std::uint64_t least_leaf(std::uint64_t next) const;
    //! Drops nodes that are not in use: those that were named, or all below the least that is in use.
    void bury(bool sweep) noexcept;

    template <class Out>
    void save(Out& out) const;
    template <class In>
    void load(const In& in);
    //! page(info) sees each leaf.
    template <class Page>
    void check_invariants(Page page) const;

private:
    struct Digit {
        Infos infos;
        //! As if it were a node, once somebody has asked.
        mutable std::optional<Info> summary;
        //! The number of the page that a commit has written.
        std::uint64_t id = kNowhere;
    };
    struct Level {
        Digit old;
        Digit young;
    };
    //! An info in a digit.
    struct Place {
        std::size_t height;
        bool young;
        std::size_t at;
    };
    using Nodes = HeldPages<Infos>;

    //! Children of a node: from one to twice of it, and fewer once some are gone.
    std::size_t fan() const { return std::clamp<std::size_t>(shape_.page / 2, 2, 64); }
    std::size_t most_held() const { return std::max<std::size_t>(shape_.cache, 1); }
    Digit& digit(const Place& place) { return place.young ? levels_[place.height].young : levels_[place.height].old; }
    //! f(height, digit) for each that is not empty, from the old end to the young one.
    template <class F>
    void each_digit(F f) const;

    Place find(Time time) const;
    static std::size_t child(const Infos& infos, Time time);
    typename Nodes::Held& node(std::size_t height, const Info& info, bool make_place = true) const;
    template <class Look, class Page>
    void walk(std::size_t height, const Infos& infos, Look& look, Page& page) const;
    const Info* collect(std::size_t height, const Infos& infos, std::size_t most, std::vector<std::uint64_t>& ids,
                        std::size_t& unknown) const;
    template <class Condemns>
    const Info& refused(std::size_t height, const Infos& infos, std::optional<Partial>& prefix,
                        Condemns& condemns) const;

    Info describe(const Infos& infos) const;
    void note_least(Info& info, const Infos& infos) const;
    const Info& summary(const Digit& digit) const;
    void touch(Digit& digit);
    void push(Digit& digit, typename Infos::iterator at, Info leaf);
    void lift(std::size_t height, bool young);
    template <class F>
    void change(std::size_t height, Infos& infos, std::size_t at, Time time, F& f);
    void settle(std::size_t height, Infos& infos, std::size_t at, typename Nodes::Held& node);
    template <class F>
    void forget(std::size_t height, Infos& infos, std::size_t end, F& dropped);
    void lower_roof();
    template <class F>
    void write(std::size_t height, Info& info, F& write_leaf);
    Info& known(std::size_t height, Time key);
    std::string written(const Infos& infos) const;
    Infos read(std::uint64_t id) const;
    template <class Page>
    void check_page(std::size_t height, const Info& info, Page& page) const;

    [[no_unique_address]] M monoid_;
    Shape shape_;
    Series nodes_;
    std::vector<Level> levels_;
    //! Nodes that are here, by their height.
    mutable std::vector<Nodes> held_;
    std::uint64_t entries_ = 0;
    mutable std::optional<Partial> total_;
    mutable bool crowded_ = false;
    bool unnamed_ = false;
    //! The number of the node that was asked for last.
    std::uint64_t asked_ = kNowhere;
};

}  // namespace sash::store

#include "sash/store/directory_changes.hpp"
#include "sash/store/directory_nodes.hpp"
#include "sash/store/directory_walks.hpp"
