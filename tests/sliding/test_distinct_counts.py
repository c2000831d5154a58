"""Counts of different values at arrival, from the core, beside sets of what has come."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sash._core import DistinctCounts


@pytest.mark.parametrize(("first", "length"), [(0, 10), (1, 10), (0, 11), (1, 9), (0, 1)])
def test_counts_are_those_of_sets(first: int, length: int) -> None:
    """Late events, events without a value, several keys, and a watermark that drops what no window can hold."""
    for seed in range(40):
        rng = random.Random(seed)
        counts = DistinctCounts(first, length)
        events: list[tuple[int, int, int]] = []
        watermark = 0
        for batch in range(12):
            rows = []
            wanted = []
            for _ in range(rng.randint(1, 9)):
                key, value, there = rng.randint(0, 1), rng.randint(0, 3), rng.random() < 0.9
                time = max(watermark, batch * 5 + rng.randint(-12, 6))
                rows.append((key, time, value, there))
                events += [(key, time, value)] if there else []
                in_window = [e for e in events if e[0] == key and 0 <= time - e[1] - first < length]
                wanted.append(len({event[2] for event in in_window}))
            keys, times, values, marks = (np.array(column) for column in zip(*rows, strict=True))
            assert counts.push_many(keys, times, values, marks.astype(np.uint8)).tolist() == wanted
            watermark = max(watermark, batch * 5 - 8)
            counts.drop(watermark)


def test_what_no_window_holds_is_dropped() -> None:
    """Keys and values are forgotten when their events have left every window."""
    counts = DistinctCounts(0, 10)
    ones = np.ones(3, np.int64)
    counts.push_many(np.array([1, 2, 2]), np.array([0, 5, 30]), np.array([7, 8, 9]), ones.astype(np.uint8))
    assert sorted(counts.keys()) == [1, 2]
    counts.drop(30)
    assert (counts.keys(), counts.values()) == ([2], [9])
    counts.drop(50)
    assert (counts.keys(), counts.values()) == ([], [])


def test_columns_of_one_length_are_needed() -> None:
    """Or nothing is read."""
    one, two = np.ones(1, np.int64), np.ones(2, np.int64)
    with pytest.raises(ValueError, match="one key, one time"):
        DistinctCounts(0, 10).push_many(one, two, two, two.astype(np.uint8))
