//! The checked window: every refusal leaves it as it was; and the bytes that snapshots are made of.
#include "sash/window.hpp"

#include <array>
#include <string>
#include <vector>

#include "check.hpp"
#include "sash/algorithms/btree.hpp"
#include "sash/algorithms/daba_lite.hpp"
#include "sash/algorithms/recalc.hpp"
#include "sash/codec.hpp"
#include "sash/snapshot.hpp"

using namespace sash;
using sash::testing::check;
using sash::testing::check_throws;

namespace {

using InOrder = Checked<DabaLite<SumInt>, Order::in_order>;
using AnyOrder = Checked<BTree<Concat>, Order::any>;

void test_refusals() {
    InOrder window(SumInt{});
    check_throws<EmptyWindow>([&] { window.evict(); });
    check_throws<EmptyWindow>([&] { static_cast<void>(window.oldest()); });
    check(!window.evict(5), "nothing is there");
    window.bulk_evict(5);
    for (const Time time : {1, 3, 5}) window.insert(time, time * 10);
    check_throws<OutOfOrder>([&] { window.insert(4, 1); });
    check_throws<Unsupported>([&] { window.evict(3); });
    check_throws<Unsupported>([&] { static_cast<void>(window.query(1, 3)); });
    const std::array<Time, 3> times{6, 8, 7};
    std::vector<std::int64_t> values{1, 2, 3};
    check_throws<OutOfOrder>([&] { window.bulk_insert(times, values); });
    check(window.size() == 3 && window.query() == 90, "unchanged");
    check(window.evict(1) && !window.evict(0) && window.oldest() == 3, "the oldest by its time");
}

void test_late_events() {
    AnyOrder window(Concat{}, std::size_t{2});
    const std::array<Time, 4> times{5, 1, 5, 3};
    std::vector<Concat::Partial> partials{{"e", true}, {"a", true}, {"E", true}, {"c", true}};
    window.bulk_insert(times, partials);
    window.insert(2, {"b", true});
    check(window.query().text == "abceE", "by time, then by arrival");
    check(window.query(2, 3).text == "bc" && !window.query(6, 9).present && !window.query(3, 2).present, "ranges");
    check(window.evict(3) && !window.evict(3) && window.query().text == "abeE", "evict anywhere");
}

template <class M>
void check_codec(const M& monoid, const typename M::Partial& partial) {
    Writer writer;
    Codec<M>::write(writer, monoid, partial);
    Reader reader(writer.bytes());
    Writer again;
    Codec<M>::write(again, monoid, Codec<M>::read(reader, monoid));
    check(reader.left() == 0 && again.bytes() == writer.bytes(), "what is read is what was written");
    for (std::size_t size = 0; size < writer.bytes().size(); ++size)
        check_throws<DamagedSnapshot>([&] {
            Reader cut(std::string_view(writer.bytes()).substr(0, size));
            static_cast<void>(Codec<M>::read(cut, monoid));
        });
}

void test_codecs() {
    check_codec(Count{}, 7);
    check_codec(SumInt{}, -5);
    check_codec(SumReal{}, 0.1);
    check_codec(Mean{}, {2.5, 3});
    check_codec(Moments{}, {2.5, 1.25, 3});
    check_codec(Max{}, -1);
    check_codec(MaxCount{}, {4, 2});
    check_codec(Range{}, {1, 9});
    check_codec(First<Cell>{}, {5, true});
    check_codec(ArgMax<Cell>{}, {5, 6, true});
    check_codec(Concat{}, {std::string("a\0b", 3), true});
    check_codec(Collect<Cell>{}, {1, 2, 3});
    const Bloom bloom(64);
    check_codec(bloom, bloom.lift(99));
    check_codec(bloom, bloom.combine(bloom.lift(99), bloom.lift(7)));
    Reader negative(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff", 8));
    check_throws<DamagedSnapshot>([&] { static_cast<void>(Codec<Count>::read(negative, Count{})); });
}

void test_frames() {
    const std::string blob = seal("header", "the body");
    check(open_frame(blob).header == "header" && open_frame(blob).body == "the body", "there and back");
    for (std::size_t size = 0; size < blob.size(); ++size)
        check_throws<DamagedSnapshot>([&] { open_frame(std::string_view(blob).substr(0, size)); });
    for (std::size_t place = 0; place < blob.size(); ++place)
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = blob;
            damaged[place] = static_cast<char>(damaged[place] ^ (1 << bit));
            check_throws<DamagedSnapshot>([&] { open_frame(damaged); });
        }
    check_throws<DamagedSnapshot>([&] { open_frame(blob + "x"); });
}

}  // namespace

int main() {
    test_refusals();
    test_late_events();
    test_codecs();
    test_frames();
    return sash::testing::report();
}
