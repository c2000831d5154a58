"""The number of threads changes nothing, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sash
from sash.batch.object_pass import ObjectPass
from sash.batch.passes import choose
from tests.rolling.test_every_aggregation import made

ROWS = 70_000
NAMED = {
    "n": sash.Count("v"),
    "total": sash.Sum("v"),
    "whole": sash.Sum("i"),
    "mean": sash.Mean("v"),
    "std": sash.Std("v"),
    "peak": sash.Max("v"),
    "first": sash.First("v"),
    "last": sash.Last("i"),
    "where": sash.ArgMax("v", "i"),
    "median": sash.Median("v"),
    "high": sash.Quantiles("v", at=[0.1, 0.9]),
    "distinct": sash.CountDistinct("i"),
    "rank": sash.Rank("i", method="dense"),
    "line": sash.LinearRegression("v", "i"),
    "skew": sash.Skewness("v"),
}


def frame(keys: int, late: bool) -> dict[str, Any]:
    """Times about one apart, some equal; values of very different sizes, some null."""
    random = np.random.default_rng(8)
    times = np.cumsum(random.integers(0, 3, ROWS))
    if late:
        times = times - np.where(random.random(ROWS) < 0.01, random.integers(0, 2_000, ROWS), 0)
    values = random.normal(size=ROWS) * 10.0 ** random.integers(-8, 8, ROWS)
    values[random.random(ROWS) < 0.05] = np.nan
    return {"k": random.integers(0, keys, ROWS), "t": times, "v": values, "i": random.integers(0, 500, ROWS)}


def bytes_of(frame: Any) -> dict[str, Any]:
    return {
        name: repr(column.tolist()) if column.dtype == object else column.tobytes() for name, column in frame.items()
    }


@pytest.mark.parametrize("late", [False, True], ids=["in order", "late"])
@pytest.mark.parametrize("keys", [1, 40, 30_000])
def test_one_and_three_threads_give_equal_bytes(keys: int, late: bool) -> None:
    """One long key, some, and very many; by time and by rows."""
    data = frame(keys, late)
    plan = sash.Plan(by="k", on="t", windows=[sash.TimeWindow(700), 50], aggregations=NAMED)
    one = bytes_of(sash.rolling(data, plan, threads=1))
    assert bytes_of(sash.rolling(data, plan, threads=3)) == one


@pytest.mark.parametrize("emit", ["final", "arrival"])
@pytest.mark.parametrize("name", sorted(sash.aggregations.built_ins()))
def test_every_aggregation_gives_equal_bytes_in_two_threads(name: str, emit: Any) -> None:
    """One long key and some, over more rows than one task takes; those that run by methods take a few."""
    one = made(name)
    kinds = [{"v": "real", "i": "integer", "s": "object", "b": "bool"}[column] for column in one.columns]
    slow = emit == "arrival" or isinstance(choose(one, kinds, late=False), ObjectPass)
    data = {column: values[: 1_000 if slow else ROWS] for column, values in frame(40, late=True).items()}
    data |= {"v": np.abs(data["v"]), "s": data["i"].astype(str).astype(object), "b": data["i"] % 3 == 0}
    for by in ([], ["k"]):
        plan = sash.Plan(by=by, on="t", windows=[sash.TimeWindow(6), 3], aggregations={"out": one}, emit=emit)
        both = [bytes_of(sash.rolling(data, plan, threads=threads)) for threads in (1, 2)]
        assert both[0] == both[1]


def test_windows_as_rows_came_are_the_same_in_threads() -> None:
    """Keys go to threads; the rows of one stay in one."""
    data = {name: column[:8_000] for name, column in frame(40, True).items()}
    named = {name: NAMED[name] for name in ("total", "std", "median", "peak", "n")}
    plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow(700), aggregations=named, emit="arrival")
    assert bytes_of(sash.rolling(data, plan, threads=1)) == bytes_of(sash.rolling(data, plan, threads=3))


def test_the_first_row_whose_result_does_not_fit_is_named_by_any_number_of_threads() -> None:
    """Threads that come upon a later one do not come first."""
    values = np.ones(ROWS, np.int64)
    values[[40_000, 40_001, 65_000, 65_001]] = 2**62
    for threads in (1, 2, 4):
        with pytest.raises(OverflowError, match="the result of row 40001 does not fit"):
            sash.rolling({"v": values}, window=3, threads=threads, out=sash.Sum("v"))


@pytest.mark.parametrize("threads", [0, -1, True, "2"])
def test_threads_are_counted_from_one(threads: Any) -> None:
    """Anything else is refused."""
    with pytest.raises((TypeError, ValueError), match="threads"):
        sash.rolling({"v": np.ones(3)}, window=2, threads=threads, out=sash.Sum("v"))


KEYS = ["", "a", "b", "\0", "a\0", "payment", "payments", "payments of a card", "payments of a care", None]
LAYOUTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()), pa.binary()]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_texts_are_told_apart_however_they_are_laid_out(layout: Any, threads: int) -> None:
    """Keys and distinct counts of texts beside a dictionary of Python; in two chunks, of which one begins midway."""
    random = np.random.default_rng(3)
    texts = [KEYS[i] for i in random.integers(0, len(KEYS), ROWS)]
    coded = [KEYS.index(text) for text in texts]
    whole = pa.array(texts, pa.string()).cast(layout)
    column = pa.chunked_array([whole.slice(0, 1), whole.slice(1)])
    table = pa.table({"k": column, "t": np.arange(ROWS)})
    out = sash.rolling(table, by="k", on="t", window=ROWS, threads=threads, n=sash.Count())
    seen: dict[int, int] = {}
    expected = []
    for code in coded:
        seen[code] = seen.get(code, 0) + 1
        expected.append(seen[code])
    assert out["n"].to_pylist() == expected
    distinct = sash.rolling(table, on="t", window=3, threads=threads, n=sash.CountDistinct("k"))["n"].to_pylist()
    there = [{code for code in coded[max(0, i - 2) : i + 1] if KEYS[code] is not None} for i in range(ROWS)]
    assert distinct == [len(codes) for codes in there]
