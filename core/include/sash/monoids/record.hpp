//! Many aggregations over one window: their partials side by side, one structure, one set of times.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/monoid.hpp"
#include "sash/monoids/record/layout.hpp"

namespace sash {

//! The words of a record in place. Those behind the last part are zero.
template <std::size_t N>
using Words = std::array<Word, N>;

//! Calls f with the type of the least storage that holds the words of a layout: in place as long as that pays. Each
//! size is a structure of its own to compile.
template <class F>
void with_storage(const Layout& layout, F f) {
    const auto fits = [&]<std::size_t size>(std::integral_constant<std::size_t, size>) {
        if (layout.words() > size) return false;
        f(std::type_identity<Words<size>>{});
        return true;
    };
    const auto any = [&]<std::size_t... sizes>(std::index_sequence<sizes...>) {
        return (fits(std::integral_constant<std::size_t, sizes>{}) || ...);
    };
    if (!any(std::index_sequence<1, 3, 8, 16>())) f(std::type_identity<std::vector<Word>>{});
}

//! A monoid that is made of others at run time. `Storage` is what its words lie in: Words<N> for at most N of them, or
//! std::vector<Word> for any number.
template <class Storage>
class Record {
public:
    using Input = Event;
    using Partial = Storage;
    using Output = std::vector<PartResult>;
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;
    //! Its parts may be reals.
    static constexpr bool rounded = true;

    explicit Record(std::shared_ptr<const Layout> layout) : layout_(std::move(layout)), identity_(blank()) {
        layout_->identity(identity_.data());
    }

    const Layout& layout() const { return *layout_; }
    //! The same record in another layout.
    Record over(std::shared_ptr<const Layout> layout) const { return Record(std::move(layout)); }
    const Partial& identity() const { return identity_; }

    Partial lift(const Event& event) const {
        Partial partial;
        make_room(partial);
        layout_->lift(event, partial.data());
        return partial;
    }
    //! Written where it is wanted: a wide partial is not copied about.
    Partial combine(const Partial& older, const Partial& newer) const {
        Partial both;
        make_room(both);
        layout_->combine(older.data(), newer.data(), both.data());
        return both;
    }
    Partial combine(Partial&& older, const Partial& newer) const {
        if constexpr (kInPlace) return combine(std::as_const(older), newer);
        append(older, newer);
        return std::move(older);
    }
    void append(Partial& older, const Partial& newer) const {
        layout_->combine(older.data(), newer.data(), older.data());
    }
    void prepend(const Partial& older, Partial& newer) const {
        layout_->combine(older.data(), newer.data(), newer.data());
    }
    //! Called only where every part has one.
    Partial inverse(Partial whole, const Partial& older) const {
        for (const auto& [group, begin] : layout_->runs())
            group->inverse(whole.data() + begin, older.data() + begin, whole.data() + begin);
        return whole;
    }
    Output lower(const Partial& partial) const { return layout_->lower(partial.data()); }

    bool marks_failures() const { return layout_->marks_failures(); }
    bool failed(const Partial& partial) const {
        return std::any_of(layout_->runs().begin(), layout_->runs().end(),
                           [&](const Layout::Run& run) { return run.group->failed(partial.data() + run.begin); });
    }

    template <class Map>
    void retime(Partial& partial, Map map) const {
        for (const auto& [group, begin] : layout_->runs()) group->retime(partial.data() + begin, map);
    }

    //! The words of a record of the same parts in other forms as a partial of this one; see Layout::convert.
    Partial converted(std::span<const Form> forms, const Word* words, const Layout& from) const {
        Partial partial = blank();
        from.convert(forms, words, *layout_, partial.data());
        return partial;
    }
    double reach(const Partial& partial) const { return layout_->reach(partial.data()); }

    Partial blank() const {
        if constexpr (kInPlace) {
            return {};
        } else {
            return Partial(layout_->words());
        }
    }

private:
    static constexpr bool kInPlace = !requires(Partial words) { words.resize(1); };
    //! So much is sooner cleared than looked at.
    static constexpr std::size_t kFewBytes = 3 * sizeof(Word);

    //! Words for all parts, which are to be written; those behind them are zero.
    void make_room(Partial& words) const {
        if constexpr (kInPlace && sizeof(Partial) <= kFewBytes) {
            words.fill(0);
        } else if constexpr (kInPlace) {
            std::fill(words.begin() + static_cast<std::ptrdiff_t>(layout_->words()), words.end(), Word{0});
        } else {
            words.resize(layout_->words());
        }
    }

    std::shared_ptr<const Layout> layout_;
    Partial identity_;
};

//! Run by run, each part by its own codec.
template <class Storage>
struct Codec<Record<Storage>> {
    static void write(Writer& writer, const Record<Storage>& record, const Storage& partial) {
        for (const auto& [group, begin] : record.layout().runs()) group->write(writer, partial.data() + begin);
    }
    static Storage read(Reader& reader, const Record<Storage>& record) {
        Storage partial = record.blank();
        for (const auto& [group, begin] : record.layout().runs()) group->read(reader, partial.data() + begin);
        return partial;
    }
};

}  // namespace sash
