"""Results of a row and its window: scores, times since, and expressions over results."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.windows import CountWindow, SessionWindow, TimeWindow
from tests.rolling import brute
from tests.rolling.test_brute_force import assert_same, frames, masked

CLOSED = ["right", "left", "both", "neither"]
windows = st.one_of(st.integers(1, 12).map(TimeWindow), st.integers(1, 6).map(CountWindow))


def shaped(window: Any, closed: Any) -> Any:
    return TimeWindow(window.length, closed=closed) if isinstance(window, TimeWindow) else window


def spans(frame: Any, window: Any, closed: Any, emit: str) -> list[list[int]]:
    return [brute.members(frame, i, window, closed, True, emit == "arrival") for i in range(len(frame))]


@given(frames, windows, st.sampled_from(CLOSED), st.sampled_from(["final", "arrival"]), st.sampled_from([0, 1]))
def test_a_score_compares_the_row_with_its_window(frame: Any, window: Any, closed: Any, emit: Any, ddof: int) -> None:
    """Its own value, in or out, less the mean, by the deviation; null where there is none."""
    plan = sash.Plan(
        by="k",
        on="t",
        windows=shaped(window, closed),
        closed=closed,
        emit=emit,
        aggregations={"z": sash.ZScore("v", ddof=ddof)},
    )
    expected: list[Any] = []
    for row, span in zip(frame, spans(frame, window, closed, emit), strict=True):
        values = [frame[i]["v"] for i in span if frame[i]["v"] is not None]
        spread = float(np.std(values, ddof=ddof)) if len(values) > ddof else 0.0
        same = len(set(values)) < 2
        expected.append(None if row["v"] is None or same else (row["v"] - sum(values) / len(values)) / spread)
    assert_same(sash.rolling(masked(frame), plan), dict.fromkeys(plan.outputs, expected))


def test_scores_agree_with_pandas() -> None:
    """Over windows of rows, itself in."""
    x = pd.Series(np.random.default_rng(2).normal(size=200))
    ours = sash.rolling(pd.DataFrame({"x": x}), window=20, min_periods=20, z=sash.ZScore("x"))["z"]
    theirs = (x - x.rolling(20).mean()) / x.rolling(20).std()
    assert np.allclose(ours, theirs, equal_nan=True)


@given(
    frames,
    windows,
    st.sampled_from(CLOSED),
    st.sampled_from(["final", "arrival"]),
    st.sampled_from([None, "s"]),
    st.booleans(),
    st.sampled_from([None, 2]),
)
def test_the_time_since_the_last_event(
    frame: Any, window: Any, closed: Any, emit: Any, column: Any, where: bool, least: Any
) -> None:
    """Since the last of the window, or the last at which a column was another than in the event of the key before."""
    over = sash.TimeSince(column, where=sash.col("i") > 1) if where else sash.TimeSince(column)
    plan = sash.Plan(
        by="k",
        on="t",
        windows=shaped(window, closed),
        closed=closed,
        emit=emit,
        min_periods=least,
        aggregations={"since": over},
    )
    expected: list[Any] = []
    for here, (row, span) in enumerate(zip(frame, spans(frame, window, closed, emit), strict=True)):
        counted = [i for i in span if counts(frame, i, here, column, where, emit)]
        expected.append(float(row["t"] - frame[counted[-1]]["t"]) if counted and len(counted) >= (least or 0) else None)
    assert_same(sash.rolling(masked(frame), plan), dict.fromkeys(plan.outputs, expected))


def counts(frame: Any, event: int, here: int, column: Any, where: bool, emit: str) -> bool:
    """Whether an event is one since which time is counted: by what was known when it came itself, if that matters."""

    def holds(i: int) -> bool:
        return not where or (frame[i]["i"] is not None and frame[i]["i"] > 1)

    if column is None or not holds(event):
        return holds(event)
    own = [i for i in range(len(frame)) if frame[i]["k"] == frame[event]["k"] and holds(i)]
    known = sorted((i for i in own if emit == "final" or i <= event), key=lambda i: (frame[i]["t"], i))
    place = known.index(event)
    return bool(place == 0 or frame[known[place - 1]][column] != frame[event][column])


def test_the_time_since_at_labels_and_in_seconds() -> None:
    """The label's own time counts; clock times give seconds; nothing before gives nothing."""
    events = pd.DataFrame({"t": pd.to_datetime(["2024-05-01 09:00", "2024-05-01 09:10"]), "s": ["a", "a"]})
    labels = pd.DataFrame({"t": pd.to_datetime(["2024-05-01 09:10:30.5", "2024-05-01 08:00:00.0"])})
    out = sash.rolling(events, at=labels, on="t", window="1d", last=sash.TimeSince(), changed=sash.TimeSince("s"))
    assert out["last"].tolist()[0] == 30.5
    assert out["changed"].tolist()[0] == 630.5
    assert math.isnan(out["last"].tolist()[1])


def test_expressions_are_columns_over_results() -> None:
    """Ratios and differences of windows, with the row's own columns; one expression may read another."""
    frame = pd.DataFrame({"t": [1, 2, 3, 9], "x": [4, 0, 6, 2]})
    out = sash.rolling(
        frame,
        on="t",
        window=[TimeWindow(2), TimeWindow(8)],
        spent=sash.Sum("x"),
        last=sash.Last("x"),
        share=sash.col("spent_2") / sash.col("spent_8"),
        more=sash.col("spent_8") - sash.col("x"),
        many=(sash.col("share") < 0.9) & (sash.col("last_2") > 1),
    )
    assert out["share"].tolist() == [1.0, 1.0, 0.6, 2 / 8]
    assert out["more"].tolist() == [0, 4, 4, 6]
    assert out["many"].tolist() == [False, False, True, True]
    labels = pd.DataFrame({"t": [3, 50], "y": [5, 5]})
    at = sash.rolling(
        frame, at=labels, on="t", window=TimeWindow(8), spent=sash.Sum("x"), r=sash.col("y") / sash.col("spent")
    )
    assert at["r"].tolist()[0] == 0.5
    assert math.isnan(at["r"].tolist()[1])


@pytest.mark.parametrize("kind", ["rows", "labels", "known", "parts", "slides"])
def test_a_plan_carries_its_expressions(kind: str) -> None:
    """To rows, labels, rows in parts and slides: what is computed from the results by hand."""
    rng = np.random.default_rng(1)
    table = pa.table({"k": rng.integers(0, 3, 60), "t": np.sort(rng.integers(0, 40, 60)), "x": rng.integers(-2, 3, 60)})
    labels = pa.table({"k": rng.integers(0, 4, 20), "t": rng.integers(-2, 50, 20)})
    options: dict[str, Any] = {"labels": {"at": labels}, "known": {"at": labels, "known": "t"}}.get(kind, {})
    windows = [TimeWindow(length, every=2 if kind == "slides" else None) for length in (2, 8)]
    parts: dict[str, Any] = {"by": "k", "on": "t", "windows": windows, "aggregations": {"spent": sash.Sum("x")}}
    names = list(sash.Plan(**parts).outputs)
    two, eight = map(sash.col, names)
    plan = sash.Plan(**parts, expressions={"share": two / eight, "more": eight - two})
    out = sash.rolling(iter(table.to_batches(max_chunksize=7)) if kind == "parts" else table, plan, **options)
    rows = (pa.Table.from_batches(out) if kind == "parts" else out).to_pylist()
    assert rows
    for row in rows:
        short, long = (row[name] for name in names)
        assert row["share"] == (None if short is None or not long else short / long)
        assert row["more"] == (None if short is None or long is None else long - short)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"r": sash.col("nothing") / 2}, "no result and no column 'nothing'"),
        ({"x": sash.col("n") / 2}, "a column of that name already"),
        ({"t": sash.col("n") / 2}, "would be made and is read too"),
        ({"window": TimeWindow(4, every=2), "r": sash.col("n") / sash.col("x")}, "no result and no column 'x'"),
        ({"window": TimeWindow(4, every=2), "z": sash.ZScore("x")}, "a slide is no row"),
        ({"at": {"t": np.array([1])}, "z": sash.ZScore("x")}, "a label has none"),
        ({"window": sash.DeltaWindow("x", 1), "z": sash.ZScore("x")}, "of the row itself"),
        ({"r": sash.col("s") / 2}, "expressions over results are over numbers"),
    ],
)
def test_what_has_no_meaning_is_refused(options: Any, complaint: str) -> None:
    """Before anything runs, as far as names and windows tell."""
    frame = {"t": np.array([1, 2]), "x": np.array([1.0, 2.0]), "s": np.array(["a", "b"])}
    with pytest.raises(sash.PlanError, match=complaint):
        sash.rolling(frame, **{"on": "t", "window": TimeWindow(3), "n": sash.Count()} | options)


def test_a_window_by_itself_has_no_row() -> None:
    """Where there is no row, the error says where there is; the aggregations are described and read as others are."""
    with pytest.raises(sash.AggregationError, match=r"sash\.rolling"):
        sash.Window(sash.ZScore()).insert(1, 2.0)
    for one in (sash.ZScore("x", ddof=0), sash.TimeSince(), sash.TimeSince("s", where="b")):
        assert sash.Aggregation.from_dict(one.to_dict()) == one
    plan = sash.Plan(on="t", windows=SessionWindow("1h"), aggregations={"z": sash.ZScore("x"), "t": sash.TimeSince()})
    assert sash.Plan.from_toml(plan.to_toml()) == plan
    assert "one division" in plan.explain()
