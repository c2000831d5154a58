//! The operator against brute force, over a monoid that is not commutative.
#include "sash/operator/operator.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sash/algorithms/key_window.hpp"
#include "sash/monoids/text.hpp"
#include "sash/operator/operator_snapshot.hpp"

namespace sash::testing {
namespace {

using windows::Policy;

//! Texts, and results as texts.
class TextPartials {
public:
    using Result = std::string;

    std::vector<std::pair<Emission, std::string>> emitted;
    //! How many results may be emitted before one is refused.
    std::size_t patience = ~std::size_t{0};

    void lift(const std::string& text) { lifted_ = monoid_.lift(text); }
    void open(KeyId key) {
        if (key >= windows_.size()) windows_.resize(key + 1);
    }
    void close(KeyId key) { windows_[key] = {}; }
    void prefetch(KeyId, bool) const {}
    void insert(KeyId key, Time label) {
        undo_.push_back({key, label, windows_[key].at(label)});
        windows_[key].insert(monoid_, label, lifted_);
    }
    void evict(KeyId key, Time label) {
        windows_[key].for_each([&](Time at, const Concat::Partial& partial) {
            if (at <= label) undo_.push_back({key, at, partial});
        });
        windows_[key].bulk_evict(label);
    }
    void slide(KeyId key, Time needed, Time label, bool has_partial) {
        if (needed != kEarliest) evict(key, needed - 1);
        if (has_partial) insert(key, label);
    }
    void erase(KeyId key, Time label) {
        undo_.push_back({key, label, windows_[key].at(label)});
        windows_[key].erase(label);
    }
    void commit() { undo_.clear(); }
    void roll_back() {
        for (; !undo_.empty(); undo_.pop_back()) {
            auto& [key, label, before] = undo_.back();
            if (windows_[key].at(label)) windows_[key].erase(label);
            if (before) windows_[key].insert(monoid_, label, *before);
        }
    }
    bool empty(KeyId key) const { return windows_[key].size() == 0; }
    bool any(KeyId key, Time from, Time to) const { return windows_[key].any(from, to); }
    void relabel(KeyId key, std::span<const Time> from, std::span<const Time> to) {
        const auto moved = [&](Time label) {
            return to[static_cast<std::size_t>(std::lower_bound(from.begin(), from.end(), label) - from.begin())];
        };
        std::vector<std::pair<Time, Concat::Partial>> entries;
        windows_[key].for_each(
            [&](Time label, const Concat::Partial& partial) { entries.emplace_back(moved(label), partial); });
        windows_[key].assign(monoid_, entries);
        for (Undo& undo : undo_)
            if (undo.key == key) undo.label = moved(undo.label);
    }
    void emit(const Emission& emission, const PartialRange& range) { emit(emission, result(range)); }
    void emit(const Emission& emission, const Result& result) {
        if (emitted.size() >= patience) throw std::runtime_error("enough");
        emitted.emplace_back(emission, result);
    }
    Result result(const PartialRange& range) const {
        if (range.missing) return "missing";
        if (range.empty) return "";
        const Concat::Partial partial = windows_[range.key].query(monoid_, range.from, range.to);
        return partial.present ? monoid_.lower(partial) : "";
    }
    std::vector<Result> results(std::span<const PartialRange> ranges) const {
        std::vector<Result> results;
        for (const PartialRange& range : ranges) results.push_back(result(range));
        return results;
    }
    bool same(const Result& one, const Result& other) const { return one == other; }
    bool keeps_failures() const { return false; }
    void fail(const Emission&) {}
    Result seen_by(std::size_t, const PartialRange& range) const { return result(range); }
    //! A programmable window of the tests keeps four texts.
    bool evicts(std::size_t, const Result& total, const PartialRange& range) const {
        return total.size() >= result(range).size() + 4;
    }
    Result counted(std::size_t count) const { return std::string(count, '.'); }
    bool evicts(std::size_t, const Result& total, std::size_t count) const { return total.size() >= count + 4; }

    std::vector<Time> labels(KeyId key) const {
        std::vector<Time> labels;
        windows_[key].for_each([&](Time label, const Concat::Partial&) { labels.push_back(label); });
        return labels;
    }
    void save(KeyId key, Writer& writer) const {
        writer.u64(windows_[key].size());
        windows_[key].for_each([&](Time, const Concat::Partial& partial) { writer.text(monoid_.lower(partial)); });
    }
    void restore(KeyId key, std::span<const Time> labels, Reader& reader) {
        for (const Time label : labels.last(reader.count(1)))
            windows_[key].insert(monoid_, label, monoid_.lift(std::string(reader.text())));
    }
    bool writes_results() const { return true; }
    void write(Writer& writer, const Result& result) const { writer.text(result); }
    Result read(Reader& reader) const { return std::string(reader.text()); }

private:
    struct Undo {
        KeyId key;
        Time label;
        std::optional<Concat::Partial> before;
    };

    Concat monoid_{""};
    Concat::Partial lifted_;
    std::vector<KeyWindow<Concat>> windows_;
    std::vector<Undo> undo_;
};

using TextOperator = Operator<TextPartials>;

struct Sample {
    Time ticks;
    std::int64_t number;
    std::uint32_t slot;
    std::string text;
};

//! Events of three keys at times that go back and forth and are often equal.
std::vector<Sample> samples(unsigned seed, int count, Time spread) {
    std::mt19937 random(seed);
    std::vector<Sample> all;
    for (int i = 0; i < count; ++i) {
        const Time ticks = i / 2 - static_cast<Time>(random() % static_cast<unsigned>(spread));
        all.push_back(
            {ticks, i, static_cast<std::uint32_t>(random() % 3), std::string(1, static_cast<char>('a' + i % 26))});
    }
    return all;
}

//! The texts of the window that ends at an event, from all events of its key in order.
std::string brute_force(const Policy& policy, const std::vector<Sample>& row, std::size_t place) {
    const Time end = row[place].ticks;
    std::size_t first = place;
    if (policy.kind == Policy::Kind::count) first = place - std::min(place, policy.count - 1);
    if (policy.kind == Policy::Kind::tumbling_count) first = place - place % policy.count;
    if (policy.kind == Policy::Kind::session)
        while (first > 0 && row[first].ticks - row[first - 1].ticks < policy.span.length.ticks) --first;
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const bool timed = policy.kind == Policy::Kind::time;
        const bool after = timed ? row[i].ticks > end - policy.span.length.ticks : i >= first;
        if (after && (policy.aligned() ? row[i].ticks <= end : i <= place)) text += row[i].text;
    }
    return text;
}

Policy timed(Time length) {
    return {.kind = Policy::Kind::time, .span = {{length, 0.0}, false, true}};
}
Policy counted(std::size_t n) {
    return {.kind = Policy::Kind::count, .count = n};
}
Policy blocks(std::size_t n) {
    return {.kind = Policy::Kind::tumbling_count, .count = n};
}
Policy programmable() {
    return {.kind = Policy::Kind::programmable};
}
Policy sessions(Time gap) {
    return {.kind = Policy::Kind::session, .span = {{gap, 0.0}, false, true}};
}

void test_final_is_brute_force(const std::vector<Policy>& policies, std::optional<Time> lateness, Time spread) {
    OperatorPlan plan{.policies = policies, .emit = Emit::final};
    if (lateness) plan.lateness = Length{*lateness, 0.0};
    TextPartials partials;
    TextOperator operator_(plan, partials);
    std::map<std::uint32_t, std::vector<Sample>> rows;
    for (const Sample& sample : samples(5, 3000, spread)) {
        if (operator_.is_late(sample.ticks)) continue;
        const std::int64_t number = static_cast<std::int64_t>(rows[0].size() + rows[1].size() + rows[2].size());
        rows[sample.slot].push_back({sample.ticks, number, sample.slot, sample.text});
        partials.lift(sample.text);
        operator_.state().begin(false);
        operator_.take({sample.slot, sample.ticks});
        operator_.state().commit();
    }
    operator_.finish();
    std::map<std::pair<std::int64_t, std::size_t>, std::string> expected;
    for (auto& [slot, row] : rows) {
        std::stable_sort(row.begin(), row.end(), [](const Sample& a, const Sample& b) { return a.ticks < b.ticks; });
        for (std::size_t place = 0; place < row.size(); ++place)
            for (std::size_t window = 0; window < policies.size(); ++window)
                expected[{row[place].number, window}] = brute_force(policies[window], row, place);
    }
    check(partials.emitted.size() == expected.size(), "each event has one result");
    for (const auto& [emission, text] : partials.emitted)
        check(text == expected[std::pair(emission.number, std::size_t{emission.window})],
              "a window is what brute force says");
}

//! An event that takes the place of the one with its id, or only takes that one back.
void change(TextOperator& operator_, TextPartials& partials, const Sample& sample, std::size_t i) {
    const IdSlot id = static_cast<IdSlot>(i * 7 % 40);
    if (operator_.take_back(sample.slot, id) || i % 4 == 0 || operator_.is_late(sample.ticks)) return;
    partials.lift(sample.text);
    operator_.take(
        {.slot = sample.slot, .ticks = sample.ticks, .has_partial = i % 5 != 0, .null = i % 5 == 0, .id = id});
}

//! What is left of rows by their ids has the windows of a stream that never had the others.
void test_rows_that_are_taken_back(const std::vector<Policy>& policies) {
    OperatorPlan plan{.policies = policies, .emit = Emit::update, .retracts = true};
    TextPartials partials;
    TextOperator operator_(plan, partials);
    std::map<std::pair<std::uint32_t, IdSlot>, Sample> left;
    std::mt19937 random(21);
    std::int64_t number = 0;
    for (const Sample& sample : samples(8, 2000, 45)) {
        const IdSlot id = random() % 200;
        operator_.state().begin(random() % 2 == 0);
        static_cast<void>(operator_.take_back(sample.slot, id));
        left.erase({sample.slot, id});
        if (random() % 3 != 0) {
            left[{sample.slot, id}] = {sample.ticks, number++, sample.slot, sample.text};
            partials.lift(sample.text);
            operator_.take({.slot = sample.slot, .ticks = sample.ticks, .id = id});
        }
        operator_.state().commit();
    }
    std::map<std::uint32_t, std::vector<Sample>> rows;
    for (const auto& [name, sample] : left) rows[name.first].push_back(sample);
    std::map<std::pair<std::int64_t, std::size_t>, std::string> expected, last;
    for (auto& [slot, row] : rows) {
        const auto earlier = [](const Sample& a, const Sample& b) {
            return std::pair(a.ticks, a.number) < std::pair(b.ticks, b.number);
        };
        std::sort(row.begin(), row.end(), earlier);
        for (std::size_t place = 0; place < row.size(); ++place)
            for (std::size_t window = 0; window < policies.size(); ++window)
                expected[{row[place].number, window}] = brute_force(policies[window], row, place);
    }
    for (const auto& [emission, text] : partials.emitted) {
        last[{emission.number, emission.window}] = text;
        if (emission.retracted) last.erase({emission.number, emission.window});
    }
    check(last == expected, "the last word on each result is that of the rows that are left");
}

std::string bytes_of(TextOperator& operator_) {
    Writer writer;
    OperatorSnapshot(operator_.state()).save(writer);
    return writer.take();
}

//! A plan with everything in it that a failure must bring back.
OperatorPlan full_plan(Emit emit, bool aligned, bool retracts = false) {
    OperatorPlan plan{.policies = {timed(20), sessions(4)}, .emit = emit};
    if (!aligned) plan.policies.insert(plan.policies.end(), {counted(5), programmable()});
    plan.lateness = Length{30, 0.0};
    plan.expire = Length{25, 0.0};
    plan.changes_only = true;
    plan.min_periods = 2;
    plan.retracts = retracts;
    return plan;
}

void test_a_call_that_fails_changes_nothing(Emit emit, bool aligned) {
    TextPartials partials;
    TextOperator operator_(full_plan(emit, aligned), partials);
    const std::vector<Sample> all = samples(9, 400, 25);
    const auto take = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            if (operator_.is_late(all[i].ticks)) continue;
            partials.lift(all[i].text);
            operator_.take({all[i].slot, all[i].ticks, i % 5 != 0, i % 5 == 0});
        }
    };
    for (std::size_t at = 0; at + 20 <= all.size(); at += 20) {
        const std::string before = bytes_of(operator_);
        const std::size_t emitted = partials.emitted.size();
        operator_.state().begin(true);
        partials.patience = emitted + 3;
        try {
            take(at, at + 20);
            partials.patience = emitted;
            operator_.finish();
        } catch (const std::runtime_error&) {
        }
        operator_.state().roll_back();
        check(bytes_of(operator_) == before, "everything is as it was");
        partials.patience = ~std::size_t{0};
        partials.emitted.resize(emitted);
        operator_.state().begin(false);
        take(at, at + 20);
        operator_.state().commit();
    }
    TextPartials other;
    TextOperator straight(full_plan(emit, aligned), other);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (straight.is_late(all[i].ticks)) continue;
        other.lift(all[i].text);
        straight.state().begin(false);
        straight.take({all[i].slot, all[i].ticks, i % 5 != 0, i % 5 == 0});
        straight.state().commit();
    }
    check(partials.emitted.size() == other.emitted.size(),
          "what failed and was tried again emits what is emitted at once");
    for (std::size_t i = 0; i < partials.emitted.size() && i < other.emitted.size(); ++i)
        check(partials.emitted[i].second == other.emitted[i].second, "result by result");
}

//! Rows that were taken back are where they were, with what they are known by.
void test_a_failed_change_changes_nothing(Emit emit, bool aligned) {
    TextPartials partials;
    TextOperator operator_(full_plan(emit, aligned, true), partials);
    const std::vector<Sample> all = samples(19, 400, 25);
    for (std::size_t at = 0; at + 20 <= all.size(); at += 20) {
        const std::string before = bytes_of(operator_);
        for (const std::size_t patience : {0, 3, 30}) {
            const std::size_t emitted = partials.emitted.size();
            operator_.state().begin(true);
            partials.patience = emitted + patience;
            try {
                for (std::size_t i = at; i < at + 20; ++i) change(operator_, partials, all[i], i);
            } catch (const std::runtime_error&) {
            }
            operator_.state().roll_back();
            check(bytes_of(operator_) == before, "everything is as it was");
            partials.patience = ~std::size_t{0};
            partials.emitted.resize(emitted);
        }
        operator_.state().begin(true);
        for (std::size_t i = at; i < at + 20; ++i) change(operator_, partials, all[i], i);
        operator_.state().commit();
    }
    check(partials.emitted.size() > 50, "there was something to bring back");
}

void test_a_restored_operator_goes_on(Emit emit, bool aligned) {
    TextPartials partials, other;
    TextOperator original(full_plan(emit, aligned), partials), restored(full_plan(emit, aligned), other);
    const std::vector<Sample> all = samples(13, 300, 25);
    const auto take = [&](TextOperator& operator_, TextPartials& own, std::size_t i) {
        if (operator_.is_late(all[i].ticks)) return;
        own.lift(all[i].text);
        operator_.state().begin(false);
        operator_.take({all[i].slot, all[i].ticks, i % 7 != 0, i % 7 == 0});
        operator_.state().commit();
    };
    for (std::size_t i = 0; i < 150; ++i) take(original, partials, i);
    const std::string bytes = bytes_of(original);
    std::vector<KeySlot> slots;
    for (const KeyId id : OperatorSnapshot(original.state()).keys()) slots.push_back(original.state().slot(id));
    Reader reader(bytes);
    restored.state().now() = original.state().now();
    OperatorSnapshot(restored.state()).restore(reader, slots, {});
    check(reader.left() == 0, "all bytes are read");
    check(bytes_of(restored) == bytes, "equal operators give equal bytes");
    partials.emitted.clear();
    for (std::size_t i = 150; i < all.size(); ++i) take(original, partials, i), take(restored, other, i);
    original.finish();
    restored.finish();
    check(!other.emitted.empty() && partials.emitted.size() == other.emitted.size(), "it emits as much");
    for (std::size_t i = 0; i < partials.emitted.size() && i < other.emitted.size(); ++i)
        check(partials.emitted[i].second == other.emitted[i].second, "and the same");
}

void test_rows_are_found_wherever_they_come(std::size_t most) {
    std::mt19937 random(17);
    RowList rows;
    std::vector<std::pair<Time, std::int64_t>> model;
    for (std::int64_t i = 0; i < 6000; ++i) {
        const Time ticks = i / 3 - static_cast<Time>(random() % 2 == 0 ? 0 : random() % 1500);
        const std::pair row(ticks, i);
        const auto place = std::lower_bound(model.begin(), model.end(), row) - model.begin();
        model.insert(model.begin() + place, row);
        check(rows.insert({.ticks = ticks, .number = i, .has_partial = true, .null = false, .fires = true}) ==
                  static_cast<std::size_t>(place),
              "a row goes behind its peers");
        if (i % 50 == 49 || model.size() > most) {
            const std::size_t gone = random() % std::min<std::size_t>(20, model.size());
            rows.drop(gone);
            model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(gone));
        }
        if (i % 11 == 10 && model.size() > 1) {
            const std::size_t gone = random() % model.size();
            rows.erase(gone);
            model.erase(model.begin() + static_cast<std::ptrdiff_t>(gone));
        }
        const std::size_t at = random() % model.size();
        check(rows.size() == model.size() && rows[at].number == model[at].second,
              "places count the rows that are left");
        check(rows.place_of(model[at].first, model[at].second) == at, "a row is found by time and number");
        // A time that moves on with the rows, as a watermark does, is looked for near where the last one was.
        const Time moving = i / 3 - 700;
        const auto until = std::lower_bound(model.begin(), model.end(), std::pair(moving, std::int64_t{0}));
        check(rows.until(moving) == static_cast<std::size_t>(until - model.begin()), "rows before a time are counted");
        std::size_t seen = 0;
        rows.for_each([&](const Row& row) { seen += row.number == model[seen].second; });
        check(seen == model.size(), "all rows are met in their order");
    }
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash::testing;
    using sash::Emit;
    for (const std::size_t most : {24, 200, 6000}) test_rows_are_found_wherever_they_come(most);
    for (const std::optional<sash::Time> lateness : {std::optional<sash::Time>(), std::optional<sash::Time>(40)}) {
        test_final_is_brute_force({timed(7), timed(60)}, lateness, 45);
        test_final_is_brute_force({sessions(2), sessions(5)}, lateness, 45);
        test_final_is_brute_force({counted(3), blocks(7), timed(9), sessions(3)}, lateness, 45);
    }
    test_rows_that_are_taken_back({timed(7), timed(60)});
    test_rows_that_are_taken_back({sessions(2), counted(3), blocks(7), timed(9)});
    for (const Emit emit : {Emit::arrival, Emit::final, Emit::update}) {
        for (const bool aligned : {true, false}) {
            test_a_call_that_fails_changes_nothing(emit, aligned);
            test_a_restored_operator_goes_on(emit, aligned);
            if (emit != Emit::arrival) test_a_failed_change_changes_nothing(emit, aligned);
        }
    }
    return report();
}
