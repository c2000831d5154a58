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
#include "sash/operator/operator_snapshot.hpp"
#include "sash/monoids/text.hpp"

namespace sash::testing {
namespace {

using lines::Found;
using lines::LineId;
using lines::Policy;

//! Texts, and results as texts.
class Shelf {
public:
    using Answer = std::string;

    std::vector<std::pair<lines::Said, std::string>> told;
    //! How many results may be told before one is refused.
    std::size_t patience = ~std::size_t{0};

    void lift(const std::string& text) { lifted_ = monoid_.lift(text); }
    void open(LineId line) {
        if (line >= windows_.size()) windows_.resize(line + 1);
    }
    void close(LineId line) { windows_[line] = {}; }
    void insert(LineId line, Time label) {
        before_.push_back(windows_[line].at(label));
        windows_[line].insert(monoid_, label, lifted_);
    }
    void take_back(LineId line, Time label) {
        windows_[line].erase(label);
        if (before_.back()) windows_[line].insert(monoid_, label, *before_.back());
        before_.pop_back();
    }
    void evict(LineId line, Time label) { windows_[line].bulk_evict(label); }
    void relabel(LineId line, std::span<const Time> from, std::span<const Time> to) {
        KeyWindow<Concat> moved;
        windows_[line].for_each([&](Time label, const Concat::Partial& partial) {
            const auto at = std::lower_bound(from.begin(), from.end(), label) - from.begin();
            moved.insert(monoid_, to[static_cast<std::size_t>(at)], partial);
        });
        windows_[line] = std::move(moved);
    }
    void tell(const lines::Said& said, const lines::Question& question) { tell(said, answer(question)); }
    void tell(const lines::Said& said, const Answer& answer) {
        if (told.size() >= patience) throw std::runtime_error("enough");
        told.emplace_back(said, answer);
    }
    Answer answer(const lines::Question& question) const {
        if (question.missing) return "missing";
        if (question.empty) return "";
        const Concat::Partial partial = windows_[question.line].query(monoid_, question.from, question.to);
        return partial.present ? monoid_.lower(partial) : "";
    }
    bool same(const Answer& one, const Answer& other) const { return one == other; }

    void save(LineId line, Writer& writer) const {
        windows_[line].for_each([&](Time, const Concat::Partial& partial) { writer.text(monoid_.lower(partial)); });
    }
    void restore(LineId line, std::span<const Time> labels, Reader& reader) {
        for (const Time label : labels) windows_[line].insert(monoid_, label, monoid_.lift(std::string(reader.text())));
    }
    void write(Writer& writer, const Answer& answer) const { writer.text(answer); }
    Answer read(Reader& reader) const { return std::string(reader.text()); }

private:
    Concat monoid_{""};
    Concat::Partial lifted_;
    std::vector<KeyWindow<Concat>> windows_;
    std::vector<std::optional<Concat::Partial>> before_;
};

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
Policy sessions(Time gap) {
    return {.kind = Policy::Kind::session, .span = {{gap, 0.0}, false, true}};
}

void test_final_is_brute_force(const std::vector<Policy>& policies, std::optional<Time> lateness, Time spread) {
    lines::Plan plan{.policies = policies, .emit = lines::Emit::final};
    if (lateness) plan.lateness = Length{*lateness, 0.0};
    Shelf shelf;
    Lines<Shelf> operator_(plan, shelf);
    std::map<std::uint32_t, std::vector<Sample>> rows;
    for (const Sample& sample : samples(5, 3000, spread)) {
        if (operator_.is_late(sample.ticks)) continue;
        const std::int64_t number = static_cast<std::int64_t>(rows[0].size() + rows[1].size() + rows[2].size());
        rows[sample.slot].push_back({sample.ticks, number, sample.slot, sample.text});
        shelf.lift(sample.text);
        operator_.book().begin(false);
        operator_.take(sample.slot, sample.ticks, false);
        operator_.book().commit();
    }
    operator_.finish();
    std::map<std::pair<std::int64_t, std::size_t>, std::string> expected;
    for (auto& [slot, row] : rows) {
        std::stable_sort(row.begin(), row.end(), [](const Sample& a, const Sample& b) { return a.ticks < b.ticks; });
        for (std::size_t place = 0; place < row.size(); ++place)
            for (std::size_t window = 0; window < policies.size(); ++window)
                expected[{row[place].number, window}] = brute_force(policies[window], row, place);
    }
    check(shelf.told.size() == expected.size(), "each event answers once");
    for (const auto& [said, text] : shelf.told)
        check(text == expected[std::pair(said.number, std::size_t{said.window})], "a window is what brute force says");
}

std::string bytes_of(Lines<Shelf>& operator_) {
    Writer writer;
    lines::State(operator_.book()).save(writer);
    return writer.take();
}

//! A plan with everything in it that a failure must bring back.
lines::Plan full_plan(lines::Emit emit, bool aligned) {
    lines::Plan plan{.policies = {timed(20), sessions(4)}, .emit = emit};
    if (!aligned) plan.policies.push_back(counted(5));
    plan.lateness = Length{30, 0.0};
    plan.expire = Length{25, 0.0};
    plan.changes_only = true;
    plan.min_periods = 2;
    return plan;
}

void test_a_call_that_fails_changes_nothing(lines::Emit emit, bool aligned) {
    Shelf shelf;
    Lines<Shelf> operator_(full_plan(emit, aligned), shelf);
    const std::vector<Sample> all = samples(9, 400, 25);
    const auto take = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            if (operator_.is_late(all[i].ticks)) continue;
            shelf.lift(all[i].text);
            operator_.take(all[i].slot, all[i].ticks, i % 5 == 0);
        }
    };
    for (std::size_t at = 0; at + 20 <= all.size(); at += 20) {
        const std::string before = bytes_of(operator_);
        const std::size_t told = shelf.told.size();
        operator_.book().begin(true);
        shelf.patience = told + 3;
        try {
            take(at, at + 20);
            shelf.patience = told;
            operator_.finish();
        } catch (const std::runtime_error&) {
        }
        operator_.book().roll_back();
        check(bytes_of(operator_) == before, "everything is as it was");
        shelf.patience = ~std::size_t{0};
        shelf.told.resize(told);
        operator_.book().begin(false);
        take(at, at + 20);
        operator_.book().commit();
    }
    Shelf other;
    Lines<Shelf> straight(full_plan(emit, aligned), other);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (straight.is_late(all[i].ticks)) continue;
        other.lift(all[i].text);
        straight.book().begin(false);
        straight.take(all[i].slot, all[i].ticks, i % 5 == 0);
        straight.book().commit();
    }
    check(shelf.told.size() == other.told.size(), "what failed and was tried again says what is said at once");
    for (std::size_t i = 0; i < shelf.told.size() && i < other.told.size(); ++i)
        check(shelf.told[i].second == other.told[i].second, "result by result");
}

void test_a_restored_operator_goes_on(lines::Emit emit, bool aligned) {
    Shelf shelf, other;
    Lines<Shelf> original(full_plan(emit, aligned), shelf), restored(full_plan(emit, aligned), other);
    const std::vector<Sample> all = samples(13, 300, 25);
    const auto take = [&](Lines<Shelf>& operator_, Shelf& own, std::size_t i) {
        if (operator_.is_late(all[i].ticks)) return;
        own.lift(all[i].text);
        operator_.book().begin(false);
        operator_.take(all[i].slot, all[i].ticks, i % 7 == 0);
        operator_.book().commit();
    };
    for (std::size_t i = 0; i < 150; ++i) take(original, shelf, i);
    const std::string bytes = bytes_of(original);
    std::vector<lines::Slot> slots;
    for (const LineId id : lines::State(original.book()).lines()) slots.push_back(original.book().line(id).slot);
    Reader reader(bytes);
    lines::State(restored.book()).restore(reader, slots);
    restored.book().now() = original.book().now();
    check(reader.left() == 0, "all bytes are read");
    check(bytes_of(restored) == bytes, "equal operators give equal bytes");
    shelf.told.clear();
    for (std::size_t i = 150; i < all.size(); ++i) take(original, shelf, i), take(restored, other, i);
    original.finish();
    restored.finish();
    check(!other.told.empty() && shelf.told.size() == other.told.size(), "it says as much");
    for (std::size_t i = 0; i < shelf.told.size() && i < other.told.size(); ++i)
        check(shelf.told[i].second == other.told[i].second, "and the same");
}

void test_rows_are_found_wherever_they_come(std::size_t most) {
    std::mt19937 random(17);
    lines::RowList rows;
    std::vector<std::pair<Time, std::int64_t>> model;
    for (std::int64_t i = 0; i < 6000; ++i) {
        const Time ticks = i / 3 - static_cast<Time>(random() % 2 == 0 ? 0 : random() % 1500);
        const std::pair row(ticks, i);
        const auto place = std::lower_bound(model.begin(), model.end(), row) - model.begin();
        model.insert(model.begin() + place, row);
        check(rows.insert({.ticks = ticks, .number = i, .null = false}) == static_cast<std::size_t>(place),
              "a row goes behind its peers");
        if (i % 50 == 49 || model.size() > most) {
            const std::size_t gone = random() % std::min<std::size_t>(20, model.size());
            rows.forget(gone);
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
        std::size_t seen = 0;
        rows.for_each([&](const lines::Row& kept) { seen += kept.number == model[seen].second; });
        check(seen == model.size(), "all rows are met in their order");
    }
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash::testing;
    using sash::lines::Emit;
    for (const std::size_t most : {24, 200, 6000}) test_rows_are_found_wherever_they_come(most);
    for (const std::optional<sash::Time> lateness : {std::optional<sash::Time>(), std::optional<sash::Time>(40)}) {
        test_final_is_brute_force({timed(7), timed(60)}, lateness, 45);
        test_final_is_brute_force({sessions(2), sessions(5)}, lateness, 45);
        test_final_is_brute_force({counted(3), blocks(7), timed(9), sessions(3)}, lateness, 45);
    }
    for (const Emit emit : {Emit::arrival, Emit::final, Emit::update}) {
        for (const bool aligned : {true, false}) {
            test_a_call_that_fails_changes_nothing(emit, aligned);
            test_a_restored_operator_goes_on(emit, aligned);
        }
    }
    return report();
}
