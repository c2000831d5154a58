//! The engine of whole batches against brute force; its sorting, its bounds on combines, and its exact sums.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "check.hpp"
#include "sash/batch/codes.hpp"
#include "sash/batch/kernels.hpp"
#include "sash/batch/known.hpp"
#include "sash/batch/quantiles.hpp"
#include "sash/batch/record.hpp"
#include "sash/monoids/text.hpp"

namespace sash::testing {
namespace {

using namespace sash::batch;

struct Rows {
    std::vector<Time> times;
    std::vector<std::uint32_t> keys;
    std::vector<std::uint8_t> present;
};

//! Times that rise by 0 to 3, with some rows late; a few keys; every seventh value missing or so.
Rows make_rows(std::mt19937& random, std::size_t size, std::uint32_t keys, int late_per_mille) {
    Rows rows;
    Time now = -50;
    for (std::size_t i = 0; i < size; ++i) {
        now += static_cast<Time>(random() % 4);
        const bool late = static_cast<int>(random() % 1000) < late_per_mille;
        rows.times.push_back(late ? now - static_cast<Time>(random() % 60) : now);
        rows.keys.push_back(static_cast<std::uint32_t>(random()) % keys);
        rows.present.push_back(random() % 7 != 0);
    }
    return rows;
}

//! The rows of a key by time and arrival, and of those the ones in a window that ends at `row`.
std::string expected(const Rows& rows, std::size_t row, Time length, Ends ends, bool peers, bool known) {
    std::vector<std::pair<Time, std::size_t>> in;
    const Time now = rows.times[row];
    for (std::size_t i = 0; i < rows.times.size(); ++i) {
        const Time time = rows.times[i];
        if (rows.keys[i] != rows.keys[row] || !rows.present[i] || (known && i > row)) continue;
        const bool after = ends.start ? time >= now - length : time > now - length;
        const bool earlier = std::pair(time, i) < std::pair(now, row);
        const bool before = !ends.end ? time < now : peers ? time <= now : earlier || i == row;
        if (after && before) in.emplace_back(time, i);
    }
    std::sort(in.begin(), in.end());
    std::string text;
    for (const auto& [time, i] : in) text += static_cast<char>('a' + i % 26);
    return text;
}

std::vector<std::string> computed(const Order& order, const Bounds& bounds, const Presence& presence, bool known) {
    std::vector<std::string> results(order.size());
    const Concat monoid;
    const auto lift = [&](std::size_t i) {
        return monoid.lift(std::string(1, static_cast<char>('a' + order.row_at(static_cast<Position>(i)) % 26)));
    };
    const Slots<std::string> out(results, order.rows());
    const auto emit = [&](std::size_t i, const Concat::Partial& total) { out[i] = total.text; };
    if (known && !order.in_order()) {
        std::vector<std::uint32_t> counts(order.size());
        Known{order, bounds, presence, {counts, order.rows()}}(monoid, lift, emit);
        for (std::size_t i = 0; i < counts.size(); ++i) check(counts[i] == results[i].size(), "the count");
    } else {
        Final{order, bounds, presence}(monoid, lift, emit);
    }
    return results;
}

Presence presence_of(const Order& order, const Rows& rows) {
    Room<std::uint8_t> marks = Presence::marks_for(order.size());
    order.gather(std::span<const std::uint8_t>(rows.present), marks.span({0, order.size()}));
    Presence presence;
    presence.assign(std::move(marks), order.threads());
    return presence;
}

//! Every pair of ends, peers or none, final or as known, in order or not.
void check_time_windows() {
    std::mt19937 random(1);
    for (int round = 0; round != 60; ++round) {
        const Rows rows = make_rows(random, 1 + random() % 400, 1 + round % 4, std::array{0, 20, 400}[round % 3]);
        const Order order(rows.times.size(), rows.times, rows.keys, 4);
        const Presence presence = presence_of(order, rows);
        const Ends ends{random() % 2 == 0, random() % 2 == 0};
        const bool peers = random() % 2 == 0, known = random() % 2 == 0;
        const Time length = 1 + static_cast<Time>(random() % 40);
        Bounds bounds = time_window(order, IntegerReach(length, ends.start), ends, peers);
        if (known) bounds = known_time_window(order, std::move(bounds), ends);
        const auto results = computed(order, bounds, presence, known);
        bool same = true;
        for (std::size_t row = 0; row < results.size(); ++row)
            same = same && results[row] == expected(rows, row, length, ends, peers, known);
        check(same, "time windows by brute force");
    }
}

//! Windows of so many rows by blocks are those by stacks, for every length around that of the group.
void check_blocks() {
    for (std::size_t size = 0; size != 12; ++size) {
        for (std::size_t rows = 1; rows != 15; ++rows) {
            const std::vector<std::uint32_t> keys(size, 0);
            const Order order(size, {}, keys, 1);
            Bounds bounds = count_window(order, rows, {});
            const auto blocks = computed(order, bounds, {}, false);
            bounds.rows = 0;
            check(blocks == computed(order, bounds, {}, false), "blocks as stacks");
        }
    }
}

//! Any order in, ascending times out, and equal times in the order of arrival; by each way to sort.
void check_sorting() {
    std::mt19937_64 random(2);
    for (const std::size_t size : {2, 100, 5000, 20000}) {
        for (const int late : {0, 5, 500, 1000}) {
            for (const Time spread : {Time{50}, Time{1} << 40, kLatest}) {
                std::vector<Time> times(size);
                for (std::size_t i = 0; i < size; ++i) {
                    const bool moved = static_cast<int>(random() % 1000) < late;
                    times[i] = moved ? static_cast<Time>(random() % static_cast<std::uint64_t>(spread)) - spread / 2
                                     : static_cast<Time>(i);
                }
                const Order order(size, times, {}, 1);
                bool sorted = true;
                for (Position i = 1; i < size; ++i) {
                    const auto before = std::pair(times[order.row_at(i - 1)], order.row_at(i - 1));
                    sorted = sorted && before < std::pair(times[order.row_at(i)], order.row_at(i)) &&
                             order.times()[i] == times[order.row_at(i)];
                }
                check(sorted, "sorted by time and arrival");
                check(order.in_order() == std::is_sorted(times.begin(), times.end()), "in order or not");
                std::sort(times.begin(), times.end());
                const bool twice = std::adjacent_find(times.begin(), times.end()) != times.end();
                check(order.has_peers() == twice, "peers or none");
            }
        }
    }
}

//! The first and the last row of some, in one number: light, and anything but commutative.
struct EndsOfRows {
    using Partial = std::uint64_t;
    static constexpr bool commutative = false;
    static constexpr bool fallible = false;

    Partial identity() const { return 0; }
    Partial lift(std::uint64_t row) const { return (row + 1) << 32 | (row + 1); }
    Partial combine(Partial older, Partial newer) const {
        if (older == 0 || newer == 0) return older | newer;
        return (older >> 32) << 32 | (newer & 0xffffffff);
    }
};

//! Times that stand still for a thousand rows, run, and jump, so that the hands of a finder part.
std::vector<Time> make_bursts(std::mt19937& random, std::size_t size) {
    std::vector<Time> times;
    Time now = -1000;
    while (times.size() < size) {
        const Time step = std::array{0, 1, 3, 500}[random() % 4];
        for (std::size_t left = random() % 1000; left > 0 && times.size() < size; --left)
            times.push_back(now += step == 0 ? 0 : 1 + static_cast<Time>(random() % static_cast<unsigned>(step)));
    }
    return times;
}

//! Many rows of one key, where several are taken at once: their ends are those that a search finds.
void check_bursts() {
    std::mt19937 random(4);
    for (const Time length : {1, 7, 1000, 1000000}) {
        for (const bool start_in : {false, true}) {
            const std::vector<Time> times = make_bursts(random, 20000 + random() % 7);
            const Order order(times.size(), times, {}, 1);
            const Bounds bounds = time_window(order, IntegerReach(length, start_in), {start_in, true}, false);
            const EndsOfRows monoid;
            bool same = true;
            const auto emit = [&](std::size_t i, std::uint64_t ends) {
                const Time limit = times[i] - length + !start_in;
                const auto first = std::lower_bound(times.begin(), times.end(), limit) - times.begin();
                const auto wanted = monoid.combine(monoid.lift(static_cast<std::uint64_t>(first)), monoid.lift(i));
                same = same && ends == wanted;
            };
            two_stacks(
                monoid, bounds, bounds.first.data(), {0, order.size()}, [&](std::size_t i) { return monoid.lift(i); },
                emit);
            check(same, "windows of bursts");
        }
    }
}

//! Scans that take four rows at a time, and what is left of them.
void check_scans() {
    const EndsOfRows monoid;
    const auto lift = [&](std::size_t i) { return monoid.lift(i); };
    for (std::size_t begin = 0; begin != 6; ++begin) {
        for (std::size_t end = begin; end != 20; ++end) {
            std::size_t calls = 0;
            bool same = true;
            std::uint64_t total = begin == 0 ? monoid.identity() : monoid.combine(lift(0), lift(begin - 1));
            const std::uint64_t from = begin == end ? 0 : lift(begin == 0 ? begin : 0);
            scan(monoid, begin, end, lift, total, [&](std::size_t i, std::uint64_t got) {
                same = same && i == begin + calls++ && got == monoid.combine(from, lift(i));
            });
            scan_back(monoid, begin, end, lift, [&](std::size_t i, std::uint64_t got) {
                same = same && i == begin + --calls && got == monoid.combine(lift(i), lift(end - 1));
            });
            check(same && calls == 0, "running totals");
            check(begin == end || total == monoid.combine(from, lift(end - 1)), "the total of all");
        }
    }
}

//! At most 3 combines a row, 4.5 where they are light, and a new key costs nothing more.
void check_combines() {
    std::mt19937 random(3);
    for (const Time length : {1, 10, 1000, 100000}) {
        const Rows rows = make_rows(random, 5000, 3, 0);
        const Order order(rows.times.size(), rows.times, rows.keys, 3);
        const Bounds bounds = time_window(order, IntegerReach(length, false), {}, true);
        std::int64_t combines = 0;
        const Counting<TopCount> monoid(combines);
        two_stacks(
            monoid, bounds, bounds.first.data(), {0, order.size()}, [](std::size_t) { return TopCount{}.lift(1); },
            [](std::size_t, TopCount::Partial) {});
        check(combines <= 3 * 5000, "3 combines a row");
        combines = 0;
        const Counting<EndsOfRows> light(combines);
        two_stacks(
            light, bounds, bounds.first.data(), {0, order.size()}, [](std::size_t i) { return std::uint64_t{i}; },
            [](std::size_t, std::uint64_t) {});
        check(2 * combines <= 9 * 5000, "4.5 light combines a row");
    }
}

//! A set of ranks against a sorted one; a cursor that is sent near and far finds every member.
void check_rank_set() {
    std::mt19937 random(11);
    for (const std::size_t size : {1, 64, 65, 5000, 600000}) {
        RankSet set;
        set.reset(size);
        RankCursor cursor;
        std::set<std::size_t> model;
        for (int step = 0; step < 2000; ++step) {
            const std::size_t number = (step % 3 == 0 ? 7 : 1) * random() % size;
            const bool there = !model.insert(number).second;
            check(set.has(number) == there, "what is in the set");
            there ? set.remove(number) : set.add(number);
            if (there) model.erase(number);
            cursor.changed(number, there ? -1 : 1);
            check(set.size() == model.size(), "how many are in the set");
            if (model.empty() || step % 10 != 0) continue;
            const std::size_t k = random() % model.size();
            const std::size_t found = cursor.seek(set, k);
            check(found == *std::next(model.begin(), static_cast<std::ptrdiff_t>(k)), "the k-th of the set");
            check(set.below(found) == k, "how many are below it");
        }
    }
}

//! Tasks are all run, once each; the error is that of the first that failed.
void check_threads() {
    for (const std::size_t threads : {1, 2, 5}) {
        std::vector<std::atomic<int>> runs(1000);
        in_parallel(runs.size(), threads, [&] { return [&](std::size_t task) { ++runs[task]; }; });
        check(std::all_of(runs.begin(), runs.end(), [](const auto& count) { return count == 1; }), "every task once");
        std::size_t failed = 0;
        try {
            in_parallel(runs.size(), threads, [&] {
                return [&](std::size_t task) {
                    if (task % 100 == 57) throw DoesNotFit{task};
                };
            });
        } catch (const DoesNotFit& error) {
            failed = error.position;
        }
        check(failed == 57, "the first task that failed");
    }
}

//! NaNs are equal there too.
std::vector<std::byte> bits_of(const std::vector<double>& values) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

//! Every number of threads gives the same bits: late rows, many keys, floats of very different sizes.
void check_equal_bits() {
    std::mt19937 random(13);
    const Rows rows = make_rows(random, 100000, 20, 10);
    std::vector<double> values(rows.times.size());
    for (double& value : values) value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 80));
    std::vector<std::vector<double>> found;
    for (const std::size_t threads : {1, 2, 4}) {
        const Order order(values.size(), rows.times, rows.keys, 20, threads);
        const Bounds bounds = time_window(order, IntegerReach(9000, false), {}, true);
        Room<double> sorted(values.size());
        order.gather(std::span<const double>(values), sorted.span());
        Column column;
        column.real = true;
        column.reals = sorted.span();
        column.presence = presence_of(order, rows);
        for (const char* name : {"sum", "mean", "moments", "max"}) {
            std::vector<double>& out = found.emplace_back(values.size());
            run_kernel({name}, Final{order, bounds, column.presence}, column, {{}, {out, order.rows()}});
            if (!reads_bounds_once(name, true)) continue;
            // Bounds that the kernel finds as it goes; it leaves none behind.
            Bounds once = time_window(order, IntegerReach(9000, false), {}, true, true);
            std::vector<double> again(values.size());
            run_kernel({name}, Final{order, once, column.presence}, column, {{}, {again, order.rows()}});
            check(bits_of(again) == bits_of(out) && once.first.empty(), "bounds found on the way");
            once.find_all(threads);
            check(std::ranges::equal(once.first.span(), bounds.first.span()), "bounds found at last");
        }
        std::vector<double>& out = found.emplace_back(values.size());
        const Wanted wanted{{0.3}};
        slide<QuantileWindow>(order, bounds, column, wanted,
                              [&](std::size_t i, QuantileWindow& window) { window.result(&out[i]); });
    }
    for (std::size_t i = 5; i < found.size(); ++i)
        check(bits_of(found[i]) == bits_of(found[i % 5]), "the bits of one thread");
}

//! A sum is refused only if it does not fit itself, and the row is named.
void check_exact_sums() {
    constexpr std::int64_t kHuge = std::int64_t{1} << 62;
    const std::vector<std::int64_t> values = {kHuge, kHuge - 1, -kHuge, kHuge, kHuge};
    const Order order(values.size(), {}, {}, 1);
    const Bounds bounds = count_window(order, 2, {});
    Column column;
    column.integers = values;
    std::vector<std::int64_t> out(values.size());
    try {
        exact_sums(order, column, bounds, {out, {}});
        check(false, "the last sum does not fit");
    } catch (const DoesNotFit& error) {
        check(error.position == 4, "the position of the sum that does not fit");
    }
    check(out[1] == 2 * (kHuge - 1) + 1 && out[2] == -1 && out[3] == 0, "sums that fit");
}

//! Whether keys have equal codes where they are equal, and whether the codes are those of one thread.
template <class Same>
bool tells_apart(const Codes& codes, const Codes& alone, Same same) {
    bool right = codes.count == alone.count;
    for (std::size_t i = 0; i < codes.codes.size(); ++i) {
        const std::size_t k = i * i % codes.codes.size();
        right = right && codes.codes[i] < codes.count && codes.codes[i] == alone.codes[i] &&
                (codes.codes[i] == codes.codes[k]) == same(i, k);
    }
    return right;
}

//! Equal keys have equal codes, far apart or close together, few or many, and nulls a code of their own, in any number
//! of threads.
void check_codes() {
    std::mt19937_64 random(4);
    struct Shape {
        std::uint64_t values;
        std::uint64_t apart;
    };
    for (const auto [values, apart] :
         {Shape{10, 1}, Shape{100'000, 1}, Shape{700, ~std::uint64_t{0} / 700}, Shape{~std::uint64_t{0}, 1}}) {
        std::vector<std::int64_t> keys(50'000);
        std::vector<std::uint8_t> nulls(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = i % 3 == 0 && i != 0 ? keys[i / 2] : static_cast<std::int64_t>(random() % values * apart);
            nulls[i] = i % 11 == 0;
        }
        // In two parts, as those of two frames.
        const std::size_t cut = random() % keys.size();
        const std::span<const std::int64_t> whole(keys);
        const std::span<const std::uint8_t> marks(nulls);
        const auto encoded = [&](std::size_t threads) {
            return encode_keys({{{whole.first(cut), marks.first(cut)}, {whole.subspan(cut), marks.subspan(cut)}}},
                               threads);
        };
        const auto same = [&](std::size_t i, std::size_t k) {
            return nulls[i] == nulls[k] && (nulls[i] || keys[i] == keys[k]);
        };
        for (const std::size_t threads : {1, 2, 3})
            check(tells_apart(encoded(threads), encoded(1), same), "codes tell keys apart");
    }
}

//! Texts of all lengths, which differ in any of their bytes: zeros, and the last of the memory, among them. Each comes
//! often, or most of them once.
void check_text_codes(bool often) {
    std::mt19937_64 random(5);
    std::vector<std::string> texts(50'000);
    std::vector<std::uint8_t> nulls(texts.size());
    std::string bytes;
    std::vector<std::int32_t> narrow{0};
    std::vector<std::int64_t> wide{0};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        texts[i] = i % 3 == 0 && i != 0 ? texts[i / 2] : std::string(random() % 20, '\0');
        if (!texts[i].empty()) texts[i][random() % texts[i].size()] = static_cast<char>(random() % 3);
        if (!often && i % 3 != 0) texts[i] = std::to_string(random()) + texts[i];
        nulls[i] = i % 7 == 0;
        bytes += texts[i];
        narrow.push_back(static_cast<std::int32_t>(bytes.size()));
        wide.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    const auto same = [&](std::size_t i, std::size_t k) {
        return nulls[i] == nulls[k] && (nulls[i] || texts[i] == texts[k]);
    };
    const Codes alone = encode_texts(TextKeys(std::span<const std::int64_t>(wide), bytes), nulls, 1);
    for (const std::size_t threads : {1, 2, 3})
        check(tells_apart(encode_texts(TextKeys(std::span<const std::int32_t>(narrow), bytes), nulls, threads), alone,
                          same),
              "codes tell texts apart");
}

//! Floats that are so large that a length is lost in rounding still see themselves.
void check_real_times() {
    const std::vector<double> reals = {-1e300, -2.5, -0.5, 0.0, 1e300, 1e300};
    std::vector<Time> times;
    for (const double real : reals) times.push_back(encode_real(real));
    const Order order(times.size(), times, {}, 1);
    const Bounds open = time_window(order, RealReach(2.0, false), {}, true);
    const Bounds closed = time_window(order, RealReach(2.0, true), {true, true}, true);
    const std::vector<Position> first(open.first.data(), open.first.data() + reals.size());
    check(first == std::vector<Position>({0, 1, 2, 2, 4, 4}), "the start is out");
    check(closed.first[2] == 1 && closed.first[3] == 2, "the start is in");
}

//! Native functions of a user: the last value, which is not commutative; a negative one is an error.
int lift_last(std::int64_t time, const double* inputs, double* out) {
    out[0] = inputs[0];
    out[1] = static_cast<double>(time);
    return 0;
}
int combine_last(const double*, const double* newer, double* out) {
    out[0] = newer[0];
    out[1] = newer[1];
    return newer[0] < 0 ? 1 : 0;
}
int lower_last(const double* partial, double* out) {
    out[0] = partial[0];
    return partial[1] < 0 ? 2 : 0;
}

void check_records() {
    const CompiledFunctions functions(lift_last, combine_last, lower_last, {0.0, -1.0}, 1);
    const RecordMonoid<4> monoid(functions);
    double out = 7;
    check(!monoid.lower(monoid.identity(), &out), "nothing is no result");
    const double inputs[] = {3.0, -3.0};
    const auto both = monoid.combine(monoid.lift(1, inputs + 1), monoid.lift(2, inputs));
    check(monoid.lower(both, &out) && out == 3.0, "the newer of both");
    check_throws<CompiledError>([&] { monoid.combine(both, monoid.lift(1, inputs + 1)); });
    check_throws<std::invalid_argument>([&] { RecordMonoid<1>{functions}; });
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash::testing;
    check_time_windows();
    check_bursts();
    check_scans();
    check_blocks();
    check_sorting();
    check_combines();
    check_rank_set();
    check_threads();
    check_equal_bits();
    check_exact_sums();
    check_codes();
    for (const bool often : {true, false}) check_text_codes(often);
    check_real_times();
    check_records();
    return report();
}
