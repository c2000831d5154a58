//! The classes _core.ArrivalRows, _core.TopRows, _core.RankCounts and _core.RegisterCounts: windows at arrival, for
//! buckets of streams.
#include "sash/operator/arrival_rows.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>

#include "arrays.hpp"
#include "sash/operator/rank_counts.hpp"
#include "sash/operator/register_counts.hpp"
#include "sash/operator/sliding_counts.hpp"
#include "sash/operator/top_rows.hpp"
#include "window/face.hpp"

namespace sash::face {

namespace {

using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Numbers>
void check_sizes(const Times& keys, const Times& ticks, const Numbers& numbers, const Marks& there) {
    if (keys.size() != ticks.size() || numbers.size() != ticks.size() || there.size() != ticks.size())
        throw nb::value_error("there must be one key, one time, one number and one mark an event");
}

//! Rows of windows, one window after the other, and where each begins; as Arrow counts in lists. Rows are counted from
//! the oldest that is kept: half the memory matters where windows are long.
class Lists {
public:
    explicit Lists(std::int64_t oldest) : oldest_(oldest) {}

    void add(std::int64_t row) { rows_.push_back(static_cast<std::int32_t>(row - oldest_)); }
    void close() {
        if (rows_.size() > kMost)
            throw std::overflow_error("the windows of one batch hold more rows than a list of Arrow");
        starts_.push_back(static_cast<std::int32_t>(rows_.size()));
    }
    nb::tuple taken() { return nb::make_tuple(array_of(std::move(starts_)), array_of(std::move(rows_))); }

private:
    static constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();

    std::int64_t oldest_;
    std::vector<std::int32_t> starts_ = {0};
    std::vector<std::int32_t> rows_ = {};
};

//! Events whose rows are numbered from `first` on; without a mark they are in no window. The rows that each finds, from
//! the oldest on: all, the first of each different value, the first of the most frequent, or the one that is so many
//! before the last.
nb::tuple push_many(ArrivalRows& rows, const Times& keys, const Times& ticks, const Times& values, const Marks& there,
                    std::int64_t first, std::int64_t oldest, std::string_view which, std::size_t behind) {
    check_sizes(keys, ticks, values, there);
    if (which != "all" && which != "different" && which != "frequent" && which != "youngest")
        throw nb::value_error("rows are all, different, frequent or youngest");
    Lists lists(oldest);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const std::int64_t key = keys.data()[i], row = first + static_cast<std::int64_t>(i);
        const Time time = ticks.data()[i];
        if (there.data()[i] != 0) rows.insert(key, {time, row, values.data()[i]});
        if (which == "different") {
            rows.first_rows(key, time, [&](std::int64_t found) { lists.add(found); });
        } else if (which == "frequent") {
            if (const std::int64_t found = rows.most_frequent(key, time); found >= 0) lists.add(found);
        } else {
            const auto window = rows.window(key, time);
            if (which == "all")
                for (const auto& entry : window) lists.add(entry.row);
            else if (behind < window.size())
                lists.add(window[window.size() - 1 - behind].row);
        }
        lists.close();
    }
    return lists.taken();
}

//! The values of the window of each event with how often they are there, those that make up a share of it: where each
//! window begins, values, counts.
nb::tuple tally_many(ArrivalRows& rows, const Times& keys, const Times& ticks, const Times& values, const Marks& there,
                     double share) {
    check_sizes(keys, ticks, values, there);
    std::vector<std::int64_t> starts = {0}, found, counts;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const std::int64_t key = keys.data()[i];
        if (there.data()[i] != 0) rows.insert(key, {ticks.data()[i], 0, values.data()[i]});
        const double least = share * static_cast<double>(rows.window(key, ticks.data()[i]).size());
        rows.counts(key, ticks.data()[i], [&](std::int64_t value, std::int64_t count) {
            if (static_cast<double>(count) < least) return;
            found.push_back(value);
            counts.push_back(count);
        });
        starts.push_back(static_cast<std::int64_t>(found.size()));
    }
    return nb::make_tuple(array_of(std::move(starts)), array_of(std::move(found)), array_of(std::move(counts)));
}

//! A sketch of each window that holds more than `few` values, at the place of its event in `out`: the head, and as many
//! of the counters, from the last one backwards, as there is room for. Of the other windows which events they are of,
//! how many values they hold, the values and how often each is there. Events of one key go together.
nb::tuple sketch_many(ArrivalRows& rows, const Times& keys, const Times& ticks, const Times& values, const Marks& there,
                      const Times& cells, std::size_t each, std::size_t width, std::size_t few, const nb::bytes& head,
                      const Bytes& out) {
    check_sizes(keys, ticks, values, there);
    const std::size_t size = ticks.size() == 0 ? 0 : out.size() / ticks.size();
    std::vector<std::size_t> order(ticks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t left, std::size_t right) { return keys.data()[left] < keys.data()[right]; });
    SlidingCounts window(rows, {cells.data(), cells.size()}, each, width);
    std::vector<std::int64_t> events, lengths, found, counts;
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t i = order[place];
        if (place == 0 || keys.data()[order[place - 1]] != keys.data()[i]) window.begin(keys.data()[i]);
        if (there.data()[i] != 0) window.insert(ticks.data()[i], values.data()[i]);
        window.move(ticks.data()[i] - rows.since(), ticks.data()[i] - rows.until());
        if (window.values().size() > few) {
            std::uint8_t* const own = out.data() + i * size;
            const auto counters = std::as_bytes(window.words()).last(size - head.size());
            std::memcpy(own, head.data(), head.size());
            std::memcpy(own + head.size(), counters.data(), counters.size());
            continue;
        }
        events.push_back(static_cast<std::int64_t>(i));
        lengths.push_back(static_cast<std::int64_t>(window.values().size()));
        for (const std::int64_t value : window.values()) {
            found.push_back(value);
            counts.push_back(window.count(value));
        }
    }
    return nb::make_tuple(array_of(std::move(events)), array_of(std::move(lengths)), array_of(std::move(found)),
                          array_of(std::move(counts)));
}

//! The bits that the values of the window of each event set, eight a byte, one window after the other: `hashes` bits of
//! each value, by double hashing from both halves of its hash.
nb::object bits_many(ArrivalRows& rows, const Times& keys, const Times& ticks, const Times& hashed, const Marks& there,
                     std::size_t bits, std::size_t hashes) {
    check_sizes(keys, ticks, hashed, there);
    std::vector<std::uint8_t> found(ticks.size() * bits / 8);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const std::int64_t key = keys.data()[i];
        // The hash is all that is asked of a value.
        if (there.data()[i] != 0) rows.insert(key, {ticks.data()[i], hashed.data()[i], ArrivalRows::kNone});
        std::uint8_t* own = found.data() + i * bits / 8;
        for (const auto& entry : rows.window(key, ticks.data()[i])) {
            const auto hash = static_cast<std::uint64_t>(entry.row);
            for (std::uint64_t j = 0, bit = hash & 0xFFFFFFFF; j < hashes; ++j, bit += hash >> 32 | 1)
                own[(bit & (bits - 1)) >> 3] |= static_cast<std::uint8_t>(1U << (bit & 7));
        }
    }
    return array_of(std::move(found));
}

//! The most extreme rows of the window of each event, numbered as above.
nb::tuple push_ranked(TopRows& rows, const Times& keys, const Times& ticks, const Times& ranks, const Marks& there,
                      std::int64_t first, std::int64_t oldest) {
    check_sizes(keys, ticks, ranks, there);
    Lists lists(oldest);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const std::int64_t key = keys.data()[i], row = first + static_cast<std::int64_t>(i);
        if (there.data()[i] != 0) rows.insert(key, ticks.data()[i], ranks.data()[i], row);
        for (const auto& ranked : rows.rows(key, ticks.data()[i])) lists.add(ranked.second);
        lists.close();
    }
    return lists.taken();
}

//! The places of the youngest values: how many are less, how many are not greater, and how many there are.
nb::tuple push_places(RankCounts& ranks, const Times& keys, const Times& ticks, const Reals& values,
                      const Marks& there) {
    check_sizes(keys, ticks, values, there);
    std::vector<std::int64_t> below(ticks.size()), upto(ticks.size()), size(ticks.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const auto place = ranks.push(keys.data()[i], ticks.data()[i], values.data()[i], there.data()[i] != 0);
        below[i] = place.below, upto[i] = place.upto, size[i] = place.size;
    }
    return nb::make_tuple(array_of(std::move(below)), array_of(std::move(upto)), array_of(std::move(size)));
}

//! The values at the ranks, one window after the other, and how many values each window holds.
nb::tuple push_quantiles(RankCounts& counts, const Times& keys, const Times& ticks, const Reals& values,
                         const Marks& there, const std::vector<double>& ranks) {
    check_sizes(keys, ticks, values, there);
    std::vector<double> found(ticks.size() * ranks.size());
    std::vector<std::int64_t> sizes(ticks.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        double* own = found.data() + i * ranks.size();
        sizes[i] = static_cast<std::int64_t>(counts.quantiles(keys.data()[i], ticks.data()[i], values.data()[i],
                                                              there.data()[i] != 0, ranks,
                                                              [&own](double value) { *own++ = value; }));
    }
    return nb::make_tuple(array_of(std::move(found)), array_of(std::move(sizes)));
}

//! The registers of windows: how many values are different, how many registers are used, and both sums. A coupon is a
//! register times 64 and the rank there.
nb::tuple push_coupons(RegisterCounts& counts, const Times& keys, const Times& ticks, const Times& values,
                       const Times& coupons, const Marks& there) {
    check_sizes(keys, ticks, values, there);
    check_sizes(keys, ticks, coupons, there);
    std::vector<std::int64_t> different(ticks.size()), used(ticks.size());
    std::vector<double> low(ticks.size()), high(ticks.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const auto bits = static_cast<std::uint64_t>(coupons.data()[i]);
        const Coupon coupon{values.data()[i], static_cast<std::uint32_t>(bits >> 6),
                            static_cast<std::uint32_t>(bits & 63)};
        const auto sums = counts.push(keys.data()[i], ticks.data()[i], coupon, there.data()[i] != 0);
        different[i] = sums.different, used[i] = sums.used, low[i] = sums.low, high[i] = sums.high;
    }
    return nb::make_tuple(array_of(std::move(different)), array_of(std::move(used)), array_of(std::move(low)),
                          array_of(std::move(high)));
}

}  // namespace

void bind_arrival_rows(nb::module_& module) {
    nb::class_<ArrivalRows>(module, "ArrivalRows")
        .def(nb::init<Time, Time>())
        .def("push_many", &push_many)
        .def("tally_many", &tally_many)
        .def("sketch_many", &sketch_many)
        .def("bits_many", &bits_many)
        .def("drop", &ArrivalRows::drop)
        .def("keys", &ArrivalRows::keys)
        .def("rows", &ArrivalRows::rows)
        .def("values", &ArrivalRows::values)
        .def("memory", &ArrivalRows::bytes);
    nb::class_<TopRows>(module, "TopRows")
        .def(nb::init<Time, Time, std::size_t>())
        .def("push_many", &push_ranked)
        .def("drop", &TopRows::drop)
        .def("keys", &TopRows::keys)
        .def("memory", &TopRows::bytes);
    nb::class_<RankCounts>(module, "RankCounts")
        .def(nb::init<Time, Time>())
        .def("push_many", &push_places)
        .def("quantile_many", &push_quantiles)
        .def("drop", &RankCounts::drop)
        .def("keys", &RankCounts::keys)
        .def("memory", &RankCounts::bytes);
    nb::class_<RegisterCounts>(module, "RegisterCounts")
        .def(nb::init<Time, Time>())
        .def("push_many", &push_coupons)
        .def("drop", &RegisterCounts::drop)
        .def("keys", &RegisterCounts::keys)
        .def("values", &RegisterCounts::values)
        .def("memory", &RegisterCounts::bytes);
}

}  // namespace sash::face
