"""The sketches: within their bounds, the same in whatever shape they were merged, and never touched by a merge."""

import math
import random
import subprocess
import sys
from collections import Counter
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash import codec
from sash.aggregations.sketches.base import SMALL
from sash.aggregations.sketches.keys import canonical, hash_key
from sash.testing import assert_lawful, check_codec, check_pure, same

DISTINCT = [sash.ApproxCountDistinct(kind=kind) for kind in ("hll", "cpc", "theta")]
QUANTILES = [sash.ApproxQuantiles(at=[0.0, 0.01, 0.5, 0.9, 0.99, 1.0], kind=kind) for kind in ("kll", "req", "tdigest")]
SKETCHES = [*DISTINCT, *QUANTILES, sash.FrequentItems(), sash.CountMin()]
#: The same values give the same sketch to the last bit.
CANONICAL = [*DISTINCT, sash.CountMin()]


def partial_of(sketch, values):
    """What a window of these values holds, folded from the left."""
    lifted = (sketch.lift(value) for value in values if not sketch.skips(value))
    return reduce(sketch.combine, lifted, sketch.identity)


def result(sketch, values):
    return sketch.lower(partial_of(sketch, values))


def by_halves(sketch, partials):
    """The partials merged as a balanced tree."""
    if len(partials) < 2:
        return partials[0] if partials else sketch.identity
    middle = len(partials) // 2
    return sketch.combine(by_halves(sketch, partials[:middle]), by_halves(sketch, partials[middle:]))


def by_chance(sketch, partials, draw):
    """Neighbours merged in a random order."""
    partials = list(partials)
    while len(partials) > 1:
        place = draw.randrange(len(partials) - 1)
        partials[place : place + 2] = [sketch.combine(partials[place], partials[place + 1])]
    return partials[0]


# Laws


@pytest.mark.parametrize("sketch", SKETCHES, ids=repr)
def test_the_laws_hold_for_many_values(sketch):
    """Also where partials are sketches: to the last bit, or within the bounds where merges are random."""
    draw = random.Random(1)
    parts = [[int(draw.paretovariate(0.4)) % 10**6 for _ in range(size)] for size in (1, 60, 150, 700)]

    class Bulk(type(sketch)):
        """Lifts a whole list of values, so that the laws are tried on large partials."""

        def skips(self, value):
            return False

        def lift(self, value):
            return partial_of(sketch, value)

    assert_lawful(Bulk(**sketch.options), parts)


@pytest.mark.parametrize("sketch", SKETCHES, ids=repr)
def test_the_laws_hold_where_few_values_become_many(sketch):
    """Around the size at which a partial turns into a sketch."""
    small = [partial_of(sketch, range(start, start + size)) for start, size in ((0, 40), (30, 30), (60, 5), (0, 64))]
    for a in small:
        for b in small:
            for c in small:
                one = sketch.combine(sketch.combine(a, b), c)
                other = sketch.combine(a, sketch.combine(b, c))
                assert one == other or sketch.close(one, other)


@pytest.mark.parametrize("sketch", CANONICAL, ids=repr)
@given(seed=st.integers(0, 10**6), count=st.integers(0, 400))
def test_the_same_values_give_the_same_bytes(sketch, seed, count):
    """Whatever the shape of the merges and the order of the values."""
    draw = random.Random(seed)
    values = [draw.randrange(300) for _ in range(count)]
    straight = partial_of(sketch, values)
    lifted = [sketch.lift(value) for value in values]
    assert by_halves(sketch, lifted) == straight
    draw.shuffle(values)
    assert partial_of(sketch, values) == straight


@pytest.mark.parametrize("sketch", CANONICAL, ids=repr)
def test_the_same_values_give_the_same_bytes_when_they_are_very_many(sketch):
    """Ten thousand, in a tree by chance and with repeats."""
    draw = random.Random(7)
    values = [draw.randrange(10**9) for _ in range(10_000)]
    parts = [partial_of(sketch, values[start : start + 500]) for start in range(0, 10_000, 500)]
    one, other = by_halves(sketch, parts), by_chance(sketch, parts, draw)
    assert one == other
    if sketch.commutative and not isinstance(sketch, sash.CountMin):
        assert sketch.combine(one, parts[3]) == one


@pytest.mark.parametrize("sketch", SKETCHES, ids=repr)
def test_a_merge_touches_no_partial(sketch):
    """A partial is immutable: bytes, or a frozen collection of plain values."""
    parts = [partial_of(sketch, range(start, start + size)) for start, size in ((0, 10), (5, 300), (100, 500))]
    before = [codec.dumps(part) for part in parts]
    for one in parts:
        for other in parts:
            sketch.combine(one, other)
            sketch.lower(one)
    assert [codec.dumps(part) for part in parts] == before
    assert all(isinstance(part, (bytes, tuple, frozenset)) for part in parts)
    check_pure(sketch, range(100))


@pytest.mark.parametrize("sketch", [*QUANTILES, sash.FrequentItems()], ids=repr)
def test_close_tells_different_events_apart(sketch):
    """A law check that finds everything close would be worth nothing."""
    a, b = partial_of(sketch, [1] * 50 + list(range(500))), partial_of(sketch, [900] * 50 + list(range(500, 1000)))
    assert sketch.close(a, a)
    assert not sketch.close(a, b)
    assert not sketch.close(a, partial_of(sketch, [1] * 49 + list(range(500))))


# Distinct values


@pytest.mark.parametrize("sketch", DISTINCT, ids=repr)
@pytest.mark.parametrize("truth", [0, 1, 64, 65, 1000, 20_000])
def test_the_number_of_distinct_values_is_within_three_deviations(sketch, truth):
    """Exactly right up to 64; repeats change nothing."""
    sketch = sash.ApproxCountDistinct(kind=sketch.kind, deviations=3)
    values = [f"user {number}" for number in range(truth)]
    found = sketch.lower(by_halves(sketch, [sketch.lift(value) for value in values + values[:100]]))
    assert found.lower <= truth <= found.upper
    assert found.lower <= found.estimate <= found.upper
    assert abs(found.estimate - truth) <= 0.06 * truth
    assert found.lower == truth == found.upper or truth > SMALL


def test_more_registers_make_closer_bounds():
    """And more deviations make wider ones."""
    values = range(5000)

    def width(**options):
        found = result(sash.ApproxCountDistinct(**options), values)
        return found.upper - found.lower

    assert width(lg_k=14) < width(lg_k=12) < width(lg_k=8)
    assert width(deviations=1) < width(deviations=2) < width(deviations=3)


def test_equal_values_are_one_value():
    """1, 1.0 and True are; "1" and b"1" are not; tuples by their parts; every NaN is the same."""
    assert result(sash.ApproxCountDistinct(), [1, 1.0, True, np.int8(1), np.float32(1)]).estimate == 1
    assert result(sash.ApproxCountDistinct(), [1, "1", b"1", (1,), ("1",)]).estimate == 5
    assert result(sash.ApproxCountDistinct(), [0.0, -0.0, 0, False]).estimate == 1
    assert result(sash.ApproxCountDistinct(), [(1, "a"), (1.0, "a"), ("a", 1)]).estimate == 2
    assert result(sash.ApproxCountDistinct(nan="propagate"), [math.nan, -math.nan, np.float32("nan")]).estimate == 1


def test_hashes_do_not_change_between_versions():
    """Snapshots hold them, so they are part of the format."""
    assert [hash_key(value) for value in (1, "a", (1, "a"), ())] == [
        10451216379200822465,
        11404933540938139497,
        4071357526410927764,
        5570831419526787848,
    ]
    assert canonical(2.0**63) == 2.0**63
    assert type(canonical(2.0**63)) is float


# Quantiles


def rank_bounds(ordered, value):
    """The share of values below, and not above."""
    return np.searchsorted(ordered, value) / len(ordered), np.searchsorted(ordered, value, "right") / len(ordered)


@given(st.lists(st.integers(-50, 50) | st.floats(-50, 50), min_size=1, max_size=SMALL))
def test_quantiles_of_few_values_are_exact(values):
    """NumPy's inverted_cdf: the least value such that a share of them is not above it."""
    for sketch in QUANTILES:
        expected = np.quantile(np.array(values, float), sketch.at, method="inverted_cdf")
        for quantile, value in zip(result(sketch, values), expected, strict=True):
            assert quantile.lower == quantile.value == quantile.upper == value


@pytest.mark.parametrize("sketch", QUANTILES, ids=repr)
@pytest.mark.parametrize("shape", ["uniform", "normal", "pareto", "few", "sorted"])
def test_quantiles_of_many_values_are_within_their_bounds(sketch, shape):
    """Whatever the distribution, and with merges of a tree by chance."""
    draw = np.random.default_rng(5)
    values = {
        "uniform": draw.uniform(size=6000),
        "normal": draw.normal(size=6000),
        "pareto": draw.pareto(1, size=6000),
        "few": draw.integers(0, 10, size=6000).astype(float),
        "sorted": np.arange(6000.0),
    }[shape]
    parts = [partial_of(sketch, values[start : start + 300].tolist()) for start in range(0, 6000, 300)]
    found = sketch.lower(by_chance(sketch, parts, random.Random(3)))
    ordered = np.sort(values)
    for quantile in found:
        assert quantile.lower <= quantile.value <= quantile.upper
        below, upto = rank_bounds(ordered, quantile.value)
        # Six times the standard deviation of KLL with k=200, and as much for the others: it does not fail by chance.
        assert below - 0.03 <= quantile.rank <= upto + 0.03
        low, high = rank_bounds(ordered, quantile.lower)[0], rank_bounds(ordered, quantile.upper)[1]
        assert low - 0.02 <= quantile.rank <= high + 0.02
    assert (found[0].value, found[-1].value) == (ordered[0], ordered[-1])


def test_large_numbers_keep_all_their_digits():
    """No sketch rounds a value to 32 bits."""
    for sketch in QUANTILES[:2]:
        found = result(sketch, [1e9 + number / 8 for number in range(1000)])
        assert {(quantile.value - 1e9) * 8 % 1 for quantile in found} == {0.0}


def test_minus_zero_and_infinities_are_ordered_values():
    """-0.0 is 0.0; infinities are the extremes, which a t-digest cannot average and refuses."""
    ends = sash.ApproxQuantiles(at=[0, 1])
    assert [repr(quantile.value) for quantile in result(ends, [-0.0, -0.0])] == ["0.0", "0.0"]
    assert [quantile.value for quantile in result(ends, [math.inf, 1, -math.inf] * 100)] == [-math.inf, math.inf]
    window = sash.Window(sash.ApproxQuantiles(kind="tdigest"))
    with pytest.raises(ValueError, match='has no average: use kind="kll"'):
        window.insert(1, math.inf)
    assert len(window) == 0


def test_a_propagated_nan_makes_all_quantiles_nan():
    """Before and after a sketch has been made."""
    sketch = sash.ApproxQuantiles(at=[0.5, 0.9], nan="propagate")
    for values in ([1, math.nan, 2], [*range(100), math.nan], [math.nan, *range(100)]):
        assert all(math.isnan(quantile.value) for quantile in result(sketch, values))
    assert same(sketch.decode(sketch.encode(math.nan)), math.nan)


# Frequent items and counts


def heavy_events(count, seed=11):
    """A few values make up most of the events."""
    draw = random.Random(seed)
    return [f"item {int(draw.paretovariate(0.9)) % 100_000}" for _ in range(count)]


@pytest.mark.parametrize("lg_max_k", [4, 6, 10])
def test_the_counts_of_frequent_items_are_within_their_bounds(lg_max_k):
    """Always, and in every shape of the tree; what is certain is frequent, and without certainty none is missing."""
    events = heavy_events(8000)
    truth = Counter(events)
    error = 3.5 / 2**lg_max_k
    share = max(0.01, 2 * error)
    for certain in (True, False):
        sketch = sash.FrequentItems(lg_max_k=lg_max_k, at_least=share, certain=certain)
        parts = [partial_of(sketch, events[start : start + 400]) for start in range(0, 8000, 400)]
        found = sketch.lower(by_chance(sketch, parts, random.Random(2)))
        for item in found:
            assert item.lower <= truth[item.item] <= item.upper
            assert item.upper - item.lower <= error * len(events) + 1
        frequent = {item for item, count in truth.items() if count >= share * len(events)}
        listed = {item.item for item in found}
        assert listed <= frequent if certain else frequent <= listed
        assert [item.estimate for item in found] == sorted((item.estimate for item in found), reverse=True)


def test_frequent_items_come_back_as_they_went_in():
    """Numbers in one form, texts and bytes and tuples as they were; exactly counted while they are few."""
    values = [1, 1.0, True, "é\0", b"\xff", ("a", 2.5), ("a", 2.5), -0.0]
    found = result(sash.FrequentItems(), values)
    assert {item.item: item.estimate for item in found} == {1: 3, ("a", 2.5): 2, "é\0": 1, b"\xff": 1, 0: 1}
    assert all(item.lower == item.estimate == item.upper for item in found)


def test_a_share_decides_what_is_frequent():
    """At least, so the boundary is in."""
    values = ["a"] * 5 + ["b"] * 3 + ["c"] * 2
    assert [item.item for item in result(sash.FrequentItems(at_least=0.3), values)] == ["a", "b"]
    assert [item.item for item in result(sash.FrequentItems(at_least=0), values)] == ["a", "b", "c"]


@pytest.mark.parametrize("buckets", [64, 1024])
def test_a_count_is_never_too_low(buckets):
    """And hardly ever too high by more than the bound."""
    events = heavy_events(4000)
    truth = Counter(events)
    counts = result(sash.CountMin(buckets=buckets, hashes=4), events)
    assert counts.total == len(events)
    assert counts.error == math.ceil(math.e / buckets * len(events))
    broken = 0
    for item, count in truth.items():
        found = counts[item]
        assert count <= found.upper == found.estimate
        assert found.upper - found.lower <= counts.error
        broken += found.lower > count
    assert broken <= 0.05 * len(truth)
    assert counts["never seen"].lower == 0


def test_counts_of_few_values_are_exact():
    """Up to 64 distinct ones, however often they come."""
    counts = result(sash.CountMin(), [number % 64 for number in range(1000)])
    assert counts.error == 0
    assert counts[63.0] == (15, 15, 15)
    assert counts["63"] == (0, 0, 0)


# Empty, one, null


@pytest.mark.parametrize("sketch", SKETCHES, ids=repr)
def test_nulls_and_nan_leave_nothing(sketch):
    """An empty window and a window of nulls are the same."""
    window = sash.Window(sketch)
    assert repr(window.query()) == repr(sketch.empty)
    window.bulk_insert([1, 2, 3], [None, math.nan, np.float32("nan")])
    assert len(window) == 0
    assert repr(window.query()) == repr(sketch.empty)


@pytest.mark.parametrize("sketch", SKETCHES, ids=repr)
def test_nan_can_be_an_error(sketch):
    """And changes nothing."""
    window = sash.Window(type(sketch)(**{**sketch.options, "nan": "error"}))
    window.insert(1, 1)
    with pytest.raises(ValueError, match="NaN"):
        window.insert(2, math.nan)
    assert len(window) == 1


def test_one_value():
    """Is all there is to know of it."""
    assert result(sash.ApproxCountDistinct(), ["a"]) == (1.0, 1.0, 1.0)
    assert result(sash.ApproxQuantiles(at=0.5), [7]) == ((0.5, 7.0, 7.0, 7.0),)
    assert result(sash.FrequentItems(), ["a"]) == [("a", 1, 1, 1)]
    assert result(sash.CountMin(), ["a"])["a"] == (1, 1, 1)


# Windows


def seen(sketch, answer):
    """What can be compared of an answer."""
    return [answer[number] for number in range(0, 300, 7)] if isinstance(sketch, sash.CountMin) else answer


def agree(sketch, one, other):
    """Equal; or, where merges are random, with bounds that overlap."""
    if sketch.exact:
        assert seen(sketch, one) == seen(sketch, other)
        return
    assert len(one) == len(other)
    for a, b in zip(sorted(one), sorted(other), strict=True):
        assert a[0] == b[0]
        assert max(a.lower, b.lower) <= min(a.upper, b.upper)


@pytest.mark.parametrize("sketch", SKETCHES, ids=repr)
@pytest.mark.parametrize("algorithm", ["fiba", "two_stacks_lite"])
def test_a_window_slides_and_survives_snapshot_and_restore(sketch, algorithm):
    """The restored window answers the same, to the last bit where merges are not random, and slides on."""
    window = sash.Window(sketch, algorithm=algorithm)
    for time in range(300):
        window.insert(time, time % 150)
        if time >= 200:
            window.evict()
    window.check_invariants()
    again = sash.Window.restore(window.snapshot())
    assert again.aggregation == sketch
    assert again.snapshot() == window.snapshot() or not sketch.exact
    agree(sketch, again.query(), window.query())
    for each in (window, again):
        each.bulk_evict(280)
        each.insert(300, 3)
    # Few values are left, and few values are exact, whatever was there before.
    exact = seen(sketch, result(sketch, [time % 150 for time in range(281, 300)] + [3]))
    assert seen(sketch, window.query()) == seen(sketch, again.query()) == exact


@pytest.mark.parametrize("sketch", CANONICAL, ids=repr)
def test_a_window_gives_what_brute_force_gives(sketch):
    """With late events, bulk inserts and evictions in the middle."""
    window, oracle = sash.Window(sketch, algorithm="fiba"), sash.testing.Oracle(sketch)
    draw = random.Random(4)
    for _ in range(10):
        times = [draw.randrange(500) for _ in range(40)]
        values = [draw.randrange(400) for _ in range(40)]
        for each in (window, oracle):
            each.bulk_insert(times, values)
            each.evict(times[0])
            each.bulk_evict(min(times))
        assert seen(sketch, window.query()) == seen(sketch, oracle.query())
        assert seen(sketch, window.query(100, 300)) == seen(sketch, oracle.query(100, 300))


@pytest.mark.parametrize("sketch", SKETCHES, ids=repr)
def test_damaged_partials_are_a_snapshot_error(sketch):
    """Bytes that are no sketch, a sketch of another size, a collection of something else."""
    check_codec(sketch, range(100))
    for damaged in (b"", b"garbage", b"\0" * 64, "text", 7, (None,), ((1, 2, 3),), [1], tuple(range(200)), ("a", "b")):
        with pytest.raises(sash.SnapshotError):
            sketch.decode(codec.dumps(damaged))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (sash.ApproxCountDistinct(lg_k=10), sash.ApproxCountDistinct(lg_k=11)),
        (sash.ApproxCountDistinct(kind="cpc"), sash.ApproxCountDistinct(kind="hll")),
        (sash.ApproxQuantiles(k=100), sash.ApproxQuantiles(k=200)),
        (sash.CountMin(buckets=64), sash.CountMin(buckets=128)),
        (sash.FrequentItems(lg_max_k=7), sash.FrequentItems(lg_max_k=8)),
    ],
    ids=repr,
)
def test_a_sketch_of_another_size_is_refused(one, other):
    """A partial that cannot be merged with the others is no partial."""
    data = one.encode(partial_of(one, range(500)))
    with pytest.raises(sash.SnapshotError, match="not a partial of"):
        other.decode(data)


# What is refused


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: sash.ApproxCountDistinct(kind="bloom"), "kind is 'hll' or 'cpc' or 'theta', not 'bloom'"),
        (lambda: sash.ApproxCountDistinct(lg_k=3), "lg_k is an integer from 4 to 21, not 3"),
        (lambda: sash.ApproxCountDistinct(lg_k=22), "from 4 to 21, not 22"),
        (lambda: sash.ApproxCountDistinct(kind="theta", lg_k=4), "from 5 to 26, not 4"),
        (lambda: sash.ApproxCountDistinct(lg_k=12.0), "integer"),
        (lambda: sash.ApproxCountDistinct(deviations=4), "deviations is an integer from 1 to 3"),
        (lambda: sash.ApproxQuantiles(at=[]), "at least one rank"),
        (lambda: sash.ApproxQuantiles(at=[99]), "from 0 to 1, not 99: the 99th percentile is 0.99"),
        (lambda: sash.ApproxQuantiles(at=[math.nan]), "from 0 to 1"),
        (lambda: sash.ApproxQuantiles(at="0.5"), "from 0 to 1"),
        (lambda: sash.ApproxQuantiles(kind="gk"), "kind is 'kll' or 'req' or 'tdigest'"),
        (lambda: sash.ApproxQuantiles(k=7), "k is an integer from 8 to 65535, not 7"),
        (lambda: sash.ApproxQuantiles(kind="req", k=13), "even"),
        (lambda: sash.ApproxQuantiles(kind="tdigest", k=9), "from 10 to 65535"),
        (lambda: sash.FrequentItems(lg_max_k=2), "from 3 to 20"),
        (lambda: sash.FrequentItems(at_least=1.5), "a share of the events, from 0 to 1, not 1.5"),
        (lambda: sash.CountMin(hashes=0), "hashes is an integer from 1 to 32, not 0"),
        (lambda: sash.CountMin(buckets=2), "buckets is an integer from 3"),
        (lambda: sash.CountMin(nan="keep"), "nan is"),
    ],
)
def test_a_parameter_out_of_range_is_refused(make, match):
    """At construction, with the rule and the value."""
    with pytest.raises(ValueError, match=match):
        make()


@pytest.mark.parametrize("sketch", [*DISTINCT, sash.FrequentItems(), sash.CountMin()], ids=repr)
@pytest.mark.parametrize("value", [[1], {"a": 1}, (1, [2]), object(), np.timedelta64(1, "s")])
def test_a_value_without_a_stable_hash_is_refused(sketch, value):
    """Before anything changes."""
    window = sash.Window(sketch)
    window.insert(1, "a")
    with pytest.raises(TypeError, match="an int, float, str, bytes or a tuple of these is needed"):
        window.insert(2, value)
    assert len(window) == 1


@pytest.mark.parametrize("name", ["ApproxCountDistinct", "ApproxQuantiles", "FrequentItems", "CountMin"])
def test_without_the_package_the_message_says_what_to_install(name):
    """Everything else works; the error comes when the aggregation is made, not at the 65th event."""
    code = (
        "import sys; sys.modules['datasketches'] = None\n"
        "import sash\n"
        "w = sash.Window(sash.Sum()); w.insert(1, 2); assert w.query() == 2\n"
        f"try: sash.{name}()\n"
        "except ImportError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout == f"{name} needs the package datasketches: pip install 'datasketches>=5.1'\n"


def test_sash_does_not_import_the_package_before_it_is_needed():
    """It takes time to load, and few need it."""
    code = "import sys, sash, sash.testing; assert 'datasketches' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
