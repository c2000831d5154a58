//! Log MTA and Amortized MTA with a combine that fails at every possible place: a failed call changes nothing.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "sash/algorithms/amta.hpp"
#include "sash/algorithms/log_mta.hpp"

namespace {

using namespace sash;
using testing::check;

//! Strings one after another. It fails when the fuse burns down; a fuse of 0 never does.
struct Fused {
    using Partial = std::string;
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;
    int* fuse = nullptr;

    Partial identity() const { return {}; }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (fuse && *fuse > 0 && --*fuse == 0) throw std::runtime_error("the fuse has burnt down");
        return older + newer;
    }
};

//! All that a window shows, to tell whether anything has changed.
template <class W>
std::vector<std::string> portrait(const W& window) {
    std::vector<std::string> shown{window.query()};
    window.for_each([&](Time time, const std::string& partial) { shown.push_back(std::to_string(time) + partial); });
    for (std::size_t l = 0; l < window.levels(); ++l) {
        shown.push_back("level");
        for (const std::string& node : window.level(l)) shown.push_back(node);
    }
    if constexpr (requires { window.stack(); }) {
        const auto [front, back] = window.result_pair();
        shown.push_back("pair " + front + "," + back);
        for (const std::string& suffix : window.stack()) shown.push_back(suffix);
    }
    return shown;
}

//! Lets `call` fail at its first combine, at its second, and so on, until it does not fail.
template <class W, class Call>
int fail_everywhere(W& window, int& fuse, Call call) {
    const auto before = portrait(window);
    for (int k = 1;; ++k) {
        bool failed = false;
        fuse = k;
        try {
            call(window);
        } catch (const std::runtime_error&) {
            failed = true;
        }
        fuse = 0;
        window.check_invariants();
        if (!failed) return k - 1;
        check(portrait(window) == before, "a failed call changes nothing");
    }
}

//! A window under test and the entries that it should have.
template <class W>
struct Trial {
    int fuse = 0;
    W window{Fused{&fuse}};
    std::deque<std::string> model;
    Time time = 0;
    int most = 0;

    template <class Call>
    void attempt(Call call) {
        most = std::max(most, fail_everywhere(window, fuse, call));
    }
    void insert(const std::string& text) {
        ++time;
        attempt([&](W& w) { w.insert(time, text); });
        model.push_back(text);
    }
    void insert_equal(const std::string& text) {
        attempt([&](W& w) { w.insert(time, text); });
        model.back() += text;
    }
    void evict() {
        attempt([](W& w) { w.evict(); });
        model.pop_front();
    }
    //! By time, or by a policy that counts letters.
    void bulk_evict(std::size_t k, bool by_policy) {
        const Time until = window.oldest() + static_cast<Time>(k) - 1;
        std::size_t letters = 0;
        for (std::size_t i = 0; i < k; ++i) letters += model[i].size();
        const auto policy = [&](const std::string&, const std::string& old) { return old.size() <= letters; };
        attempt([&](W& w) { by_policy ? w.evict_while(policy) : w.bulk_evict(until); });
        model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(k));
    }
    void verify() const {
        std::string whole;
        for (const std::string& text : model) whole += text;
        check(window.query() == whole && window.size() == model.size(), "the call took effect");
    }
};

//! At every size and place of a growing, sliding and shrinking window.
template <class W>
void failures() {
    Trial<W> trial;
    std::mt19937_64 random(3);
    for (int step = 0; step < 1'500; ++step) {
        const std::string text(1, static_cast<char>('a' + step % 26));
        const std::uint64_t dice = random() % 20;
        if (trial.model.empty() || dice < (step / 250 % 2 == 0 ? 11u : 8u)) {
            trial.insert(text);
        } else if (dice < 13) {
            trial.insert_equal(text);
        } else if (dice < 18) {
            trial.evict();
        } else {
            trial.bulk_evict(random() % (std::min<std::size_t>(trial.model.size(), 9) + 1), dice == 18);
        }
        trial.verify();
    }
    check(trial.most >= 4, "the run had calls with several combines");
}

//! A policy that throws changes nothing either.
template <class W>
void failing_policy() {
    W window;
    for (Time time = 0; time < 20; ++time) window.insert(time, "x");
    const auto before = portrait(window);
    testing::check_throws<std::runtime_error>([&] {
        window.evict_while([](const std::string&, const std::string& old) {
            if (old.size() > 3) throw std::runtime_error("no");
            return true;
        });
    });
    check(portrait(window) == before);
}

}  // namespace

int main() {
    failures<LogMta<Fused>>();
    failures<Amta<Fused>>();
    failing_policy<LogMta<Fused>>();
    failing_policy<Amta<Fused>>();
    return sash::testing::report();
}
