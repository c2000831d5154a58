"""Quantiles over frames are exact: what the sorted values of each window give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.batch import quantiles
from tests.rolling import brute

rows = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.none() | st.integers(-3, 3) | st.just(math.inf)),
    max_size=40,
)
windows = st.one_of(
    st.builds(sash.TimeWindow, st.integers(1, 12), closed=st.sampled_from(["right", "left", "both", "neither"])),
    st.builds(sash.CountWindow, st.integers(1, 6)),
)


def frame(events: list[Any]) -> tuple[list[brute.Row], dict[str, Any]]:
    found = [{"k": k, "t": t, "v": None if v is None else float(v)} for k, t, v in events]
    arrays = {"k": np.array([row["k"] for row in found], str), "t": np.array([row["t"] for row in found], np.int64)}
    return found, {**arrays, "v": np.array([math.nan if row["v"] is None else row["v"] for row in found], np.float64)}


@given(rows, windows, st.booleans(), st.none() | st.integers(0, 3))
def test_quantiles_are_those_of_the_sorted_values(events: Any, window: Any, peers: bool, least: Any) -> None:
    """Rows in any order, ties, nulls, infinities, windows with nothing in them."""
    found, arrays = frame(events)
    over = sash.Quantiles("v", at=[0, 0.25, 0.5, 1])
    plan = sash.Plan(by="k", on="t", windows=window, aggregations={"q": over}, peers=peers, min_periods=least)
    (name,) = plan.outputs
    assert sash.rolling(arrays, plan)[name].tolist() == brute.rolling(found, plan)[name]


def test_long_windows_are_exact_too() -> None:
    """A sketch of so many values would be off; the bounds say that this is not."""
    values = np.random.default_rng(3).normal(size=3_000)
    out = sash.rolling({"v": values}, window=1_000, q=sash.Quantiles("v", at=0.9))["q"]
    for row in (10, 999, 1_000, 2_999):
        window = np.sort(values[max(row - 999, 0) : row + 1])
        (found,) = out[row]
        assert found.value == found.lower == found.upper == window[math.ceil(0.9 * len(window) - 1e-9) - 1]


def test_windows_with_very_many_values_are_sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds hold the truth between them."""
    from sash.batch import passes

    monkeypatch.setattr(passes, "MOST", 100)
    values = np.random.default_rng(4).normal(size=1_200)
    (found,) = sash.rolling({"v": values}, window=1_000, q=sash.Quantiles("v"))["q"][-1]
    assert found.lower < found.upper
    assert found.lower <= np.median(values[-1_000:]) <= found.upper


def test_what_is_not_about_values_alone_is_left_to_the_sketch() -> None:
    """A NaN that spoils the window, and a digest that averages."""
    assert quantiles.takes_exactly(sash.Quantiles("v"))
    assert not quantiles.takes_exactly(sash.Quantiles("v", nan="propagate"))
    assert not quantiles.takes_exactly(sash.Quantiles("v", kind="tdigest"))
    out = sash.rolling({"v": np.array([1.0, np.nan, 2.0])}, window=2, q=sash.Quantiles("v", nan="propagate"))["q"]
    assert [math.isnan(found[0].value) for found in out] == [False, True, True]
