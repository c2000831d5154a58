//! Monoids of one type side by side: the parts of a record that are combined by one loop.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "sash/codec.hpp"
#include "sash/monoid.hpp"
#include "sash/monoids/delta.hpp"
#include "sash/monoids/forms.hpp"
#include "sash/monoids/record/event.hpp"
#include "sash/monoids/record/several.hpp"

namespace sash {

//! A monoid whose partials hold times that came with the values.
template <class M>
concept Timed = requires { requires M::timed; };

//! The parts of a record that have one monoid type, one behind the other. A pointer to words is to those of the first
//! part. `out` may be `older` or `newer`.
class Group {
public:
    using TimeMap = std::function<Time(Time)>;

    Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    virtual ~Group() = default;

    //! The number of parts, and the words of each.
    virtual std::size_t size() const = 0;
    virtual std::size_t width() const = 0;
    virtual void identity(Word* out) const = 0;
    //! The parts of an event, each the identity where it reads a null; whether any part took it.
    virtual bool lift(const Event& event, Word* out) const = 0;
    virtual void combine(const Word* older, const Word* newer, Word* out) const = 0;
    //! Called only where every part has one.
    virtual void inverse(const Word* whole, const Word* older, Word* out) const = 0;
    virtual PartResult lower(std::size_t part, const Word* words) const = 0;
    //! The result of each part, at its place in `out`. One call for all of them: one that the machine cannot foresee
    //! costs more than a result.
    virtual void lower(const Word* words, std::span<const std::size_t> places, std::vector<PartResult>& out) const = 0;
    //! Whether parts mark partials that a function of the user failed to make, and whether one is: its result is an
    //! error then.
    virtual bool marks_failures() const = 0;
    virtual bool failed(const Word* words) const = 0;
    //! Whether lifting, combining or lowering may ever fail.
    virtual bool can_fail() const = 0;
    //! By how much events, or a partial, may bring its parts closer to an error: nothing fails, and 64 bits are enough,
    //! as long as the reaches of all that is there add up to less than kNarrowReach. Infinite for an event that is
    //! refused, and where nothing is known. The fields of the events lie one behind the other, `width` each.
    virtual double reach(std::span<const Field> rows, std::size_t width) const = 0;
    virtual double reach(const Word* words) const = 0;
    virtual void write(Writer& writer, const Word* words) const = 0;
    virtual void read(Reader& reader, Word* out) const = 0;
    //! Maps every time that the parts keep.
    virtual void retime(Word* words, const TimeMap& map) const = 0;
    //! The part in another form, in the words of that form.
    virtual void convert(std::size_t part, const Word* words, Form form, Word* out) const = 0;
    //! Which kinds of numbers the part holds, where it is over both.
    virtual Kinds kinds(std::size_t part, const Word* words) const = 0;
};

//! The columns that a part reads; the second is the first where it reads one.
using Columns = std::array<std::uint16_t, 2>;

//! Whether a partial has a result. A sum's identity has one, the sum of nothing.
template <class M>
bool has_result(const M& monoid, const typename M::Partial& partial) {
    constexpr bool counts = requires { partial.count; } && std::same_as<typename M::Output, std::int64_t>;
    return counts || holds_any(monoid, partial);
}

template <class M>
PartResult part_result_of(const M& monoid, const typename M::Partial& partial) {
    if (!has_result(monoid, partial)) return {};
    if constexpr (requires { result_of_parts(monoid, monoid.lower(partial)); }) {
        return result_of_parts(monoid, monoid.lower(partial));
    } else if constexpr (std::same_as<typename M::Output, Number>) {
        return std::visit([](auto number) { return PartResult(number); }, monoid.lower(partial));
    } else {
        return monoid.lower(partial);
    }
}

template <class M>
class GroupOf final : public Group {
public:
    using Partial = typename M::Partial;
    static_assert(std::is_trivially_copyable_v<Partial> && sizeof(Partial) % sizeof(Word) == 0);
    static constexpr std::size_t kWidth = sizeof(Partial) / sizeof(Word);

    void add(M monoid, Columns columns) { parts_.push_back({std::move(monoid), columns}); }

    std::size_t size() const override { return parts_.size(); }
    std::size_t width() const override { return kWidth; }

    void identity(Word* out) const override {
        for (const Part& part : parts_) out = put(out, part.monoid.identity());
    }

    bool lift(const Event& event, Word* out) const override {
        bool taken = false;
        for (const Part& part : parts_) {
            taken |= lift_one(part, event, out);
            out += kWidth;
        }
        return taken;
    }

    void combine(const Word* older, const Word* newer, Word* out) const override {
        for (std::size_t i = 0; i < parts_.size(); ++i, older += kWidth, newer += kWidth)
            out = put(out, parts_[i].monoid.combine(get(older), get(newer)));
    }

    void inverse(const Word* whole, const Word* older, Word* out) const override {
        if constexpr (Invertible<M>) {
            for (std::size_t i = 0; i < parts_.size(); ++i, whole += kWidth, older += kWidth)
                out = put(out, parts_[i].monoid.inverse(get(whole), get(older)));
        } else {
            throw std::logic_error("a part of the record has no inverse");
        }
    }

    PartResult lower(std::size_t part, const Word* words) const override {
        return part_result_of(parts_[part].monoid, get(words));
    }
    void lower(const Word* words, std::span<const std::size_t> places, std::vector<PartResult>& out) const override {
        for (std::size_t i = 0; i < parts_.size(); ++i, words += kWidth)
            out[places[i]] = part_result_of(parts_[i].monoid, get(words));
    }

    bool marks_failures() const override { return false; }
    bool failed(const Word*) const override { return false; }

    bool can_fail() const override { return kAdds || kMultiplies || kSubtracts || kRefuses || kNeutral; }
    double reach(std::span<const Field> rows, std::size_t width) const override {
        double reach = 0.0;
        if (can_fail())
            for (const Part& part : parts_)
                for (std::size_t at = 0; at < rows.size(); at += width) reach += reach_of(part, &rows[at]);
        return reach;
    }
    double reach(const Word* words) const override {
        double reach = 0.0;
        if (can_fail())
            for (const Part& part : parts_) {
                reach += reach_of(part.monoid, get(words));
                words += kWidth;
            }
        return reach;
    }

    void write(Writer& writer, const Word* words) const override {
        for (std::size_t i = 0; i < parts_.size(); ++i, words += kWidth)
            Codec<M>::write(writer, parts_[i].monoid, get(words));
    }
    void read(Reader& reader, Word* out) const override {
        for (const Part& part : parts_) out = put(out, Codec<M>::read(reader, part.monoid));
    }

    void retime(Word* words, const TimeMap& map) const override {
        if constexpr (Timed<M>) {
            for (const Part& part : parts_) {
                Partial partial = get(words);
                part.monoid.retime(partial, std::cref(map));
                words = put(words, partial);
            }
        }
    }

    void convert(std::size_t part, const Word* words, Form form, Word* out) const override {
        const M& monoid = parts_[part].monoid;
        const auto write = [&](const auto& partial) { std::memcpy(out, &partial, sizeof partial); };
        const Partial partial = get(words);
        if (!reform(monoid, partial, form, [&](const auto&, const auto& other) { write(other); })) write(partial);
    }
    Kinds kinds(std::size_t part, const Word* words) const override {
        if constexpr (OverBoth<M>) {
            return parts_[part].monoid.kinds(get(words));
        } else {
            return {};
        }
    }

private:
    struct Part {
        [[no_unique_address]] M monoid;
        Columns columns;
    };

    static constexpr double kUnknown = std::numeric_limits<double>::infinity();
    //! Its result is the difference of two values.
    static constexpr bool kSubtracts = std::same_as<M, Range> || std::same_as<M, Delta>;
    //! It takes some values only.
    static constexpr bool kRefuses =
        requires(const M& monoid, const typename M::Input& input) { monoid.refuses(input); };
    static constexpr bool kAdds = std::same_as<M, SumInt> || std::same_as<M, SumWide>;
    static constexpr bool kMultiplies = std::same_as<M, ProductInt>;
    //! One cell stands for nothing, or would in 64 bits.
    static constexpr bool kNeutral = std::derived_from<M, Max> || std::same_as<M, MarkedExtremes>;

    static double reach_of(const Part& part, const Field* fields) {
        const Field& first = fields[part.columns[0]];
        const Field& second = fields[part.columns[1]];
        if (!first.present || !second.present) return 0.0;
        if constexpr (kSubtracts) {
            if (part.monoid.kind == NumberKind::real) return 0.0;
        }
        if constexpr (kAdds || kSubtracts) {
            return sash::reach_of(first.cell);
        } else if constexpr (kRefuses) {
            return part.monoid.refuses(input_of(first, second)) ? kUnknown : 0.0;
        } else if constexpr (std::derived_from<M, Max>) {
            return part.monoid.lift(first.cell) == part.monoid.identity() ? kUnknown : 0.0;
        } else if constexpr (kMultiplies || kNeutral) {
            return reach_of(part.monoid, part.monoid.lift(first.cell));
        } else {
            return 0.0;
        }
    }

    static double reach_of(const M& monoid, const Partial& partial) {
        if constexpr (kAdds) {
            return monoid.reach(partial);
        } else if constexpr (kMultiplies) {
            return partial.size > 1 ? kUnknown : 0.0;
        } else if constexpr (std::same_as<M, MarkedExtremes>) {
            return partial.present != 0 && partial.cell == Max{}.identity() ? kUnknown : 0.0;
        } else if constexpr (kSubtracts) {
            if (monoid.kind == NumberKind::real || !has_result(monoid, partial)) return 0.0;
            const auto [one, other] = ends_of(partial);
            return sash::reach_of(one) + sash::reach_of(other);
        } else {
            return 0.0;
        }
    }
    static std::pair<Cell, Cell> ends_of(const Range::Partial& partial) { return {partial.least, partial.greatest}; }
    static std::pair<Cell, Cell> ends_of(const Delta::Partial& partial) { return {partial.first, partial.last}; }

    static Partial get(const Word* words) {
        Partial partial;
        std::memcpy(&partial, words, sizeof partial);
        return partial;
    }
    static Word* put(Word* out, const Partial& partial) {
        std::memcpy(out, &partial, sizeof partial);
        return out + kWidth;
    }

    //! False, and the identity, where it reads a null.
    static bool lift_one(const Part& part, const Event& event, Word* out) {
        const auto& [monoid, columns] = part;
        const Field& first = event.fields[columns[0]];
        const Field& second = event.fields[columns[1]];
        const bool present = first.present && second.present;
        put(out, present ? lifted(monoid, event.time, first, second) : monoid.identity());
        return present;
    }

    static typename M::Input input_of(const Field& first, const Field& second) {
        if constexpr (OverBoth<M>) {
            return {number_of<decltype(M::Input::number)>(first, second), first.whole};
        } else {
            return number_of<typename M::Input>(first, second);
        }
    }

    template <class Input>
    static Input number_of(const Field& first, const Field& second) {
        if constexpr (std::same_as<Input, double>) {
            return first.real;
        } else if constexpr (std::same_as<Input, std::pair<double, double>>) {
            return {first.real, second.real};
        } else if constexpr (std::same_as<Input, std::pair<Cell, Cell>>) {
            return {first.cell, second.cell};
        } else {
            return static_cast<Input>(first.cell);
        }
    }

    static Partial lifted(const M& monoid, Time time, const Field& first, const Field& second) {
        if constexpr (Timed<M>) {
            return monoid.lift(time, input_of(first, second));
        } else {
            return monoid.lift(input_of(first, second));
        }
    }

    std::vector<Part> parts_;
};

}  // namespace sash
