//! The parts of records by name: the one list to add a fixed-size aggregation to.
#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "monoids/row.hpp"
#include "sash/monoids/comoments.hpp"
#include "sash/monoids/decayed_sum.hpp"
#include "sash/monoids/delta.hpp"
#include "sash/monoids/harmonic_mean.hpp"
#include "sash/monoids/increasing_run.hpp"
#include "sash/monoids/m4.hpp"
#include "sash/monoids/rate.hpp"
#include "sash/monoids/record/compiled.hpp"
#include "sash/monoids/record/layout.hpp"
#include "sash/monoids/reproducible/by_name.hpp"
#include "sash/monoids/row_of.hpp"
#include "sash/monoids/shape.hpp"
#include "sash/monoids/time_weighted_mean.hpp"
#include "sash/monoids/weighted_mean.hpp"

namespace sash::face {

namespace {

struct Making {
    Layout& layout;
    const PartSpec& part;
    //! The numbers of its first column.
    Kind numbers;
    //! Its integers are kept in their full range.
    bool wide;
    TickScale scale;

    const KernelOptions& options() const { return part.options; }
    bool both() const { return numbers == Kind::both; }
    bool real() const { return numbers == Kind::real; }
    NumberKind kind() const { return numbers == Kind::integer ? NumberKind::integer : NumberKind::real; }
    bool is(std::string_view name) const { return part.kernel == name; }

    template <class M>
    void add(M monoid) const {
        layout.add(std::move(monoid), {part.slots.front(), part.slots.back()});
    }
    //! One over the codes of numbers, which are of one kind or of both.
    template <class M>
    void add_of_numbers(M monoid) const {
        if (both()) return add(OfBoth<M>{std::move(monoid)});
        add(std::move(monoid));
    }
};

[[noreturn]] void throw_unknown(const PartSpec& part) {
    throw std::invalid_argument("no part of a record is called " + part.kernel);
}

void add_sum(const Making& making) {
    if (making.both()) return making.add(SumBoth{});
    if (making.real()) return making.add(MarkedSumReal{});
    if (making.wide) return making.add(SumWide{});
    making.add(SumInt{});
}

void add_count(const Making& making) {
    making.add(Count{});
}

void add_product(const Making& making) {
    if (making.both()) return making.add(ProductBoth{});
    if (making.real()) return making.add(MarkedProductReal{});
    making.add(ProductInt{});
}

void add_mean(const Making& making) {
    making.add(Mean{making.options().geometric});
}

void add_moments(const Making& making) {
    making.add(Moments{making.options().ddof, making.options().root});
}

void add_extreme(const Making& making) {
    if (making.wide && making.numbers == Kind::integer)
        return making.add(MarkedExtremes(making.is("min"), making.kind()));
    making.add_of_numbers(Extremes(making.is("min"), Max{making.kind()}));
}

void add_range(const Making& making) {
    making.add_of_numbers(Range{making.kind()});
}

void add_counted(const Making& making) {
    making.add_of_numbers(ExtremeCounts(making.is("min_count")));
}

void add_bits(const Making& making) {
    making.add(Bits(making.is("bit_and") || making.is("all")));
}

void add_shape(const Making& making) {
    const auto form = making.is("skewness") ? Shape::Form::skewness : Shape::Form::kurtosis;
    making.add(Shape{form, making.options().bias});
}

void add_comoments(const Making& making) {
    const auto form = making.is("covariance")    ? CoMoments::Form::covariance
                      : making.is("correlation") ? CoMoments::Form::correlation
                                                 : CoMoments::Form::line;
    making.add(CoMoments{form, making.options().ddof});
}

void add_weighted_mean(const Making& making) {
    making.add(WeightedMean{});
}

void add_harmonic_mean(const Making& making) {
    making.add(HarmonicMean{});
}

void add_delta(const Making& making) {
    making.add_of_numbers(Delta{making.kind()});
}

void add_decayed_sum(const Making& making) {
    making.add(DecayedSum{making.scale, making.options().half_life});
}

void add_rate(const Making& making) {
    making.add(Rate{making.scale});
}

void add_time_weighted_mean(const Making& making) {
    making.add(TimeWeightedMean{making.scale});
}

void add_m4(const Making& making) {
    making.add_of_numbers(M4{making.scale, making.kind()});
}

void add_increasing_run(const Making& making) {
    making.add_of_numbers(LongestIncreasingRun{making.scale, making.kind()});
}

void add_row_of(const Making& making) {
    const auto pick = making.is("row_of_greatest") ? RowOf::Pick::greatest
                      : making.is("row_of_least")  ? RowOf::Pick::least
                      : making.is("row_of_first")  ? RowOf::Pick::first
                                                   : RowOf::Pick::last;
    making.add_of_numbers(RowOf{pick});
}

void add_compiled(const Making& making) {
    making.layout.add(std::make_unique<CompiledGroup>(*making.options().compiled, making.part.slots));
}

//! Kernels of this name before another are its twins, whose results do not depend on the order of combining.
constexpr std::string_view kReproducible = "reproducible_";

void add_reproducible(const Making& making) {
    const KernelOptions& options = making.options();
    const std::string_view kernel = std::string_view(making.part.kernel).substr(kReproducible.size());
    const reproducible::Options given{options.geometric, options.root, options.bias, options.ddof, making.scale};
    if (!reproducible::with_twin(kernel, given, [&](auto monoid) { making.add(monoid); })) throw_unknown(making.part);
}

using Maker = void (*)(const Making&);

constexpr std::pair<std::string_view, Maker> kParts[] = {
    {"count", add_count},
    {"sum", add_sum},
    {"product", add_product},
    {"mean", add_mean},
    {"moments", add_moments},
    {"min", add_extreme},
    {"max", add_extreme},
    {"range", add_range},
    {"min_count", add_counted},
    {"max_count", add_counted},
    {"bit_or", add_bits},
    {"bit_and", add_bits},
    {"any", add_bits},
    {"all", add_bits},
    {"skewness", add_shape},
    {"kurtosis", add_shape},
    {"covariance", add_comoments},
    {"correlation", add_comoments},
    {"line", add_comoments},
    {"weighted_mean", add_weighted_mean},
    {"harmonic_mean", add_harmonic_mean},
    {"delta", add_delta},
    {"decayed_sum", add_decayed_sum},
    {"rate", add_rate},
    {"time_weighted_mean", add_time_weighted_mean},
    {"m4", add_m4},
    {"increasing_run", add_increasing_run},
    {"row_of_greatest", add_row_of},
    {"row_of_least", add_row_of},
    {"row_of_first", add_row_of},
    {"row_of_last", add_row_of},
    {"compiled", add_compiled},
};

}  // namespace

LayoutPtr RowReader::layout(const Mode& mode) const {
    auto layout = std::make_shared<Layout>();
    for (const PartSpec& part : parts_) {
        const Making making{*layout, part, mode.numbers(part.slots.front()), mode.wide, mode.scale};
        if (part.kernel.starts_with(kReproducible)) {
            add_reproducible(making);
            continue;
        }
        const auto* const found = std::find_if(std::begin(kParts), std::end(kParts),
                                               [&](const auto& known) { return known.first == part.kernel; });
        if (found == std::end(kParts)) throw_unknown(part);
        found->second(making);
    }
    return layout;
}

}  // namespace sash::face
