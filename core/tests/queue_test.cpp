//! The chunked queue against std::deque: contents, addresses, memory.
#include "sash/algorithms/queue.hpp"

#include <array>
#include <deque>
#include <random>

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

template <class T>
void check_equal(const ChunkedQueue<T>& queue, const std::deque<int>& model) {
    check(queue.size() == model.size() && queue.empty() == model.empty(), "size");
    if (model.empty()) return;
    check(number(queue.front()) == model.front(), "front");
    check(number(queue.back()) == model.back(), "back");
    bool same = true;
    for (std::size_t i = 0; i != model.size(); ++i) same = same && number(queue[queue.begin() + i]) == model[i];
    check(same, "contents by position");
}

template <class T>
void drive(std::uint64_t seed, int steps) {
    std::mt19937_64 random(seed);
    ChunkedQueue<T> queue;
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
                queue.drop_from(queue.begin() + static_cast<std::uint64_t>(part));
                model.erase(model.begin() + part, model.end());
                break;
            case 2: {
                const auto begin = queue.begin();
                queue = ChunkedQueue<T>(queue);
                check(queue.begin() == begin, "a copy keeps the positions");
                break;
            }
            case 3: {
                ChunkedQueue<T> taken(std::move(queue));
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
    ChunkedQueue<int> queue;
    for (int i = 0; i != 100; ++i) queue.push_back(i);
    const int* address = &queue[50];
    for (int i = 100; i != 100'000; ++i) queue.push_back(i);
    for (int i = 0; i != 50; ++i) queue.pop_front();
    check(address == &queue[50] && *address == 50, "an element keeps its address");
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
    check(queue.bytes() <= 4 * 8192, "empty: a spare chunk and the directory");
}

//! What is popped is released at once, not when its chunk is.
void check_release() {
    {
        ChunkedQueue<Tracked> queue;
        for (int i = 0; i != 1000; ++i) queue.push_back(Tracked(i));
        check(Tracked::living == 1000, "all alive");
        queue.pop_front();
        queue.pop_back();
        check(Tracked::living == 998, "popped ones are released");
        queue.drop_before(queue.begin() + 500);
        queue.drop_from(queue.end() - 98);
        check(Tracked::living == 400, "dropped ones are released");
        const ChunkedQueue<Tracked> copy = queue;
        check(Tracked::living == 800, "a copy is deep");
    }
    check(Tracked::living == 0, "nothing leaks");
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash::testing;
    drive<int>(1, 4'000);
    drive<Tracked>(2, 4'000);
    check_addresses();
    check_memory();
    check_release();
    return report();
}
