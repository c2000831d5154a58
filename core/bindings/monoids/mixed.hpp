//! A record some of whose members are written in Python: their partials are objects beside the words of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
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
    //! Those of the members that defer, beside the words of the others.
    class Running {
    public:
        explicit Running(const Mixed& mixed) : members_(mixed.members().size()) {
            for (std::size_t i = 0; i < members_.size(); ++i)
                if (mixed.members()[i].defers()) members_[i] = mixed.members()[i].running();
        }
        void add(const Partial& partial) {
            for (std::size_t i = 0; i < members_.size(); ++i)
                if (members_[i] && partial.objects[i]) members_[i]->add(partial.objects[i]);
        }
        void remove(const Partial& partial) {
            for (std::size_t i = 0; i < members_.size(); ++i)
                if (members_[i] && partial.objects[i]) members_[i]->remove(partial.objects[i]);
        }
        void visit_references(const ReferenceVisitor& visitor) const {
            for (const std::optional<PythonRunning>& member : members_)
                if (member) member->visit_references(visitor);
        }
        //! Nothing for a member that does not defer.
        const std::optional<PythonRunning>& member(std::size_t i) const { return members_[i]; }

    private:
        std::vector<std::optional<PythonRunning>> members_;
    };
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;

    Mixed(LayoutPtr layout, std::shared_ptr<const Members> members)
        : record_(std::move(layout)), members_(std::move(members)) {}

    const Record<Words>& record() const { return record_; }
    const Members& members() const { return *members_; }
    Mixed over(LayoutPtr layout) const { return {std::move(layout), members_}; }

    bool defers() const {
        return std::any_of(members_->begin(), members_->end(), [](const PythonMonoid& one) { return one.defers(); });
    }
    Running running() const { return Running(*this); }

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

    //! In place where that is safe: what may fail comes first, and `older` is what it was until then.
    void append(Partial& older, const Partial& newer) const {
        if (members_->size() != 1) {
            older = combine(older, newer);
            return;
        }
        Object& own = older.objects[0];
        const Object& other = newer.objects[0];
        if (other) own = own ? (*members_)[0].combine(own, other) : other;
        record_.append(older.words, newer.words);
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

    RecordResult lower(const Partial& partial) const { return lower(partial, nullptr); }
    RecordResult lower(const Partial& partial, const Running& all) const { return lower(partial, &all); }
    //! What a member gives, by its running form where there is one.
    Object lower_member(std::size_t i, const Partial& partial, const Running* all) const {
        if (!partial.objects[i]) return {};
        return all != nullptr && all->member(i) ? all->member(i)->result(partial.objects[i])
                                                : (*members_)[i].lower(partial.objects[i]);
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
    RecordResult lower(const Partial& partial, const Running* all) const {
        RecordResult result{record_.lower(partial.words), {}};
        for (std::size_t i = 0; i < members_->size(); ++i) result.members.push_back(lower_member(i, partial, all));
        return result;
    }

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
