//! Many monoids side by side: each part of a record does what its monoid does alone, whatever the words lie in.
#include "sash/monoids/record.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "check.hpp"
#include "sash/algorithm.hpp"
#include "sash/algorithms/daba_lite.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/algorithms/recalc.hpp"
#include "sash/codec.hpp"
#include "sash/monoids/comoments.hpp"
#include "sash/monoids/delta.hpp"
#include "sash/monoids/m4.hpp"
#include "sash/monoids/rate.hpp"
#include "sash/monoids/record/compiled.hpp"
#include "sash/window.hpp"

using namespace sash;
using sash::testing::check;
using sash::testing::check_throws;

namespace {

using Random = std::mt19937_64;
using LayoutPtr = std::shared_ptr<const Layout>;

static_assert(Monoid<Record<Words<8>>> && Monoid<Record<std::vector<Word>>>);
static_assert(WindowAlgorithm<Fiba<Record<Words<8>>>> && WindowAlgorithm<DabaLite<Record<std::vector<Word>>>>);

constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

// The columns of the tests: integers, reals, and a column that is often null.
constexpr std::uint16_t kWhole = 0, kReal = 1, kRare = 2;

Field whole(std::int64_t number) {
    return {number, static_cast<double>(number), true};
}
Field real(double number) {
    return {encode_real(number), number, true};
}

struct Row {
    Time time;
    std::vector<Field> fields;
    Event event() const { return {time, fields}; }
};

Row any_row(Random& random, Time time) {
    const auto number = static_cast<std::int64_t>(random() % 9) - 4;
    Field rare = whole(number * 3);
    rare.present = random() % 3 == 0;
    return {time, {whole(number), real(static_cast<double>(random() % 64) / 4 - 8), rare}};
}

//! Parts of several types, those of one type not one after the other; some read two columns, some keep times.
LayoutPtr mixed_layout() {
    auto layout = std::make_shared<Layout>();
    layout->add(SumInt{}, {kWhole, kWhole});
    layout->add(Mean{}, {kReal, kReal});
    layout->add(Extremes(false, Max{}), {kWhole, kWhole});
    layout->add(SumInt{}, {kRare, kRare});
    layout->add(Moments{1, true}, {kReal, kReal});
    layout->add(Delta{NumberKind::integer}, {kRare, kRare});
    layout->add(CoMoments{}, {kReal, kRare});
    layout->add(M4{{}, NumberKind::integer}, {kWhole, kWhole});
    layout->add(Extremes(true, Max{}), {kRare, kRare});
    return layout;
}

bool near(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

bool equal(std::monostate, std::monostate) {
    return true;
}
bool equal(std::int64_t a, std::int64_t b) {
    return a == b;
}
bool equal(double a, double b) {
    return near(a, b);
}
bool equal(Coded a, Coded b) {
    return a.cell == b.cell;
}
bool equal(Instant a, Instant b) {
    return a.ticks == b.ticks;
}
bool equal(const std::vector<Scalar>& a, const std::vector<Scalar>& b);

template <class Variant>
bool same(const Variant& a, const Variant& b) {
    if (a.index() != b.index()) return false;
    return std::visit([&](const auto& left) { return equal(left, std::get<std::decay_t<decltype(left)>>(b)); }, a);
}

bool equal(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same<Scalar>);
}

//! One monoid over the rows, by definition: lift what is present, combine from left to right.
template <class M, class Input>
PartResult alone(const M& monoid, const std::vector<Row>& rows, Input input) {
    typename M::Partial total = monoid.identity();
    for (const Row& row : rows) {
        const auto partial = input(monoid, row);
        if (partial) total = monoid.combine(total, *partial);
    }
    return part_result_of(monoid, total);
}

std::vector<PartResult> expected(const std::vector<Row>& rows) {
    const auto cell = [](std::uint16_t column) {
        return [=](const auto& monoid, const Row& row) {
            using Partial = decltype(monoid.identity());
            const Field& field = row.fields[column];
            return field.present ? std::optional<std::decay_t<Partial>>(monoid.lift(field.cell)) : std::nullopt;
        };
    };
    const auto number = [](const auto& monoid, const Row& row) {
        return std::optional<std::decay_t<decltype(monoid.identity())>>(monoid.lift(row.fields[kReal].real));
    };
    const auto pair = [](const CoMoments& monoid, const Row& row) {
        const Field &x = row.fields[kReal], &y = row.fields[kRare];
        return y.present ? std::optional(monoid.lift({x.real, y.real})) : std::nullopt;
    };
    const auto timed = [](const M4& monoid, const Row& row) {
        return std::optional(monoid.lift(row.time, row.fields[kWhole].cell));
    };
    return {alone(SumInt{}, rows, cell(kWhole)),
            alone(Mean{}, rows, number),
            alone(Extremes(false, Max{}), rows, cell(kWhole)),
            alone(SumInt{}, rows, cell(kRare)),
            alone(Moments{1, true}, rows, number),
            alone(Delta{NumberKind::integer}, rows, cell(kRare)),
            alone(CoMoments{}, rows, pair),
            alone(M4{{}, NumberKind::integer}, rows, timed),
            alone(Extremes(true, Max{}), rows, cell(kRare))};
}

void check_all(const std::vector<PartResult>& found, const std::vector<PartResult>& wanted, const char* what) {
    check(found.size() == wanted.size(), what);
    for (std::size_t i = 0; i < found.size(); ++i) check(same(found[i], wanted[i]), what);
}

//! A record in a window beside the monoids by brute force, sliding.
template <class Window, class R>
void slides(const R& record, const char* what) {
    Random random(7);
    Window window{record};
    std::vector<Row> rows;
    for (Time time = 0; time < 300; ++time) {
        rows.push_back(any_row(random, time));
        window.insert(time, record.lift(rows.back().event()));
        for (std::uint64_t leaving = random() % 3; leaving > 0 && rows.size() > 1; --leaving) {
            window.evict();
            rows.erase(rows.begin());
        }
        check_all(record.lower(window.query()), expected(rows), what);
    }
    check_all(record.lower(record.identity()), expected({}), "nothing");
}

void each_part_is_its_monoid() {
    const LayoutPtr layout = mixed_layout();
    check(layout->parts() == 9 && layout->words() <= 64, "as many as were added");
    const Record<Words<64>> in_place(layout);
    const Record<std::vector<Word>> beside(layout);
    slides<Fiba<Record<Words<64>>>>(in_place, "fiba, in place");
    slides<DabaLite<Record<Words<64>>>>(in_place, "daba_lite, in place");
    slides<Fiba<Record<std::vector<Word>>>>(beside, "fiba, beside");
    slides<Recalc<Record<std::vector<Word>>>>(beside, "recalc, beside");
}

//! Parts of one type lie together, and each is found where it lies.
void places_are_those_of_the_parts() {
    const LayoutPtr layout = mixed_layout();
    check(layout->offset(0) == 0 && layout->offset(3) == 1, "both sums first");
    check(layout->offset(8) == layout->offset(2) + 1, "both extremes together");
    check(layout->runs().size() == 7, "a run for each type");
    std::vector<bool> taken(layout->words());
    for (std::size_t part = 0; part < layout->parts(); ++part) {
        check(!taken[layout->offset(part)], "no two begin at one word");
        taken[layout->offset(part)] = true;
    }
}

//! append, prepend and combine are one operation; the arguments that stay do stay.
template <class Storage>
void combines_in_place() {
    const Record<Storage> record(mixed_layout());
    Random random(3);
    for (Time time = 0; time < 200; time += 2) {
        const Storage a = record.lift(any_row(random, time).event());
        const Storage b = record.lift(any_row(random, time + 1).event());
        const Storage both = record.combine(a, b);
        Storage appended = a, prepended = b;
        record.append(appended, b);
        record.prepend(a, prepended);
        check(appended == both && prepended == both, "one operation");
        check(record.combine(record.identity(), a) == a && record.combine(a, record.identity()) == a, "neutral");
    }
}

template <class Storage>
void bytes_come_back() {
    const Record<Storage> record(mixed_layout());
    Random random(5);
    Storage total = record.identity();
    for (Time time = 0; time < 50; ++time) {
        Writer writer;
        Codec<Record<Storage>>::write(writer, record, total);
        Reader reader(writer.bytes());
        check(Codec<Record<Storage>>::read(reader, record) == total && reader.left() == 0, "there and back");
        for (std::size_t size = 0; size < writer.bytes().size(); size += 5)
            check_throws<DamagedSnapshot>([&] {
                Reader cut(std::string_view(writer.bytes()).substr(0, size));
                static_cast<void>(Codec<Record<Storage>>::read(cut, record));
            });
        record.append(total, record.lift(any_row(random, time).event()));
    }
}

void an_inverse_is_that_of_the_parts() {
    auto layout = std::make_shared<Layout>();
    layout->add(SumInt{}, {kWhole, kWhole});
    layout->add(SumInt{}, {kRare, kRare});
    const Record<Words<2>> record(layout);
    Random random(9);
    const auto a = record.lift(any_row(random, 0).event()), b = record.lift(any_row(random, 1).event());
    check(record.inverse(record.combine(a, b), a) == b, "the rest");
    const Record<Words<64>> mixed(mixed_layout());
    check_throws<std::logic_error>([&] { static_cast<void>(mixed.inverse(mixed.identity(), mixed.identity())); });
}

//! As far as integers reach, 64 bits are enough; beyond that, the parts have forms that hold the full range.
void parts_take_the_full_range() {
    const auto make = [](bool wide) {
        auto layout = std::make_shared<Layout>();
        if (wide) {
            layout->add(MarkedExtremes(true, NumberKind::integer), {0, 0});
            layout->add(SumWide{}, {0, 0});
        } else {
            layout->add(Extremes(true, Max{}), {0, 0});
            layout->add(SumInt{}, {0, 0});
        }
        return layout;
    };
    const Record<Words<2>> narrow(make(false));
    const Record<Words<8>> wide(make(true));
    const auto row = [](std::int64_t number) { return Row{0, {whole(number)}}; };
    check(narrow.layout().reach(row(-5).event()) == 5.0, "as far as its size");
    check(!(narrow.layout().reach(row(kGreatest).event()) < kNarrowReach), "the neutral cell of the least");
    const std::vector<Form> spread(2, Form::wide), back(2, Form::narrow);
    const auto small = narrow.lift(row(-5).event());
    const auto large = wide.converted(spread, small.data(), narrow.layout());
    check(large == wide.lift(row(-5).event()), "the same in the full range");
    check(narrow.converted(back, large.data(), wide.layout()) == small, "and back");
    check(wide.converted(spread, narrow.identity().data(), narrow.layout()) == wide.identity(),
          "nothing stays nothing");
    const auto both = wide.combine(wide.lift(row(kGreatest).event()), wide.lift(row(kGreatest).event()));
    check(same(wide.layout().lower(0, both.data()), PartResult(kGreatest)), "the neutral cell is a value");
    check_throws<std::overflow_error>([&] { static_cast<void>(wide.layout().lower(1, both.data())); });
    check(wide.reach(both) > 0x1p63, "it reaches further than 64 bits");
}

//! A column of integers that gets reals too; the parts that read another stay as they are.
void a_column_of_both_kinds() {
    const auto make = [](bool both) {
        auto layout = std::make_shared<Layout>();
        layout->add(SumInt{}, {kRare, kRare});
        if (both) {
            layout->add(SumBoth{}, {kWhole, kWhole});
            layout->add(OfBoth<Extremes>{Extremes(true, Max{NumberKind::real})}, {kWhole, kWhole});
            layout->add(OfBoth<Range>{Range{NumberKind::real}}, {kWhole, kWhole});
        } else {
            layout->add(SumInt{}, {kWhole, kWhole});
            layout->add(Extremes(true, Max{NumberKind::integer}), {kWhole, kWhole});
            layout->add(Range{NumberKind::integer}, {kWhole, kWhole});
        }
        layout->add(Mean{}, {kReal, kReal});
        return layout;
    };
    const Record<Words<16>> integers(make(false)), both(make(true));
    const auto forms = [](Form form) { return std::vector<Form>{Form::same, form, form, form, Form::same}; };
    const auto joined = [&](const auto& partial) {
        return both.converted(forms(Form::both_of_integers), partial.data(), integers.layout());
    };
    Random random(13);
    for (int trial = 0; trial < 100; ++trial) {
        const auto first = any_row(random, 0), second = any_row(random, 1);
        const auto a = integers.lift(first.event()), b = integers.lift(second.event());
        const auto one = [&](const Row& row, bool is_whole) {
            Row other = row;
            other.fields[kWhole] = real(row.fields[kWhole].real);
            other.fields[kWhole].whole = is_whole;
            return both.lift(other.event());
        };
        check(joined(a) == one(first, true), "as if it had come beside reals");
        check(joined(integers.combine(a, b)) == both.combine(joined(a), joined(b)), "before or after combining");
        check(integers.converted(forms(Form::narrow), joined(a).data(), both.layout()) == a, "and back");
        check(same(both.layout().lower(1, joined(a).data()), integers.layout().lower(1, a.data())), "still an integer");
        const auto mixed = both.combine(joined(a), one(second, false));
        check(both.layout().kinds(2, mixed.data()) == Kinds{true, true}, "both kinds are known");
        check(std::holds_alternative<double>(both.layout().lower(1, mixed.data())), "a real among them makes it one");
    }
    check(joined(integers.identity()) == both.identity(), "nothing stays nothing");
    const auto huge = integers.lift(Row{0, {whole(kGreatest - 1), real(0.5), whole(1)}}.event());
    check_throws<Inexact>([&] { static_cast<void>(joined(huge)); });
}

void times_are_mapped_where_they_are_kept() {
    auto layout = std::make_shared<Layout>();
    layout->add(SumInt{}, {kWhole, kWhole});
    layout->add(M4{{}, NumberKind::integer}, {kWhole, kWhole});
    layout->add(Rate{}, {kWhole, kWhole});
    const Record<std::vector<Word>> record(layout);
    Random random(17);
    auto partial = record.identity(), later = record.identity();
    for (Time time = 3; time < 9; ++time) {
        Row row = any_row(random, time);
        record.append(partial, record.lift(row.event()));
        row.time += 100;
        record.append(later, record.lift(row.event()));
    }
    record.retime(partial, [](Time time) { return time + 100; });
    check(partial == later, "as if it had come at the other time");
    auto nothing = record.identity();
    record.retime(nothing, [](Time time) { return time + 100; });
    check(same(record.lower(nothing)[1], PartResult()), "nothing has no time");
}

// A user's functions: the last value, and how many there were, each counted by another column plus 1. To lift 13, to
// combine 7 with another value and to lower 99 are errors. Integers lie in their words bit by bit.

int lift_last(std::int64_t time, const double* inputs, double* out) {
    if (inputs[0] == 13.0) return 1;
    out[0] = inputs[0] + static_cast<double>(time) * 0.0;
    out[1] = std::bit_cast<double>(std::bit_cast<std::int64_t>(inputs[1]) + 1);
    return 0;
}
int combine_last(const double* older, const double* newer, double* out) {
    const auto before = std::bit_cast<std::int64_t>(older[1]), after = std::bit_cast<std::int64_t>(newer[1]);
    if (before != 0 && after != 0 && (older[0] == 7.0 || newer[0] == 7.0)) return 1;
    const double last = after == 0 ? older[0] : newer[0];
    out[0] = last;
    out[1] = std::bit_cast<double>(before + after);
    return 0;
}
int lower_last(const double* partial, double* out) {
    if (std::bit_cast<std::int64_t>(partial[1]) == 0) return 2;
    if (partial[0] == 99.0) return 1;
    out[0] = partial[0];
    out[1] = partial[1];
    return 0;
}

CompiledFunctions last_functions() {
    CompiledFunctions functions;
    functions.lift = lift_last;
    functions.combine = combine_last;
    functions.lower = lower_last;
    functions.identity = {0, 0};
    functions.integer_inputs = {false, true};
    functions.integer_results = {false, true};
    functions.several = true;
    return functions;
}

LayoutPtr compiled_layout() {
    auto layout = std::make_shared<Layout>();
    layout->add(SumInt{}, {kWhole, kWhole});
    layout->add(std::make_unique<CompiledGroup>(last_functions(), std::vector<std::uint16_t>{kReal, kWhole}));
    return layout;
}

Row compiled_row(double number, std::int64_t beside = 0) {
    return {0, {whole(beside), real(number)}};
}

void compiled_functions_are_a_part() {
    const Record<Words<4>> record(compiled_layout());
    check(record.layout().words() == 4, "a sum, two numbers and a mark");
    Fiba<Record<Words<4>>> window(record);
    for (Time time = 0; time < 100; ++time) {
        window.insert(time, record.lift(compiled_row(static_cast<double>(time) / 2 + 0.25, 1).event()));
        if (time >= 10) window.evict();
    }
    const std::vector<PartResult> found = record.lower(window.query());
    check(same(found[0], PartResult(std::int64_t{10})), "the part beside it");
    check(same(found[1], PartResult(std::vector<Scalar>{49.75, std::int64_t{20}})), "the last, and each counted twice");
    check(same(record.lower(record.identity())[1], PartResult(std::vector<Scalar>(1))), "no result");
    Row null = compiled_row(5.0);
    null.fields[kReal].present = false;
    check(record.lift(null.event()) == record.identity(), "a null is passed over");
    check_throws<std::logic_error>([&] { static_cast<void>(record.inverse(record.identity(), record.identity())); });
    check_throws<std::invalid_argument>([] { CompiledGroup(CompiledFunctions{}, {}); });
}

void a_failure_in_compiled_code_absorbs() {
    const Record<Words<4>> record(compiled_layout());
    const auto lifted = [&](double number) { return record.lift(compiled_row(number).event()); };
    const auto good = lifted(1.0);
    for (const auto& failed : {lifted(13.0), record.combine(lifted(7.0), good), record.combine(good, lifted(7.0))}) {
        check(record.failed(failed), "marked");
        check(record.failed(record.combine(failed, good)) && record.failed(record.combine(good, failed)),
              "and so is all that it is combined with");
        check_throws<CompiledError>([&] { static_cast<void>(record.lower(failed)); });
    }
    check(!record.failed(lifted(7.0)), "alone it is sound");
    check_throws<CompiledError>([&] { static_cast<void>(record.lower(lifted(99.0))); });
    // An eviction never fails, and the result is back once the culprit has left.
    Checked<Fiba<Record<Words<4>>>, Order::any> window(record);
    window.insert(1, lifted(7.0));
    check_throws<CompiledError>([&] { window.insert(2, good); });
    check(window.size() == 1, "refused");
    window.evict();
    window.insert(2, good);
    check(same(record.lower(window.query())[1], PartResult(std::vector<Scalar>{1.0, std::int64_t{1}})), "sound again");
}

}  // namespace

int main() {
    each_part_is_its_monoid();
    places_are_those_of_the_parts();
    combines_in_place<Words<64>>();
    combines_in_place<std::vector<Word>>();
    bytes_come_back<Words<64>>();
    bytes_come_back<std::vector<Word>>();
    an_inverse_is_that_of_the_parts();
    parts_take_the_full_range();
    a_column_of_both_kinds();
    times_are_mapped_where_they_are_kept();
    compiled_functions_are_a_part();
    a_failure_in_compiled_code_absorbs();
    return sash::testing::report();
}
