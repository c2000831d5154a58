#include "operator/line_shelf.hpp"

#include <bit>
#include <cmath>
#include <deque>
#include <optional>
#include <type_traits>
#include <utility>

#include "sash/operator/key_window.hpp"
#include "sash/monoids/record.hpp"

namespace sash::face {

namespace {

using Tag = AnswerColumn::Tag;

AnswerCell cell_of(const Outcome& outcome) {
    if (const auto* const integer = std::get_if<std::int64_t>(&outcome)) return {Tag::integer, *integer};
    if (const auto* const real = std::get_if<double>(&outcome)) return {Tag::real, std::bit_cast<std::int64_t>(*real)};
    return {};
}

void put(AnswerColumn& column, const AnswerCell& cell) {
    column.words.push_back(cell.word);
    column.tags.push_back(cell.tag);
}

//! As Python compares an int with a float: exactly.
bool same_number(std::int64_t integer, double real) {
    return std::abs(real) <= 0x1p63 && real != 0x1p63 && real == std::floor(real) &&
           static_cast<std::int64_t>(real) == integer;
}

bool same_cell(const AnswerCell& one, const AnswerCell& other, bool nan_is_nan) {
    if (one.tag == Tag::none || other.tag == Tag::none) return one.tag == other.tag;
    if (one.tag == Tag::integer && other.tag == Tag::integer) return one.word == other.word;
    const auto real = [](const AnswerCell& cell) { return std::bit_cast<double>(cell.word); };
    if (one.tag == Tag::integer) return same_number(one.word, real(other));
    if (other.tag == Tag::integer) return same_number(other.word, real(one));
    return real(one) == real(other) || (nan_is_nan && std::isnan(real(one)) && std::isnan(real(other)));
}

template <class Storage>
class ShelfOver final : public LineShelf {
public:
    using M = Record<Storage>;
    using LineShelf::tell;

    ShelfOver(M record, Comparison comparison)
        : LineShelf(std::move(comparison)), record_(std::move(record)), lifted_(record_.blank()) {}

    void open(lines::LineId line) override {
        if (line >= windows_.size()) windows_.resize(line + 1);
    }
    void close(lines::LineId line) override { windows_[line] = {}; }

    void insert(lines::LineId line, Time label) override {
        KeyWindow<M>& window = windows_[line];
        if (!careful_) return window.insert(record_, label, lifted_);
        before_.push_back(window.at(label));
        window.insert(record_, label, lifted_);
        const Storage whole = window.query(record_, kEarliest, kLatest);
        if (record_.overflowed(whole)) record_.lower(whole);
    }
    void take_back(lines::LineId line, Time label) override {
        windows_[line].erase(label);
        if (before_.back()) windows_[line].insert(record_, label, *before_.back());
        before_.pop_back();
    }

    void evict(lines::LineId line, Time label) override { windows_[line].bulk_evict(label); }

    void relabel(lines::LineId line, std::span<const Time> from, std::span<const Time> to) override {
        KeyWindow<M> moved;
        std::size_t at = 0;
        windows_[line].for_each([&](Time label, const Storage& partial) {
            while (from[at] != label) ++at;
            moved.insert(record_, to[at], partial);
        });
        windows_[line] = std::move(moved);
    }

    void tell(const lines::Said& said, const lines::Question& question) override {
        told_->put(said, question.missing);
        if (question.missing) {
            for (AnswerColumn& column : told_->answers) put(column, {});
            return;
        }
        const Storage partial = find(question);
        for (std::size_t part = 0; part < parts(); ++part)
            put(told_->answers[part], cell_of(layout().lower(part, partial.data())));
    }

    Answer answer(const lines::Question& question) const override {
        if (question.missing) return {};
        Answer cells;
        const Storage partial = find(question);
        for (std::size_t part = 0; part < parts(); ++part)
            cells.push_back(cell_of(layout().lower(part, partial.data())));
        return cells;
    }

    void save(lines::LineId line, Writer& writer) const override {
        writer.u64(windows_[line].size());
        windows_[line].for_each([&](Time, const Storage& partial) { Codec<M>::write(writer, record_, partial); });
    }
    void restore(lines::LineId line, std::span<const Time> labels, Reader& reader) override {
        if (reader.count(1) != labels.size()) throw DamagedSnapshot("its partials do not belong to its events");
        for (const Time label : labels) windows_[line].insert(record_, label, Codec<M>::read(reader, record_));
    }

    bool lift(const Event& event) override { return layout().lift(event, lifted_.data()); }

    double reach_of(const Rows& rows) const override {
        double reach = 0.0;
        if (layout().may_fail())
            for (std::size_t i = 0; i < rows.ticks.size(); ++i)
                reach += layout().reach({rows.ticks[i], rows.fields.subspan(i * rows.width, rows.width)});
        return reach;
    }

    void begin(bool careful, ToldColumns* told) override {
        careful_ = careful;
        before_.clear();
        told_ = told;
    }
    std::size_t parts() const override { return layout().parts(); }
    std::size_t bytes() const override {
        std::size_t total = sizeof(*this) + windows_.size() * sizeof(windows_[0]);
        for (const KeyWindow<M>& window : windows_) total += window.bytes();
        return total;
    }

    std::unique_ptr<LineShelf> with_layout(const LayoutPtr& layout, const std::vector<bool>& wide) const override {
        const M record(layout);
        return mapped(record, [&](Time label, const Storage& partial) {
            return std::pair(label, record_.widened(wide, partial, record));
        });
    }
    std::unique_ptr<LineShelf> with_times(const LayoutPtr& layout, bool labels_too, Time (*map)(Time)) const override {
        return mapped(M(layout), [&](Time label, Storage partial) {
            record_.retime(partial, map);
            return std::pair(labels_too ? map(label) : label, std::move(partial));
        });
    }

private:
    const Layout& layout() const { return record_.layout(); }

    Storage find(const lines::Question& question) const {
        return question.empty ? record_.identity() : windows_[question.line].query(record_, question.from, question.to);
    }

    template <class Map>
    std::unique_ptr<LineShelf> mapped(const M& record, Map map) const {
        auto shelf = std::make_unique<ShelfOver>(record, comparison_);
        shelf->windows_.resize(windows_.size());
        for (std::size_t line = 0; line < windows_.size(); ++line) {
            windows_[line].for_each([&](Time label, const Storage& partial) {
                const auto [moved, changed] = map(label, partial);
                shelf->windows_[line].insert(record, moved, changed);
            });
        }
        return shelf;
    }

    M record_;
    //! The event that is being taken in.
    Storage lifted_;
    //! By line. They do not move when others come.
    std::deque<KeyWindow<M>> windows_;
    bool careful_ = false;
    //! What was under the label of each insert of this call before it.
    std::vector<std::optional<Storage>> before_;
};

}  // namespace

void ToldColumns::put(const lines::Said& said, bool is_missing) {
    slots.push_back(said.slot);
    windows.push_back(said.window);
    starts.push_back(said.start);
    ends.push_back(said.end);
    ticks.push_back(said.ticks);
    numbers.push_back(said.number);
    revisions.push_back(said.revision);
    missing.push_back(is_missing);
}

void LineShelf::tell(const lines::Said& said, const Answer& answer) {
    told_->put(said, answer.empty());
    for (std::size_t part = 0; part < parts(); ++part)
        face::put(told_->answers[part], answer.empty() ? AnswerCell{} : answer[part]);
}

bool LineShelf::same(const Answer& one, const Answer& other) const {
    if (one.empty() || other.empty()) return one.empty() == other.empty();
    const auto shown = [&](const Answer& answer, std::size_t part) {
        return answer[part].tag == Tag::none ? comparison_.empties[part] : answer[part];
    };
    for (std::size_t part = 0; part < one.size(); ++part)
        if (!same_cell(shown(one, part), shown(other, part), !comparison_.composite)) return false;
    return true;
}

void LineShelf::write(Writer& writer, const Answer& answer) const {
    writer.flag(!answer.empty());
    for (const AnswerCell& cell : answer) {
        writer.u32(static_cast<std::uint32_t>(cell.tag));
        writer.i64(cell.word);
    }
}

LineShelf::Answer LineShelf::read(Reader& reader) const {
    Answer answer(reader.flag() ? parts() : 0);
    for (AnswerCell& cell : answer) {
        const std::uint32_t tag = reader.u32();
        if (tag > static_cast<std::uint32_t>(Tag::real))
            throw DamagedSnapshot("an answer is neither number nor nothing");
        cell = {static_cast<Tag>(tag), reader.i64()};
    }
    return answer;
}

std::unique_ptr<LineShelf> make_shelf(const LayoutPtr& layout, const Comparison& comparison) {
    std::unique_ptr<LineShelf> shelf;
    with_storage(*layout, [&]<class Storage>(std::type_identity<Storage>) {
        shelf = std::make_unique<ShelfOver<Storage>>(Record<Storage>(layout), comparison);
    });
    return shelf;
}

}  // namespace sash::face
