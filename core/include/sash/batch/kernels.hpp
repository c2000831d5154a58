//! The built-in aggregations by name: what each lifts out of a column, and what it makes of a partial.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "sash/batch/passes.hpp"
#include "sash/batch/pivots.hpp"
#include "sash/monoids/arg.hpp"
#include "sash/monoids/bits.hpp"
#include "sash/monoids/mean.hpp"
#include "sash/monoids/moments.hpp"
#include "sash/monoids/sum.hpp"

namespace sash::batch {

//! An aggregation by the name of its kernel, with the parameters of all of them; each reads its own.
struct KernelName {
    std::string name;
    bool geometric = false;
    bool root = false;
    int ddof = 1;
    //! How many values lie behind the last one that is meant.
    std::size_t behind = 0;
    //! NaNs may be among the values.
    bool nans = false;
};

//! Where the results go: into the one or the other.
struct Results {
    Slots<std::int64_t> integers;
    Slots<double> reals;
};

//! Whether the result of a kernel is the number of a row instead of a value.
inline bool gives_rows(const std::string& name) {
    return name == "first" || name == "last" || name == "arg_min" || name == "arg_max";
}

//! Whether the result of a kernel is a double over such a column.
inline bool gives_reals(const std::string& name, bool real) {
    if (name == "mean" || name == "moments") return true;
    return real && (name == "sum" || name == "product" || name == "min" || name == "max" || name == "range");
}

//! Whether a kernel reads the bounds of each window once, as it comes to it: the others look them up.
inline bool reads_bounds_once(const std::string& name, bool real) {
    return name == "min" || name == "max" || name == "product" || name == "mean" || (name == "sum" && real);
}

namespace detail {

//! A number as an integer in whose order `least` turns around; a NaN is more extreme than any number.
class Cells {
public:
    Cells(const Column& column, bool least)
        : integers_(column.integers), reals_(column.reals), real_(column.real), mask_(least ? Cell{-1} : Cell{0}) {}

    Cell operator()(std::size_t i) const { return (real_ ? of(reals_[i]) : integers_[i]) ^ mask_; }
    Cell back(Cell cell) const { return cell ^ mask_; }

private:
    Cell of(double value) const {
        if (value != value) return encode_real(std::copysign(value, mask_ == 0 ? 1.0 : -1.0));
        return encode_real(value);
    }

    std::span<const std::int64_t> integers_;
    std::span<const double> reals_;
    bool real_;
    Cell mask_;
};

inline std::int64_t difference(const Range::Partial& partial, std::size_t position) {
    std::int64_t result = 0;
    if (partial.least > partial.greatest) return 0;
    if (__builtin_sub_overflow(partial.greatest, partial.least, &result)) throw DoesNotFit{position};
    return result;
}

template <class Pass>
void sums(const Pass& pass, const Column& column, Results out) {
    if (column.real) {
        pass(
            SumReal{}, [values = column.reals](std::size_t i) { return values[i]; },
            [=](std::size_t i, double total) { out.reals.put(i, total); });
    } else if constexpr (Pass::known) {
        pass(
            SumWide{}, [values = column.integers](std::size_t i) { return SumWide{}.lift(values[i]); },
            [=](std::size_t i, const SumWide::Partial& total) { out.integers.put(i, narrow(total.number(), i)); });
    } else {
        exact_sums(pass.order, column, pass.bounds, out.integers);
    }
}

template <class Pass>
void products(const Pass& pass, const Column& column, Results out) {
    if (column.real) {
        pass(
            ProductReal{}, [values = column.reals](std::size_t i) { return values[i]; },
            [=](std::size_t i, double total) { out.reals.put(i, total); });
    } else {
        pass(
            ProductInt{}, [values = column.integers](std::size_t i) { return ProductInt{}.lift(values[i]); },
            [=](std::size_t i, const ProductInt::Partial& total) {
                if (!ProductInt{}.has_fit(total)) throw DoesNotFit{i};
                out.integers.put(i, ProductInt{}.lower(total));
            });
    }
}

//! Means and moments are of reals; integers are read as such.
template <class Pass, class M>
void of_reals(const Pass& pass, const M& monoid, const Column& column, Results out) {
    const auto emit = [=](std::size_t i, const typename M::Partial& total) { out.reals.put(i, monoid.lower(total)); };
    if (column.real) {
        pass(monoid, [=, values = column.reals](std::size_t i) { return monoid.lift(values[i]); }, emit);
    } else {
        const auto lift = [=, values = column.integers](std::size_t i) {
            return monoid.lift(static_cast<double>(values[i]));
        };
        pass(monoid, lift, emit);
    }
}

//! A mean is a sum, which is combined faster than a sum with its count: how many values a window has is known.
template <class Pass>
void means(const Pass& pass, const Column& column, Results out) {
    const auto emit = [&, out](std::size_t i, double sum, Position first) {
        if (out.reals.wants(i)) out.reals.put(i, Mean{}.lower({sum, pass.count(i, first)}));
    };
    if (column.real) {
        pass(SumReal{}, [values = column.reals](std::size_t i) { return values[i]; }, emit);
    } else {
        pass(SumReal{}, [values = column.integers](std::size_t i) { return static_cast<double>(values[i]); }, emit);
    }
}

//! Logarithms are taken before the pass and powers after it: calls among its sums would take their registers.
template <class Pass>
void geometric_means(const Pass& pass, const Column& column, Results out) {
    const std::size_t size = pass.order.size();
    Room<double> logarithms(size);
    in_stretches(size, pass.order.threads(), [&](Stretch stretch) {
        for (std::size_t i = stretch.begin; i < stretch.end; ++i)
            logarithms[i] = std::log(column.real ? column.reals[i] : static_cast<double>(column.integers[i]));
    });
    means(pass, {{}, {}, logarithms.span(), true}, out);
    in_stretches(size, pass.order.threads(), [&](Stretch stretch) {
        for (std::size_t i = stretch.begin; i < stretch.end; ++i)
            if (out.reals.wants(i)) out.reals[i] = std::exp(out.reals[i]);
    });
}

template <class Pass>
void variances(const Pass& pass, const Moments& moments, const Column& column, Results out) {
    if constexpr (Pass::known) {
        of_reals(pass, moments, column, out);
    } else {
        const auto emit = [=](const SumsOfRows<SpreadSums>& rows) {
            double found[SumsOfRows<SpreadSums>::kMost];
            lower_spreads(rows, moments, found);
            for (std::size_t i = 0; i < rows.size; ++i) out.reals.put(rows.begin + i, found[i]);
        };
        about_pivots<MeasuredValues, SpreadSums>(pass.order, pass.bounds, emit, column);
    }
}

template <Extreme E, class Pass>
void real_extremes(const Pass& pass, const Column& column, bool nans, Results out) {
    const auto lift = [values = column.reals](std::size_t i) { return values[i]; };
    // -0.0 is 0.0: they are equal, and a window must not show which of them came.
    const auto emit = [=](std::size_t i, double extreme) { out.reals.put(i, extreme + 0.0); };
    if (nans) {
        pass(RealExtremumOrNan<E>{}, lift, emit);
    } else {
        pass(RealExtremum<E>{}, lift, emit);
    }
}

//! The least is the greatest of the complements.
template <class Pass>
void extremes(const Pass& pass, const Column& column, bool least, bool nans, Results out) {
    if constexpr (!Pass::known) {
        if (column.real && least) return real_extremes<Extreme::least>(pass, column, nans, out);
        if (column.real) return real_extremes<Extreme::greatest>(pass, column, nans, out);
    }
    const Cells cells(column, least);
    if (column.real) {
        pass(Max{}, cells, [=](std::size_t i, Cell cell) { out.reals.put(i, decode_real(cells.back(cell))); });
    } else {
        pass(Max{}, cells, [=](std::size_t i, Cell cell) { out.integers.put(i, cells.back(cell)); });
    }
}

template <class Pass>
void extreme_counts(const Pass& pass, const Column& column, bool least, Results out) {
    const Cells cells(column, least);
    const TopCount monoid;
    pass(
        monoid, [=](std::size_t i) { return monoid.lift(cells(i)); },
        [=](std::size_t i, const TopCount::Partial& total) { out.integers.put(i, total.count); });
}

template <class Pass>
void ranges(const Pass& pass, const Column& column, Results out) {
    const Cells cells(column, false);
    const Range monoid;
    const auto lift = [=](std::size_t i) { return monoid.lift(cells(i)); };
    if (column.real) {
        pass(monoid, lift, [=](std::size_t i, const Range::Partial& total) {
            out.reals.put(i, decode_real(total.greatest) - decode_real(total.least));
        });
    } else {
        pass(monoid, lift,
             [=](std::size_t i, const Range::Partial& total) { out.integers.put(i, difference(total, i)); });
    }
}

//! Bits that all have are those that none lacks.
template <class Pass>
void bits(const Pass& pass, const Column& column, bool all, Results out) {
    const std::int64_t mask = all ? -1 : 0;
    pass(
        BitOr{}, [=, values = column.integers](std::size_t i) { return values[i] ^ mask; },
        [=](std::size_t i, std::int64_t total) { out.integers.put(i, total ^ mask); });
}

template <class Pass>
void arguments(const Pass& pass, const Column& column, bool least, Results out) {
    using Found = ArgMax<Position>;
    const Cells cells(column, least);
    const Found monoid;
    pass(
        monoid, [=](std::size_t i) { return monoid.lift({cells(i), static_cast<Position>(i)}); },
        [=](std::size_t i, const Found::Partial& total) {
            out.integers.put(i, total.present ? std::int64_t{total.argument} : kNoRow);
        });
}

//! First and last are the least and the greatest position.
template <class Pass>
void ends(const Pass& pass, bool last, [[maybe_unused]] std::size_t behind, Results out) {
    if constexpr (Pass::known) {
        const Cell mask = last ? 0 : -1;
        pass(
            Max{}, [=](std::size_t i) { return static_cast<Cell>(i) ^ mask; },
            [=](std::size_t i, Cell cell) { out.integers.put(i, cell == Max{}.identity() ? kNoRow : cell ^ mask); });
    } else if (last) {
        last_present(pass.order, pass.presence, pass.bounds, behind, out.integers);
    } else {
        first_present(pass.order, pass.presence, pass.bounds, out.integers);
    }
}

template <class Pass>
void counts(const Pass& pass, Results out) {
    if constexpr (Pass::known) {
        pass(BitOr{}, [](std::size_t) { return std::int64_t{0}; }, [](std::size_t, std::int64_t) {});
        for (std::size_t i = 0; i < out.integers.size(); ++i) out.integers.put(i, pass.counts[i]);
    } else {
        exact_counts(pass.order, pass.presence, pass.bounds, out.integers);
    }
}

}  // namespace detail

//! Runs the named kernel over a column by the pass. Throws DoesNotFit where an integer result does not fit.
template <class Pass>
void run_kernel(const KernelName& kernel, const Pass& pass, const Column& column, Results out) {
    const std::string& name = kernel.name;
    if (name == "count") return detail::counts(pass, out);
    if (name == "sum") return detail::sums(pass, column, out);
    if (name == "product") return detail::products(pass, column, out);
    if (name == "mean" && kernel.geometric) return detail::geometric_means(pass, column, out);
    if (name == "mean") return detail::means(pass, column, out);
    if (name == "moments") return detail::variances(pass, Moments{kernel.ddof, kernel.root}, column, out);
    if (name == "min" || name == "max") return detail::extremes(pass, column, name == "min", kernel.nans, out);
    if (name == "min_count" || name == "max_count")
        return detail::extreme_counts(pass, column, name == "min_count", out);
    if (name == "range") return detail::ranges(pass, column, out);
    if (name == "bit_or" || name == "any") return detail::bits(pass, column, false, out);
    if (name == "bit_and" || name == "all") return detail::bits(pass, column, true, out);
    if (name == "first" || name == "last") return detail::ends(pass, name == "last", kernel.behind, out);
    if (name == "arg_min" || name == "arg_max") return detail::arguments(pass, column, name == "arg_min", out);
    throw std::invalid_argument("no kernel of a batch is called " + name);
}

}  // namespace sash::batch
