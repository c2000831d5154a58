//! Keyed windows against brute force, over a monoid that is not commutative.
#include "sash/operator/keyed.hpp"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "sash/operator/key_table.hpp"
#include "sash/monoids/text.hpp"

namespace sash::testing {
namespace {

//! Every event of every key, asked directly.
struct Model {
    std::map<std::uint32_t, std::multimap<Time, std::string>> events;

    std::string query(std::uint32_t slot, Time from, Time to) const {
        std::string total;
        const auto found = events.find(slot);
        if (found == events.end()) return total;
        for (const auto& [time, text] : found->second)
            if (from <= time && time <= to) total += text;
        return total;
    }
};

std::string text_of(const Concat& monoid, const Concat::Partial& partial) {
    return partial.present ? monoid.lower(partial) : std::string();
}

void test_windows_agree_with_brute_force(Time lateness, Time spread) {
    const Concat monoid{""};
    const std::vector<Span> spans = {{{10, 0.0}, false, true}, {{40, 0.0}, true, false}, {{200, 0.0}, true, true}};
    Keyed<Concat> keyed(monoid, {spans, Length{lateness, 0.0}, {}, false});
    Model model;
    std::mt19937 random(7);
    Time newest = 0;
    for (int i = 0; i < 6000; ++i) {
        newest += static_cast<Time>(random() % 3);
        const Time time = newest - static_cast<Time>(random() % static_cast<unsigned>(spread));
        const std::uint32_t slot = random() % 3 == 0 ? random() % 50 : 1;
        if (keyed.clock().is_late(time)) continue;
        const std::string letter(1, static_cast<char>('a' + i % 26));
        const bool null = random() % 10 == 0;
        if (!null) model.events[slot].emplace(time, letter);
        const Concat::Partial partial = monoid.lift(letter);
        keyed.push(slot, time, null ? nullptr : &partial, [&](std::size_t window, const Concat::Partial& told) {
            const Span& span = spans[window];
            check(text_of(monoid, told) == model.query(slot, span.from(time, false), span.to(time)),
                  "a window is what brute force says");
        });
    }
}

void test_changes_can_be_undone() {
    const Concat monoid{""};
    const std::vector<Span> spans = {{{1000, 0.0}, false, true}};
    Keyed<Concat> keyed(monoid, {spans, {}, Length{500, 0.0}, false});
    const auto all = [&](std::uint32_t slot) { return text_of(monoid, keyed.query(slot, 0, 900)); };
    const auto nothing = [](std::size_t, const Concat::Partial&) {};
    std::mt19937 random(11);
    for (int i = 0; i < 200; ++i) {
        const Concat::Partial partial = monoid.lift(std::string(1, static_cast<char>('a' + i % 26)));
        keyed.push(static_cast<std::uint32_t>(i % 2), static_cast<Time>(random() % 300), &partial, nothing);
    }
    const std::string before[] = {all(0), all(1)};
    const EventClock clock = keyed.clock();
    std::vector<Keyed<Concat>::Change> changes;
    for (int i = 0; i < 100; ++i) {
        const Concat::Partial partial = monoid.lift("X");
        const auto slot = static_cast<std::uint32_t>(i % 3);
        // The last ones make the first keys expire.
        const Time time = i < 50 ? static_cast<Time>(random() % 300) : 850;
        keyed.push(slot, time, i % 7 == 0 ? nullptr : &partial, changes, nothing);
    }
    check(all(0) != before[0], "the changes show");
    keyed.undo(changes);
    keyed.clock() = clock;
    check(all(0) == before[0], "a window is as it was");
    check(all(1) == before[1], "so is the other");
    check(!keyed.live(2), "a key that was new is gone");
}

void test_the_table_finds_what_is_in_it() {
    KeyTable table;
    std::vector<std::int64_t> keys;
    const auto key_of = [&](std::uint32_t slot) { return keys[slot]; };
    std::map<std::int64_t, std::uint32_t> model;
    std::mt19937 random(3);
    for (std::uint32_t i = 0; i < 20000; ++i) {
        const auto key = static_cast<std::int64_t>(random() % 500) - 250;
        keys.push_back(key);
        if (model.count(key) == 0) {
            check(table.find(key, key_of) == KeyTable::kNone, "a key that is not there is not found");
            table.insert(i, key_of);
            model[key] = i;
        } else {
            check(table.find(key, key_of) == model[key], "a key is found at its slot");
            if (random() % 2 == 0) {
                table.erase(model[key], key_of);
                model.erase(key);
            }
        }
    }
    for (const auto& [key, slot] : model) check(table.find(key, key_of) == slot, "every key is found in the end");
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash::testing;
    test_windows_agree_with_brute_force(0, 1);
    test_windows_agree_with_brute_force(30, 30);
    test_windows_agree_with_brute_force(400, 500);
    test_changes_can_be_undone();
    test_the_table_finds_what_is_in_it();
    return report();
}
