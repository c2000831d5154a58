"""Conditions on events: every aggregation over the events of which they are true, in frames and in streams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sash
from sash.aggregations.filtered import Filtered
from sash.windows import CountWindow, TimeWindow
from tests.rolling import brute
from tests.rolling.test_brute_force import AGGREGATIONS, assert_same, frames, masked

CONDITIONS: dict[str, tuple[Any, Any]] = {
    "truths": ("b", lambda row: row["b"] is True),
    "number": (sash.col("i") > 2, lambda row: row["i"] is not None and row["i"] > 2),
    "text": (sash.col("s") == "a", lambda row: row["s"] == "a"),
    "one of": (sash.col("s").is_in(["b", "c"]), lambda row: row["s"] in ("b", "c")),
    "null": (sash.col("s").is_null(), lambda row: row["s"] is None),
    "not": (~(sash.col("v") >= 0), lambda row: row["v"] is not None and not row["v"] >= 0),
    "or": ((sash.col("i") == 1) | sash.col("b"), lambda row: row["i"] == 1 or row["b"] is True),
    "sum": (
        sash.col("i") + sash.col("v") * 2 < 5,
        lambda row: None not in (row["i"], row["v"]) and row["i"] + row["v"] * 2 < 5,
    ),
}
windows = st.one_of(st.integers(1, 12).map(TimeWindow), st.integers(1, 6).map(CountWindow))


@given(
    frames,
    windows,
    st.sampled_from(sorted(CONDITIONS)),
    st.sampled_from([None, 2]),
    st.sampled_from(["final", "arrival"]),
)
def test_events_of_which_the_condition_is_not_true_are_passed_over(
    frame: Any, window: Any, name: str, least: Any, emit: Any
) -> None:
    """As if the window did not hold them; false and null alike. In windows of rows they take their place."""
    where, holds = CONDITIONS[name]
    filtered = {name: Filtered(one, where) for name, one in AGGREGATIONS.items()}
    plan = sash.Plan(by="k", on="t", windows=window, aggregations=filtered, min_periods=least, emit=emit)
    expected = {}
    spans = [brute.members(frame, i, window, "right", True, emit == "arrival") for i in range(len(frame))]
    for made, one in zip(plan.outputs, AGGREGATIONS.values(), strict=True):
        kept = [[i for i in span if holds(frame[i])] for span in spans]
        expected[made] = [brute.result(one, frame, rows, least) for rows in kept]
    assert_same(sash.rolling(masked(frame), plan), expected)


@given(frames, st.sampled_from(sorted(CONDITIONS)))
@example([{"t": 0, "k": "x", "v": None, "i": None, "s": None, "b": None}], "null")
def test_a_stream_gives_what_a_frame_gives(frame: Any, name: str) -> None:
    """Rows are pushed, and the condition reads them; the methods of the aggregation are its definition."""
    where, _ = CONDITIONS[name]
    over = {
        "all": sash.Concat("s", where=where),
        "n": sash.Count(where=where),
        "top": sash.ArgMax("v", "s", where=where),
    }
    ours = sash.rolling(masked(frame), by="k", on="t", window=TimeWindow(5), emit="arrival", **over)
    operator = sash.Sliding(sash.Composite(**over), TimeWindow(5), by="k", on="t", emit="arrival")
    emitted = [result.value for row in frame for result in operator.push(row)]
    # Where all members pass over an event, the record of an operator without one has what an empty window has.
    assert_same(ours, {name: [record[name] for record in emitted] for name in over})


def test_where_is_a_keyword_of_every_aggregation() -> None:
    """It is shown, compared, described and read again; so in plans and their TOML."""
    over = sash.Sum("amount", where=sash.col("kind") == "card")
    assert repr(over) == """Sum("amount", where=(col('kind') == 'card'))"""
    assert over == sash.Sum("amount", where=sash.col("kind") == "card") != sash.Sum("amount", where="kind")
    assert sash.Aggregation.from_dict(over.to_dict()) == over
    plan = sash.Plan(on="t", windows="1h", aggregations={"n": sash.Count(where="paid"), "s": over})
    assert sash.Plan.from_toml(plan.to_toml()) == plan
    assert plan.columns == ("t", "paid", "amount", "kind")
    assert "the condition is a mask" in plan.explain()
    for name, maker in sash.aggregations.built_ins().items():
        columns = (
            ("x", "y")
            if name in ("WeightedMean", "Covariance", "Correlation", "LinearRegression", "NaiveBayes")
            else ("x",)
        )
        assert maker(*columns, where="paid").columns == (*columns, "paid"), name


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_of_every_kind_read_conditions(make: Any) -> None:
    """Text, truths and numbers with nulls, as pandas and polars count them by hand."""
    frame = make(
        {"t": [1, 2, 3, 4], "x": [5, 6, 7, 8], "kind": ["a", None, "b", "a"], "paid": [True, None, False, True]}
    )
    out = sash.rolling(
        frame,
        on="t",
        window=TimeWindow(3),
        total=sash.Sum("x", where="paid"),
        a=sash.Count(where=sash.col("kind") == "a"),
    )
    assert list(out["total"]) == [5, 5, 5, 8]
    assert list(out["a"]) == [1, 1, 1, 1]


@given(frames)
def test_the_mask_agrees_with_polars(frame: Any) -> None:
    """A sum with a condition is a sum over a column that is null where it is not true."""
    rows = sorted(frame, key=lambda row: row["t"])
    if not rows:
        return
    plain = pl.DataFrame(
        {"t": [row["t"] for row in rows], "v": [row["v"] for row in rows], "i": [row["i"] for row in rows]},
        schema={"t": pl.Int64, "v": pl.Float64, "i": pl.Int64},
    )
    masked_column = plain.with_columns(pl.when(pl.col("i") > 2).then(pl.col("v")).otherwise(None).alias("m"))
    theirs = masked_column.select(pl.col("m").rolling_sum_by("t", "5i"))["m"].fill_null(0.0).to_list()
    ours = sash.rolling(plain, on="t", window=TimeWindow(5), out=sash.Sum("v", where=sash.col("i") > 2))[
        "out"
    ].to_list()
    assert np.allclose(ours, theirs)


def test_what_is_no_condition_is_refused() -> None:
    """Numbers are compared first; None is asked for by name; an aggregation without a column has nothing to read."""
    frame = {"t": np.array([1]), "x": np.array([2])}
    with pytest.raises(TypeError, match="neither"):
        sash.rolling(frame, on="t", window=3, n=sash.Count(where="x"))
    with pytest.raises(TypeError, match="is_null"):
        sash.col("x") == None  # noqa: B015, E711
    with pytest.raises(TypeError, match="join conditions with"):
        sash.col("x") > 1 and sash.col("x") < 3
    with pytest.raises(sash.AggregationError, match="names none"):
        sash.Sum(where="x")
    with pytest.raises(sash.PlanError, match="no column 'paid'"):
        sash.rolling(frame, on="t", window=3, n=sash.Count(where="paid"))
    with pytest.raises(OverflowError, match="64 bits"):
        sash.rolling(frame, on="t", window=3, n=sash.Count(where=sash.col("x") * 2**62 > 0))
