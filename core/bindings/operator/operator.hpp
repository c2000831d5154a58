//! The operator as sash.Sliding sees it: times, keys and values in, results out.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "busy.hpp"
#include "monoids/row.hpp"
#include "operator/keys.hpp"
#include "operator/partials.hpp"
#include "operator/result_shape.hpp"
#include "sash/operator/operator.hpp"
#include "sash/operator/operator_snapshot.hpp"
#include "window/clock.hpp"

namespace sash::face {

class ChangeBatch;
class EventBatch;
class OperatorResults;

//! The class _core.Operator, over one kind of time. Every call does all of it, or fails and does nothing.
class BoundOperator {
public:
    explicit BoundOperator(nb::object config);
    BoundOperator(const BoundOperator&) = delete;
    BoundOperator& operator=(const BoundOperator&) = delete;

    //! One event; the results that it triggers. None for a float time among integers, which is not taken.
    nb::object push(nb::handle key, nb::handle time, nb::handle value, nb::handle on_late);
    //! Many events by columns. `rows` are the values as Python has them, where anything reads them; `marks` has a
    //! column for each window that reads one; `on_late`, if any, is given the place of a late event and its watermark,
    //! None if the stream had ended. Where rows may take others back, `changes` has what each does and is known by;
    //! the other columns but the keys are of those that are added, and `on_late` is also given the time.
    std::unique_ptr<OperatorResults> push_many(nb::handle keys, const Times& ticks, const nb::list& columns,
                                               nb::handle rows, const nb::list& marks, nb::handle fires,
                                               nb::handle nulls, nb::handle on_late, nb::handle changes);
    std::unique_ptr<OperatorResults> advance(Time ticks);
    std::unique_ptr<OperatorResults> finish();
    //! From now on a result that fails when its time has come is given to the function (key, start and end of the
    //! window, time of its event or None, error), and the stream goes on; None ends that.
    void keep_failures(nb::object on_failure) { on_failure_ = std::move(on_failure); }
    //! The stream ended before it began.
    void end() { finished_ = true; }
    bool finished() const { return finished_; }
    //! The windows of a key that end at the ticks, or now.
    nb::list query(nb::handle key, std::optional<Time> ticks) const;

    // For callers who look up windows by themselves, over a plan that needs no rows.
    //! Takes events in, late or not, without results.
    void insert(const Times& keys, const Times& ticks, const nb::list& columns);
    //! The windows of keys that end at the ticks, in their order. A key that is not known has empty windows.
    std::unique_ptr<OperatorResults> query_many(const Times& keys, const Times& ticks);
    //! Drops what no window after the watermark can hold, and the keys that have nothing left.
    void trim();

    nb::list keys() const;
    std::optional<Time> watermark() const;
    std::size_t memory() const;

    //! Which columns hold reals, whether integers are wide, and which columns that hold reals hold integers too.
    using ColumnKinds = std::tuple<std::vector<bool>, bool, std::vector<std::size_t>>;
    //! The kinds of the columns; the keys in their order, what rows are known by, their states; the newest event, the
    //! watermark, and whether the stream has ended.
    using Saved = std::tuple<ColumnKinds, nb::list, nb::list, nb::bytes,
                             std::tuple<std::optional<Time>, std::optional<Time>, bool>>;
    Saved save() const;
    //! From now on, or no longer, every call but save() is refused: another operator takes its place.
    void retire(bool now);
    //! Into an operator that is new.
    void restore(const nb::list& keys, const nb::list& ids, const ColumnKinds& columns, const nb::bytes& body,
                 std::optional<Time> newest, std::optional<Time> watermark, bool finished);
    //! Times that were integers are reals from now on. What a failure leaves behind is of no use.
    void read_times_as_reals();

    void visit_references(const ReferenceVisitor& visitor) const;
    //! Nobody can reach the operator any more, but for finalizers.
    void drop_references();

    nb::object time_of(Time ticks) const;
    nb::object start_of(const Emission& emission) const;
    const ResultShape& shape() const { return shape_; }
    bool keyed() const { return keyed_; }
    //! sash.Result and the windows that results are of.
    nb::handle result_type() const { return result_type_; }
    nb::handle window(std::size_t index) const { return windows_[index]; }

private:
    using Engine = Operator<OperatorPartials>;
    using Snapshot = OperatorSnapshot<OperatorPartials>;

    const OperatorState<OperatorPartials>& state() const { return std::as_const(*engine_).state(); }
    const OperatorPlan& plan() const { return state().plan(); }
    //! A user's function runs in the midst of a call.
    bool runs_python() const { return runs_python_; }

    //! The one call at a time.
    Busy entered() const;
    EmittedResults blank() const;
    //! Runs work(), without the GIL where it can, as one call: everything is as it was if it fails.
    template <class Work, class Commit>
    void attempt(EmittedResults& out, bool release, Work work, Commit commit);
    //! Runs work() over partials in the mode that events make necessary: their columns, and how far their integers
    //! reach, which is reach_of(partials).
    template <class Reach, class Work>
    void in_mode(Mode mode, Reach reach_of, Work work);
    //! The partials in another mode; nothing where it is this one.
    std::unique_ptr<OperatorPartials> in_mode(const OperatorPartials& partials, const Mode& from, const Mode& to) const;
    std::pair<Mode, std::unique_ptr<OperatorPartials>> canonical() const;
    ColumnKinds column_kinds(const Mode& mode) const;
    void drop_freed(std::span<const KeySlot> made);
    std::unique_ptr<OperatorResults> given(EmittedResults out);
    KeySlot key_slot(nb::handle key);
    nb::object checked_key(nb::handle key) const;
    //! The mode of now, once such columns have come.
    Mode joined(const Mode& mode) const;
    std::vector<KeySlot> key_slots(nb::handle keys, std::size_t size);
    //! Runs take(partials) over a batch, in the mode that it makes necessary.
    template <class Take>
    void run(EventBatch& batch, EmittedResults& out, Take take);
    //! Takes a batch in, row by row; those that are late are handed over before.
    void take_all(EventBatch& batch, std::span<const KeySlot> slots, nb::handle rows, OperatorPartials& partials);
    //! The same where rows may take others back: which of them are late is known when their turn comes.
    void change_all(EventBatch& batch, std::span<const KeySlot> slots, nb::handle rows, const ChangeBatch& changes,
                    OperatorPartials& partials, nb::handle on_late);
    void take(EventBatch& batch, std::size_t i, KeySlot slot, IdSlot id, nb::handle rows, OperatorPartials& partials,
              Holder& holder);
    ChangeBatch changes_of(nb::handle changes);
    void read_members(nb::handle row, Time ticks, Holder& holder) const;
    void hand_over_late(std::span<const Time> ticks, nb::handle on_late) const;
    void hand_over_failed(const EmittedResults& out) const;
    //! Nothing is silently left out: a window must end at a time that there is.
    void check_ends(std::span<const Time> ticks) const;

    nb::object config_;
    RowReader row_;
    Mode mode_;
    Clock clock_;
    Keys keys_;
    //! What rows are known by, where they may be taken back.
    Keys ids_;
    ResultShape shape_;
    std::unique_ptr<OperatorPartials> partials_;
    std::unique_ptr<Engine> engine_;
    bool keyed_;
    bool runs_python_;
    nb::object result_type_;
    std::vector<nb::object> windows_;
    //! What windows and the trigger read of a value; None where they read nothing.
    std::vector<nb::object> marks_;
    nb::object fires_;
    nb::object skips_;
    nb::object checked_key_;
    nb::object early_start_;
    nb::object on_failure_ = nb::none();
    //! How far the integers that are here reach at most. Nothing fails, and 64 bits are enough, below kNarrowReach.
    double reach_ = 0.0;
    bool finished_ = false;
    bool retired_ = false;
    mutable bool busy_ = false;
};

//! The class _core.OperatorResults: what one call emitted, in order.
class OperatorResults {
public:
    OperatorResults(nb::object owner, const BoundOperator& source, EmittedResults emitted, nb::object keys);

    std::size_t size() const { return emitted_.size(); }
    nb::object at(std::size_t place) const;
    //! A column of all results by its name in sash.Result, times in ticks; None if it has no plain form.
    nb::object column(std::string_view name) const;
    //! The words and tags of one cell of all results.
    nb::tuple cells(std::size_t cell) const;

    void visit_references(const ReferenceVisitor& visitor) const;
    void drop_references();

private:
    template <class Get>
    nb::object integers(Get get) const;
    nb::object values() const;
    nb::object objects() const;

    //! Keeps `source_` alive.
    nb::object owner_;
    const BoundOperator& source_;
    EmittedResults emitted_;
    //! An array or a list; None for an operator without keys.
    nb::object keys_;
};

//! One result as a sash.Result.
nb::object result_of(const BoundOperator& source, const EmittedResults& emitted, std::size_t place, nb::handle key);

}  // namespace sash::face
