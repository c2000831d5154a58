//! No range takes more than 3 log2 of the entries between and 40 combines, whatever has happened to the tree: the
//! dearest one is searched for, each time right after a late event.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"
#include "in_order_model.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/monoids/ends.hpp"
#include "sash/monoids/sum.hpp"

using namespace sash;
using namespace sash::testing;

namespace {

std::int64_t combines = 0;

using OwnFirst = Failing<First<>>;

//! A tree that much happens to, and the times of its entries.
template <class M>
class Shaken {
public:
    explicit Shaken(unsigned seed) : random_(seed) {}

    void append(Time count) {
        for (Time i = 0; i < count; ++i) insert(now_ += 4);
    }
    void insert_late(int count) {
        for (int i = 0; i < count; ++i) insert(some_time());
    }
    //! Late ones at a few places: there nodes are full.
    void insert_at_hot_places(int places, int count) {
        for (int place = 0; place < places; ++place) {
            const Time at = some_time();
            for (int i = 0; i < count; ++i) insert(at + i);
        }
    }
    void evict_some(int count) {
        for (int i = 0; i < count && times_.size() > 1; ++i) {
            const Time time = *nearest(some_time());
            times_.erase(time);
            tree_.evict(time);
        }
    }
    void bulk_insert(int count, bool scattered) {
        std::vector<Time> times;
        std::vector<typename M::Partial> partials;
        const Time from = some_time();
        for (int i = 0; i < count; ++i) {
            times.push_back(scattered ? some_time() : from + 2 * i);
            partials.push_back(event(M{}, times.back()));
            times_.insert(times.back());
        }
        now_ = std::max(now_, *times_.rbegin());
        tree_.bulk_insert(times, partials);
    }
    void bulk_evict(double share) {
        const Time cut = *std::next(times_.begin(), static_cast<long>(share * static_cast<double>(times_.size())));
        times_.erase(times_.begin(), times_.upper_bound(cut));
        tree_.bulk_evict(cut);
    }

    //! The most combines over 3 log2 of the entries that a climb from random ranges finds.
    double worst_range(int climbs) {
        tree_.check_invariants();
        const std::vector<Time> times(times_.begin(), times_.end());
        double worst = 0;
        for (int climb = 0; climb < climbs; ++climb) worst = std::max(worst, climb_from(times, some_range(times)));
        return worst;
    }

private:
    struct Ends {
        long first;
        long last;
    };

    void insert(Time time) {
        times_.insert(time);
        now_ = std::max(now_, time);
        tree_.insert(time, event(M{}, time));
    }
    Time some_time() { return static_cast<Time>(random_() % static_cast<std::uint64_t>(now_ + 1)); }
    std::set<Time>::iterator nearest(Time time) {
        const auto found = times_.lower_bound(time);
        return found == times_.end() ? std::prev(found) : found;
    }
    Ends some_range(const std::vector<Time>& times) {
        // Short ones and long ones alike.
        const auto length = static_cast<long>(random_() % (std::uint64_t{2} << random_() % 14)) % std::ssize(times);
        const auto first = static_cast<long>(random_() % static_cast<std::uint64_t>(std::ssize(times) - length));
        return {first, first + length};
    }

    //! The late event is at a time that is there: no entry moves, and no hand serves the range.
    double over(const std::vector<Time>& times, Ends ends) {
        const Time late = times[random_() % times.size()];
        tree_.insert(late, event(M{}, late));
        const std::int64_t before = combines;
        tree_.query(times[static_cast<std::size_t>(ends.first)], times[static_cast<std::size_t>(ends.last)]);
        return static_cast<double>(combines - before) - 3 * std::log2(static_cast<double>(ends.last - ends.first + 1));
    }

    double climb_from(const std::vector<Time>& times, Ends at) {
        double best = over(times, at);
        for (bool higher = true; std::exchange(higher, false);) {
            for (const long step : {1, 2, 3, 5, 8, 15, 30, 64, 200, 1000}) {
                for (const Ends next : {Ends{at.first - step, at.last}, Ends{at.first + step, at.last},
                                        Ends{at.first, at.last - step}, Ends{at.first, at.last + step}}) {
                    if (next.first < 0 || next.last >= std::ssize(times) || next.first > next.last) continue;
                    const double found = over(times, next);
                    if (found <= best) continue;
                    best = found;
                    at = next;
                    higher = true;
                }
            }
        }
        return best;
    }

    std::mt19937_64 random_;
    Fiba<Counting<M>> tree_{Counting<M>(combines)};
    std::set<Time> times_;
    Time now_ = 0;
};

template <class M>
void no_range_is_dear(const char* name) {
    double worst = 0;
    for (unsigned seed = 0; seed < 3; ++seed) {
        Shaken<M> shaken(seed);
        const auto look = [&] { worst = std::max(worst, shaken.worst_range(100)); };
        shaken.append(4000);
        look();
        shaken.insert_late(4000);
        look();
        shaken.insert_at_hot_places(20, 200);
        look();
        shaken.evict_some(5000);
        look();
        shaken.bulk_insert(3000, true);
        shaken.bulk_insert(500, false);
        look();
        shaken.bulk_evict(0.4);
        shaken.append(100);
        look();
        shaken.evict_some(2000);
        shaken.insert_at_hot_places(5, 60);
        look();
    }
    std::printf("%s: the dearest range takes 3 log2 and %.1f combines\n", name, worst);
    check(worst <= 40, "any range takes at most 3 log2 and 40 combines");
}

//! Entries behind the last multiple of a group's size wait for more; a late one among the others moves that end.
template <class M>
void late_events_leave_few_entries_in_no_group() {
    for (Time size = 2; size <= 150; ++size) {
        for (Time place = 1; place < size; place += 5) {
            Fiba<M> tree;
            for (Time i = 0; i < size; ++i) tree.insert(10 * i, event(M(), i));
            for (int late = 1; late <= 3; ++late) tree.insert(10 * place - late, event(M(), late));
            for (Time i = size; i < size + 20; ++i) {
                tree.insert(10 * i, event(M(), i));
                tree.check_invariants();
            }
            check(tree.size() == static_cast<std::size_t>(size) + 23, "all events are there");
        }
    }
}

}  // namespace

int main() {
    late_events_leave_few_entries_in_no_group<SumInt>();
    late_events_leave_few_entries_in_no_group<First<>>();
    no_range_is_dear<SumInt>("a sum");
    no_range_is_dear<First<>>("not commutative");
    no_range_is_dear<OwnFirst>("fallible, as in Python");
    return report();
}
