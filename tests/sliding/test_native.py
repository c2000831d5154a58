"""Native members give what the same aggregations give in Python; promises about memory and failures."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.testing import same

from .stories import Interpreted

AGGREGATIONS = [
    sash.Sum(),
    sash.Max(),
    sash.Mean(),
    sash.Var(),
    sash.Delta(),
    sash.DecayedSum(half_life=3),
    sash.TimeWeightedMean(),
    sash.Count(),
    sash.Composite(total=sash.Sum(), low=sash.Min(), pace=sash.Rate(), gain=sash.Delta()),
]

values = st.integers(-5, 5) | st.none() | st.sampled_from([0.5, -1.25])
keys = st.sampled_from(["a", "b", 1, 1.0, True, (1, "x"), None])
events = st.lists(st.tuples(keys, st.integers(0, 40), values), max_size=40)
closed = st.sampled_from(["right", "left", "both", "neither"])


def plain(results):
    """Results as plain tuples."""
    return [(r.key, r.start, r.end, r.value, r.revision, r.time, r.number, r.window) for r in results]


def agree(native, python):
    assert len(native) == len(python)
    for one, other in zip(plain(native), plain(python), strict=True):
        assert same(one[3], other[3], 1e-9, scale=100.0), (one, other)
        assert one[:3] + one[4:] == other[:3] + other[4:]


def both(aggregation, policies, **options):
    native = sash.Sliding(aggregation, policies, by=True, **options)
    python = sash.Sliding(Interpreted(aggregation), policies, by=True, **options)
    return native, python


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_native_and_python_members_agree(aggregation):
    """One by one and in batches, with late events, nulls, equal times, keys of all kinds, idle keys and a restore."""

    @given(events, st.integers(1, 20), closed, st.none() | st.integers(0, 15), st.none() | st.integers(5, 30))
    def check(drawn, length, ends, lateness, expire):
        policies = [sash.TimeWindow(length, closed=ends), sash.TimeWindow(2 * length)]
        native, python = both(aggregation, policies, lateness=lateness, expire=expire, on_late="keep")
        half = len(drawn) // 2
        for event in drawn[:half]:
            agree(native.push(*event), python.push(*event))
        native = sash.Sliding.restore(native.snapshot())
        if drawn[half:]:
            columns = [list(column) for column in zip(*drawn[half:], strict=True)]
            agree(native.push_many(*columns), python.push_many(*columns))
        assert (native.late, native.late_counts) == (python.late, python.late_counts)
        assert native.watermark == python.watermark
        assert set(native.keys) == set(python.keys)
        for key in native.keys:
            for one, other in zip(native.query(key), python.query(key), strict=True):
                assert same(one.value, other.value, 1e-9, scale=100.0)

    check()


@pytest.mark.parametrize("kind", ["float", "datetime", "datetime64"])
def test_other_kinds_of_time(kind):
    """Each is counted in its own ticks."""
    day = dt.datetime(2024, 2, 28, 23, tzinfo=dt.UTC)
    make = {
        "float": lambda n: n / 4,
        "datetime": lambda n: day + dt.timedelta(minutes=n),
        "datetime64": lambda n: np.datetime64("1969-12-31T23:59:59", "ns") + np.timedelta64(n, "ns"),
    }[kind]
    length = {"float": 2.5, "datetime": "10m", "datetime64": "10ns"}[kind]
    native, python = both(
        sash.Composite(total=sash.Sum(), heat=sash.DecayedSum(half_life=1)), [sash.TimeWindow(length)], lateness=length
    )
    for place, minute in enumerate([0, 3, 9, 10, 4, 19, 20, 13, 40]):
        event = ("k", make(minute), place)
        agree(native.push(*event), python.push(*event))


def test_integer_times_become_floats():
    """Once a float comes, and the windows stay what they were."""
    native, python = both(sash.Composite(total=sash.Sum(), mean=sash.TimeWeightedMean()), [sash.TimeWindow(10)])
    for event in [("a", 1, 5), ("b", 4, 1), ("a", 6, 2), ("a", 8.5, 3), ("b", 9.25, 4), ("a", 2, 7)]:
        agree(native.push(*event), python.push(*event))


def test_integers_become_floats_in_every_window():
    """The windows of all keys are read as floats from then on, and give what floats give."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), by=True)
    s.push_many(np.array([1, 2, 1]), [1, 2, 3], np.array([5, 6, 7]))
    assert [r.value for r in s.push(1, 4, 0.5)] == [12.5]
    assert [r.value for r in s.push(2, 5, 1)] == [7.0]


def test_a_sum_that_overflows_changes_nothing():
    """Neither the windows, nor the clock, nor the keys."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), by=True, lateness=3)
    s.push_many(["a", "b"], [1, 2], [2**62, 1])
    before = s.snapshot()
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        s.push_many(["c", "b", "a", "a"], [2, 3, 4, 30], [1, 5, 2**62, 1])
    assert s.snapshot() == before
    assert s.keys == ["a", "b"]
    assert [r.value for r in s.push("b", 4, 2)] == [3]


@pytest.mark.parametrize(
    ("aggregation", "bad"),
    [
        (sash.HarmonicMean(), -1.0),
        (sash.WeightedMean(), (1.0, -2.0)),
        (sash.Range(), -(2**63)),
        (sash.Delta(), -(2**63)),
    ],
    ids=repr,
)
def test_a_value_that_is_refused_changes_nothing(aggregation, bad):
    """Not even the events that came before it in the same batch."""
    good = (2.0, 1.0) if isinstance(bad, tuple) else 2
    s = sash.Sliding(aggregation, sash.TimeWindow(10), by=True, lateness=3)
    s.push_many(["a", "b"], [1, 2], [good, good])
    before = s.snapshot()
    with pytest.raises((ValueError, OverflowError)):
        s.push_many(["a", "c", "a"], [3, 3, 4], [good, good, bad])
    assert s.snapshot() == before
    assert s.keys == ["a", "b"]


class Spread(sash.Aggregation):
    """The greatest minus the least; None for one value."""

    identity = (float("inf"), float("-inf"))

    def lift(self, value):
        return value, value

    def combine(self, older, newer):
        return min(older[0], newer[0]), max(older[1], newer[1])

    def lower(self, partial):
        return partial[1] - partial[0] if partial[0] < partial[1] else None


@given(events, st.none() | st.integers(0, 15))
def test_compiled_aggregations_run_in_the_core(drawn, lateness):
    """And say what the interpreted ones say."""
    native = sash.Sliding(COMPILED, sash.TimeWindow(9), by=True, lateness=lateness)
    python = sash.Sliding(Spread(), sash.TimeWindow(9), by=True, lateness=lateness)
    for event in drawn:
        agree(native.push(*event), python.push(*event))


COMPILED = sash.compiled(Spread())


def test_a_compiled_function_that_fails_changes_nothing():
    """The windows are as before the batch."""

    class Picky(Spread):
        def combine(self, older, newer):
            if newer[1] == 13.0:
                raise ValueError("unlucky")
            return min(older[0], newer[0]), max(older[1], newer[1])

    s = sash.Sliding(sash.compiled(Picky()), sash.TimeWindow(100), by=True)
    s.push_many(["a", "a"], [1, 2], [1.0, 5.0])
    before = s.snapshot()
    with pytest.raises(sash.AggregationError, match="a compiled function raised an error"):
        s.push_many(["b", "a", "a"], [2, 3, 4], [2.0, 7.0, 13.0])
    assert s.snapshot() == before
    assert [r.value for r in s.push("a", 5, 8.0)] == [7.0]


def test_columns_come_out_as_arrays():
    """Without a result being made."""
    s = sash.Sliding(sash.Max(), [sash.TimeWindow(2), sash.TimeWindow(5)], by=True)
    results = s.push_many(np.array([7, 8, 7]), np.array([1, 2, 3]), np.array([4.0, 5.0, 3.0]))
    assert results.values.tolist() == [4.0, 4.0, 5.0, 5.0, 3.0, 4.0]
    assert results.keys.tolist() == [7, 7, 8, 8, 7, 7]
    assert results.ends.tolist() == [1, 1, 2, 2, 3, 3]
    assert results.values.dtype == np.float64


def test_a_mapping_of_columns_is_read_without_rows():
    """Each aggregation reads its own column."""
    spent = sash.Composite(total=sash.Sum("amount"), peak=sash.Max("amount"), count=sash.Count())
    s = sash.Sliding(spent, "1h", by=True)
    times = np.array(["2024-01-01T00:00", "2024-01-01T00:30", "2024-01-01T01:10"], "datetime64[s]")
    results = s.push_many(["x", "x", "x"], times, {"amount": np.array([3, 4, 10])})
    assert [tuple(r.value) for r in results] == [(3, 3, 1), (7, 4, 2), (14, 10, 2)]


def test_keys_that_came_late_leave_nothing():
    """Events that are all late make no key, and take no memory."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), by=True, lateness=5)
    s.push(-1, 1000, 1)
    before = s._running.engine.core.memory()
    for start in range(0, 50_000, 1000):
        s.push_many(np.arange(start, start + 1000), np.zeros(1000, np.int64), np.ones(1000))
    assert s.keys == [-1]
    assert s._running.engine.core.memory() < before + 200_000


@pytest.mark.parametrize("emit", ["arrival", "final"])
def test_a_million_keys_take_little_memory(emit):
    """At most 200 bytes a key over their events, three of 16 bytes each, also where all of them wait to be emitted."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), by=True, emit=emit, lateness=5)
    count = 1_000_000
    names = np.arange(count) * 7919
    for time in range(3):
        s.push_many(names, np.full(count, time), names)
    over_events = s._running.engine.core.memory() / count - 3 * 16
    assert over_events < 200
    results = s.push(7919, 2, 1) or s.advance(3)
    assert (results[-1].key, results[-1].value) == (7919, 3 * 7919 + 1)


def test_keys_that_an_operator_has_never_seen_can_be_asked_for():
    """Their windows are empty, and the results have the keys that were asked for, one a window."""
    s = sash.Sliding(sash.Sum(), [sash.TimeWindow(10), sash.TimeWindow(20)], by=True, lateness=5)
    s.advance(5)
    core = s._running.engine.core
    keys, ticks = np.array([7, 8]), np.array([6, 6])
    assert core.query_many(keys, ticks).column("key").tolist() == [7, 7, 8, 8]
    s.push(8, 6, 3)
    asked = core.query_many(keys, ticks)
    assert asked.column("key").tolist() == [7, 7, 8, 8]
    assert asked.column("value").tolist() == [0, 0, 3, 3]
