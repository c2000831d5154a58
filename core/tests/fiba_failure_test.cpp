//! A combine that fails at every possible place: inserts are undone with all aggregates, evictions stand, and the
//! answers stay right.
#include <vector>

#include "check.hpp"
#include "in_order_model.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/monoids/text.hpp"

using namespace sash;
using namespace sash::testing;

namespace {

using M = Failing<Concat>;
using Window = Fiba<M>;

Concat::Partial letter(Time time) {
    return {std::string(1, static_cast<char>('a' + time % 26)), true};
}

Window window_of(std::size_t size, FibaOptions options) {
    Window window(M{}, options);
    for (std::size_t i = 0; i < size; ++i) window.insert(static_cast<Time>(10 * i), letter(static_cast<Time>(i)));
    return window;
}

//! All entries as one text, without a combine.
std::string contents(const Window& window) {
    std::string text;
    window.for_each([&](Time time, const Concat::Partial& partial) { text += std::to_string(time) + partial.text; });
    return text;
}

std::string folded(const Window& window) {
    std::string text;
    window.for_each([&](Time, const Concat::Partial& partial) { text += partial.text; });
    return text;
}

void check_sound(const Window& window) {
    window.check_invariants();
    check(window.query().text == folded(window), "the answer is the entries'");
    window.check_invariants();
}

//! Nothing waits to be made anew: a query is at most 2 combines, and every aggregate is the entries'.
void check_untouched(const Window& window) {
    countdown = 2;
    bool refused = false;
    try {
        window.query();
    } catch (const Refused&) {
        refused = true;
    }
    countdown = -1;
    check(!refused, "an insert that was refused costs the next query nothing");
}

//! Lets the k-th combine of a call fail, for every k that the call reaches.
template <class Call>
void fail_everywhere(const Window& start, bool stands, Call call) {
    Window done(start);
    call(done);
    for (long k = 0;; ++k) {
        Window window(start);
        bool refused = false;
        countdown = k;
        try {
            call(window);
        } catch (const Refused&) {
            refused = true;
        }
        const bool reached = countdown < 0;
        countdown = -1;
        check(!(refused && stands), "an eviction does not fail");
        check(contents(window) == contents(refused ? start : done), "all or nothing");
        if (refused) check_untouched(window);
        check_sound(window);
        window.insert(100'000, letter(3));
        check_sound(window);
        if (!reached) return;
    }
}

//! A batch of late and new entries, some at times that are there, out of order.
void insert_many(Window& window, Time last, std::size_t count) {
    std::vector<Time> times;
    std::vector<Concat::Partial> partials;
    for (std::size_t i = 0; i < count; ++i) {
        times.push_back(static_cast<Time>(i * 7919) % (last + 50));
        partials.push_back(letter(times.back()));
    }
    window.bulk_insert(times, partials);
}

void every_call(std::size_t size, FibaOptions options) {
    const Window start = window_of(size, options);
    const Time last = static_cast<Time>(10 * size);
    fail_everywhere(start, false, [&](Window& w) { w.insert(last, letter(1)); });
    fail_everywhere(start, false, [&](Window& w) { w.insert(last - 10, letter(1)); });
    fail_everywhere(start, false, [&](Window& w) { w.insert(-5, letter(1)); });
    fail_everywhere(start, false, [&](Window& w) { w.insert(last / 20 * 10, letter(1)); });
    fail_everywhere(start, false, [&](Window& w) { w.insert(last / 2 + 3, letter(1)); });
    fail_everywhere(start, false, [&](Window& w) {
        std::vector<Time> times{last / 2 + 1, last + 5, 0, 0, last / 3, last + 6, last / 2 + 2};
        std::vector<Concat::Partial> partials;
        for (const Time time : times) partials.push_back(letter(time < 0 ? -time : time));
        w.bulk_insert(times, partials);
    });
    for (const std::size_t count : {2, 20, 60}) {
        fail_everywhere(start, false, [&](Window& w) { insert_many(w, last, count); });
        fail_everywhere(start, false, [&](Window& w) { insert_many(w, last / 4, count); });
    }
    fail_everywhere(start, true, [&](Window& w) { w.evict(); });
    fail_everywhere(start, true, [&](Window& w) { w.evict(last / 20 * 10); });
    fail_everywhere(start, true, [&](Window& w) { w.bulk_evict(last / 2); });
    fail_everywhere(start, true, [&](Window& w) { w.bulk_evict(last - 15); });
}

}  // namespace

int main() {
    for (const std::size_t size : {2, 3, 4, 5, 8, 9, 16, 17, 33, 60}) every_call(size, {2, 0});
    every_call(100, {});
    return report();
}
