#include "records.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sash/algorithms/fiba.hpp"
#include "sash/monoids/extrema.hpp"
#include "sash/monoids/mean.hpp"
#include "sash/monoids/moments.hpp"
#include "sash/monoids/record.hpp"
#include "sash/monoids/sum.hpp"

namespace sash::bench {

namespace {

constexpr Time kSize = 4096;
//! How the k-th part may compare with a window of its own.
constexpr double kBar = 1.0 / 3;

//! The value of the event at a time, as a column of a record has it. Small integers, so that all ways to a sum agree.
Field field_at(Time time) {
    const auto number = static_cast<std::int64_t>((time * 7919) & 1023);
    return {number, static_cast<double>(number), true};
}

struct Separate {
    template <class M>
    static typename M::Partial lift(const M& monoid, Time time) {
        if constexpr (std::same_as<typename M::Input, double>) {
            return monoid.lift(field_at(time).real);
        } else {
            return monoid.lift(field_at(time).cell);
        }
    }
};

struct Together {
    template <class Storage>
    static Storage lift(const Record<Storage>& record, Time time) {
        const Field field = field_at(time);
        return record.lift({time, {&field, 1}});
    }
};

//! A FiBA of kSize entries; a round inserts one, evicts the oldest and queries.
template <class M, class Lifts>
class Slider {
public:
    explicit Slider(M monoid) : monoid_(monoid), window_(std::move(monoid)) {
        for (; time_ < kSize; ++time_) window_.insert(time_, Lifts::lift(monoid_, time_));
    }

    void round() {
        window_.insert(time_, Lifts::lift(monoid_, time_));
        window_.evict();
        keep(window_.query());
        ++time_;
    }

    double nanoseconds(const Effort& effort) {
        return best_of(effort, [this] { round(); });
    }

    const M& monoid() const { return monoid_; }
    typename M::Partial total() const { return window_.query(); }

private:
    M monoid_;
    Fiba<M> window_;
    Time time_ = 0;
};

//! What one window costs, and its result after some rounds.
struct Measured {
    double nanoseconds;
    std::vector<PartResult> results;
};

constexpr int kCheckedRounds = 3 * kSize + 17;

template <class M>
Measured measure_alone(const M& monoid, const Effort& effort) {
    Slider<M, Separate> slider(monoid);
    for (int i = 0; i < kCheckedRounds; ++i) slider.round();
    std::vector<PartResult> results{part_result_of(monoid, slider.total())};
    return {slider.nanoseconds(effort), std::move(results)};
}

template <class Storage>
Measured measure_record(std::shared_ptr<const Layout> layout, const Effort& effort) {
    Slider<Record<Storage>, Together> slider{Record<Storage>(std::move(layout))};
    for (int i = 0; i < kCheckedRounds; ++i) slider.round();
    std::vector<PartResult> results = slider.monoid().lower(slider.total());
    return {slider.nanoseconds(effort), std::move(results)};
}

//! The parts come in turns: a sum, a maximum, a mean, a variance.
constexpr std::size_t kKinds = 4;

std::shared_ptr<const Layout> layout_of(std::size_t parts) {
    auto layout = std::make_shared<Layout>();
    for (std::size_t i = 0; i < parts; ++i) {
        switch (i % kKinds) {
            case 0:
                layout->add(SumInt{}, {0, 0});
                break;
            case 1:
                layout->add(Extremes(false, Max{}), {0, 0});
                break;
            case 2:
                layout->add(Mean{}, {0, 0});
                break;
            default:
                layout->add(Moments{}, {0, 0});
        }
    }
    return layout;
}

//! In the least of the sizes that windows have; beside the nodes where it fits in none.
template <std::size_t... sizes>
Measured measure_parts(std::size_t parts, const Effort& effort, std::index_sequence<sizes...>) {
    const auto layout = layout_of(parts);
    Measured measured{};
    const auto fits = [&]<std::size_t size>(std::integral_constant<std::size_t, size>) {
        if (layout->words() > size) return false;
        measured = measure_record<Words<size>>(layout, effort);
        return true;
    };
    if ((fits(std::integral_constant<std::size_t, sizes>{}) || ...)) return measured;
    return measure_record<std::vector<Word>>(layout, effort);
}

bool same(const PartResult& a, const PartResult& b) {
    const auto number = [](const PartResult& result) {
        if (const auto* const real = std::get_if<double>(&result)) return *real;
        return static_cast<double>(std::get<std::int64_t>(result));
    };
    const double left = number(a), right = number(b);
    return left == right || std::abs(left - right) < 1e-6 * std::abs(right);
}

}  // namespace

void print_records(const Effort& given) {
    const Effort effort{given.rounds > 0 ? given.rounds : 400'000, given.repeats, 0.5};
    const std::array<Measured, kKinds> alone{measure_alone(SumInt{}, effort),
                                             measure_alone(Extremes(false, Max{}), effort),
                                             measure_alone(Mean{}, effort), measure_alone(Moments{}, effort)};
    std::printf(
        "\nMany at once: FiBA, n = %lld, a round inserts, evicts and queries; sum, max, mean, variance in turns\n",
        static_cast<long long>(kSize));
    std::printf("a window of its own: sum %.1f, max %.1f, mean %.1f, variance %.1f ns a round\n", alone[0].nanoseconds,
                alone[1].nanoseconds, alone[2].nanoseconds, alone[3].nanoseconds);
    std::printf("%4s %12s %12s %16s %10s\n", "k", "together", "apart", "the k-th costs", "x apart");
    double first = 0;
    for (const std::size_t parts : {1, 2, 4, 8, 12, 16, 24, 32, 40, 50}) {
        const Measured measured = measure_parts(parts, effort, std::index_sequence<1, 2, 4, 8, 16, 32, 64>());
        double apart = 0;
        for (std::size_t i = 0; i < parts; ++i) {
            apart += alone[i % kKinds].nanoseconds;
            if (!same(measured.results.at(i), alone[i % kKinds].results[0]))
                throw std::runtime_error("a record of " + std::to_string(parts) +
                                         " gives other results than its parts");
        }
        std::printf("%4zu %9.1f ns %9.1f ns", parts, measured.nanoseconds, apart);
        if (parts == 1) {
            first = measured.nanoseconds;
            std::printf("\n");
            continue;
        }
        const double each = (measured.nanoseconds - first) / static_cast<double>(parts - 1);
        const double ratio = each / (apart / static_cast<double>(parts));
        std::printf(" %13.1f ns %10.2f %s %.2f\n", each, ratio, ratio <= kBar ? "<=" : "ABOVE", kBar);
    }
}

}  // namespace sash::bench
