//! Windows of very many keys over a record whose size is known at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "window/kernel.hpp"
#include "sash/operator/keyed.hpp"
#include "sash/monoids/record/event.hpp"

namespace sash::face {

//! The answers of one part of one window, an event each: a word, and what it is.
struct AnswerColumn {
    enum class Tag : std::uint8_t { none, integer, real };

    std::vector<std::int64_t> words;
    std::vector<Tag> tags;
};

//! Rows of a batch: fields of `width` columns one behind the other.
struct Rows {
    std::span<const std::uint32_t> slots;
    std::span<const Time> ticks;
    std::span<const Field> fields;
    std::size_t width;
};

class KeyedKernel {
public:
    virtual ~KeyedKernel() = default;

    //! Takes the events that are not late; answers[window * parts + part] gets one answer for each of them. Where a
    //! result is an error, everything is as it was.
    virtual void extend(const Rows& rows, std::span<AnswerColumn> answers) = 0;
    //! Takes the events in, late or not, and answers none. What a throw leaves behind is of no use.
    virtual void insert(const Rows& rows) = 0;
    //! answers[window * parts + part] gets one answer for each slot and tick: that of the window that ends there.
    virtual void answer(std::span<const std::uint32_t> slots, std::span<const Time> ticks,
                        std::span<AnswerColumn> answers) const = 0;
    //! Drops what no window after the watermark can hold, and the keys that have nothing left.
    virtual void trim(const std::function<void(std::uint32_t)>& drop) = 0;
    //! The answers of a key's windows that end at a time, and whether an event is in each.
    virtual std::vector<std::pair<std::vector<Outcome>, bool>> ask(std::uint32_t slot, Time time) const = 0;
    virtual void sweep(const std::function<void(std::uint32_t)>& drop) = 0;
    virtual bool live(std::uint32_t slot) const = 0;
    virtual EventClock& clock() = 0;
    virtual std::size_t bytes() const = 0;
    //! How far sums of integers may have come; see Group::reach.
    virtual double reach() const = 0;
    virtual void set_reach(double reach) = 0;
    virtual void save(std::uint32_t slot, Writer& writer) const = 0;
    virtual void restore(std::uint32_t slot, Reader& reader) = 0;
    //! The same windows, in another layout or at other times.
    virtual std::unique_ptr<KeyedKernel> with_layout(const LayoutPtr& layout, const std::vector<bool>& wide) const = 0;
    virtual std::unique_ptr<KeyedKernel> with_times(const LayoutPtr& layout, const KeyedOptions& options,
                                                    Time (*map)(Time)) const = 0;
};

std::unique_ptr<KeyedKernel> make_keyed(const LayoutPtr& layout, const KeyedOptions& options);

}  // namespace sash::face
