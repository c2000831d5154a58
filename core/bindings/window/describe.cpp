//! A window's structure as Python sees it.
#include <nanobind/nanobind.h>

#include <functional>
#include <utility>
#include <vector>

#include "window/face.hpp"
#include "window/operation.hpp"

namespace sash::face {

namespace {

//! Tuples in lists: ("node", kind, items), ("entry", time, value), ("aggregate", name, first, last, value),
//! ("pointer", name) and ("omitted", entries). A value is a tuple of one, or an empty one where there is none.
class Lists final : public Description {
public:
    using Lower = std::function<nb::object(const Result&)>;

    Lists(bool brief, const Clock& clock, Lower lower) : brief_(brief), clock_(clock), lower_(std::move(lower)) {}

    nb::list root() const { return open_.front(); }
    bool brief() const override { return brief_; }
    void begin(const char* kind) override {
        nb::list items;
        open_.back().append(nb::make_tuple("node", kind, items));
        open_.push_back(std::move(items));
    }
    void end() override { open_.pop_back(); }
    void pointer(const char* name) override { open_.back().append(nb::make_tuple("pointer", name)); }
    void omit(std::size_t entries) override { open_.back().append(nb::make_tuple("omitted", entries)); }
    void entry(Time time, const Result* own) override {
        open_.back().append(nb::make_tuple("entry", clock_.decode(time), value(own)));
    }
    void aggregate(const char* name, Time first, Time last, const Result* result) override {
        open_.back().append(
            nb::make_tuple("aggregate", name, clock_.decode(first), clock_.decode(last), value(result)));
    }

private:
    nb::tuple value(const Result* result) const {
        if (result == nullptr) return nb::make_tuple();
        try {
            return nb::make_tuple(lower_(*result));
        } catch (const nb::python_error&) {
            // A part of a record does not fit, or a method of a user's own fails.
            return nb::make_tuple();
        }
    }

    bool brief_;
    const Clock& clock_;
    Lower lower_;
    //! The nodes that are open, the outermost first.
    std::vector<nb::list> open_{nb::list()};
};

}  // namespace

nb::list Window::describe(bool brief) const {
    return checked([&] {
        Lists lists(brief, clock_, [this](const Result& result) { return lowered(result); });
        kernel_->describe(lists);
        return lists.root();
    });
}

}  // namespace sash::face
