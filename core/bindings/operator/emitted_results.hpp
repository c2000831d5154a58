//! What an operator has emitted, a column each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "monoids/object.hpp"
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

private:
    Tag tag_ = Tag::none;
    std::int64_t word_ = 0;
};

//! One cell of every result.
using ResultColumn = std::vector<ResultCell>;

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

//! In the order in which they were emitted. A result without a value, for want of events, has cells without one.
struct EmittedResults {
    std::vector<Emission> emissions;
    std::vector<ResultColumn> columns;
    //! Where these are kept.
    std::vector<FailedResult> failed = {};
    bool keeps_failures = false;

    std::size_t size() const { return emissions.size(); }
    //! Drops what was written of the last result only in part.
    void drop_unfinished() {
        std::size_t whole = size();
        for (const ResultColumn& column : columns) whole = std::min(whole, column.size());
        emissions.erase(emissions.begin() + static_cast<std::ptrdiff_t>(whole), emissions.end());
        for (ResultColumn& column : columns) column.resize(whole);
    }
    void reserve(std::size_t size) {
        emissions.reserve(size);
        for (ResultColumn& column : columns) column.reserve(size);
    }
};

}  // namespace sash::face
