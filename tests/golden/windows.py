"""Windows whose snapshots are kept: what is inserted, and the results once before and once after the window slides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import sash
from sash.results import BinCounts


class Case(NamedTuple):
    """The window of a snapshot. After it is restored, its oldest event is evicted and `newer` is inserted."""

    aggregation: sash.Aggregation
    algorithm: str
    events: list[tuple[Any, Any]]
    result: Any
    newer: tuple[Any, Any]
    then: Any
    #: What of a result is compared.
    read: Callable[[Any], Any] = lambda result: result

    def made(self) -> sash.Window:
        window = sash.Window(self.aggregation, self.algorithm)
        for event in self.events:
            window.insert(*event)
        return window


def ends_of(older: tuple[Any, Any], newer: tuple[Any, Any]) -> tuple[Any, Any]:
    return (older[0] if older else newer[0], newer[1] if newer else older[1]) if older or newer else ()


#: An aggregation in Python, whose partials are plain values.
ENDS = sash.aggregation(combine=ends_of, identity=(), lift=lambda value: (value, value))

INTEGERS = [(1, 5), (3, 2), (4, 7)]
#: The event at 3 is late, and two events have one time.
LATE = [(1, 5), (4, 7), (3, 2), (3, 1)]
FLOATS = [(0.5, 1.25), (1.5, -2.0), (2.5, 4.0)]
LETTERS = [(1, "a"), (2, "b"), (4, "c")]
WORDS = [(1, "red"), (2, "green"), (3, "red")]
NOON = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)
ROWS = [(1, {"a": 2, "b": 1.5, "c": "x"}), (2, {"a": 6, "b": 2.5, "c": "y"}), (3, {"a": 4, "b": None, "c": "z"})]

#: In a record, a part each.
BOARD = sash.Composite(n=sash.Count("a"), total=sash.Sum("a"), mean=sash.Mean("b"), top=sash.ArgMax("a", "c"))

ALGORITHMS = ("recalc", "two_stacks", "two_stacks_lite", "daba", "daba_lite", "flatfat", "amta", "log_mta", "btree")

CASES = {
    **{f"{name}_concat": Case(sash.Concat(), name, LETTERS, "abc", (5, "d"), "bcd") for name in (*ALGORITHMS, "fiba")},
    **{f"{name}_sum": Case(sash.Sum(), name, INTEGERS, 14, (6, -1), 8) for name in (*ALGORITHMS, "subtract_on_evict")},
    # Numbers of each kind, in the tree.
    "sum_late": Case(sash.Sum(), "fiba", LATE, 15, (6, -1), 9),
    "sum_of_floats": Case(sash.Sum(), "fiba", FLOATS, 3.25, (3.5, 0.5), 2.5),
    "mean": Case(sash.Mean(), "daba_lite", FLOATS, 3.25 / 3, (3.5, 1.0), 1.0),
    "variance": Case(sash.Var(), "two_stacks_lite", [(1, 1.0), (2, 3.0)], 2.0, (3, 7.0), 8.0),
    "maximum": Case(sash.Max(), "fiba", INTEGERS, 7, (6, 9), 9),
    "any": Case(sash.Any(), "two_stacks_lite", [(1, True), (2, False)], True, (3, False), False),
    "empty": Case(sash.Sum(), "fiba", [], 0, (1, 5), 5),
    # Objects.
    "first_of_words": Case(sash.First(), "fiba", WORDS, "red", (4, "blue"), "green"),
    "collect": Case(
        sash.Collect(), "amta", [(1, None), (2, (1, "a")), (3, b"\0")], [(1, "a"), b"\0"], (4, 1.5), [b"\0", 1.5]
    ),
    "top_2": Case(sash.TopK(k=2), "daba_lite", INTEGERS, [7, 5], (6, 6), [7, 6]),
    "mode": Case(sash.Mode(), "fiba", WORDS, "red", (4, "green"), "green"),
    "median": Case(sash.Median(), "fiba", INTEGERS, 5.0, (6, 8), 7.0),
    "histogram": Case(
        sash.Histogram(edges=(0, 3, 6)), "flatfat", INTEGERS, BinCounts(0, (1, 1), 1), (6, 1), BinCounts(0, (2, 0), 1)
    ),
    "your_own": Case(ENDS, "fiba", WORDS, ("red", "red"), (4, "blue"), ("green", "blue")),
    # Several at once.
    "composite": Case(
        BOARD,
        "fiba",
        ROWS,
        (3, 12, 2.0, "y"),
        (4, {"a": 9, "b": 0.5, "c": "w"}),
        (3, 19, 1.5, "w"),
    ),
    "composite_with_your_own": Case(
        sash.Composite(n=sash.Count(), ends=ENDS),
        "two_stacks_lite",
        WORDS,
        (3, ("red", "red")),
        (4, "blue"),
        (3, ("green", "blue")),
    ),
    # Sketches of few values: their bytes are Sash's own, whatever the version of the library.
    "bloom": Case(
        sash.Bloom(bits=64),
        "fiba",
        WORDS,
        [True, True, False],
        (4, "blue"),
        [True, True, True],
        lambda seen: [color in seen for color in ("red", "green", "blue")],
    ),
    "count_min": Case(
        sash.CountMin(),
        "fiba",
        WORDS,
        [2, 1, 0],
        (4, "blue"),
        [1, 1, 1],
        lambda counts: [counts[color].estimate for color in ("red", "green", "blue")],
    ),
    "approx_count_distinct": Case(
        sash.ApproxCountDistinct(), "fiba", WORDS, 2, (4, "blue"), 3, lambda found: round(found.estimate)
    ),
    # Times of each kind, and aggregations that read them.
    "time_weighted_mean": Case(sash.TimeWeightedMean(), "fiba", [(0, 1.0), (4, 3.0), (8, 9.0)], 2.0, (12, 0.0), 6.0),
    "decayed_sum": Case(
        sash.DecayedSum(half_life="1m"), "fiba", [(NOON, 4.0), (NOON + MINUTE, 1.0)], 3.0, (NOON + 2 * MINUTE, 2.0), 2.5
    ),
    "datetimes": Case(sash.Count(), "daba_lite", [(NOON, 1), (NOON + MINUTE, 1)], 2, (NOON + 2 * MINUTE, 1), 2),
    "naive_datetimes": Case(
        sash.First(), "fiba", [(NOON.replace(tzinfo=None), "noon")], "noon", (dt.datetime(2024, 3, 1), "later"), "later"
    ),
    "dates": Case(
        sash.Max(), "fiba", [(dt.date(2024, 2, 28), 3), (dt.date(2024, 2, 29), 2)], 3, (dt.date(2024, 3, 1), 1), 2
    ),
    "datetime64": Case(
        sash.Sum(), "amta", [(np.datetime64("2024-02-29T12:00", "ms"), 3)], 3, (np.datetime64("2024-03-01", "ms"), 1), 1
    ),
}
