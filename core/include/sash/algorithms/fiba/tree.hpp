//! The finger tree: its shape, its spines and what it keeps ready for a query.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/algorithms/fiba/pool.hpp"

namespace sash {

//! Node sizes. Zero means: chosen from the partial. A min_arity alone makes leaves of twice that many entries.
struct FibaOptions {
    std::size_t min_arity = 0;
    std::size_t leaf = 0;
};

//! FiBA: late events in O(log d), in order O(1), bulk evict O(log m), bulk insert O(m log(d/m)), query O(1).
//!
//! A B-tree whose entries are all in its leaves, with a finger at each end:
//!
//!                        [   root   ]                inner_: the root's children but the first and the last
//!                     /    |      |    .
//!            [left_1]   (up)   (up)   [right_1]      left_aggregate_: all but the first child, then the parent's;
//!           /    |    .                /   |   .     right_aggregate_: the parent's, then all but the last child
//!     LEFT    (leaf)  ...           ...  (leaf)  RIGHT
//!     suffix_ : stack of suffixes                  back_: running total
//!
//!     query() = suffix_[front] (x) middle_ (x) back_        middle_: everything between the two finger leaves
//!
//! So an insert at the end is one combine onto back_, an evict at the front an index bump on suffix_, and a change
//! at distance d touches the nodes up to the spine and the spine below: O(log d). Nodes on a spine may have as few
//! as 2 children, finger leaves as few as 1 entry; all others are at least as full as a B-tree's. A tree of one leaf
//! is a Two-Stacks in itself: suffix_ covers [begin, split_), back_ the rest.
//!
//! A fallible combine never unwinds through the tree: the first failure is remembered. An insert is then undone from
//! copies of the nodes that it changed, and the failure thrown; an evict stands, the aggregates are stale, and the next
//! query makes them anew.
//! What changes the structure and is seldom called is marked cold: it is compiled for size.
template <Monoid M>
class Fiba {
public:
    using Monoid = M;
    using Partial = typename M::Partial;
    static constexpr bool listable = true;
    static constexpr bool bulk_is_atomic = true;

    explicit Fiba(M monoid = M{}, FibaOptions options = {});
    Fiba(const Fiba& other);
    Fiba(Fiba&& other) noexcept;
    Fiba& operator=(Fiba other) noexcept {
        swap(other);
        return *this;
    }
    ~Fiba() = default;
    void swap(Fiba& other) noexcept;

    std::size_t size() const { return size_; }
    Time oldest() const { return left_leaf_.times[left_leaf_.begin()]; }
    Time youngest() const { return youngest_; }
    std::uint32_t height() const { return height_; }
    std::size_t bytes() const;
    auto owned() const {
        return std::tie(pool_, back_, middle_, inner_, suffix_, left_aggregate_, right_aggregate_, merged_partials_,
                        hands_);
    }
    std::size_t min_arity() const { return min_arity_; }
    std::size_t leaf_capacity() const { return pool_.leaf_capacity(); }
    //! Nodes ever made: the high-water mark of the pool.
    std::size_t nodes_made() const { return pool_.leaves_made() + pool_.inners_made(); }

    //! Nodes freed so far of those whose freeing a bulk evict put off.
    std::uint64_t nodes_opened() const { return pool_.opened(); }

    //! At most 3 combines.
    Partial query() const;
    //! Both ends in; the identity when there is nothing between. O(log d_from + log d_to + log n_between); amortized
    //! O(1) where the range slides on from earlier ones, for up to kMostHands / 2 such ranges. What it finds is kept
    //! for later queries: two threads must not query one window at a time.
    Partial query(Time from, Time to) const;
    //! The entry of exactly that time; nullptr where there is none.
    const Partial* find(Time time) const;
    //! How many entries lie in [from, to]; the same costs, no combine.
    std::size_t count(Time from, Time to) const;
    //! Shows a visitor the partials that make up [from, to], oldest first; see fiba::Combiner. O(log n) of them.
    template <class Visitor>
    void visit(Time from, Time to, Visitor& visitor) const;

    //! Anywhere; an equal time combines: old (x) new.
    void insert(Time time, Partial partial);
    //! Times in any order, repeated ones too: they combine in the order of the batch. All of them or none.
    void bulk_insert(std::span<const Time> times, std::span<Partial> partials);
    //! The oldest; the window is not empty.
    void evict();
    //! Exactly `time`; whether it was there.
    bool evict(Time time);
    //! Everything at or before `time`.
    void bulk_evict(Time time);
    //! The same, and what goes can still be walked: keep(time, partial) is called for the entries of the leaf that is
    //! cut, and the whole subtrees before it are given, to be released. Nothing else is copied: O(log m).
    using Held = std::vector<fiba::Subtree>;
    template <class Keep>
    Held bulk_evict_held(Time time, Keep keep);
    template <class F>
    void for_each_held(const Held& held, F f) const;
    void release(const Held& held);
    //! The longest prefix for which policy(total, prefix) holds; once false, it stays false for longer ones.
    template <class Policy>
    void evict_while(Policy policy);
    //! All entries of another window; where times are equal, the other's are the newer.
    void merge(const Fiba& other);

    template <class F>
    void for_each(F f) const;
    //! The entries from `from` on, at most `most` of them: f(time, partial). For walks that stop and go on.
    template <class F>
    void for_each_from(Time from, std::size_t most, F f) const;
    void load(Time time, Partial partial) { insert(time, std::move(partial)); }
    //! Behind all others, without a combine that may fail: the next query makes the aggregates anew.
    void load_uncombined(Time time, Partial partial);

    //! In a brief description, what lies off the spines is a box.
    template <class Out>
    void describe(Out& out) const;

    void clear();
    //! Gives back what the window does not need now. O(n).
    [[gnu::cold]] void shrink_to_fit();
    void check_invariants() const;

private:
    using Id = fiba::Id;
    using Leaf = fiba::Leaf<Partial>;
    using Inner = fiba::Inner<Partial>;
    static constexpr std::size_t kMaxHeight = 40;

    enum class Side : std::uint8_t { left, right, root };

    //! The way from a spine down to a leaf. index[k] is the place of id[k] among the children of id[k + 1].
    struct Path {
        std::array<Id, kMaxHeight> id;
        std::array<std::uint32_t, kMaxHeight> index;
        //! The lowest level at which the way is on a spine, and which spine.
        std::uint32_t join;
        Side side;
        //! Every time in [low, high) goes the same way.
        Time low = kEarliest;
        Time high = kLatest;
    };

    //! A subtree on its way to another place.
    struct Carry {
        Id id = fiba::kNone;
        std::uint32_t level = 0;
        bool any() const { return id != fiba::kNone; }
    };

    //! A node that a split made, to go behind its elder.
    struct Sprout {
        Time key;
        Id id;
    };

    // tree.hpp: combining, shape, spines
    Partial combine(const Partial& older, const Partial& newer) const;
    void append_to(Partial& older, const Partial& newer) const;
    void settle_failure();
    void ensure_fresh() const;
    //! Everything from an entry of the left leaf on, which must lie in front of the split. At most 2 combines.
    Partial query_from(std::uint32_t first) const;
    std::optional<Partial> near_suffix(Time from, Time to) const;
    Leaf leaf(Id id) const { return pool_.leaf(id); }
    Inner inner(Id id) const { return pool_.inner(id); }
    std::uint32_t max_arity() const { return 2 * min_arity_; }
    std::uint32_t leaf_max() const { return pool_.leaf_capacity(); }
    std::uint32_t leaf_min() const { return std::max<std::uint32_t>(1, leaf_max() / 4); }
    bool on_spine(Id id, std::uint32_t level) const { return id == left_[level] || id == right_[level]; }
    std::uint32_t least_arity(Id id, std::uint32_t level) const { return on_spine(id, level) ? 2 : min_arity_; }
    Partial fold_run(const Partial* first, const Partial* last) const;
    Partial fold(const Leaf& leaf, std::uint32_t from, std::uint32_t to) const;
    Partial fold(const Inner& node, std::uint32_t from, std::uint32_t to) const;
    Partial fold_node(Id id, std::uint32_t level);
    std::uint64_t count_node(Id id, std::uint32_t level) const;
    void refresh_slot(Id parent, std::uint32_t parent_level, std::uint32_t index);
    void set_left_leaf();
    void set_right_leaf();
    void find_finger_leaves();
    void refresh_left_leaf();
    void refresh_right_leaf();
    void refresh_middle();
    void repair_left(std::uint32_t from);
    void repair_right(std::uint32_t from);
    void repair_all();
    void walk_left_spine(std::uint32_t from);
    void walk_right_spine(std::uint32_t from);
    void make_root(Id id, std::uint32_t level);
    [[gnu::cold]] void rebuild_aggregates();
    [[gnu::cold]] void rebuild_below(Id id, std::uint32_t level);

    // groups.hpp
    //! Whether entries still come behind those of a leaf.
    enum class Fill : std::uint8_t { going_on, done };
    Fill fill_of(Id leaf) const { return leaf == right_[0] ? Fill::going_on : Fill::done; }
    template <class Add>
    void for_each_run(const Leaf& node, std::uint32_t from, std::uint32_t to, Add add) const;
    //! Not inlined: they are called once for many entries, from many places.
    [[gnu::noinline]] void settle(const Leaf& node, Fill fill);
    [[gnu::noinline]] void settle(const Inner& node, std::uint32_t level);
    [[gnu::noinline]] void regroup(const Leaf& node, Fill fill);
    void close_group(const Leaf& node, std::uint32_t group, std::uint32_t from, std::uint32_t to);
    std::uint32_t end_of_group(const Leaf& node, std::uint32_t at) const;
    void begin_group(const Leaf& node, std::uint32_t group, std::uint32_t at);
    void note_in_group(const Leaf& node, std::uint32_t at, const Partial& partial, Fill fill);

    // search.hpp
    Path search(Time time) const;
    void search(Time time, Path& path) const;
    const Path& search_from_last(Time time);
    void forget_last() { last_low_ = 1, last_high_ = 0; }
    void descend(Path& path, std::uint32_t from, Time time) const;
    void extend(Path& path, std::uint32_t level);

    // undo.hpp
    struct Undo;
    //! All that is kept beside the nodes, but for the views of the finger leaves.
    auto state() {
        return std::tie(height_, size_, youngest_, split_, back_, middle_, inner_, suffix_, left_, right_,
                        left_aggregate_, right_aggregate_);
    }
    auto copied_state() {
        return std::apply([](const auto&... parts) { return std::tuple(parts...); }, state());
    }
    template <class Work>
    void attempt(Work work);
    void keep_leaf(Id id);
    void keep_inner(Id id);
    Id new_leaf();
    Id new_inner();

    // insert.hpp
    void insert_infallible(Time time, Partial partial);
    void insert_fallible(Time time, Partial partial);
    [[gnu::cold]] void start(Time time, Partial partial);
    void append_entry(Time time, Partial partial);
    void put_behind(Time time, Partial partial);
    void grow_right(Time time, Partial partial);
    void open_right_leaf(Time time);
    void insert_late(Time time, Partial partial);
    void combine_into_youngest(const Partial& partial);
    void insert_into_single(Time time, Partial partial);
    void note_change(const Path& path, const Partial& partial, std::uint64_t entries);
    void note_commutative(const Path& path, const Partial& partial, std::uint64_t entries);
    void add_to_slot(const Inner& node, std::uint32_t index, const Partial& partial, std::uint64_t entries);
    void refresh_path(const Path& path, std::uint32_t from, std::uint32_t to);
    void refresh_root();

    // split.hpp
    enum class Growth : std::uint8_t { front, inside, back };
    void split_leaf(Path& path, std::uint32_t at, Time time, Partial partial);
    [[gnu::cold]] void prepend_leaf(Path& path, Time time, Partial partial);
    void share_out(Id from, Id to, std::uint32_t at, Time time, Partial partial);
    [[gnu::cold]] Sprout split_inner(Id id, std::uint32_t level, std::uint32_t keep);
    std::uint32_t kept_by_split(Growth growth) const;
    [[gnu::cold]] void raise_root(Id first, Sprout second, std::uint32_t level);
    [[gnu::cold]] std::uint32_t overflow(Path& path, std::uint32_t level, Growth growth);
    void finish(const Path& path, std::uint32_t top, std::uint32_t old_height);

    // evict.hpp
    void evict_from_single();
    void advance_left();
    void erase_entry(Path& path, std::uint32_t at);
    std::uint32_t fix_leaf(Path& path);
    std::uint32_t drop_leaf(Path& path);
    std::uint32_t fix_inner(Path& path, std::uint32_t level);
    [[gnu::cold]] bool join_or_share(Id parent, std::uint32_t level, std::uint32_t index);
    [[gnu::cold]] bool join_or_share_leaves(Id parent, std::uint32_t index);
    [[gnu::cold]] void share_leaves(const Leaf& left, const Leaf& right);
    void settle_as_single();

    // bulk_evict.hpp
    void prefetch_next(const Path& path) const;
    void cut_single(std::uint32_t at);
    void cut_tree(const Path& path, std::uint32_t at);
    void keep_right(Path& path);
    std::uint64_t count_before(const Path& path, std::uint32_t at) const;
    std::uint64_t count_left_spine(std::uint32_t level) const;
    std::uint64_t count_all() const;
    void drop_before(const Path& path);
    std::uint32_t mend_left(const Path& path, Carry carry);
    Carry mend_level(Id id, std::uint32_t level, std::uint32_t index, Carry carry);
    [[gnu::cold]] void attach(Id node, std::uint32_t level, Carry carry);

    // bulk_insert.hpp, bulk_leaves.hpp
    struct Batch;
    struct Growing;
    struct Visit;
    //! Below this a batch of late entries is inserted one by one: repairing the spines once costs as much. An entry by
    //! itself costs a fold of each node on its way where order matters, and one combine where it does not.
    static constexpr std::size_t kWorthABatch = M::commutative && !M::fallible ? 16 : 4;
    //! As many go into a leaf one by one: that moves less than merging.
    static constexpr std::size_t kFewInALeaf = 4;
    //! Before its turn a leaf is searched for so many leaves, and asked for twice as many.
    static constexpr std::size_t kAhead = 4;
    void insert_all(Batch batch);
    void insert_sorted(Batch batch);
    void append_sorted(Batch batch);
    void insert_among(Batch batch);
    [[gnu::cold]] std::uint32_t plant(Path& path, std::vector<Sprout>& sprouts);
    void note_changes(const Path& path, std::uint32_t top, std::uint32_t old_height);
    Path common_path(Time first, Time last) const;
    std::uint64_t insert_below(Id id, std::uint32_t level, Batch batch, std::vector<Sprout>& sprouts);
    void visit_children(std::vector<Visit>& visits, std::size_t at, std::uint32_t level, Batch batch);
    void find_place(Visit& visit, Batch batch) const;
    void note_below(std::span<Visit> nodes, std::uint32_t level, std::span<Visit> children, Batch batch,
                    std::vector<Growing>& growing);
    void note_child(Visit& parent, const Inner& node, std::uint32_t level, const Visit& child, bool first);
    void insert_into_leaf(Visit& visit, std::uint32_t number, Batch all, std::vector<Growing>& growing);
    std::uint64_t put_in_place(Leaf node, std::uint32_t first, Fill fill, Batch batch);
    std::uint64_t merge_leaf(const Leaf& node, Batch batch);
    void refill_leaves(Id id, std::uint32_t number, std::vector<Growing>& growing);
    void refill_leaf(Id id, std::size_t from, std::size_t to);
    void regrow(Id id, std::uint32_t level, const std::vector<Growing>& growing, std::vector<Sprout>& sprouts);
    [[gnu::cold]] void spread(Id id, std::uint32_t level, const std::vector<Growing>& growing,
                              std::vector<Sprout>& sprouts);

    // hands.hpp
    struct Hand;
    static constexpr std::size_t kMostHands = 16;
    bool is_current(const Hand& hand) const;
    const Hand* hand_in_turn(Time from, Time to) const;
    Hand& hand_at(Time from, Time to) const;
    void put_hand(Hand& hand, Time from) const;
    std::optional<Partial> query_by_hand(Time from, Time to) const;
    bool ends_at_back(const Hand& hand, Time to) const;
    void follow_end(Hand& hand, std::uint32_t at, Time to) const;
    void move_end(Hand& hand, const Path& path) const;
    void follow_begin(Hand& hand, std::uint32_t at) const;
    void add_run(std::optional<Partial>& total, const Leaf& node, std::uint32_t first, std::uint32_t last) const;
    const std::optional<Partial>& between(Hand& hand) const;
    //! Entries have moved or changed: hands that know of them are of no use any more.
    void note_changed() { ++changes_; }
    void note_right_changed() { ++right_changes_; }

    // range.hpp
    std::optional<Partial> fold_range(Time from, Time to) const;
    //! What remains to be covered below a node; an open end reaches over the whole node.
    struct Range {
        Time from;
        Time to;
        bool from_open;
        bool to_open;
    };
    template <class Visitor>
    void visit_range(Time from, Time to, Visitor& visitor) const;
    template <class Visitor>
    void visit_below(Id id, std::uint32_t level, Range range, Visitor& visitor) const;
    template <class Visitor>
    void visit_leaf(Id id, Range range, Visitor& visitor) const;

    // policy.hpp
    template <class Policy>
    struct Prefix;
    template <class Policy>
    bool extend_prefix(Id id, std::uint32_t level, Prefix<Policy>& prefix) const;

    // walk.hpp
    template <class F>
    bool walk_from(Id id, std::uint32_t level, Time from, std::size_t& most, F& f) const;

    // describe.hpp
    Time first_below(Id id, std::uint32_t level) const;
    Time last_below(Id id, std::uint32_t level) const;
    template <class Out>
    void describe_below(Out& out, Id id, std::uint32_t level) const;
    template <class Out>
    void describe_children(Out& out, const Inner& node, std::uint32_t level) const;
    template <class Out>
    void describe_leaf(Out& out, Id id) const;
    template <class Out>
    void describe_spines(Out& out, Id id, std::uint32_t level) const;

    // check.hpp
    void check_spines() const;
    void check_node(Id id, std::uint32_t level, Time low, Time high, std::vector<char>& leaves,
                    std::vector<char>& inners) const;
    void check_slot(const Inner& node, std::uint32_t level, std::uint32_t index) const;
    void check_fingers() const;
    Partial fold_items(Id id, std::uint32_t level) const;
    void check_groups(Id id) const;
    void check_groups(const Inner& node, std::uint32_t level) const;
    void check_hand(const Hand& hand) const;
    void check_ids(std::vector<char>& leaves, std::vector<char>& inners) const;

    [[no_unique_address]] M monoid_;
    std::uint32_t min_arity_;
    fiba::Pool<Partial> pool_;
    //! Levels above the leaves; 0 when the root is a leaf.
    std::uint32_t height_ = 0;
    std::size_t size_ = 0;
    Time youngest_ = 0;
    //! The end of the front part in the left leaf: suffix_[i] is the aggregate of its entries [i, split_).
    std::uint32_t split_ = 0;
    Leaf left_leaf_;
    Leaf right_leaf_;
    //! The aggregate of the right leaf, or of [split_, end) in a tree of one leaf.
    Partial back_;
    Partial middle_;
    Partial inner_;
    std::vector<Partial> suffix_;
    //! Ids on the spines by level; the root is on both.
    std::array<Id, kMaxHeight> left_{};
    std::array<Id, kMaxHeight> right_{};
    std::vector<Partial> left_aggregate_;
    std::vector<Partial> right_aggregate_;
    //! The way of the last late insert, for times of the same run; any change of the tree's structure forgets it.
    Path last_{};
    Time last_low_ = 1;
    Time last_high_ = 0;
    //! The place behind that insert in its leaf; 0 where it is not known.
    std::uint32_t last_at_ = 0;
    //! Where a bulk insert merges a leaf with its part of the batch.
    std::vector<Time> merged_times_;
    std::vector<Partial> merged_partials_;
    bool left_touched_ = false;
    bool right_touched_ = false;
    //! The first failure of a fallible combine in the running call, and whether aggregates wait to be made anew.
    mutable std::exception_ptr failure_;
    mutable bool stale_ = false;
    //! The way back from the running insert, where one may fail.
    std::unique_ptr<Undo> undo_;
    //! How often entries were put or taken elsewhere than at the ends, and in the right leaf alone.
    std::uint64_t changes_ = 0;
    std::uint64_t right_changes_ = 0;
    mutable std::uint64_t queries_ = 0;
    mutable std::vector<Hand> hands_;
    //! The hand that was used last.
    mutable std::uint32_t last_hand_ = 0;
};

}  // namespace sash
