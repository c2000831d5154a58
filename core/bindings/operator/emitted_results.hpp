//! What an operator has emitted, a column each.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "monoids/object.hpp"
#include "sash/monoids/record/event.hpp"
#include "sash/operator/partials.hpp"
#include "sash/operator/stepped_column.hpp"

namespace sash::face {

//! One number of a result, or the whole of it as a Python object. Copying an object needs the GIL; nothing else does.
class ResultCell {
public:
    enum class Tag : std::uint8_t { none, integer, real, object };

    ResultCell() = default;
    ResultCell(Tag tag, std::int64_t word) : tag_(tag), word_(word) {}
    explicit ResultCell(Object object) : tag_(Tag::object), word_(reinterpret_cast<std::intptr_t>(object.release())) {}
    ResultCell(const ResultCell& other) : tag_(other.tag_), word_(other.word_) {
        if (tag_ == Tag::object) Py_INCREF(object());
    }
    ResultCell(ResultCell&& other) noexcept : tag_(std::exchange(other.tag_, Tag::none)), word_(other.word_) {}
    ResultCell& operator=(ResultCell other) noexcept {
        std::swap(tag_, other.tag_);
        std::swap(word_, other.word_);
        return *this;
    }
    ~ResultCell() {
        if (tag_ == Tag::object) Py_DECREF(object());
    }

    Tag tag() const { return tag_; }
    std::int64_t word() const { return word_; }
    //! Borrowed.
    PyObject* object() const { return reinterpret_cast<PyObject*>(static_cast<std::intptr_t>(word_)); }
    //! The object, which is none of the cell's any more.
    Object owned() && {
        tag_ = Tag::none;
        return Object::stolen(object());
    }

private:
    Tag tag_ = Tag::none;
    std::int64_t word_ = 0;
};

//! A number as a cell; nothing for what is none.
inline ResultCell cell_of(const PartResult& result) {
    using Tag = ResultCell::Tag;
    if (const auto* const integer = std::get_if<std::int64_t>(&result)) return {Tag::integer, *integer};
    if (const auto* const real = std::get_if<double>(&result)) return {Tag::real, std::bit_cast<std::int64_t>(*real)};
    return {};
}

//! One cell of every result. All have the same tag as a rule.
class ResultColumn {
public:
    using Tag = ResultCell::Tag;

    ResultColumn() = default;
    //! So many without a value.
    explicit ResultColumn(std::size_t size) : size_(size) {}

    std::size_t size() const { return size_; }
    Tag tag(std::size_t place) const { return static_cast<Tag>(tags_[place]); }
    //! Of a number.
    std::int64_t word(std::size_t place) const { return words_[place]; }
    ResultCell operator[](std::size_t place) const {
        if (tag(place) != Tag::object) return {tag(place), words_[place]};
        return ResultCell(objects_[static_cast<std::size_t>(words_[place])]);
    }
    void visit_references(const ReferenceVisitor& visitor) const {
        for (const Object& object : objects_) visitor(object.get());
    }

    void push_back(ResultCell cell) {
        if (cell.tag() == Tag::object) return push_back(Tag::object, keep(std::move(cell)));
        push_back(cell.tag(), cell.word());
    }
    //! The result of a part, which is no object.
    void push_back(const PartResult& result) {
        if (const auto* const integer = std::get_if<std::int64_t>(&result)) return push_back(Tag::integer, *integer);
        const ResultCell cell = cell_of(result);
        push_back(cell.tag(), cell.word());
    }
    void set(std::size_t place, ResultCell cell) {
        tags_.set(size_, place, static_cast<std::int64_t>(cell.tag()));
        words_.set(size_, place, cell.tag() == Tag::object ? keep(std::move(cell)) : cell.word());
    }
    void reserve(std::size_t size) {
        tags_.reserve(size);
        words_.reserve(size);
    }
    //! The last ones go.
    void truncate(std::size_t size) {
        for (; size_ > size; --size_)
            if (tag(size_ - 1) == Tag::object) objects_.pop_back();
        tags_.truncate(size);
        words_.truncate(size);
    }

private:
    void push_back(Tag tag, std::int64_t word) {
        tags_.push_back(size_, static_cast<std::int64_t>(tag));
        words_.push_back(size_, word);
        ++size_;
    }
    //! Objects lie apart; where, is their word.
    std::int64_t keep(ResultCell cell) {
        objects_.push_back(std::move(cell).owned());
        return static_cast<std::int64_t>(objects_.size() - 1);
    }

    SteppedColumn tags_;
    SteppedColumn words_;
    std::size_t size_ = 0;
    std::vector<Object> objects_;
};

//! The cells of one result. Most have one, which lies in place; results that may be revised are as many as events.
class ResultCells {
public:
    bool empty() const { return empty_; }
    std::size_t size() const { return empty_ ? 0 : 1 + rest_.size(); }
    //! How many of them do not lie in place.
    std::size_t capacity() const { return rest_.capacity(); }
    const ResultCell& operator[](std::size_t cell) const { return cell == 0 ? first_ : rest_[cell - 1]; }
    ResultCell& operator[](std::size_t cell) { return cell == 0 ? first_ : rest_[cell - 1]; }

    void push_back(ResultCell cell) {
        if (!empty_) return rest_.push_back(std::move(cell));
        first_ = std::move(cell);
        empty_ = false;
    }

private:
    ResultCell first_;
    std::vector<ResultCell> rest_;
    bool empty_ = true;
};

template <class Cells>
void visit_references(const Cells& cells, const ReferenceVisitor& visitor) {
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (cells[i].tag() == ResultCell::Tag::object) visitor(cells[i].object());
}

//! A result that could not be computed, and why, in words.
struct FailedResult {
    Emission emission;
    std::string error;
};

//! What results are of, a column each.
class EmissionList {
public:
    EmissionList() = default;
    //! So many of which nothing is said.
    explicit EmissionList(std::size_t size) : size_(size) {}

    std::size_t size() const { return size_; }
    Emission operator[](std::size_t place) const {
        const std::int64_t about = about_[place];
        return {.slot = slot(place),
                .window = static_cast<std::uint32_t>(about >> kFlags),
                .start = start(place),
                .end = ends_[place],
                .number = numbers_[place],
                .by_event = (about & kByEvent) != 0,
                .retracted = (about & kRetracted) != 0,
                .missing = (about & kMissing) != 0,
                .revision = revisions_[place]};
    }
    KeySlot slot(std::size_t place) const { return static_cast<KeySlot>(slots_[place]); }
    Time start(std::size_t place) const { return difference(ends_[place], lengths_[place]); }

    void push_back(const Emission& emission) {
        slots_.push_back(size_, emission.slot);
        about_.push_back(size_, std::int64_t{emission.window} << kFlags | kByEvent * emission.by_event |
                                    kRetracted * emission.retracted | kMissing * emission.missing);
        ends_.push_back(size_, emission.end);
        // Most windows are of one length.
        lengths_.push_back(size_, difference(emission.end, emission.start));
        numbers_.push_back(size_, emission.number);
        revisions_.push_back(size_, emission.revision);
        ++size_;
    }
    void reserve(std::size_t size) {
        for (SteppedColumn* const column : all()) column->reserve(size);
    }
    //! The last ones go.
    void truncate(std::size_t size) {
        for (SteppedColumn* const column : all()) column->truncate(size);
        size_ = size;
    }

private:
    static constexpr int kFlags = 3;
    static constexpr std::int64_t kByEvent = 1, kRetracted = 2, kMissing = 4;

    //! Of any two times, and back: it wraps around.
    static std::int64_t difference(std::int64_t one, std::int64_t other) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) - static_cast<std::uint64_t>(other));
    }
    std::array<SteppedColumn*, 6> all() { return {&slots_, &about_, &ends_, &lengths_, &numbers_, &revisions_}; }

    SteppedColumn slots_;
    //! The window, and the flags below it.
    SteppedColumn about_;
    SteppedColumn ends_;
    SteppedColumn lengths_;
    SteppedColumn numbers_;
    SteppedColumn revisions_;
    std::size_t size_ = 0;
};

//! In the order in which they were emitted. A result without a value, for want of events, has cells without one.
struct EmittedResults {
    EmissionList emissions;
    std::vector<ResultColumn> columns;
    //! Where these are kept.
    std::vector<FailedResult> failed = {};
    bool keeps_failures = false;

    std::size_t size() const { return emissions.size(); }
    //! Drops what was written of the last result only in part.
    void drop_unfinished() {
        std::size_t whole = size();
        for (const ResultColumn& column : columns) whole = std::min(whole, column.size());
        emissions.truncate(whole);
        for (ResultColumn& column : columns) column.truncate(whole);
    }
    void reserve(std::size_t size) {
        emissions.reserve(size);
        for (ResultColumn& column : columns) column.reserve(size);
    }
};

}  // namespace sash::face
