//! FiBA over pages against brute force: late events, evictions anywhere, ranges, policies, and a store that fails.
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "map_store.hpp"
#include "sash/monoids/text.hpp"
#include "sash/store/fiba.hpp"
#include "sash/store/state.hpp"
#include "sash/window.hpp"

namespace {

using namespace sash;
using testing::check;
using testing::MapStore;

//! Concat, whose combine fails when the fuse burns down; a fuse of 0 never does.
struct Fused {
    using Input = std::string;
    using Partial = Concat::Partial;
    using Output = std::string;
    static constexpr bool commutative = false;
    static constexpr bool fallible = true;
    int* fuse = nullptr;
    Partial identity() const { return Concat{}.identity(); }
    Partial combine(const Partial& older, const Partial& newer) const {
        if (fuse && *fuse > 0 && --*fuse == 0) throw std::runtime_error("the fuse has burnt down");
        return Concat{}.combine(older, newer);
    }
};

template <class M>
using Window = store::PagedFiba<M>;
static_assert(WindowAlgorithm<Window<Concat>> && EvictsAnywhere<Window<Concat>> && QueriesRanges<Window<Concat>>);
static_assert(CountsRanges<Window<Concat>> && WalksParts<Window<Concat>> && EvictsByPolicy<Window<Concat>>);

template <class M>
Window<M> make(const std::shared_ptr<MapStore>& store, M monoid = {}) {
    return Window<M>(monoid, std::make_shared<store::Space>(store));
}

template <class M>
std::string saved(const Window<M>& window, const M& monoid) {
    Writer writer;
    store::StateWriter<M> out(writer, monoid);
    window.save(out);
    return writer.take();
}

Window<Concat> loaded(const std::shared_ptr<MapStore>& store, const std::string& bytes) {
    Reader reader(bytes);
    const Concat monoid;
    Window<Concat> window(monoid, std::make_shared<store::Space>(store, 0), store::StateReader<Concat>(reader, monoid));
    check(reader.left() == 0, "all of the state is read");
    return window;
}

//! Brute force.
struct Model {
    std::map<Time, std::string> events;

    void insert(Time time, const std::string& value) { events[time] += value; }
    void bulk_evict(Time time) { events.erase(events.begin(), events.upper_bound(time)); }
    std::string query(Time from = kEarliest, Time to = kLatest) const {
        std::string all;
        for (const auto& [time, value] : events)
            if (from <= time && time <= to) all += value;
        return all;
    }
};

template <class W>
void compare(const W& window, const Model& model) {
    check(window.size() == model.events.size(), "sizes agree");
    check(window.query().text == model.query(), "answers agree");
    if (model.events.empty()) return;
    check(window.oldest() == model.events.begin()->first, "the oldest agree");
    check(window.youngest() == model.events.rbegin()->first, "the youngest agree");
}

template <class W>
void compare_all(const W& window, const Model& model) {
    compare(window, model);
    window.check_invariants();
    auto next = model.events.begin();
    window.for_each([&](Time time, const Concat::Partial& partial) {
        check(next != model.events.end() && next->first == time && next->second == partial.text, "entries agree");
        ++next;
    });
}

class Story {
public:
    Story(store::Shape shape, unsigned seed)
        : store_(std::make_shared<MapStore>(shape)), window_(make<Concat>(store_)), random_(seed) {
        store_->kept = true;
    }

    void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            take();
            compare(window_, model_);
            if (step % 40 == 0) compare_all(window_, model_);
        }
        compare_all(window_, model_);
        check(store_->puts > 0 && store_->gets > 0, "the store was used");
    }

private:
    unsigned dice(unsigned sides) { return random_() % sides; }
    std::string letter() { return std::string(1, static_cast<char>('a' + dice(26))); }
    //! A time near the end, anywhere, or at an end.
    Time some_time() {
        if (model_.events.empty()) return now_;
        const Time oldest = model_.events.begin()->first;
        if (dice(3) == 0) return now_ - dice(20);
        return oldest - 3 + static_cast<Time>(dice(static_cast<unsigned>(now_ - oldest + 7)));
    }

    void insert(Time time) {
        const std::string value = letter();
        window_.insert(time, {value, true});
        model_.insert(time, value);
        now_ = std::max(now_, time);
    }

    void insert_many(bool late) {
        std::vector<Time> times;
        std::vector<Concat::Partial> partials;
        for (unsigned left = dice(120) + 1; left > 0; --left) {
            times.push_back(late ? some_time() : now_ + dice(3));
            now_ = std::max(now_, times.back());
            partials.push_back({letter(), true});
            model_.insert(times.back(), partials.back().text);
        }
        window_.bulk_insert(times, partials);
    }

    void evict_by_policy() {
        const std::size_t most = dice(static_cast<unsigned>(model_.query().size()) + 1);
        window_.evict_while(
            [&](const Concat::Partial&, const Concat::Partial& old) { return old.text.size() <= most; });
        for (std::size_t left = most; !model_.events.empty() && model_.events.begin()->second.size() <= left;) {
            left -= model_.events.begin()->second.size();
            model_.events.erase(model_.events.begin());
        }
    }

    void take() {
        const unsigned choice = dice(100);
        if (choice < 40) {
            insert(now_ + dice(4));
        } else if (choice < 55) {
            insert(some_time());
        } else if (choice < 75 && !model_.events.empty()) {
            window_.evict();
            model_.events.erase(model_.events.begin());
        } else if (choice < 82) {
            const Time time = some_time();
            check(window_.size() == 0 || window_.evict(time) == (model_.events.erase(time) > 0),
                  "evict tells the truth");
        } else if (choice < 85) {
            const Time cut = now_ - static_cast<Time>(dice(300));
            window_.bulk_evict(cut);
            model_.bulk_evict(cut);
        } else if (choice < 86) {
            window_ = loaded(store_, saved(window_, Concat{}));
        } else if (choice < 91) {
            insert_many(false);
        } else if (choice < 93) {
            insert_many(true);
        } else if (choice < 94 && !model_.events.empty()) {
            evict_by_policy();
        } else {
            const Time from = some_time();
            const Time to = some_time();
            if (from > to) return;
            check(window_.query(from, to).text == model_.query(from, to), "ranges agree");
            const auto first = model_.events.lower_bound(from);
            check(window_.count(from, to) ==
                      static_cast<std::size_t>(std::distance(first, model_.events.upper_bound(to))),
                  "counts of ranges agree");
        }
    }

    std::shared_ptr<MapStore> store_;
    Window<Concat> window_;
    Model model_;
    std::mt19937 random_;
    Time now_ = 0;
};

//! Lets the store, or the combine, fail at its first call, its second, and so on: nothing has changed.
void failures() {
    const auto store = std::make_shared<MapStore>(store::Shape{4, 1});
    int fuse = 0;
    Window<Fused> window = make<Fused>(store, {&fuse});
    Model model;
    int failed_calls = 0;
    const auto survives = [&](int& burning, auto call) {
        for (int k = 1;; ++k) {
            bool failed = false;
            burning = k;
            try {
                call();
            } catch (const std::runtime_error&) {
                failed = true;
            }
            burning = 0;
            if (!failed) return;
            ++failed_calls;
            compare_all(window, model);
        }
    };
    std::mt19937 random(11);
    Time now = 0;
    for (int step = 0; step < 500; ++step) {
        int& burning = step % 2 == 0 ? store->fuse : fuse;
        if (random() % 3 != 0 || model.events.size() < 30) {
            now += 2;
            const Time time = random() % 3 == 0 ? now - static_cast<Time>(random() % 80) : now;
            survives(burning, [&] { window.insert(time, {"ab", true}); });
            model.insert(time, "ab");
        } else if (random() % 6 == 0) {
            const Time cut = now - static_cast<Time>(random() % 60);
            survives(burning, [&] { window.bulk_evict(cut); });
            model.bulk_evict(cut);
        } else if (random() % 2 == 0) {
            const Time time = now - static_cast<Time>(random() % 60);
            survives(burning, [&] { window.evict(time); });
            model.events.erase(time);
        } else {
            survives(burning, [&] { window.evict(); });
            model.events.erase(model.events.begin());
        }
        compare_all(window, model);
    }
    check(failed_calls > 100, "there were failures enough");
}

//! Events in order, and events that are a little late, do not read; an event that is very late reads its page and the
//! nodes on the way to it.
void reads() {
    const auto store = std::make_shared<MapStore>(store::Shape{64, 4});
    Window<Concat> window = make<Concat>(store);
    const Time size = 1 << 15;
    for (Time now = 0; now < size; ++now) {
        window.insert(2 * now, {"", true});
        if (now > 200) window.insert(2 * now - 101, {"", true});
    }
    check(store->gets == 0, "in order and mildly late nothing is read");
    check(store->puts >= (1 << 15) / 64, "pages were written");
    // 1024 leaves, and 32 nodes of 32 of them.
    const int heights = 2;
    check(store->held < heights * (4 + 2) + 10, "few pages are here");
    for (int i = 0; i < 20; ++i) {
        const int before = store->gets;
        window.insert(1000 * i + 301, {"", true});
        check(store->gets - before <= heights, "a late event reads a page of each height");
    }
    const int before = store->gets;
    window.bulk_evict(size);
    check(store->gets - before <= heights, "a bulk eviction reads a page of each height");
    window.bulk_evict(2 * size);
    window.insert(4 * size, {"", true});
    window.clear();
    saved(window, Concat{});
    check(store->pages.empty(), "nothing is left behind");
}

//! What is here grows with the logarithm of the window, whatever is done to it.
void memory() {
    constexpr std::size_t page = 8;
    constexpr std::size_t cache = 2;
    // Two digits and as many nodes as are held, each of up to 9 infos in up to twice the room.
    constexpr std::size_t height = (2 + cache) * 18 * sizeof(store::PageInfo<Concat::Partial>) + 200;
    std::size_t small = 0;
    for (int log = 10; log <= 18; log += 2) {
        const auto store = std::make_shared<MapStore>(store::Shape{page, cache});
        Window<Concat> window = make<Concat>(store);
        std::mt19937 random(5);
        std::size_t most = 0;
        std::ptrdiff_t pages = 0;
        const auto look = [&] {
            most = std::max(most, window.bytes());
            pages = std::max(pages, store->held);
        };
        const Time size = Time{1} << log;
        for (Time now = 0; now < size; ++now) {
            window.insert(2 * now, {"", true});
            if (now % 1024 == 0) look();
        }
        check(store->gets == 0, "what is here is enough for events in order");
        for (int i = 0; i < 300; ++i) {
            window.insert(static_cast<Time>(random() % (2 * size)), {"", true});
            if (i % 3 == 0) window.evict(2 * static_cast<Time>(random() % size));
            if (i % 10 == 0) window.evict();
            if (i % 50 == 0) saved(window, Concat{});
            look();
        }
        window.check_invariants();
        if (small == 0) small = most;
        // A node is made of 4: so many heights more than the smallest window has.
        const int more = (log - 10) / 2;
        check(most <= small + static_cast<std::size_t>(more) * height, "bytes grow with the logarithm");
        // One more node of a height may be here than are held, until the next insert.
        check(pages <= (3 + more) * static_cast<int>(cache + 3) + 8, "pages grow with the logarithm");
    }
}

//! Single evictions empty leaves, the first of their nodes among them, and whole nodes; late events fill them again.
void thinned() {
    const auto store = std::make_shared<MapStore>(store::Shape{4, 1});
    Window<Concat> window = make<Concat>(store);
    Model model;
    std::mt19937 random(3);
    const Time size = 1200;
    for (int round = 0; round < 4; ++round) {
        for (Time time = round; time < size; time += 1 + static_cast<Time>(random() % 3)) {
            window.insert(time, {"ab", true});
            model.insert(time, "ab");
        }
        for (Time time = 0; time < size; ++time) {
            if (round % 2 == 0 ? random() % 20 == 0 : time % 64 == 0) continue;
            check(window.evict(time) == (model.events.erase(time) > 0), "evict tells the truth");
            if (time % 100 == 0) compare_all(window, model);
        }
        compare_all(window, model);
        saved(window, {});
    }
    window.bulk_evict(size);
    model.bulk_evict(size);
    compare_all(window, model);
}

//! Late events and bulk evictions leave pages behind that nobody names: they go as the window slides.
void garbage() {
    const auto store = std::make_shared<MapStore>(store::Shape{16, 2});
    Window<Concat> window = make<Concat>(store);
    std::mt19937 random(9);
    const Time size = 4096;
    for (Time now = 0; now < 20 * size; ++now) {
        window.insert(now, {"", true});
        if (now > size && now % 16 == 0) window.insert(now - static_cast<Time>(random() % size), {"", true});
        if (now > size && now % 512 == 0) window.bulk_evict(now - size);
        if (now % 1000 == 0) saved(window, Concat{});
    }
    // 256 leaves are live, and 256 more were changed in the course of a window.
    check(store->pages.size() < 4 * 256, "what has left the window leaves the store");
}

}  // namespace

int main() {
    for (const std::size_t page : {2, 4, 16, 64})
        for (const std::size_t cache : {1, 2, 4})
            Story({page, cache}, static_cast<unsigned>(page * 10 + cache)).run(2500);
    failures();
    reads();
    memory();
    thinned();
    garbage();
    return testing::report();
}
