//! Blocks of nodes: each in one piece, none in another's way, and what they hold is let go of.
#include "sash/algorithms/fiba/blocks.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "check.hpp"
#include "sash/algorithms/fiba/pool.hpp"

namespace sash::testing {
namespace {

using fiba::Blocks;
using fiba::Id;

//! Counts those that are alive.
struct Counted {
    static inline std::int64_t alive = 0;
    std::string text;

    Counted() { ++alive; }
    Counted(const Counted& other) : text(other.text) { ++alive; }
    Counted& operator=(const Counted&) = default;
    ~Counted() { --alive; }
};

//! A head of two words and five partials.
constexpr std::size_t kHead = 16;
constexpr std::size_t kSlots = 5;

void test_blocks_do_not_overlap() {
    Blocks<double> blocks(kHead, kSlots);
    for (Id id = 0; id < 1000; ++id) check(blocks.make() == id);
    for (Id id = 0; id < blocks.made(); ++id) {
        *reinterpret_cast<std::int64_t*>(blocks[id]) = id;
        for (std::size_t i = 0; i < kSlots; ++i) blocks.partials(blocks[id])[i] = id + 0.5;
    }
    for (Id id = 0; id < blocks.made(); ++id) {
        check(*reinterpret_cast<std::int64_t*>(blocks[id]) == id);
        check(blocks.partials(blocks[id])[kSlots - 1] == id + 0.5);
        // A node is one piece: its partials lie right behind its head.
        check(reinterpret_cast<std::byte*>(blocks.partials(blocks[id])) == blocks[id] + kHead);
    }
}

//! The time of an entry and its partial are as far apart in each leaf, and never about a multiple of 4 KiB: there a
//! processor takes one address for the other, and whether it does would depend on the allocator.
template <class Partial>
void test_arrays_of_a_leaf_do_not_alias(std::uint32_t capacity) {
    constexpr std::ptrdiff_t kPage = 4096, kLine = 64;
    fiba::Pool<Partial> pool(capacity, 0, 16);
    for (int i = 0; i < 200; ++i) {
        const auto leaf = pool.leaf(pool.new_leaf());
        const auto* const times = reinterpret_cast<std::byte*>(leaf.times);
        for (std::size_t at = 0; at < capacity; ++at) {
            const std::ptrdiff_t apart = reinterpret_cast<std::byte*>(leaf.partials + at) - (times + at * sizeof(Time));
            check(apart > kLine && apart % kPage >= kLine && apart % kPage <= kPage - kLine);
        }
    }
}

void test_a_copy_has_blocks_of_its_own() {
    Blocks<Counted> blocks(kHead, kSlots);
    for (int i = 0; i < 100; ++i) blocks.partials(blocks[blocks.make()])[2].text = std::to_string(i);
    Blocks<Counted> copy(blocks);
    blocks.partials(blocks[7])[2].text = "other";
    check(copy.made() == 100);
    check(copy.partials(copy[7])[2].text == "7");
    Blocks<Counted> moved(std::move(copy));
    check(moved.partials(moved[99])[2].text == "99");
}

void test_what_blocks_hold_is_let_go_of() {
    check(Counted::alive == 0);
}

//! Slabs of a window of many megabytes are parts of pieces of 4 MiB, and at most a quarter of them is not used yet.
void test_many_blocks_take_large_pieces() {
    constexpr std::size_t kLarge = 1 << 12;
    Blocks<double> blocks(kHead, kLarge);
    while (blocks.made() < 2048) blocks.make();
    const std::size_t least = blocks.made() * kLarge * sizeof(double);
    check(least <= blocks.bytes() && blocks.bytes() <= least + least / 4);
    const std::ptrdiff_t stride = blocks[33] - blocks[32];
    int joined = 0;
    for (Id first = 1024; first < blocks.made(); first += 32) joined += blocks[first] - blocks[first - 1] == stride;
    check(joined >= 20);
}

}  // namespace
}  // namespace sash::testing

int main() {
    using namespace sash::testing;
    test_blocks_do_not_overlap();
    // As wide as leaves are by default for partials of these sizes.
    test_arrays_of_a_leaf_do_not_alias<double>(64);
    test_arrays_of_a_leaf_do_not_alias<std::array<double, 2>>(64);
    test_arrays_of_a_leaf_do_not_alias<std::array<double, 4>>(32);
    test_arrays_of_a_leaf_do_not_alias<std::array<double, 8>>(32);
    test_a_copy_has_blocks_of_its_own();
    test_what_blocks_hold_is_let_go_of();
    test_many_blocks_take_large_pieces();
    return report();
}
