//! A record some of whose members are written in Python: their partials are objects beside the words of the others.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "monoids/python_monoid.hpp"
#include "monoids/record_front.hpp"

namespace sash::face {

class Mixed {
public:
    using Words = std::vector<Word>;
    using Members = std::vector<PythonMonoid>;
    struct Partial {
        Words words;
        //! Nothing where a member has passed every event over.
        std::vector<Object> objects;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;

    Mixed(LayoutPtr layout, std::shared_ptr<const Members> members)
        : record_(std::move(layout)), members_(std::move(members)) {}

    const Record<Words>& record() const { return record_; }
    const Members& members() const { return *members_; }
    Mixed over(LayoutPtr layout) const { return {std::move(layout), members_}; }

    Partial identity() const { return {record_.identity(), std::vector<Object>(members_->size())}; }

    Partial lift(Time time, const Value& value) const {
        Partial partial{record_.lift({time, value.row}), {}};
        partial.objects.reserve(members_->size());
        for (std::size_t i = 0; i < members_->size(); ++i) {
            PyObject* const given = value.members[i];
            partial.objects.push_back(given == nullptr ? Object() : (*members_)[i].lift(given, value.time));
        }
        return partial;
    }

    Partial combine(const Partial& older, const Partial& newer) const {
        Partial both{record_.combine(older.words, newer.words), {}};
        both.objects.reserve(members_->size());
        for (std::size_t i = 0; i < members_->size(); ++i) {
            const Object& before = older.objects[i];
            const Object& after = newer.objects[i];
            both.objects.push_back(before && after ? (*members_)[i].combine(before, after) : before ? before : after);
        }
        return both;
    }

    //! Asked for only where every member has one.
    Partial inverse(const Partial& whole, const Partial& older) const {
        Partial rest{record_.inverse(whole.words, older.words), {}};
        for (std::size_t i = 0; i < members_->size(); ++i) {
            const PythonMonoid& member = (*members_)[i];
            const bool both = whole.objects[i] && older.objects[i];
            rest.objects.push_back(both ? member.inverse(whole.objects[i], older.objects[i]) : whole.objects[i]);
        }
        return rest;
    }

    Answers lower(const Partial& partial) const {
        Answers answers{record_.lower(partial.words), {}};
        for (std::size_t i = 0; i < members_->size(); ++i)
            answers.members.push_back(partial.objects[i] ? (*members_)[i].lower(partial.objects[i]) : Object());
        return answers;
    }

    bool marks_failures() const { return record_.marks_failures(); }
    bool failed(const Partial& partial) const { return record_.failed(partial.words); }

    template <class Map>
    void retime(Partial& partial, Map map) const {
        record_.retime(partial.words, map);
    }
    Partial converted(std::span<const Form> forms, const Partial& partial, const Mixed& from) const {
        return {record_.converted(forms, partial.words.data(), from.record_.layout()), partial.objects};
    }
    double reach(const Partial& partial) const { return record_.reach(partial.words); }

    void visit_references(const ReferenceVisitor& visitor) const {
        for (const PythonMonoid& member : *members_) member.visit_references(visitor);
    }
    static void visit_references(const Partial& partial, const ReferenceVisitor& visitor) {
        for (const Object& object : partial.objects) visitor(object.get());
    }

private:
    Record<Words> record_;
    std::shared_ptr<const Members> members_;
};

inline Mixed::Partial lift(const Mixed& monoid, Time time, const Value& value) {
    return monoid.lift(time, value);
}
inline Result lower(const Mixed& monoid, const Mixed::Partial& partial) {
    return monoid.lower(partial);
}

}  // namespace sash::face
