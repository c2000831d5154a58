//! Folds of partials as a compiler makes them at its best: CMakeLists.txt builds this file with -O3 in every build. The
//! monoids return one of their operands, which g++ 12 once read from the wrong place (see Combiner in fiba/range.hpp).
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/batch/monoids.hpp"
#include "sash/monoids/mirrored.hpp"

using namespace sash;
using sash::testing::check;

namespace {

//! Entries in the order of their times, with the same meaning and no structure.
template <class M>
class Model {
public:
    using Partial = typename M::Partial;

    bool insert(Time time, const Partial& partial) {
        const auto place = std::lower_bound(entries_.begin(), entries_.end(), time, before);
        if (place != entries_.end() && place->time == time) return false;
        entries_.insert(place, {time, partial});
        return true;
    }

    //! Never inlined: at -O0 and at -O3 alike, this is one call after another.
    [[gnu::noinline]] Partial query(const M& monoid, Time from, Time to) const {
        Partial total = monoid.identity();
        for (auto entry = std::lower_bound(entries_.begin(), entries_.end(), from, before);
             entry != entries_.end() && entry->time <= to; ++entry)
            total = combined(monoid, total, entry->partial);
        return total;
    }

private:
    static bool before(const Entry<Partial>& entry, Time time) { return entry.time < time; }
    [[gnu::noinline]] static Partial combined(const M& monoid, Partial older, Partial newer) {
        return monoid.combine(older, newer);
    }

    std::vector<Entry<Partial>> entries_;
};

//! A monoid over cells, as the batches run it.
template <class M>
struct CountedOf : batch::Counted<M> {
    explicit CountedOf(M monoid) : batch::Counted<M>{monoid} {}
    using Partial = typename batch::Counted<M>::Partial;

    bool same(const Partial& a, const Partial& b) const {
        return a.count == b.count && (a.count == 0 || a.partial == b.partial);
    }
    template <class Input>
    Partial lift(Input input) const {
        return {this->monoid.lift(input), 1};
    }
};

template <class Input>
Input input_of(std::mt19937& random, std::uint32_t values) {
    const auto cell = static_cast<Cell>(random() % values);
    if constexpr (std::is_same_v<Input, Cell>) {
        return cell;
    } else {
        return {cell, static_cast<Cell>(random() % 100)};
    }
}

template <class M>
void ranges_agree(const M& base, const char* what) {
    std::mt19937 random(7);
    const CountedOf<M> monoid(base);
    for (std::uint32_t round = 0; round < 40; ++round) {
        Fiba<CountedOf<M>> window(monoid);
        Model<CountedOf<M>> model;
        const auto size = static_cast<Time>(1 + random() % 400);
        for (Time now = 0; now < size; ++now) {
            const Time time = now - static_cast<Time>(random() % 50);
            const auto partial = monoid.lift(input_of<typename M::Input>(random, 1 + round % 5));
            if (!model.insert(time, partial)) continue;
            window.insert(time, partial);
            const Time from = std::max(window.oldest(), now - static_cast<Time>(random() % 300));
            const Time to = std::max(from, now - static_cast<Time>(random() % 40));
            check(monoid.same(window.query(from, to), model.query(monoid, from, to)), what);
            check(monoid.same(window.query(), model.query(monoid, kEarliest, kLatest)), what);
        }
    }
}

}  // namespace

int main() {
    ranges_agree(MaxCount{}, "how often the greatest occurs");
    ranges_agree(ArgMax<Cell>{}, "what the greatest goes with");
    ranges_agree(Ends(true), "the last");
    return sash::testing::report();
}
