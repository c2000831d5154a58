"""Variances, shapes and lines over frames: as pandas has them, without what pandas loses."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import variance
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from tests.rolling import brute

pd = pytest.importorskip("pandas")

numbers = st.none() | st.integers(-3, 3) | st.sampled_from([1e9, 1e9 + 1, -0.0, math.inf, -math.inf])
rows = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), numbers, numbers), max_size=30)
OVER = [
    sash.Var("v"),
    sash.Std("v", ddof=0),
    sash.Mean("v"),
    sash.Skewness("v"),
    sash.Kurtosis("v", bias=True),
    sash.Covariance("v", "w"),
    sash.Covariance("v", "w", ddof=0),
    sash.Correlation("v", "w"),
    sash.LinearRegression("v", "w"),
]


def same(ours: Any, theirs: Any) -> bool:
    """Equal, but for rounding."""
    if ours is None or theirs is None or isinstance(theirs, tuple):
        return (ours is None) == (theirs is None) and (ours is None or all(map(same, ours, theirs)))
    return (math.isnan(ours) and math.isnan(theirs)) or math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("over", OVER, ids=repr)
@given(events=rows, size=st.integers(1, 12), closed=st.sampled_from(["right", "left"]), least=st.none() | st.just(2))
def test_moments_are_those_of_the_definition(over: Any, events: Any, size: int, closed: Any, least: Any) -> None:
    """Rows in any order, nulls in either column, infinities, numbers that do not vary, windows with nothing in them."""
    found = [{"k": k, "t": t, "v": v, "w": w} for k, t, v, w in events]
    frame = pd.DataFrame(found, columns=["k", "t", "v", "w"]).astype({"t": int, "v": float, "w": float})
    plan = sash.Plan(
        by="k", on="t", windows=sash.TimeWindow(size, closed=closed), aggregations={"m": over}, min_periods=least
    )
    (name,) = plan.outputs
    for ours, theirs in zip(sash.rolling(frame, plan)[name], brute.rolling(found, plan)[name], strict=True):
        nothing = theirs is None and not isinstance(ours, tuple) and pd.isna(ours)
        assert nothing or same(ours, theirs), (ours, theirs)


@pytest.mark.parametrize("closed", ["right", "left", "both", "neither"])
def test_moments_of_time_windows_are_those_of_pandas(closed: Any) -> None:
    """Over many rows, with nulls in both columns."""
    random = np.random.default_rng(2)
    frame = pd.DataFrame(random.normal(size=(3_000, 2)), columns=["v", "w"])
    frame = frame.mask(random.random(frame.shape) < 0.1)
    frame["t"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.cumsum(random.integers(0, 50, 3_000)), "s")
    rolled = frame.rolling("30min", on="t", closed=closed)
    both = frame["v"].notna() & frame["w"].notna()
    pairs = frame.assign(v=frame["v"].where(both), w=frame["w"].where(both)).rolling("30min", on="t", closed=closed)
    theirs = {
        "std": rolled["v"].std(),
        "var": rolled["v"].var(ddof=0),
        "skew": rolled["v"].skew(),
        "kurt": rolled["v"].kurt(),
        "cov": pairs["v"].cov(frame["w"].where(both)),
        "corr": pairs["v"].corr(frame["w"].where(both)),
    }
    ours = sash.rolling(
        frame,
        on="t",
        window="30min",
        closed=closed,
        peers=False,
        std=sash.Std("v"),
        var=sash.Var("v", ddof=0),
        skew=sash.Skewness("v"),
        kurt=sash.Kurtosis("v"),
        cov=sash.Covariance("v", "w"),
        corr=sash.Correlation("v", "w"),
    )
    for name in ("std", "var", "skew", "kurt"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-6, atol=1e-8, err_msg=name)
    full = np.arange(len(frame)) >= 200
    for name in ("cov", "corr"):
        np.testing.assert_allclose(ours[name][full], theirs[name][full], rtol=1e-6, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("level", [0.0, 1e9, -1e15])
def test_variances_far_from_zero_lose_nothing(level: float) -> None:
    """Within a few roundings of the exact fraction, after jumps of the level and beside them."""
    random = np.random.default_rng(4)
    values = np.concatenate([random.normal(size=700), 1e6 * random.normal(size=5), random.normal(size=900)]) + level
    out = sash.rolling({"v": values}, window=100, out=sash.Var("v"))["out"]
    for row in (1, 99, 650, 699, 702, 760, 803, 804, 805, 900, 1_500):
        exact = variance([Fraction(value) for value in values[max(row - 99, 0) : row + 1].tolist()])
        assert out[row] == pytest.approx(float(exact), rel=1e-13)


def test_what_left_a_window_leaves_nothing_behind() -> None:
    """A value of 1e200 was in windows before; equal values have a variance of exactly 0."""
    values = np.concatenate([np.ones(50), [1e150, -1e150], np.full(500, 7.25)])
    out = sash.rolling({"v": values}, window=20, std=sash.Std("v"), mean=sash.Mean("v"))
    assert (out["std"][72:] == 0.0).all()
    assert (out["mean"][72:] == 7.25).all()
