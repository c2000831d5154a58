#include <map>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/monoids/arg.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/extrema.hpp"
#include "sash/monoids/sum.hpp"
#include "sash/monoids/text.hpp"

using namespace sash;
using sash::testing::check;

namespace {

//! Brute force: an ordered map, combined from left to right.
template <class M>
struct Model {
    M monoid{};
    std::map<Time, typename M::Partial> entries;

    void insert(Time time, const typename M::Partial& partial) {
        const auto [at, fresh] = entries.try_emplace(time, partial);
        if (!fresh) at->second = monoid.combine(at->second, partial);
    }
    auto query(Time from, Time to) const {
        auto total = monoid.identity();
        for (auto at = entries.lower_bound(from); at != entries.end() && at->first <= to; ++at)
            total = monoid.combine(total, at->second);
        return total;
    }
};

bool same(const Concat::Partial& a, const Concat::Partial& b) {
    return a.text == b.text && a.present == b.present;
}
bool same(const ArgMax<>::Partial& a, const ArgMax<>::Partial& b) {
    return a.present == b.present && (!a.present || (a.key == b.key && a.argument == b.argument));
}
bool same(const First<>::Partial& a, const First<>::Partial& b) {
    return a.present == b.present && (!a.present || a.value == b.value);
}
bool same(const MaxCount::Partial& a, const MaxCount::Partial& b) {
    return a.extreme == b.extreme && a.count == b.count;
}
bool same(std::int64_t a, std::int64_t b) {
    return a == b;
}

//! A small distinguishable partial for each monoid, with ties.
Concat::Partial make(const Concat&, std::uint64_t seed) {
    return {std::string(1, static_cast<char>('a' + seed % 26)), true};
}
ArgMax<>::Partial make(const ArgMax<>& m, std::uint64_t seed) {
    return m.lift({static_cast<Cell>(seed % 7), static_cast<Cell>(seed)});
}
First<>::Partial make(const First<>& m, std::uint64_t seed) {
    return m.lift(static_cast<Cell>(seed));
}
MaxCount::Partial make(const MaxCount& m, std::uint64_t seed) {
    return m.lift(static_cast<Cell>(seed % 5));
}
std::int64_t make(const SumInt&, std::uint64_t seed) {
    return static_cast<std::int64_t>(seed % 1000);
}

template <class M>
class Story {
public:
    Story(FibaOptions options, std::uint64_t seed) : window_(M{}, options), random_(seed) {}

    void run(int steps, std::size_t target) {
        for (int i = 0; i < steps; ++i) {
            step(target);
            compare();
        }
    }
    std::uint32_t tallest() const { return tallest_; }

private:
    std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }
    Time any_time() { return static_cast<Time>(below(3 * horizon_ + 10)); }

    void step(std::size_t target) {
        const bool shrink = model_.entries.size() > target;
        horizon_ = std::max<std::size_t>(target, 4);
        switch (below(shrink ? 14 : 10)) {
            case 0:
            case 1:
            case 2:
            case 3:
                insert(next_++ + static_cast<Time>(below(2)));
                break;
            case 4:
            case 5:
                insert(any_time());
                break;
            case 6:
                bulk(below(3 * window_.leaf_capacity() + 3));
                break;
            case 7:
                bulk(below(4));
                break;
            case 8:
                evict_somewhere();
                break;
            case 9:
                ranges();
                break;
            case 10:
                evict_many();
                break;
            case 11:
                bulk_evict();
                break;
            case 12:
                evict_many();
                break;
            case 13:
                below(4) == 0 ? slide() : bulk_evict();
                break;
        }
        tallest_ = std::max(tallest_, window_.height());
    }
    void insert(Time time) {
        auto partial = make(M{}, random_());
        model_.insert(time, partial);
        window_.insert(time, partial);
        next_ = std::max(next_, time);
    }
    void bulk(std::uint64_t size) {
        std::vector<Time> times;
        std::vector<typename M::Partial> partials;
        const bool spread = below(2) == 0;
        const Time base = any_time();
        for (std::uint64_t i = 0; i < size; ++i) {
            times.push_back(spread ? any_time() : base + static_cast<Time>(below(2 * size)));
            partials.push_back(make(M{}, random_()));
        }
        if (below(2) == 0) std::sort(times.begin(), times.end());
        for (std::uint64_t i = 0; i < size; ++i) model_.insert(times[i], partials[i]);
        window_.bulk_insert(times, partials);
        if (!model_.entries.empty()) next_ = std::max(next_, model_.entries.rbegin()->first);
    }
    void evict_somewhere() {
        Time time = any_time();
        if (!model_.entries.empty() && below(3) != 0) {
            auto at = model_.entries.begin();
            std::advance(at, static_cast<std::ptrdiff_t>(below(model_.entries.size())));
            time = at->first;
        }
        check(window_.evict(time) == (model_.entries.erase(time) == 1), "evict tells whether it was there");
    }
    void evict_many() {
        for (std::uint64_t i = below(2 * window_.leaf_capacity() + 2); i-- > 0 && !model_.entries.empty();) {
            model_.entries.erase(model_.entries.begin());
            window_.evict();
        }
    }
    void bulk_evict() {
        Time time = any_time();
        if (!model_.entries.empty() && below(2) == 0) {
            auto at = model_.entries.begin();
            std::advance(at, static_cast<std::ptrdiff_t>(below(model_.entries.size())));
            time = at->first - static_cast<Time>(below(2));
        }
        model_.entries.erase(model_.entries.begin(), model_.entries.upper_bound(time));
        window_.bulk_evict(time);
    }
    //! The policy counts entries, so that the model can follow: evict the oldest k.
    void slide() {
        const std::uint64_t k = below(model_.entries.size() + 2);
        if (model_.entries.empty()) return;
        if constexpr (std::is_same_v<M, Concat>) {
            window_.evict_while([&](const auto&, const auto& prefix) { return prefix.text.size() <= k; });
            std::size_t length = 0;
            while (!model_.entries.empty() && (length += model_.entries.begin()->second.text.size()) <= k)
                model_.entries.erase(model_.entries.begin());
        }
    }
    void ranges() {
        for (int i = 0; i < 4; ++i) {
            Time from = any_time() - 2;
            Time to = below(4) == 0 ? kLatest : from + static_cast<Time>(below(horizon_));
            if (below(4) == 0) from = kEarliest;
            check(same(window_.query(from, to), model_.query(from, to)), "range query");
            const auto low = model_.entries.lower_bound(from);
            std::size_t count = 0;
            for (auto at = low; at != model_.entries.end() && at->first <= to; ++at) ++count;
            check(window_.count(from, to) == count, "range count");
        }
    }
    void compare() {
        window_.check_invariants();
        check(window_.size() == model_.entries.size(), "size");
        check(same(window_.query(), model_.query(kEarliest, kLatest)), "query");
        if (!model_.entries.empty()) {
            check(window_.oldest() == model_.entries.begin()->first, "oldest");
            check(window_.youngest() == model_.entries.rbegin()->first, "youngest");
        }
        if (below(64) == 0) {
            Fiba<M> copy(window_);
            Fiba<M> moved(std::move(window_));
            window_ = std::move(copy);
            moved.clear();
        }
        if (below(200) == 0) window_.shrink_to_fit();
    }

    Fiba<M> window_;
    Model<M> model_;
    std::mt19937_64 random_;
    Time next_ = 0;
    std::size_t horizon_ = 4;
    std::uint32_t tallest_ = 0;
};

template <class M>
void tell(FibaOptions options, int steps) {
    std::uint64_t seed = 1;
    std::uint32_t tallest = 0;
    for (const std::size_t target : {0, 1, 2, 5, 17, 100, 900}) {
        Story<M> story(options, seed++);
        story.run(steps, target);
        tallest = std::max(tallest, story.tallest());
    }
    if (options.min_arity == 2 && steps >= 1000) check(tallest >= 5, "tall trees are reached");
}

}  // namespace

int main() {
    tell<Concat>({2, 0}, 1500);
    tell<ArgMax<>>({2, 0}, 1500);
    tell<First<>>({4, 0}, 500);
    tell<MaxCount>({8, 0}, 500);
    tell<SumInt>({2, 3}, 1500);
    tell<Concat>({2, 2}, 1000);
    tell<Concat>({3, 5}, 1000);
    tell<Concat>({}, 300);
    tell<SumInt>({}, 300);
    return sash::testing::report();
}
