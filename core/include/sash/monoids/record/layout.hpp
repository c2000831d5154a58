//! Which words of a record belong to whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sash/monoids/record/group.hpp"

namespace sash {

//! The parts of a record, those of one monoid type side by side, whatever the order in which they were added. Parts are
//! known by the order in which they were added.
class Layout {
public:
    //! Adds a part. Nothing is added once a record has been made.
    template <class M>
    void add(M monoid, Columns columns) {
        for (Run& run : runs_) {
            auto* const group = dynamic_cast<GroupOf<M>*>(run.group.get());
            if (group == nullptr) continue;
            group->add(std::move(monoid), columns);
            return place(run);
        }
        auto group = std::make_unique<GroupOf<M>>();
        group->add(std::move(monoid), columns);
        add(std::move(group));
    }

    //! Adds the one part of a group of its own.
    void add(std::unique_ptr<Group> group) {
        runs_.push_back({std::move(group), 0});
        place(runs_.back());
    }

    struct Run {
        std::unique_ptr<Group> group;
        //! Its first word.
        std::size_t begin;
    };

    const std::vector<Run>& runs() const { return runs_; }
    std::size_t parts() const { return places_.size(); }
    std::size_t words() const { return words_; }
    bool marks_failures() const { return marks_failures_; }
    bool may_fail() const { return may_fail_; }

    void identity(Word* out) const {
        for (const Run& run : runs_) run.group->identity(out + run.begin);
    }

    //! See Group::reach.
    double reach(std::span<const Field> rows, std::size_t width) const {
        double reach = 0.0;
        if (may_fail_)
            for (const Run& run : runs_) reach += run.group->reach(rows, width);
        return reach;
    }
    double reach(const Event& event) const { return reach(event.fields, event.fields.size()); }
    double reach(const Word* words) const {
        double reach = 0.0;
        for (const Run& run : runs_) reach += run.group->reach(words + run.begin);
        return reach;
    }

    //! Whether any part took the event.
    bool lift(const Event& event, Word* out) const {
        if (only_ != nullptr) return only_->lift(event, out);
        bool taken = false;
        for (const Run& run : runs_) taken |= run.group->lift(event, out + run.begin);
        return taken;
    }

    void combine(const Word* older, const Word* newer, Word* out) const {
        if (only_ != nullptr) return only_->combine(older, newer, out);
        combine_runs(older, newer, out);
    }

    PartResult lower(std::size_t part, const Word* words) const {
        const Place& place = places_[part];
        return place.group->lower(place.part, words + place.begin);
    }
    //! The results of all parts, in their order.
    std::vector<PartResult> lower(const Word* words) const {
        std::vector<PartResult> results(parts());
        for (std::size_t run = 0; run < runs_.size(); ++run)
            runs_[run].group->lower(words + runs_[run].begin, numbers_[run], results);
        return results;
    }

    Kinds kinds(std::size_t part, const Word* words) const {
        const Place& place = places_[part];
        return place.group->kinds(place.part, words + place.begin);
    }

    //! The first word of a part.
    std::size_t offset(std::size_t part) const { return places_[part].begin; }

    //! The words of a record of this layout as one of a layout of the same parts in other forms, one a part.
    void convert(std::span<const Form> forms, const Word* words, const Layout& to, Word* out) const {
        for (std::size_t part = 0; part < parts(); ++part) {
            const Place& place = places_[part];
            place.group->convert(place.part, words + place.begin, forms[part], out + to.offset(part));
        }
    }

private:
    //! Where a part is: its group, which one it is there, and its first word.
    struct Place {
        const Group* group;
        std::size_t part;
        std::size_t begin;
    };

    //! Apart, so that the one call of most records is made in place.
    [[gnu::noinline]] void combine_runs(const Word* older, const Word* newer, Word* out) const {
        for (const Run& run : runs_) run.group->combine(older + run.begin, newer + run.begin, out + run.begin);
    }

    //! Gives the newest part of a run its place, and all of them their first word anew.
    void place(const Run& grown) {
        const auto run = static_cast<std::size_t>(&grown - runs_.data());
        numbers_.resize(runs_.size());
        numbers_[run].push_back(places_.size());
        places_.push_back({grown.group.get(), grown.group->size() - 1, 0});
        only_ = runs_.size() == 1 ? grown.group.get() : nullptr;
        words_ = 0;
        marks_failures_ = false;
        may_fail_ = false;
        for (Run& run : runs_) {
            run.begin = words_;
            words_ += run.group->size() * run.group->width();
            marks_failures_ |= run.group->marks_failures();
            may_fail_ |= run.group->can_fail();
        }
        for (std::size_t run = 0; run < runs_.size(); ++run)
            for (const std::size_t number : numbers_[run])
                places_[number].begin = runs_[run].begin + places_[number].part * runs_[run].group->width();
    }

    std::vector<Run> runs_;
    //! The one group of most records; none where there are several.
    const Group* only_ = nullptr;
    std::vector<Place> places_;
    //! Of each run: its parts by the order in which they were added.
    std::vector<std::vector<std::size_t>> numbers_;
    std::size_t words_ = 0;
    bool marks_failures_ = false;
    bool may_fail_ = false;
};

}  // namespace sash
