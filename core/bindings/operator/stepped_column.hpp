//! A column of integers that often needs no room.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sash::face {

//! While each value is as far from the one before as the second is from the first, the first and the step say it all:
//! so it is for the window, the revision and the number of an event. Fresh pages are a good part of what a long batch
//! costs.
class SteppedColumn {
public:
    SteppedColumn() = default;
    //! So many zeros.
    explicit SteppedColumn(std::size_t size) : size_(size) {}

    std::size_t size() const { return size_; }
    std::int64_t operator[](std::size_t place) const {
        return stepping_ ? static_cast<std::int64_t>(first_ + step_ * place) : values_[place];
    }

    void push_back(std::int64_t value) {
        if (!stepping_) {
            values_.push_back(value);
        } else if (static_cast<std::uint64_t>(value) == next_ && size_ != 0) {
            next_ += step_;
        } else {
            push_other(value);
        }
        ++size_;
    }
    void set(std::size_t place, std::int64_t value) {
        if ((*this)[place] == value) return;
        write_out();
        values_[place] = value;
    }

    //! For so many, should they need any room.
    void reserve(std::size_t size) { expected_ = size; }
    //! The last ones go.
    void truncate(std::size_t size) {
        write_out();
        values_.resize(size);
        size_ = size;
    }

private:
    //! The first two say what the step is.
    [[gnu::noinline]] void push_other(std::int64_t value) {
        const auto word = static_cast<std::uint64_t>(value);
        if (size_ > 1) {
            write_out();
            return values_.push_back(value);
        }
        step_ = size_ == 0 ? 0 : word - first_;
        if (size_ == 0) first_ = word;
        next_ = word + step_;
    }

    [[gnu::noinline]] void write_out() {
        if (!stepping_) return;
        std::vector<std::int64_t> values;
        values.reserve(std::max(expected_, size_ + 1));
        for (std::size_t place = 0; place < size_; ++place) values.push_back((*this)[place]);
        values_.swap(values);
        stepping_ = false;
    }

    //! Steps wrap around, as the difference of any two integers does.
    std::uint64_t first_ = 0;
    std::uint64_t step_ = 0;
    std::uint64_t next_ = 0;
    std::size_t size_ = 0;
    std::size_t expected_ = 0;
    //! Nothing in it while values step.
    std::vector<std::int64_t> values_;
    bool stepping_ = true;
};

}  // namespace sash::face
