"""The edges of frames, for every built-in aggregation: values at the ends of floats, very few rows, very many keys."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sash
from sash.plan import Plan
from sash.rolling import rolling
from sash.windows import TimeWindow
from tests.rolling import brute
from tests.rolling.test_every_aggregation import arrays, frame, made, same

NAMES = sorted(sash.aggregations.built_ins())
#: Ties, both zeros, both infinities and a NaN.
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.5, 1.5, -2.0]
#: The least and the greatest of floats, which sums and products round in the order in which they meet them.
ENDS = [5e-324, -1.7976931348623157e308, 1.7976931348623157e308]
UNROUNDED = (
    "Min",
    "Max",
    "MinCount",
    "MaxCount",
    "ArgMin",
    "ArgMax",
    "First",
    "Last",
    "Median",
    "Rank",
    "Mode",
    "TopK",
)
#: What those take that want finite values, or positive ones.
FINITE, POSITIVE = [0.0, -0.0, math.nan, 1.5, 1.5, -2.0, 8.0], [math.nan, 1.5, 1.5, 4.0]
TAMER = {
    "Histogram": FINITE,
    "DecayedSum": FINITE,
    "NaiveBayes": FINITE,
    "GeometricMean": POSITIVE,
    "HarmonicMean": POSITIVE,
}


def special(name: str, late: bool) -> list[brute.Row]:
    """Rows with such values, some of one time, in order or not."""
    rng = np.random.default_rng(sum(map(ord, name)))
    values = rng.choice(TAMER.get(name, SPECIAL + ENDS if name in UNROUNDED else SPECIAL), 60)
    times = np.arange(60) // 2 - (np.where(rng.random(60) < 0.2, rng.integers(0, 9, 60), 0) if late else 0)
    return [row | {"t": int(t), "v": float(v)} for row, t, v in zip(frame(late), times, values, strict=True)]


def agree(name: str, rows: list[brute.Row], plan: Plan) -> None:
    """Compare with brute force; a NaN and a null are alike, and so are 0 and 0.0."""
    ours = rolling(arrays(rows), plan)
    for column, expected in brute.rolling(rows, plan).items():
        given = ours[column].tolist()
        pairs = enumerate(zip(given, expected, strict=True))
        wrong = [(i, a, b) for i, (a, b) in pairs if not same(a, b) and (isinstance(a, str) or a != b)]
        assert not wrong, f"{name}, {column}: row {wrong[0][0]} is {wrong[0][1]!r}, not {wrong[0][2]!r}"


@pytest.mark.parametrize("emit", ["final", "arrival"])
@pytest.mark.parametrize("late", [False, True], ids=["in order", "late"])
@pytest.mark.parametrize("name", NAMES)
def test_values_at_the_ends_of_floats(name: str, late: bool, emit: Any) -> None:
    """Infinities, zeros of both signs, NaN and ties give what the methods of the aggregation give."""
    plan = Plan(by="k", on="t", windows=[TimeWindow(4), 3], aggregations={"out": made(name)}, emit=emit)
    agree(name, special(name, late), plan)


@pytest.mark.parametrize("closed", ["right", "left"])
@pytest.mark.parametrize("name", NAMES)
def test_no_row_one_row_and_one_row_a_key(name: str, closed: Any) -> None:
    """Nothing gives nothing, and a window that is closed on the left is empty there."""
    windows = [TimeWindow(5, closed=closed), 3]
    plan = Plan(by="k", on="t", windows=windows, aggregations={"out": made(name)}, closed=closed)
    rows = [row | {"k": f"key {i}"} for i, row in enumerate(frame(late=True))]
    for count in (0, 1, len(rows)):
        some = rows[:count]
        empty = {"t": np.zeros(0, np.int64), "k": np.zeros(0, object), "v": np.zeros(0), "i": np.zeros(0, np.int64)}
        if some:
            agree(name, some, plan)
            continue
        out = rolling({**empty, "s": np.zeros(0, object), "b": np.zeros(0, np.bool_)}, plan)
        assert {column: len(out[column]) for column in plan.outputs} == dict.fromkeys(plan.outputs, 0)


def test_ten_thousand_keys_of_one_row() -> None:
    """Each row is its own window, whatever runs over it."""
    rows = 10_000
    values = np.random.default_rng(1).permutation(rows).astype(float)
    data = {"k": np.arange(rows)[::-1].copy(), "t": np.arange(rows), "v": values, "i": np.arange(rows)}
    native = {
        "sum": sash.Sum("v"),
        "mean": sash.Mean("v"),
        "max": sash.Max("v"),
        "first": sash.First("v"),
        "median": sash.Median("v"),
        "mode": sash.Mode("v"),
        "top": sash.ArgMax("i", "v"),
    }
    for threads in (1, 2):
        out = rolling(
            data, by="k", on="t", window=[TimeWindow(5)], threads=threads, n=sash.CountDistinct("v"), **native
        )
        assert all((out[f"{name}_5"] == values).all() for name in native)
        assert (out["n_5"] == 1).all()


@pytest.mark.parametrize("late", [False, True], ids=["in order", "late"])
@pytest.mark.parametrize(
    "one",
    [
        sash.First("d"),
        sash.Last("d"),
        sash.Mode("d"),
        sash.CountDistinct("d"),
        sash.Collect("d"),
        sash.ArgMax("v", "d"),
        sash.Mode("s"),
        sash.CountDistinct("s"),
        sash.Concat("s"),
    ],
    ids=repr,
)
def test_texts_and_decimals_keep_their_types(one: sash.Aggregation, late: bool) -> None:
    """As they are, with nulls among them: by row number where that is enough, and by the methods otherwise."""
    rows = [row | {"d": None if i % 7 == 3 else Decimal(i % 5) / 4} for i, row in enumerate(frame(late))]
    plan = Plan(by="k", on="t", windows=[TimeWindow(12), 5], aggregations={"out": one})
    data = pd.DataFrame(rows).astype({"d": object, "s": object})
    ours = rolling(data, plan)
    for column, expected in brute.rolling(rows, plan).items():
        assert list(map(repr, map(plain, ours[column].tolist()))) == list(map(repr, map(plain, expected)))


def plain(value: Any) -> Any:
    """None for what is null, and lists for tuples."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return None if value is None or value is pd.NA or value != value else value
