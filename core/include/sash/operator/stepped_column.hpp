//! A column of integers that often needs no room.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace sash {

//! While each value is as far from the one before as the second is from the first, the first and the step say it all:
//! so it is for the window, the revision and the number of an event. Fresh pages are a good part of what a long batch
//! costs. Whoever keeps the column knows how many values there are.
class SteppedColumn {
public:
    std::int64_t operator[](std::size_t place) const {
        return state_ == State::written ? values_[place] : static_cast<std::int64_t>(first_ + step_ * place);
    }

    //! A value behind all that are there. In place: results have six columns of these and more.
    [[gnu::always_inline]] void push_back(std::size_t size, std::int64_t value) {
        if (state_ == State::stepping && static_cast<std::uint64_t>(value) == next_) {
            next_ += step_;
        } else if (state_ == State::written && size != room_) {
            values_[size] = value;
        } else {
            push_other(size, value);
        }
    }
    //! One of those that are there.
    void set(std::size_t size, std::size_t place, std::int64_t value) {
        if ((*this)[place] == value) return;
        if (state_ != State::written) write_out(size, size);
        values_[place] = value;
    }
    //! So many values will come; they may need no room.
    void reserve(std::size_t size) { expected_ = size; }
    //! Only so many are left.
    void truncate(std::size_t size) {
        if (state_ != State::written) write_out(size, size);
    }

private:
    //! The first two values say what the step is; before that it is none.
    enum class State : std::uint8_t { fresh, stepping, written };

    [[gnu::noinline]] void push_other(std::size_t size, std::int64_t value) {
        const auto word = static_cast<std::uint64_t>(value);
        if (size > 1 || state_ == State::written) {
            write_out(size, std::max(expected_, 2 * size + 1));
            values_[size] = value;
            return;
        }
        if (size == 0) first_ = word;
        if (size == 1) state_ = State::stepping;
        step_ = word - first_;
        next_ = word + step_;
    }

    //! The values that are there, with room for so many.
    [[gnu::noinline]] void write_out(std::size_t size, std::size_t room) {
        auto values = std::make_unique_for_overwrite<std::int64_t[]>(room);
        for (std::size_t place = 0; place < size; ++place) values[place] = (*this)[place];
        values_ = std::move(values);
        room_ = room;
        state_ = State::written;
    }

    //! Steps wrap around, as the difference of any two integers does.
    std::uint64_t first_ = 0;
    std::uint64_t step_ = 0;
    std::uint64_t next_ = 0;
    std::unique_ptr<std::int64_t[]> values_;
    std::size_t room_ = 0;
    std::size_t expected_ = 0;
    State state_ = State::fresh;
};

}  // namespace sash
