"""Every built-in aggregation over a frame, by the definition that its methods are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sash
from sash.plan import Plan
from sash.rolling import rolling
from sash.windows import TimeWindow
from tests.rolling import brute

#: What a constructor needs beside the columns.
OPTIONS: dict[str, Any] = {
    "Histogram": {"edges": [0.0, 2.0, 5.0, 9.0]},
    "IthYoungest": {"i": 2},
    "TopK": {"k": 2},
    "BottomK": {"k": 2},
    "DecayedSum": {"half_life": 5},
}
COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("ArgMin", "ArgMax"), ("v", "s")),
    **dict.fromkeys(("WeightedMean", "Covariance", "Correlation", "LinearRegression"), ("v", "i")),
    **dict.fromkeys(("Any", "All"), ("b",)),
    **dict.fromkeys(("BitOr", "BitAnd"), ("i",)),
    "Concat": ("s",),
    "NaiveBayes": ("s", "v"),
}


def made(name: str) -> sash.Aggregation:
    """An aggregation of the class, over columns that it can read."""
    maker = sash.aggregations.built_ins()[name]
    columns = COLUMNS.get(name, ("v",))
    try:
        return maker(*columns, **OPTIONS.get(name, {}))
    except TypeError:
        pytest.skip(f"{name} is made in another way")


def frame(late: bool) -> list[brute.Row]:
    """Some rows with nulls, in order or not."""
    rng = np.random.default_rng(9)
    times = np.arange(60) - (np.where(rng.random(60) < 0.2, rng.integers(0, 9, 60), 0) if late else 0)
    return [
        {
            "t": int(t),
            "k": "xy"[i % 2],
            "v": None if i % 9 == 4 else float(rng.integers(1, 9)) / 2,
            "i": int(rng.integers(1, 5)),
            "s": "abc"[int(rng.integers(0, 3))],
            "b": bool(rng.integers(0, 2)),
        }
        for i, t in enumerate(times)
    ]


def arrays(rows: list[brute.Row]) -> dict[str, Any]:
    columns: dict[str, Any] = {name: np.array([row[name] for row in rows]) for name in ("t", "k", "i", "s", "b")}
    return {**columns, "v": np.array([math.nan if row["v"] is None else row["v"] for row in rows])}


def same(ours: Any, theirs: Any) -> bool:
    """Equal, part by part, with floats as far as they are not a matter of rounding."""
    nothing = [value is None or (isinstance(value, float) and math.isnan(value)) for value in (ours, theirs)]
    if any(nothing):
        return all(nothing)
    if isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(map(same, ours.values(), theirs.values()))
    if isinstance(theirs, sash.results.BayesModel):
        return same(ours.classes, theirs.classes)
    if isinstance(theirs, (tuple, list)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return repr(ours) == repr(theirs)


@pytest.mark.parametrize("emit", ["final", "arrival"])
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("name", sorted(sash.aggregations.built_ins()))
def test_a_built_in_gives_what_its_methods_give(name: str, late: bool, emit: Any) -> None:
    """Whatever pass it takes: the one by its kernel, by row numbers, or by its methods."""
    rows = frame(late)
    plan = Plan(by="k", on="t", windows=[TimeWindow(12), 5], aggregations={"out": made(name)}, emit=emit)
    ours, theirs = rolling(arrays(rows), plan), brute.rolling(rows, plan)
    for column, expected in theirs.items():
        given = ours[column].tolist()
        wrong = [(a, b) for a, b in zip(given, expected, strict=True) if not same(a, b)]
        assert not wrong, f"{column}: {wrong[0]}"
