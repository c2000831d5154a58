"""Quantiles over frames are exact: what the sorted values of each window give, in every way of pandas."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.aggregations.quantiles import Interpolation
from tests.rolling import brute

WORDS = get_args(Interpolation)
values = st.none() | st.integers(-3, 3) | st.sampled_from([math.inf, -math.inf, -0.0, 0.0, 1e-300, 1.5e308, -1.5e308])
rows = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), values), max_size=40)
windows = st.one_of(
    st.builds(sash.TimeWindow, st.integers(1, 12), closed=st.sampled_from(["right", "left", "both", "neither"])),
    st.builds(sash.CountWindow, st.integers(1, 6)),
)
wanted = st.builds(
    sash.Quantiles,
    st.just("v"),
    at=st.lists(st.sampled_from([0, 0.25, 0.5, 0.7, 1]) | st.floats(0, 1), min_size=1, max_size=3),
    interpolation=st.sampled_from(WORDS),
    nan=st.sampled_from(["skip", "propagate"]),
)


def frame(events: list[Any], nan: str) -> tuple[list[brute.Row], dict[str, Any]]:
    """The rows for brute force and as arrays; where NaN propagates, what is null is one."""
    absent = None if nan == "skip" else math.nan
    found = [{"k": k, "t": t, "v": absent if v is None else float(v)} for k, t, v in events]
    arrays = {"k": np.array([row["k"] for row in found], str), "t": np.array([row["t"] for row in found], np.int64)}
    return found, {**arrays, "v": np.array([math.nan if row["v"] is None else row["v"] for row in found], np.float64)}


@given(rows, windows, wanted, st.sampled_from(["final", "arrival"]), st.booleans(), st.none() | st.integers(0, 3))
def test_quantiles_are_those_of_the_sorted_values(
    events: Any, window: Any, over: Any, emit: Any, peers: bool, least: Any
) -> None:
    """Rows in any order, as they came or all at once; ties, nulls, NaN, infinities, both zeros, empty windows."""
    found, arrays = frame(events, over.nan)
    named = {"q": over, "one": sash.Quantile("v", over.at[0], interpolation=over.interpolation, nan=over.nan)}
    plan = sash.Plan(
        by="k", on="t", windows=window, aggregations=named, peers=peers, min_periods=least, emit=emit, closed="right"
    )
    ours, theirs = sash.rolling(arrays, plan), brute.rolling(found, plan)
    several, one = plan.outputs
    assert repr(ours[several].tolist()) == repr(theirs[several])
    assert repr(ours[one].tolist()) == repr([math.nan if value is None else value for value in theirs[one]])


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("size", [1, 2, 7, 300])
def test_the_words_are_those_of_pandas(word: Any, size: int) -> None:
    """With values that are null, few and many in a window, at ranks that fall between two and on one."""
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(5)
    data = pd.DataFrame({"v": np.where(random.random(2_000) < 0.1, np.nan, random.normal(size=2_000).round(1) + 0.0)})
    for q in (0, 0.1, 0.25, 0.5, 0.75, 0.99, 1):
        theirs = data["v"].rolling(size, min_periods=1).quantile(q, interpolation=word)
        ours = sash.rolling(data, window=size, out=sash.Quantile("v", q, interpolation=word))["out"]
        assert ours.dtype == np.float64
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_the_median_of_time_windows_is_that_of_polars() -> None:
    """Rows in no order, with equal times."""
    pl = pytest.importorskip("polars")
    random = np.random.default_rng(6)
    data = pl.DataFrame({"t": random.integers(0, 5_000, 3_000), "v": random.normal(size=3_000)})
    ours = sash.rolling(data, on="t", window=sash.TimeWindow(400), out=sash.Median("v"))["out"]
    theirs = data.select(pl.col("v").rolling_median_by("t", "400i"))["v"]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("size", [1, 50, 5_000, 100_000])
def test_long_windows_are_exact_too(size: int) -> None:
    """Over several stretches of rows, each of which sorts what it reads; integers come out as floats."""
    values = np.random.default_rng(3).integers(-(10**9), 10**9, 60_000)
    out = sash.rolling({"v": values}, window=size, q=sash.Quantiles("v", at=[0.1, 0.5, 0.999]), m=sash.Median("v"))
    for row in (0, 10, 4_095, 4_999, 5_000, 16_383, 30_000, 59_999):
        window = values[max(row - size + 1, 0) : row + 1]
        np.testing.assert_allclose(out["q"][row], np.quantile(window, [0.1, 0.5, 0.999]), rtol=1e-12)
        assert out["m"][row] == np.median(window)


def test_two_heaps_far_apart() -> None:
    """The median jumps from one to the other at every row, over many values in between."""
    size, rows = 4_001, 30_000
    values = np.where(np.arange(rows) % 2 == 0, 1.0, -1.0) * np.arange(1, rows + 1)
    out = sash.rolling({"v": values}, window=size, out=sash.Median("v"))["out"]
    for row in range(size, rows, 1_234):
        assert out[row] == np.median(values[row - size + 1 : row + 1])


def test_a_nan_that_propagates_spoils_the_windows_that_hold_it() -> None:
    """And no other; an error names its row."""
    values = np.array([1.0, np.nan, 2.0, 3.0])
    out = sash.rolling({"v": values}, window=2, q=sash.Median("v", nan="propagate"))["q"]
    assert np.isnan(out).tolist() == [False, True, True, False]
    with pytest.raises(ValueError, match="column 'v', row 1: the value is NaN"):
        sash.rolling({"v": values}, window=2, q=sash.Median("v", nan="error"))


def test_ten_thousand_keys_of_one_row_and_no_rows_at_all() -> None:
    """A key has a window of its own, however small."""
    keys = np.random.default_rng(1).permutation(10_000)
    out = sash.rolling({"k": keys, "v": keys * 2.0}, by="k", window=5, m=sash.Median("v"))["m"]
    assert (out == keys * 2.0).all()
    assert len(sash.rolling({"v": np.empty(0)}, window=5, m=sash.Median("v"))["m"]) == 0


def test_a_sketch_is_one_only_if_it_is_named() -> None:
    """The bounds of `ApproxQuantiles` hold the truth between them; `Quantiles` is the truth."""
    pytest.importorskip("datasketches")
    values = np.random.default_rng(4).normal(size=1_200)
    out = sash.rolling({"v": values}, window=1_000, a=sash.ApproxQuantiles("v"), b=sash.Quantiles("v"))
    (found,), (truth,) = out["a"][-1], out["b"][-1]
    assert found.lower < found.upper
    assert found.lower <= truth <= found.upper
    assert truth == np.median(values[-1_000:])
