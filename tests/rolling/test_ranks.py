"""The rank of the youngest value in its window, as pandas ranks it."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.aggregations.ranks import Method
from tests.rolling import brute

METHODS = get_args(Method)
values = st.none() | st.integers(-3, 3) | st.sampled_from([math.inf, -math.inf, -0.0, 0.5])
rows = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), values), max_size=40)
over = st.builds(
    sash.Rank,
    st.just("v"),
    method=st.sampled_from(METHODS),
    pct=st.booleans(),
    nan=st.sampled_from(["skip", "propagate"]),
)


@given(
    rows, over, st.integers(1, 12), st.sampled_from(["right", "left", "both"]), st.sampled_from(["final", "arrival"])
)
def test_ranks_are_those_of_the_definition(events: Any, over: Any, size: int, closed: Any, emit: Any) -> None:
    """Rows in any order, ties, nulls, NaN, infinities, both zeros, windows with nothing in them."""
    absent = None if over.nan == "skip" else math.nan
    found = [{"k": k, "t": t, "v": absent if v is None else float(v)} for k, t, v in events]
    arrays = {"k": np.array([row["k"] for row in found], str), "t": np.array([row["t"] for row in found], np.int64)}
    arrays["v"] = np.array([math.nan if row["v"] is None else row["v"] for row in found], np.float64)
    plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow(size, closed=closed), aggregations={"r": over}, emit=emit)
    (name,) = plan.outputs
    theirs = [math.nan if rank is None else rank for rank in brute.rolling(found, plan)[name]]
    ours = [math.nan if rank is None else float(rank) for rank in sash.rolling(arrays, plan)[name]]
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("method", ["average", "min", "max"])
@pytest.mark.parametrize("pct", [False, True])
@pytest.mark.parametrize("size", [1, 10, 3_000])
def test_ranks_are_those_of_pandas(method: Any, pct: bool, size: int) -> None:
    """With many ties, over windows of few and of many rows."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"v": np.random.default_rng(1).integers(0, 100, 12_000)})
    theirs = frame["v"].rolling(size, min_periods=1).rank(method=method, pct=pct)
    ours = sash.rolling(frame, window=size, out=sash.Rank("v", method=method, pct=pct))["out"]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_dense_ranks_are_those_of_the_different_values() -> None:
    """No rank is left out after equal values."""
    values = np.array([10.0, 30.0, 30.0, 20.0, 30.0])
    out = sash.rolling({"v": values}, window=4, a=sash.Rank("v", method="dense"), b=sash.Rank("v", method="min"))
    assert out["a"].tolist() == [1, 2, 2, 2, 2]
    assert out["b"].tolist() == [1, 2, 2, 2, 2]
    out = sash.rolling({"v": values}, window=5, a=sash.Rank("v", method="dense", pct=True), b=sash.Rank("v"))
    assert out["a"].tolist() == [1, 1, 1, 2 / 3, 1]
    assert out["b"].tolist() == [1, 2, 2.5, 2, 4]


def test_what_is_no_method_is_refused() -> None:
    """With the words that there are."""
    with pytest.raises(ValueError, match="method is 'average' or 'min' or 'max' or 'dense', not 'first'"):
        sash.Rank("v", method="first")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pct is True or False"):
        sash.Rank("v", pct=1)  # type: ignore[arg-type]
