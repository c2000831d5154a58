"""Faults that were seen in other implementations of FiBA, one test each."""

from __future__ import annotations

import itertools
import math
import pickle
import random

import pytest

import sash
from sash.testing import Oracle


def pair(aggregation: sash.Aggregation, **options: int) -> tuple[sash.Window, Oracle]:
    return sash.Window(aggregation, algorithm="fiba", **options), Oracle(aggregation)


def agree(window: sash.Window, oracle: Oracle) -> None:
    window.check_invariants()
    assert list(window.items()) == list(oracle.items())
    assert window.query() == oracle.query()
    assert len(window) == len(oracle)


def test_fault_1_bulk_of_known_times_around_an_overflowing_node():
    """Times that are there already, on both sides of a node that overflows, lose nothing and keep the order."""
    window, oracle = pair(sash.Concat(), min_arity=2)
    for target in (window, oracle):
        target.bulk_insert(list(range(0, 90, 10)), list("abcdefghi"))
        target.bulk_insert([1, 11, 38, 44, 50, 54], list("ABCDEF"))
    agree(window, oracle)


def test_fault_1_random_sorted_batches():
    """The same by chance: three hundred random batches over random windows."""
    draw = random.Random(11)
    for _ in range(300):
        window, oracle = pair(sash.Concat(), min_arity=2)
        for size in (30, 20, 25):
            times = sorted(draw.sample(range(100), size))
            letters = [draw.choice("abcdefgh") for _ in times]
            for target in (window, oracle):
                target.bulk_insert(times, letters)
            agree(window, oracle)


@pytest.mark.parametrize("batch", [[5, 5, 5], [9, 1, 5], [80, 80], [80], [81, 80, 0, 80, 40, 40]])
def test_fault_2_duplicates_disorder_and_the_youngest_time_in_a_batch(batch):
    """Repeated times combine in the order of the batch; a batch need not be sorted."""
    window, oracle = pair(sash.Concat(), min_arity=2)
    for target in (window, oracle):
        target.bulk_insert(list(range(0, 90, 10)), list("abcdefghi"))
        target.bulk_insert(batch, list("UVWXYZ")[: len(batch)])
    agree(window, oracle)


def test_fault_3_bulk_operations_keep_the_size():
    """len() is right after every bulk insert and every bulk evict."""
    window, oracle = pair(sash.Sum(), min_arity=2)
    draw = random.Random(3)
    for _ in range(200):
        times = [draw.randrange(2000) for _ in range(draw.randrange(60))]
        cut = draw.randrange(2000)
        leave = draw.random() < 0.3
        for target in (window, oracle):
            target.bulk_insert(times, [1] * len(times))
            if leave:
                target.bulk_evict(cut)
        agree(window, oracle)


def test_fault_4_range_queries_with_floating_times():
    """Negative, fractional and huge times; open ends; nothing between."""
    times = [-1e300, -7.5, -0.25, 0.0, 0.5, 1e-300, 3.25, 1e300, math.inf]
    window, oracle = pair(sash.Concat())
    for target in (window, oracle):
        target.bulk_insert(times, list("abcdefghi"))
    ends = [None, -math.inf, *times, -8.0, 0.1, 2.0]
    for start, end in itertools.product(ends, ends):
        assert window.query(start, end) == oracle.query(start, end), (start, end)


def test_fault_5_eviction_that_borrows_across_the_left_spine():
    """Every order of evicting a small tall tree leaves every aggregate right."""
    draw = random.Random(5)
    for size in (12, 20, 33, 50):
        for _ in range(40):
            window, oracle = pair(sash.Concat(), min_arity=2)
            for target in (window, oracle):
                target.bulk_insert(list(range(size)), [chr(97 + i % 26) for i in range(size)])
            for time in draw.sample(range(size), size):
                assert window.evict(time)
                assert oracle.evict(time)
                agree(window, oracle)


@pytest.mark.parametrize(
    ("aggregation", "values", "expected"),
    [
        (sash.GeometricMean(), [2.0, 8.0], 4.0),
        (sash.Max(), [-3.5, -1.25], -1.25),
        (sash.Mean(), [-1, -2], -1.5),
        (sash.Std(), [1e9, 1e9 + 1, 1e9 + 2], 1.0),
    ],
)
def test_fault_6_identities_and_cancellation(aggregation, values, expected):
    """Wrong neutral elements and sums of squares show in the smallest examples."""
    window = sash.Window(aggregation, algorithm="fiba")
    window.bulk_insert(range(len(values)), values)
    assert window.query() == pytest.approx(expected, rel=1e-9)


def test_fault_7_evicting_from_nothing_moving_and_freeing():
    """An empty window refuses to evict; copies and pickles live on their own; clearing frees."""
    window = sash.Window(sash.Concat(), algorithm="fiba", min_arity=2)
    with pytest.raises(sash.EmptyWindowError):
        window.evict()
    window.bulk_insert(range(100), ["x"] * 100)
    twin, thawed = window.copy(), pickle.loads(pickle.dumps(window))
    window.clear()
    del window
    for other in (twin, thawed):
        other.check_invariants()
        assert other.query() == "x" * 100


@pytest.mark.parametrize("distance", [1, 64, 1000])
def test_fault_8_late_batches_really_are_late(distance):
    """What a benchmark inserts at distance d has exactly d entries behind it."""
    window = sash.Window(sash.Count(), algorithm="fiba")
    window.bulk_insert(range(0, 4000, 2), [1] * 2000)
    late = 2 * (2000 - distance) - 1
    window.insert(late, 1)
    assert window.query(late + 1, None) == distance
