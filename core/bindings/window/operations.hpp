//! A monoid that is known at run time only: everything that a window asks of it, behind one interface.
#pragma once

#include <memory>
#include <typeinfo>
#include <utility>
#include <vector>

#include "window/any_partial.hpp"
#include "window/kernel.hpp"

namespace sash::face {

class Operations;
class MonoidKernel;
using OperationsPtr = std::shared_ptr<const Operations>;

//! All partials of a window in a form from which each can be taken out again.
class RunningTotal {
public:
    virtual ~RunningTotal() = default;
    virtual void add(const AnyPartial& partial) = 0;
    virtual void remove(const AnyPartial& partial) = 0;
    //! The result of all that is in it, of which `total` is the combination.
    virtual Result lower(const AnyPartial& total) const = 0;
    virtual void visit_references(const ReferenceVisitor& visitor) const = 0;
};

class Operations : public std::enable_shared_from_this<Operations> {
public:
    virtual ~Operations() = default;

    virtual AnyPartial identity() const = 0;
    virtual AnyPartial combine(const AnyPartial& older, const AnyPartial& newer) const = 0;
    virtual void append(AnyPartial& older, const AnyPartial& newer) const = 0;
    virtual void prepend(const AnyPartial& older, AnyPartial& newer) const = 0;
    //! A combine may throw for a reason other than lack of memory.
    virtual bool fallible() const = 0;
    virtual AnyPartial inverse(const AnyPartial& whole, const AnyPartial& older) const = 0;
    //! An empty one; nothing where combining is the only way to a result.
    virtual std::unique_ptr<RunningTotal> running() const = 0;
    virtual bool marks_failures() const = 0;
    virtual bool failed(const AnyPartial& partial) const = 0;

    virtual AnyPartial lift(Time time, const Value& value) const = 0;
    virtual Result lower(const AnyPartial& partial) const = 0;
    //! Whether it may be the identity, and has then no result.
    virtual bool is_neutral(const AnyPartial& partial) const = 0;
    virtual void write(Writer& writer, const AnyPartial& partial) const = 0;
    virtual AnyPartial read(Reader& reader) const = 0;
    //! A partial of the same monoid, which another algorithm may keep in another form: a record in place, or not.
    AnyPartial taken(const AnyPartial& partial, const Operations& from) const {
        if (typeid(*this) == typeid(from)) return partial;
        Writer writer;
        from.write(writer, partial);
        Reader reader(writer.bytes());
        return read(reader);
    }

    //! The monoid of the same entries at other times; a record gets the layout for those.
    virtual OperationsPtr at_times(const LayoutPtr& layout) const = 0;
    virtual AnyPartial retimed(const AnyPartial& partial, const Kernel::TimeMap& map) const = 0;
    //! A partial of a record of the same parts in other forms as one of this record. Throws Unsupported for any other
    //! monoid.
    virtual AnyPartial converted(const AnyPartial& partial, const Operations& from,
                                 std::span<const Form> forms) const = 0;
    //! The monoid that continues in another form, and a partial of this one as one of it. Throws Unsupported where
    //! there is none.
    virtual OperationsPtr in_form(Form form) const = 0;
    virtual AnyPartial formed(const AnyPartial& partial, Form form) const = 0;
    //! See Kernel::kinds.
    virtual std::vector<Kinds> kinds(const AnyPartial& partial) const = 0;
    //! See Kernel::reach.
    virtual double reach(const AnyPartial& partial) const = 0;
    virtual double reach_of(Time time, const Value& value) const = 0;
    virtual double reach_of(std::span<const Time> times, const Column& values) const = 0;
    //! Of a record: its layout, and the words of a partial.
    virtual const Layout* layout() const = 0;
    virtual std::span<const Word> words(const AnyPartial& partial) const = 0;
    //! The values that a partial stands for, oldest first. Throws Unsupported where it has them no more.
    virtual std::vector<Value> values_of(const AnyPartial& partial) const = 0;
    //! Shows the Python objects that belong to it, and those of a partial.
    virtual void visit_references(const ReferenceVisitor& visitor) const = 0;
    virtual void visit_references(const AnyPartial& partial, const ReferenceVisitor& visitor) const = 0;

    //! An empty window of it: made for the monoid itself where that pays, else over AnyMonoid.
    virtual std::unique_ptr<MonoidKernel> make(const AlgorithmOptions& options) const = 0;
};

}  // namespace sash::face
