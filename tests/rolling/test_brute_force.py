"""Rolling against brute force: every end, peers or none, keys, nulls, any order, final and at arrival."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.batch.naming import window_label
from sash.plan import Plan
from sash.rolling import rolling
from sash.windows import CountWindow, TimeWindow
from tests.rolling import brute

AGGREGATIONS: dict[str, sash.Aggregation] = {
    "n": sash.Count(),
    "values": sash.Count("v"),
    "total": sash.Sum("v"),
    "whole": sash.Sum("i"),
    "product": sash.Product("v"),
    "peak": sash.Max("v"),
    "low": sash.Min("i"),
    "span": sash.Range("v"),
    "mean": sash.Mean("v"),
    "spread": sash.Var("v"),
    "lows": sash.MinCount("v"),
    "tops": sash.MaxCount("i"),
    "path": sash.Concat("s"),
    "first": sash.First("s"),
    "last": sash.Last("v"),
    "where": sash.ArgMax("v", "s"),
    "cheap": sash.ArgMin("i", "s"),
    "both": sash.ArgMax("v", ["s", "i"]),
    "kinds": sash.CountDistinct("s"),
    "list": sash.Collect("s"),
    "any": sash.Any("b"),
    "all": sash.All("b"),
    "bits": sash.BitOr("i"),
    "common": sash.BitAnd("i"),
    "weighted": sash.WeightedMean("v", "i"),
}

rows = st.fixed_dictionaries(
    {
        "t": st.integers(-8, 20),
        "k": st.sampled_from(["x", "y", None]),
        "v": st.one_of(st.none(), st.sampled_from([-1.5, -0.0, 0.0, 2.0, 2.0, 7.25])),
        "i": st.one_of(st.none(), st.integers(0, 5)),
        "s": st.one_of(st.none(), st.sampled_from("abcd")),
        "b": st.one_of(st.none(), st.booleans()),
    }
)
windows = st.lists(
    st.one_of(st.integers(1, 12).map(TimeWindow), st.integers(1, 6).map(CountWindow)),
    min_size=1,
    max_size=2,
    unique_by=window_label,
)
frames = st.one_of(
    st.lists(rows, max_size=25), st.lists(rows, max_size=25).map(lambda rows: sorted(rows, key=lambda row: row["t"]))
)


def masked(frame: list[brute.Row]) -> dict[str, Any]:
    """The frame as arrays of NumPy, with masks for nulls of integers and truths."""
    columns: dict[str, Any] = {name: [row[name] for row in frame] for name in ("t", "k", "v", "i", "s", "b")}
    arrays: dict[str, Any] = {"t": np.array(columns["t"], np.int64)}
    for name in ("k", "s"):
        arrays[name] = np.empty(len(frame), object)
        arrays[name][:] = columns[name]
    arrays["v"] = np.array([math.nan if value is None else value for value in columns["v"]], np.float64)
    for name, dtype in (("i", np.int64), ("b", bool)):
        nulls = [value is None for value in columns[name]]
        arrays[name] = np.ma.MaskedArray(np.array([value or 0 for value in columns[name]], dtype), mask=nulls)
    return arrays


def plain(column: Any) -> list[Any]:
    """A column as Python values, None for what is null."""
    values = column.tolist()
    return [None if isinstance(value, float) and math.isnan(value) else value for value in values]


def same(ours: Any, theirs: Any) -> bool:
    """Equal, and floats within rounding."""
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(theirs, dict):
        return ours is not None and list(ours) == list(theirs) and all(same(ours[name], theirs[name]) for name in ours)
    return bool(ours == theirs)


def assert_same(ours: dict[str, Any], theirs: dict[str, list[Any]]) -> None:
    for name, expected in theirs.items():
        given = plain(ours[name])
        wrong = [i for i, (a, b) in enumerate(zip(given, expected, strict=True)) if not same(a, b)]
        assert not wrong, f"{name}: row {wrong[0]} is {given[wrong[0]]!r}, not {expected[wrong[0]]!r}"


@given(
    frames,
    windows,
    st.sampled_from(["right", "left", "both", "neither"]),
    st.booleans(),
    st.sampled_from([None, 0, 1, 3]),
    st.sampled_from(["final", "arrival"]),
    st.booleans(),
)
def test_every_row_has_the_answer_of_brute_force(
    frame: list[brute.Row],
    windows: list[Any],
    closed: Any,
    peers: bool,
    min_periods: int | None,
    emit: Any,
    keyed: bool,
) -> None:
    """Whatever the ends, the order, the keys and the nulls: each row sees the rows of its window, oldest first."""
    if not keyed:
        frame = [{**row, "k": None} for row in frame]
    shaped = [TimeWindow(w.length, closed=closed) if isinstance(w, TimeWindow) else w for w in windows]
    plan = Plan(
        by="k" if keyed else None,
        on="t",
        windows=shaped,
        aggregations=AGGREGATIONS,
        emit=emit,
        closed=closed,
        min_periods=min_periods,
        peers=peers,
    )
    assert_same(rolling(masked(frame), plan), brute.rolling(frame, plan))


@given(frames.filter(lambda frame: len(frame) > 1), st.randoms(use_true_random=False), windows)
def test_final_results_do_not_depend_on_the_order_of_arrival(
    frame: list[brute.Row], random: Any, windows: list[Any]
) -> None:
    """Shuffled rows get the same results, as long as rows of one time keep their order."""
    plan = Plan(by="k", on="t", windows=windows, aggregations=AGGREGATIONS)
    frame = [{**row, "t": row["t"] * 100 + place} for place, row in enumerate(frame)]
    order = list(range(len(frame)))
    random.shuffle(order)
    whole, shuffled = rolling(masked(frame), plan), rolling(masked([frame[i] for i in order]), plan)
    for name in plan.outputs:
        assert plain(shuffled[name]) == [plain(whole[name])[i] for i in order], name


@given(st.lists(st.tuples(st.floats(-100, 100), st.text("ab", max_size=1)), max_size=20), st.floats(0.5, 50))
def test_times_may_be_floats(rows: list[tuple[float, str]], length: float) -> None:
    """A window over float times is of a length in floats."""
    frame = {"t": np.array([t for t, _ in rows], np.float64), "s": np.array([s for _, s in rows], object)}
    path = rolling(frame, on="t", window=TimeWindow(length), path=sash.Concat("s"))["path"]
    for t, given_path in zip(frame["t"], path.tolist(), strict=True):
        inside = sorted((u, i) for i, u in enumerate(frame["t"]) if t - length < u <= t or u == t)
        assert given_path == "".join(frame["s"][i] for _, i in inside)


@pytest.mark.parametrize("late", [0, 1, 30, 150])
def test_long_frames_take_the_paths_of_long_frames(late: int) -> None:
    """Hundreds of rows: several hands find the bounds, late rows are merged or sorted, blocks are scanned."""
    rng = np.random.default_rng(late)
    times = np.cumsum(rng.integers(0, 4, 600))
    moved = rng.choice(600, late, replace=False)
    times[moved] -= rng.integers(1, 500, len(moved))
    frame = [
        {"t": int(t), "k": "x", "v": None if i % 50 == 7 else float(v), "i": int(v), "s": "abc"[i % 3], "b": v > 2}
        for i, (t, v) in enumerate(zip(times, rng.integers(0, 9, 600), strict=True))
    ]
    chosen = ("values", "total", "whole", "peak", "spread", "where", "first", "kinds")
    few = {name: AGGREGATIONS[name] for name in chosen}
    plan = Plan(on="t", windows=[TimeWindow(60), 17], aggregations=few, min_periods=1)
    assert_same(rolling(masked(frame), plan), brute.rolling(frame, plan))


@pytest.mark.parametrize("late", [0, 40])
def test_long_frames_at_arrival(late: int) -> None:
    """Hundreds of rows by the tree: what came later is not seen."""
    rng = np.random.default_rng(late)
    times = np.cumsum(rng.integers(0, 4, 500))
    moved = rng.choice(500, late, replace=False)
    times[moved] -= rng.integers(1, 300, late)
    frame = [
        {"t": int(t), "k": "x", "v": float(i % 7), "i": i % 5, "s": "abc"[i % 3], "b": True}
        for i, t in enumerate(times)
    ]
    few = {name: AGGREGATIONS[name] for name in ("n", "total", "peak", "where", "first", "path")}
    plan = Plan(on="t", windows=[TimeWindow(25), 9], aggregations=few, emit="arrival")
    assert_same(rolling(masked(frame), plan), brute.rolling(frame, plan))


@pytest.mark.parametrize("seed", range(4))
def test_arrival_is_final_over_the_rows_that_had_come(seed: int) -> None:
    """The result of a row at arrival is its final result in the frame that ends with it, for every aggregation."""
    rng = np.random.default_rng(seed)
    times = np.arange(120) * 2 - np.where(rng.random(120) < 0.2, rng.integers(0, 40, 120), 0)
    frame: dict[str, Any] = {
        "t": times,
        "v": np.where(rng.random(120) < 0.1, np.nan, rng.integers(1, 4, 120) / 2),
        "i": rng.integers(0, 4, 120),
        "s": rng.choice(list("abc"), 120),
        "b": rng.random(120) < 0.5,
    }
    plan = Plan(on="t", windows=[TimeWindow(23), 9], aggregations=AGGREGATIONS)
    known = rolling(frame, Plan(on="t", windows=plan.windows, aggregations=AGGREGATIONS, emit="arrival"))
    for row in range(120):
        whole = rolling({name: column[: row + 1] for name, column in frame.items()}, plan)
        for name in plan.outputs:
            ours, theirs = plain(known[name])[row], plain(whole[name])[row]
            assert same(ours, theirs), f"{name}: row {row} is {ours!r}, not {theirs!r}"
