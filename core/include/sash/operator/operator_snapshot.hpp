//! The lines of an operator as bytes and back, and at other times.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sash/operator/operator_state.hpp"
#include "sash/snapshot.hpp"

namespace sash::lines {

//! Equal operators give equal bytes, whatever their history.
template <StoredPartials P>
class State {
public:
    using BookOf = Book<P>;
    using LineOf = typename BookOf::LineOf;
    using Answer = typename P::Answer;

    explicit State(BookOf& book) : book_(book) {}

    //! The lines in the order in which their keys came: those with a key of their own, then those that are retired and
    //! have something to tell.
    std::vector<LineId> lines() const {
        std::vector<LineId> ids;
        book_.lines_.for_each([&](LineId id, const LineOf&) { ids.push_back(id); });
        std::sort(ids.begin(), ids.end(), [&](LineId one, LineId other) {
            const LineOf &a = book_.lines_[one], &b = book_.lines_[other];
            return std::pair(a.retired(), a.order) < std::pair(b.retired(), b.order);
        });
        return ids;
    }

    void save(Writer& writer) const {
        writer.i64(book_.count_);
        writer.i64(book_.orders_);
        const std::vector<LineId> ids = lines();
        std::vector<std::uint32_t> positions(book_.lines_.ids());
        for (std::size_t i = 0; i < ids.size(); ++i) {
            positions[ids[i]] = static_cast<std::uint32_t>(i);
            save(writer, ids[i]);
        }
        const std::vector<Waiting> waiting = all_rows_that_wait();
        writer.u64(waiting.size());
        for (const Waiting& entry : waiting) {
            writer.i64(entry.ticks);
            writer.i64(entry.number);
            writer.u32(positions[entry.line]);
        }
    }

    //! Into an empty book; the slots of the lines in the order of `lines`. Throws DamagedSnapshot.
    void restore(Reader& reader, const std::vector<Slot>& slots) {
        book_.count_ = reader.i64();
        book_.orders_ = reader.i64();
        std::vector<LineId> ids;
        for (const Slot slot : slots) ids.push_back(restore_line(reader, slot));
        restore_waiting(reader, ids);
        book_.waiting_.assign(book_.all_waiting());
        book_.slides_.assign(book_.all_due());
        book_.idle_.assign(book_.all_idle());
    }

    //! Integer times are reals from now on, by a map that keeps their order.
    template <class Map>
    void read_as_reals(Map map) {
        book_.lines_.for_each([&](LineId, LineOf& line) { retime(line, map); });
        retime(book_.now_.newest, map);
        retime(book_.now_.watermark, map);
        book_.waiting_.retime(map);
        book_.slides_.retime(map);
        book_.idle_.retime(map);
        book_.plan_.read_as_reals(map);
    }

private:
    static void require(bool sound) {
        if (!sound) throw DamagedSnapshot("its events are not in order");
    }

    // Out

    void save(Writer& writer, LineId id) const {
        const LineOf& line = book_.lines_[id];
        writer.i64(line.order);
        writer.u64(line.rows.ever());
        for (const auto& time : {std::optional(line.newest()), line.extras().due, line.extras().retired})
            save(writer, time);
        writer.u64(line.rows.dropped());
        writer.u64(line.rows.size());
        line.rows.for_each([&](const Row& row) {
            writer.i64(row.ticks);
            writer.i64(row.number);
            writer.flag(row.null);
        });
        // Labels depend on the history of the rows: they are given anew.
        book_.partials_->save(id, writer);
        for (const SessionStarts& starts : line.extras().sessions) {
            writer.u64(starts.times().size());
            for (const Time start : starts.times()) writer.i64(start);
        }
        save_told(writer, line);
    }

    std::vector<Waiting> all_rows_that_wait() const {
        std::vector<Waiting> waiting;
        book_.lines_.for_each([&](LineId id, const LineOf& line) {
            for (std::size_t place = line.rows.size() - line.waiting; place < line.rows.size(); ++place)
                waiting.push_back({line.rows[place].ticks, line.rows[place].number, id});
        });
        std::sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) { return b > a; });
        return waiting;
    }

    static void save(Writer& writer, const std::optional<Time>& time) {
        writer.flag(time.has_value());
        writer.i64(time.value_or(0));
    }

    void save_told(Writer& writer, const LineOf& line) const {
        for (std::size_t window = 0; window < book_.plan_.policies.size(); ++window) {
            const auto& last = line.extras().last;
            const bool any = !last.empty() && last[window];
            writer.flag(any);
            if (any) book_.partials_->write(writer, *last[window]);
        }
        const auto& entries = line.extras().told.entries();
        writer.u64(entries.size());
        for (const auto& [about, window, told] : entries) {
            for (const std::int64_t number : {about, static_cast<std::int64_t>(window), told.start, told.end})
                writer.i64(number);
            writer.i64(told.revision);
            book_.partials_->write(writer, told.answer);
        }
    }

    // In

    LineId restore_line(Reader& reader, Slot slot) {
        const std::int64_t order = reader.i64();
        const LineId own = book_.current(slot);
        const LineId id = book_.add(slot, order);
        LineOf& line = book_.lines_[id];
        const std::uint64_t ever = reader.u64();
        const std::optional<Time> newest = read_time(reader), due = read_time(reader), retired = read_time(reader);
        require(order < book_.orders_ && newest);
        if (due) line.extras().due = due;
        if (retired) line.extras().retired = retired;
        // Lines with a key of their own come first: a retired one does not take the place.
        if (retired) book_.lines_.set_current(slot, own);
        restore_rows(reader, line);
        if (line.rows.empty()) line.extras().newest = newest;
        require(line.rows.ever() == ever && line.newest() == *newest);
        book_.partials_->restore(id, labels_of(line), reader);
        restore_sessions(reader, line);
        restore_told(reader, id, line);
        return id;
    }

    static std::optional<Time> read_time(Reader& reader) {
        const bool any = reader.flag();
        const Time time = reader.i64();
        return any ? std::optional(time) : std::nullopt;
    }

    void restore_rows(Reader& reader, LineOf& line) {
        line.rows.start_at(static_cast<std::size_t>(reader.u64()));
        const std::size_t size = reader.count(sizeof(Time));
        for (std::size_t place = 0; place < size; ++place) {
            const Time ticks = reader.i64();
            const std::int64_t number = reader.i64();
            const bool null = reader.flag();
            require(line.rows.empty() || line.rows.back().is_before(ticks, number));
            require(number >= 0 && number < book_.count_);
            line.rows.insert({.ticks = ticks, .number = number, .null = null});
            if (!book_.aligned_) line.extras().labels.insert(place, Labels::first_of(place));
            if (null && book_.plan_.min_periods != 0) line.extras().nulls.emplace_back(ticks, number);
        }
    }

    //! Under which labels there are partials.
    static std::vector<Time> labels_of(const LineOf& line) {
        std::vector<Time> labels;
        std::size_t place = 0;
        line.rows.for_each([&](const Row& row) {
            const Time label = line.label(place++);
            if (!row.null && (labels.empty() || labels.back() != label)) labels.push_back(label);
        });
        return labels;
    }

    void restore_sessions(Reader& reader, LineOf& line) const {
        if (!book_.plan_.has_sessions()) return;
        for (SessionStarts& starts : line.extras().sessions) {
            for (std::size_t left = reader.count(sizeof(Time)); left > 0; --left) {
                const Time start = reader.i64();
                require(starts.times().empty() || starts.times().back() < start);
                starts.times().push_back(start);
            }
        }
        const auto& sessions = line.extras().sessions;
        for (std::size_t i = 0; i < sessions.size() && !line.rows.empty(); ++i) {
            const std::vector<Time>& times = sessions[i].times();
            const bool needed = book_.plan_.policies[i].kind == Policy::Kind::session;
            require(!needed || (!times.empty() && times.front() <= line.rows.front().ticks));
        }
    }

    void restore_told(Reader& reader, LineId id, LineOf& line) {
        const std::size_t windows = book_.plan_.policies.size();
        for (std::size_t window = 0; window < windows; ++window)
            if (reader.flag()) book_.last(id, 0), line.extras().last[window] = book_.partials_->read(reader);
        for (std::size_t left = reader.count(sizeof(Time)); left > 0; --left) {
            const std::int64_t about = reader.i64();
            const auto window = static_cast<std::uint64_t>(reader.i64());
            require(window < windows);
            const Time start = reader.i64(), end = reader.i64();
            const std::int64_t revision = reader.i64();
            line.extras().told.exchange(about, window,
                                        Told<Answer>{start, end, book_.partials_->read(reader), revision});
        }
    }

    //! Those that wait are the last of their lines.
    void restore_waiting(Reader& reader, const std::vector<LineId>& ids) {
        std::vector<std::pair<LineId, std::size_t>> places;
        for (std::size_t left = reader.count(sizeof(Time)); left > 0; --left) {
            const Time ticks = reader.i64();
            const std::int64_t number = reader.i64();
            const std::uint32_t position = reader.u32();
            require(position < ids.size());
            LineOf& line = book_.lines_[ids[position]];
            const std::size_t place = line.rows.place_of(ticks, number);
            require(place < line.rows.size() && line.rows[place].ticks == ticks && line.rows[place].number == number);
            require(line.waiting < line.rows.size());
            ++line.waiting;
            places.emplace_back(ids[position], place);
        }
        for (const auto& [id, place] : places)
            require(place >= book_.lines_[id].rows.size() - book_.lines_[id].waiting);
    }

    // At other times

    template <class Map>
    static void retime(std::optional<Time>& time, Map map) {
        if (time) time = map(*time);
    }

    template <class Map>
    void retime(LineOf& line, Map map) {
        line.rows.for_each([&](Row& row) { row.ticks = map(row.ticks); });
        if (line.has_extras()) retime(line.extras(), map);
    }

    template <class Map>
    void retime(typename LineOf::Extras& extras, Map map) {
        for (auto* const time : {&extras.newest, &extras.due, &extras.retired}) retime(*time, map);
        for (auto& [ticks, number] : extras.nulls) ticks = map(ticks);
        for (SessionStarts& starts : extras.sessions)
            for (Time& start : starts.times()) start = map(start);
        // A result of a slide is known by its end, all others by a number.
        extras.told.retime(map, book_.plan_.asks == Asks::slides);
    }

    BookOf& book_;
};

}  // namespace sash::lines
