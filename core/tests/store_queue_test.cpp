//! Windows whose levels wait in a store, against brute force: the same answers, whatever is here and whatever is there.
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "map_store.hpp"
#include "sash/algorithms/amta.hpp"
#include "sash/algorithms/log_mta.hpp"
#include "sash/monoids/text.hpp"
#include "sash/store/queue.hpp"
#include "sash/store/state.hpp"
#include "sash/window.hpp"

namespace {

using namespace sash;
using testing::check;
using testing::MapStore;

using Leaves = store::PagedQueue<Concat, Entry<Concat::Partial>>;
using Forest = Amta<Concat, store::Paged<Concat>::Queue>;
using Tree = LogMta<Concat, store::Paged<Concat>::Queue>;

template <class W>
W make(const std::shared_ptr<MapStore>& store) {
    return W(Concat{}, Leaves(std::make_shared<store::Space>(store), Concat{}, 0));
}

//! Puts a window down and takes it up again.
template <class W>
std::string saved(const W& window) {
    Writer writer;
    const Concat monoid;
    store::StateWriter<Concat> out(writer, monoid);
    window.save(out);
    return writer.take();
}
template <class W>
W loaded(const std::shared_ptr<MapStore>& store, std::uint64_t space, const std::string& bytes) {
    Reader reader(bytes);
    const Concat monoid;
    W window(monoid, Leaves(std::make_shared<store::Space>(store, space), monoid, 0),
             store::StateReader<Concat>(reader, monoid));
    check(reader.left() == 0, "all of the state is read");
    return window;
}

//! Brute force.
struct Model {
    std::deque<std::pair<Time, std::string>> events;

    void insert(Time time, const std::string& value) {
        if (!events.empty() && events.back().first == time) {
            events.back().second += value;
        } else {
            events.emplace_back(time, value);
        }
    }
    void bulk_evict(Time time) {
        while (!events.empty() && events.front().first <= time) events.pop_front();
    }
    std::string query() const {
        std::string all;
        for (const auto& event : events) all += event.second;
        return all;
    }
};

template <class W>
void compare(const W& window, const Model& model) {
    check(window.size() == model.events.size(), "sizes agree");
    check(window.query().text == model.query(), "answers agree");
    if (model.events.empty()) return;
    check(window.oldest() == model.events.front().first, "the oldest agree");
    check(window.youngest() == model.events.back().first, "the youngest agree");
}

template <class W>
void compare_all(const W& window, const Model& model) {
    compare(window, model);
    window.check_invariants();
    std::size_t i = 0;
    window.for_each([&](Time time, const Concat::Partial& partial) {
        check(time == model.events[i].first && partial.text == model.events[i].second, "entries agree");
        ++i;
    });
}

template <class W>
void random_steps(store::Shape shape, unsigned seed) {
    const auto store = std::make_shared<MapStore>(shape);
    store->kept = true;
    std::mt19937 random(seed);
    W window = make<W>(store);
    Model model;
    Time now = 0;
    for (int step = 0; step < 3000; ++step) {
        const unsigned choice = random() % 100;
        if (choice < 55) {
            now += random() % 8 != 0;
            const std::string value(1, static_cast<char>('a' + random() % 26));
            window.insert(now, {value, true});
            model.insert(now, value);
        } else if (choice < 90 && !model.events.empty()) {
            window.evict();
            model.events.pop_front();
        } else if (choice < 95) {
            const Time cut = now - static_cast<Time>(random() % (model.events.size() + 2));
            window.bulk_evict(cut);
            model.bulk_evict(cut);
        } else if (choice < 96) {
            window = loaded<W>(store, 0, saved(window));
        } else if (choice < 97) {
            for (int i = 0; i < 150; ++i) {
                window.insert(++now, {"x", true});
                model.insert(now, "x");
            }
        } else if (!model.events.empty()) {
            const std::size_t most = random() % model.events.size();
            window.evict_while(
                [&](const Concat::Partial&, const Concat::Partial& old) { return old.text.size() <= most; });
            for (std::size_t left = most; !model.events.empty() && model.events.front().second.size() <= left;) {
                left -= model.events.front().second.size();
                model.events.pop_front();
            }
        }
        compare(window, model);
        if (step % 50 == 0) compare_all(window, model);
    }
    compare_all(window, model);
}

//! A store that fails at its first call, its second, and so on: the call has changed nothing.
template <class W>
void failing_store() {
    const auto store = std::make_shared<MapStore>(store::Shape{2, 1});
    W window = make<W>(store);
    Model model;
    int failures = 0;
    const auto survives = [&](auto call) {
        const std::string before = saved(window);
        for (int k = 1;; ++k) {
            bool failed = false;
            store->fuse = k;
            try {
                call();
            } catch (const std::runtime_error&) {
                failed = true;
            }
            store->fuse = 0;
            if (!failed) return;
            ++failures;
            check(window.query().text == model.query() && window.size() == model.events.size(), "nothing has changed");
            window.check_invariants();
        }
    };
    std::mt19937 random(5);
    Time now = 0;
    for (int step = 0; step < 400; ++step) {
        if (random() % 3 != 0 || model.events.size() < 3) {
            ++now;
            survives([&] { window.insert(now, {"abc", true}); });
            model.insert(now, "abc");
        } else if (random() % 4 == 0) {
            const Time cut = now - static_cast<Time>(random() % model.events.size());
            survives([&] { window.bulk_evict(cut); });
            model.bulk_evict(cut);
        } else {
            survives([&] { window.evict(); });
            model.events.pop_front();
        }
        compare_all(window, model);
    }
    check(failures > 50, "the store failed often enough");
}

//! A copy of the window is a way back, for a batch that fails half way.
template <class W>
void way_back() {
    const auto store = std::make_shared<MapStore>(store::Shape{4, 2});
    W window = make<W>(store);
    Model model;
    Time now = 0;
    for (; now < 100; ++now) {
        window.insert(now, {"a", true});
        model.insert(now, "a");
    }
    W before = window;
    for (Time later = now; later < now + 77; ++later) window.insert(later, {"b", true});
    window = std::move(before);
    compare_all(window, model);
    for (; now < 300; ++now) {
        window.insert(now, {"c", true});
        model.insert(now, "c");
    }
    compare_all(window, model);
}

//! What is here is logarithmic, and a bulk eviction reads few pages.
template <class W>
void bounds() {
    const auto store = std::make_shared<MapStore>(store::Shape{64, 2});
    W window = make<W>(store);
    const Time size = 1 << 16;
    for (Time now = 0; now < size; ++now) window.insert(now, {"", true});
    check(store->gets == 0, "inserts read nothing");
    check(store->puts > (1 << 10), "pages were put");
    check(store->held <= 4 * 17, "few pages are here");
    window.bulk_evict(size / 2);
    check(store->gets < 64, "a bulk eviction reads O(log n) pages");
    check(store->pages.size() < 1200, "pages were dropped");
    for (Time now = size; now < 2 * size; ++now) {
        window.insert(now, {"", true});
        window.evict();
    }
    check(store->held <= 5 * 17, "few pages are here after sliding");
    window.bulk_evict(2 * size);
    check(store->pages.empty(), "nothing is left behind");
}

void small_window_needs_no_store() {
    const auto store = std::make_shared<MapStore>(store::Shape{512, 4});
    Forest window = make<Forest>(store);
    for (Time now = 0; now < 10000; ++now) {
        window.insert(now, {"a", true});
        if (now >= 500) window.evict();
    }
    check(store->puts == 0 && store->gets == 0, "a window of less than a page stays here");
}

void damaged_pages() {
    const store::PageKey key{1, 2, 3};
    const std::string page = store::seal_page(7, key, "body");
    check(store::open_page(7, key, page) == "body", "a page is opened");
    const auto refused = [](std::uint64_t tag, const store::PageKey& place, const std::string& bytes) {
        try {
            store::open_page(tag, place, bytes);
        } catch (const DamagedSnapshot&) {
            return true;
        }
        return false;
    };
    for (std::size_t i = 0; i < page.size(); ++i) {
        std::string damaged = page;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        check(refused(7, key, damaged), "every flipped bit is seen");
        check(refused(7, key, page.substr(0, i)), "every cut is seen");
    }
    check(refused(8, key, page), "a page of another window is seen");
    check(refused(7, {1, 2, 4}, page), "a page of another place is seen");
    check(refused(7, {2, 2, 3}, page), "a page of another structure is seen");
}

}  // namespace

int main() {
    for (const std::size_t page : {2, 4, 16, 512}) {
        for (const std::size_t cache : {1, 2, 4}) {
            random_steps<Forest>({page, cache}, static_cast<unsigned>(page + cache));
            random_steps<Tree>({page, cache}, static_cast<unsigned>(page * cache));
        }
    }
    failing_store<Forest>();
    failing_store<Tree>();
    way_back<Forest>();
    way_back<Tree>();
    bounds<Forest>();
    bounds<Tree>();
    small_window_needs_no_store();
    damaged_pages();
    return testing::report();
}
