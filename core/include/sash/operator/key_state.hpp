//! The state of one key: its rows, and what is known of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sash/operator/labels.hpp"
#include "sash/operator/revisions.hpp"
#include "sash/operator/row_ids.hpp"
#include "sash/operator/row_list.hpp"
#include "sash/time.hpp"
#include "sash/windows/session_starts.hpp"
#include "sash/windows/steps.hpp"

namespace sash {

//! Names the state of a key; dense, and given again once it is gone.
using KeyId = std::uint32_t;
//! Names a key; the caller knows which.
using KeySlot = std::uint32_t;

//! What only some plans need of a key.
template <class Result>
struct KeyExtras {
    //! One for each window, where one of them is of sessions.
    std::vector<windows::SessionStarts> sessions = {};
    //! One for each window, where one of them steps.
    std::vector<windows::Steps> steps = {};
    //! Ticks and number of the rows without a value, ascending; kept where values are counted.
    std::vector<std::pair<Time, std::int64_t>> nulls = {};
    //! The ticks of its newest row, where all were dropped or none is retained.
    std::optional<Time> newest = {};
    //! The next slide at which its trigger fires.
    std::optional<Time> due = {};
    //! The clock when it expired.
    std::optional<Time> expired = {};
    //! Of the rows, where one partial a time is not enough.
    Labels labels = {};
    //! Of the rows, where they may be taken back.
    RowIds ids = {};
    //! With how many rows it is looked at again for some to drop.
    std::size_t drop_at = 0;
    //! The measure at which the trigger fired last, or the first, where events fire by one as they come.
    std::optional<windows::Mark> fired = {};
    //! The result that was emitted last, a window each; where only changes are emitted.
    std::vector<std::optional<Result>> last = {};
    //! Results that may be revised.
    Revisions<Result> revisions = {};

    std::size_t bytes() const {
        std::size_t total = sizeof(*this) + sessions.capacity() * sizeof(sessions[0]) +
                            steps.capacity() * sizeof(steps[0]) + nulls.capacity() * sizeof(nulls[0]) +
                            last.capacity() * sizeof(last[0]) + revisions.bytes() + labels.bytes() + ids.bytes();
        for (const windows::SessionStarts& starts : sessions) total += starts.times().capacity() * sizeof(Time);
        for (const windows::Steps& one : steps) total += one.bytes();
        return total;
    }
};

//! What a key has whose rows are retained.
template <class Result>
struct KeyRows {
    RowList rows = {};
    std::unique_ptr<KeyExtras<Result>> extras = {};
    //! How many of its rows wait to be emitted: the last ones, since rows are emitted in their order and none comes in
    //! front of what was emitted.
    std::uint32_t waiting = 0;
};

//! As many of these as there are keys: two words. A plan that needs no rows has nothing behind them.
template <class R>
class KeyState {
public:
    using Result = R;
    using Extras = KeyExtras<Result>;

    //! The ordinal of the key: results of one moment come in this order.
    std::int64_t order : 63 = 0;
    //! It has a new row since the call began.
    std::int64_t touched : 1 = 0;

    const RowList& rows() const { return rows_ ? rows_->rows : no_rows(); }
    //! Makes room for rows where there was none.
    RowList& edit_rows() { return own().rows; }
    std::uint32_t waiting() const { return rows_ ? rows_->waiting : 0; }
    void set_waiting(std::uint32_t count) { own().waiting = count; }

    const Extras& extras() const { return has_extras() ? *rows_->extras : no_extras(); }
    Extras& edit_extras() {
        if (!own().extras) rows_->extras = std::make_unique<Extras>();
        return *rows_->extras;
    }
    bool has_extras() const { return rows_ && rows_->extras; }
    bool is_expired() const { return has_extras() && rows_->extras->expired; }

    //! The ticks of its newest row, retained or not.
    Time newest() const { return rows().empty() ? extras().newest.value_or(kEarliest) : rows().back().ticks; }
    //! The first of the rows that wait; one must.
    const Row& first_waiting() const { return rows()[rows().size() - waiting()]; }

    //! Where the partial of a row lies: under its time, unless rows have labels of their own.
    Time label(std::size_t place) const {
        return extras().labels.empty() ? rows()[place].ticks : extras().labels[place];
    }

    std::size_t bytes() const {
        if (!rows_) return 0;
        return sizeof(*rows_) + rows_->rows.bytes() + (rows_->extras ? rows_->extras->bytes() : 0);
    }

    //! How many rows of [low, high) have a value.
    std::size_t valued(std::size_t low, std::size_t high) const {
        const auto& nulls = extras().nulls;
        if (low >= high || nulls.empty()) return high > low ? high - low : 0;
        const Row &first = rows()[low], &last_row = rows()[high - 1];
        const auto from =
            std::lower_bound(nulls.begin(), nulls.end(), std::pair(first.ticks, std::int64_t{first.number}));
        const auto to = std::upper_bound(from, nulls.end(), std::pair(last_row.ticks, std::int64_t{last_row.number}));
        return high - low - static_cast<std::size_t>(to - from);
    }

private:
    static const RowList& no_rows() {
        static const RowList none;
        return none;
    }
    static const Extras& no_extras() {
        static const Extras none;
        return none;
    }

    KeyRows<Result>& own() {
        if (!rows_) rows_ = std::make_unique<KeyRows<Result>>();
        return *rows_;
    }

    std::unique_ptr<KeyRows<Result>> rows_ = {};
};

}  // namespace sash
