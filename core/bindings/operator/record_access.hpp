//! A record, and one with members in Python, as the partials of an operator use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "monoids/mixed_front.hpp"
#include "operator/partials.hpp"
#include "operator/running_ranges.hpp"
#include "sash/monoids/record.hpp"

namespace sash::face {

template <class Storage>
const Layout& layout_of(const Record<Storage>& record) {
    return record.layout();
}
inline const Layout& layout_of(const Mixed& mixed) {
    return mixed.record().layout();
}

template <class Storage>
const Word* words_of(const Storage& partial) {
    return partial.data();
}
inline const Word* words_of(const Mixed::Partial& partial) {
    return partial.words.data();
}

template <class Storage>
std::vector<Object> objects_of(const Storage&) {
    return {};
}
inline const std::vector<Object>& objects_of(const Mixed::Partial& partial) {
    return partial.objects;
}

template <class Storage>
Storage converted(const Record<Storage>& record, const Word* words, const std::vector<Object>&, const Layout& from,
                  std::span<const Form> forms) {
    return record.converted(forms, words, from);
}
inline Mixed::Partial converted(const Mixed& mixed, const Word* words, const std::vector<Object>& objects,
                                const Layout& from, std::span<const Form> forms) {
    return {mixed.record().converted(forms, words, from), objects};
}

template <class Storage>
bool lift_into(const Record<Storage>& record, const IncomingValue& value, Storage& out) {
    return record.layout().lift({value.ticks, value.fields}, out.data());
}
inline bool lift_into(const Mixed& mixed, const IncomingValue& value, Mixed::Partial& out) {
    bool taken = layout_of(mixed).lift({value.ticks, value.fields}, out.words.data());
    for (std::size_t i = 0; i < value.members.size(); ++i) {
        PyObject* const given = value.members[i];
        out.objects[i] = given == nullptr ? Object() : mixed.members()[i].lift(given, value.time);
        taken |= given != nullptr;
    }
    return taken;
}

//! Combines the words of what it is shown, oldest first; see fiba::Combiner.
struct WordCombiner {
    static constexpr bool combines = true;
    const Record<std::vector<Word>>& record;
    std::vector<Word>& total;

    void add(const Mixed::Partial& partial, std::uint64_t) { record.append(total, partial.words); }
    void add_run(const Mixed::Partial* first, const Mixed::Partial* last) {
        for (; first != last; ++first) add(*first, 1);
    }
    void add_children(const fiba::Inner<Mixed::Partial>& node, std::uint32_t from, std::uint32_t to) {
        node.for_each_run(from, to, [&](const auto* first, const auto* last) { add_run(first, last); });
    }
};

template <class M>
using RunningOf = typename RunningRanges<M>::Running;

template <class Storage>
Object member_of(const Record<Storage>&, const Storage&, std::size_t, const RunningOf<Record<Storage>>*) {
    return {};
}
inline Object member_of(const Mixed& mixed, const Mixed::Partial& partial, std::size_t position,
                        const Mixed::Running* all) {
    return mixed.lower_member(position, partial, all);
}

}  // namespace sash::face
