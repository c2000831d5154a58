//! The chunked queue, with and without an index, against std::deque: contents, addresses, memory.
#include "sash/algorithms/queue.hpp"

#include <array>
#include <deque>
#include <random>
#include <vector>

#include "allocations.hpp"
#include "check.hpp"

namespace sash::testing {
namespace {

//! Counts its living instances with a value, so that a slot that keeps what was popped is seen.
class Tracked {
public:
    static inline int living = 0;

    Tracked() = default;
    explicit Tracked(int value) : value_(value), set_(true) { ++living; }
    Tracked(const Tracked& other) : value_(other.value_), set_(other.set_) { living += set_ ? 1 : 0; }
    Tracked(Tracked&& other) noexcept : value_(other.value_), set_(std::exchange(other.set_, false)) {}
    Tracked& operator=(Tracked other) noexcept {
        std::swap(value_, other.value_);
        std::swap(set_, other.set_);
        return *this;
    }
    ~Tracked() { living -= set_ ? 1 : 0; }
    int value() const { return value_; }

private:
    int value_ = 0;
    bool set_ = false;
};

int number(int value) {
    return value;
}
int number(const Tracked& tracked) {
    return tracked.value();
}

template <class Queue>
void check_equal(const Queue& queue, const std::deque<int>& model) {
    check(queue.size() == model.size() && queue.empty() == model.empty(), "size");
    check(queue.has_one() == (model.size() == 1), "one element");
    std::size_t i = 0;
    bool same = true;
    queue.for_each([&](const auto& element) { same = same && number(element) == model[i++]; });
    check(same && i == model.size(), "contents, oldest first");
    if (model.empty()) return;
    check(number(queue.front()) == model.front() && number(*queue.oldest()) == model.front(), "front");
    check(number(queue.back()) == model.back() && number(*queue.youngest()) == model.back(), "back");
    auto cursor = queue.youngest();
    for (i = model.size(); --i != 0;) same = same && number(*--cursor) == model[i - 1];
    check(same && cursor == queue.oldest(), "a cursor walks back to the oldest");
    check(cursor.position() == queue.begin() &&
              queue.at(queue.begin() + model.size() / 2).position() == queue.begin() + model.size() / 2,
          "cursors know their positions");
    if constexpr (requires { queue[0]; }) {
        for (i = 0; i != model.size(); ++i) same = same && number(queue[queue.begin() + i]) == model[i];
        check(same, "contents by position");
    }
}

template <class Queue, class T>
void drive(std::uint64_t seed, int steps) {
    std::mt19937_64 random(seed);
    Queue queue;
    std::deque<int> model;
    for (int step = 0; step != steps; ++step) {
        const bool grows = random() % 8 < (step / 400 % 2 ? 3U : 5U);
        const auto batch = static_cast<int>(random() % 40);
        for (int i = 0; i != batch; ++i) {
            const auto position = queue.end();
            if (grows) {
                queue.push_back(T(step + i));
                model.push_back(step + i);
                check(queue.end() == position + 1, "a push takes the next position");
            } else if (!model.empty() && random() % 4 != 0) {
                queue.pop_front();
                model.pop_front();
            } else if (!model.empty()) {
                queue.pop_back();
                model.pop_back();
            }
        }
        const auto part = model.empty() ? 0 : static_cast<std::int64_t>(random() % (model.size() + 1));
        switch (random() % 32) {
            case 0:
                queue.drop_before(queue.begin() + static_cast<std::uint64_t>(part));
                model.erase(model.begin(), model.begin() + part);
                break;
            case 1:
                queue.shrink_to_fit();
                break;
            case 2: {
                const auto begin = queue.begin();
                queue = Queue(queue);
                check(queue.begin() == begin, "a copy keeps the positions");
                break;
            }
            case 3: {
                Queue taken(std::move(queue));
                check(queue.empty() && queue.end() == taken.end(), "moved from: empty, at its old end");
                queue.push_back(T(1));
                check(number(queue.front()) == 1 && queue.size() == 1, "moved from: usable");
                queue = std::move(taken);
                break;
            }
            default:
                break;
        }
        check_equal(queue, model);
    }
    const auto end = queue.end();
    queue.clear();
    check(queue.empty() && queue.end() == end && queue.bytes() == 0, "clear gives the memory back");
}

//! Elements stay where they are while the queue grows and shrinks around them.
void check_addresses() {
    IndexedQueue<int> queue;
    for (int i = 0; i != 100; ++i) queue.push_back(i);
    const int* address = &queue[50];
    const auto cursor = queue.at(50);
    for (int i = 100; i != 100'000; ++i) queue.push_back(i);
    for (int i = 0; i != 50; ++i) queue.pop_front();
    check(address == &queue[50] && *address == 50 && *cursor == 50, "an element keeps its address");
    check(*cursor.after() == 51 && cursor.after().before() == cursor, "and its neighbours");
}

//! The first position that a condition fails for, wherever it lies.
void check_partition() {
    ChunkedQueue<int> queue;
    check(queue.partition([](int) { return true; }) == queue.end(), "of an empty queue");
    for (int i = 0; i != 10'000; ++i) queue.push_back(i);
    queue.drop_before(1'234);
    for (const int limit : {0, 1'234, 1'235, 2'047, 2'048, 2'049, 9'999, 10'000})
        check(queue.partition([=](int i) { return i < limit; }) == static_cast<std::uint64_t>(std::max(limit, 1'234)),
              "the first that fails");
}

//! A queue that slides steadily lives in a constant number of chunks.
void check_memory() {
    ChunkedQueue<std::array<std::int64_t, 2>> queue;
    for (int i = 0; i != 10'000; ++i) queue.push_back({i, i});
    const std::size_t before = queue.bytes();
    check(before <= 10'000 * 16 + 4 * 8192, "close to the payload");
    for (int i = 0; i != 100'000; ++i) {
        queue.pop_front();
        queue.push_back({i, i});
    }
    check(queue.bytes() <= before + 2 * 8192, "no growth while it slides");
    queue.drop_before(queue.end());
    queue.shrink_to_fit();
    check(queue.bytes() <= 2 * 8300, "empty: the chunk of its end");
}

//! What is popped is released at once, not when its chunk is; what is dropped, when its chunk is freed or written to.
void check_release() {
    {
        ChunkedQueue<Tracked> queue;
        for (int i = 0; i != 1000; ++i) queue.push_back(Tracked(i));
        check(Tracked::living == 1000, "all alive");
        queue.pop_front();
        queue.pop_back();
        check(Tracked::living == 998, "popped ones are released");
        queue.drop_before(queue.begin() + 598);
        queue.shrink_to_fit();
        check(Tracked::living == 400, "dropped ones are released with their chunks");
        const ChunkedQueue<Tracked> copy = queue;
        check(Tracked::living == 800, "a copy is deep");
    }
    check(Tracked::living == 0, "nothing leaks");
}

//! A queue that takes no time for what it drops: chunks wait, are used again, and are freed two at a time.
void check_drop_is_constant() {
    ChunkedQueue<Tracked> queue;
    constexpr std::size_t kChunk = ChunkedQueue<Tracked>::kChunk;
    constexpr int kAll = 100 * static_cast<int>(kChunk);
    for (int i = 0; i != kAll; ++i) queue.push_back(Tracked(i));
    const std::int64_t freed = frees;
    queue.drop_before(queue.end() - 1);
    check(frees - freed <= 2, "two chunks at most are freed at once");
    check(kAll - Tracked::living <= 3 * static_cast<int>(kChunk), "and the elements of three at most released");
    const std::int64_t made = allocations;
    std::int64_t worst = 0;
    for (int i = 0; i != kAll; ++i) {
        const std::int64_t before = frees;
        queue.push_back(Tracked(i));
        queue.pop_front();
        worst = std::max(worst, frees - before);
    }
    check(allocations == made && worst <= 4, "pushes use them again");
    check(Tracked::living == 1 && queue.bytes() <= 2 * sizeof(Chunk<Tracked>), "and give the others back");
}

//! An index copies few chunks a push, and has all of them at all times; numbers may be taken back and added again.
void check_index() {
    std::mt19937_64 random(7);
    std::deque<int*> model;
    std::vector<int> chunks(4096);
    ChunkIndex<int> index;
    std::uint64_t oldest = 0;
    for (int step = 0; step != 40'000; ++step) {
        const auto pick = random() % 100;
        if (pick < (step / 4'000 % 2 == 0 ? 60U : 40U)) {
            model.push_back(&chunks[random() % chunks.size()]);
            index.add(oldest, oldest + model.size() - 1, model.back());
        } else if (pick < 90 && !model.empty()) {
            model.pop_front();
            ++oldest;
        } else if (!model.empty()) {
            model.pop_back();
        }
        const std::size_t i = model.empty() ? 0 : random() % model.size();
        check(model.empty() || (index[oldest + i] == model[i] && index[oldest] == model.front()), "by number");
    }
    for (std::size_t i = 0; i != model.size(); ++i) check(index[oldest + i] == model[i], "all of them");
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash;
    using namespace sash::testing;
    drive<ChunkedQueue<int>, int>(1, 4'000);
    drive<ChunkedQueue<Tracked>, Tracked>(2, 4'000);
    drive<IndexedQueue<int>, int>(3, 4'000);
    drive<IndexedQueue<Tracked>, Tracked>(4, 4'000);
    check_addresses();
    check_partition();
    check_memory();
    check_release();
    check_drop_is_constant();
    check_index();
    return report();
}
