//! What an operator has emitted, a column each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "monoids/object.hpp"
#include "operator/stepped_column.hpp"
#include "sash/operator/partials.hpp"

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

//! One cell of every result. All have the same tag as a rule.
class ResultColumn {
public:
    using Tag = ResultCell::Tag;

    ResultColumn() = default;
    //! So many without a value.
    explicit ResultColumn(std::size_t size) : words_(size), tags_(size) {}

    std::size_t size() const { return words_.size(); }
    Tag tag(std::size_t place) const { return static_cast<Tag>(tags_[place]); }
    //! Of numbers.
    const std::vector<std::int64_t>& words() const { return words_; }
    std::int64_t word(std::size_t place) const { return words_[place]; }
    ResultCell operator[](std::size_t place) const {
        if (tag(place) != Tag::object) return {tag(place), words_[place]};
        return ResultCell(objects_[static_cast<std::size_t>(words_[place])]);
    }
    void visit_references(const ReferenceVisitor& visitor) const {
        for (const Object& object : objects_) visitor(object.get());
    }

    void push_back(ResultCell cell) {
        tags_.push_back(static_cast<std::int64_t>(cell.tag()));
        words_.push_back(word_of(std::move(cell)));
    }
    void set(std::size_t place, ResultCell cell) {
        tags_.set(place, static_cast<std::int64_t>(cell.tag()));
        words_[place] = word_of(std::move(cell));
    }
    void reserve(std::size_t size) {
        tags_.reserve(size);
        words_.reserve(size);
    }
    //! The last ones go.
    void truncate(std::size_t size) {
        for (; words_.size() > size; words_.pop_back())
            if (tag(words_.size() - 1) == Tag::object) objects_.pop_back();
        tags_.truncate(size);
    }

private:
    //! An object lies apart, and its place is here.
    std::int64_t word_of(ResultCell cell) {
        if (cell.tag() != Tag::object) return cell.word();
        objects_.push_back(std::move(cell).owned());
        return static_cast<std::int64_t>(objects_.size() - 1);
    }

    std::vector<std::int64_t> words_;
    SteppedColumn tags_;
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
    explicit EmissionList(std::size_t size)
        : slots_(size), about_(size), ends_(size), lengths_(size), numbers_(size), revisions_(size) {}

    std::size_t size() const { return ends_.size(); }
    Emission operator[](std::size_t place) const {
        const std::int64_t about = about_[place];
        return {.slot = slot(place),
                .window = window(place),
                .start = start(place),
                .end = ends_[place],
                .number = numbers_[place],
                .by_event = (about & kByEvent) != 0,
                .retracted = (about & kRetracted) != 0,
                .missing = (about & kMissing) != 0,
                .revision = revisions_[place]};
    }
    KeySlot slot(std::size_t place) const { return static_cast<KeySlot>(slots_[place]); }
    std::uint32_t window(std::size_t place) const { return static_cast<std::uint32_t>(about_[place] >> kFlags); }
    Time start(std::size_t place) const { return difference(ends_[place], lengths_[place]); }

    void push_back(const Emission& emission) {
        slots_.push_back(emission.slot);
        about_.push_back(std::int64_t{emission.window} << kFlags | (emission.by_event ? kByEvent : 0) |
                         (emission.retracted ? kRetracted : 0) | (emission.missing ? kMissing : 0));
        ends_.push_back(emission.end);
        // Most windows are of one length.
        lengths_.push_back(difference(emission.end, emission.start));
        numbers_.push_back(emission.number);
        revisions_.push_back(emission.revision);
    }
    void reserve(std::size_t size) {
        for (SteppedColumn* const column : all()) column->reserve(size);
    }
    //! The last ones go.
    void truncate(std::size_t size) {
        for (SteppedColumn* const column : all()) column->truncate(size);
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
