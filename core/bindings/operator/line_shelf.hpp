//! The partials of the lines of an operator, over a record whose size is known at run time, and the results told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "window/kernel.hpp"
#include "operator/keyed_kernel.hpp"
#include "sash/operator/partials.hpp"
#include "sash/snapshot.hpp"

namespace sash::face {

//! One part of an answer: a word, and what it is.
struct AnswerCell {
    AnswerColumn::Tag tag = AnswerColumn::Tag::none;
    std::int64_t word = 0;
};

//! What was told, a column each; one answer column a part.
struct ToldColumns {
    std::vector<lines::Slot> slots;
    std::vector<std::int64_t> windows, starts, ends, ticks, numbers, revisions;
    //! Whether the window has too few values; the answers stand for nothing then.
    std::vector<std::uint8_t> missing;
    std::vector<AnswerColumn> answers;

    void put(const lines::Said& said, bool is_missing);
};

//! How answers are compared.
struct Comparison {
    //! What a part that says nothing stands for, a part each.
    std::vector<AnswerCell> empties;
    //! An answer is a record of its parts; Python compares those item by item, and a NaN is no other NaN there.
    bool composite = false;
};

//! The engine knows this, and nothing of the record's size. An answer with no cells is one that is missing.
class LineShelf {
public:
    using Answer = std::vector<AnswerCell>;

    virtual ~LineShelf() = default;

    // For the lines; see lines::Partials and lines::StoredPartials.
    virtual void open(lines::LineId line) = 0;
    virtual void close(lines::LineId line) = 0;
    virtual void insert(lines::LineId line, Time label) = 0;
    virtual void take_back(lines::LineId line, Time label) = 0;
    virtual void evict(lines::LineId line, Time label) = 0;
    virtual void relabel(lines::LineId line, std::span<const Time> from, std::span<const Time> to) = 0;
    virtual void tell(const lines::Said& said, const lines::Question& question) = 0;
    virtual Answer answer(const lines::Question& question) const = 0;
    virtual void save(lines::LineId line, Writer& writer) const = 0;
    virtual void restore(lines::LineId line, std::span<const Time> labels, Reader& reader) = 0;

    void tell(const lines::Said& said, const Answer& answer);
    bool same(const Answer& one, const Answer& other) const;
    void write(Writer& writer, const Answer& answer) const;
    Answer read(Reader& reader) const;

    // For the kernel.
    //! Reads the event that is to be taken in; whether it has a value.
    virtual bool lift(const Event& event) = 0;
    //! How much closer the batch may bring its results to an error; see Group::reach.
    virtual double reach_of(const Rows& rows) const = 0;
    //! Whether inserts may have to be taken back, and are refused where the whole of a line has no result any more.
    virtual void begin(bool careful, ToldColumns* told) = 0;
    virtual std::size_t parts() const = 0;
    virtual std::size_t bytes() const = 0;
    //! The same lines, in another layout or at other times.
    virtual std::unique_ptr<LineShelf> with_layout(const LayoutPtr& layout, const std::vector<bool>& wide) const = 0;
    virtual std::unique_ptr<LineShelf> with_times(const LayoutPtr& layout, bool labels_too,
                                                  Time (*map)(Time)) const = 0;

protected:
    explicit LineShelf(Comparison comparison) : comparison_(std::move(comparison)) {}

    Comparison comparison_;
    ToldColumns* told_ = nullptr;
};

std::unique_ptr<LineShelf> make_shelf(const LayoutPtr& layout, const Comparison& comparison);

}  // namespace sash::face
