"""Windows of months, quarters and years: by the calendar, and by the clock of the zone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sash
from sash.windows import CalendarWindow

OVER = {"all": sash.Concat("s"), "n": sash.Count(), "top": sash.ArgMax("x", "s"), "mean": sash.Mean("x")}


def rows(zone: str | None, seed: int = 0, n: int = 250) -> pd.DataFrame:
    """Rows around the ends of months and the changes of clocks, in no order, with ties."""
    rng = np.random.default_rng(seed)
    days = pd.to_datetime(rng.choice(pd.date_range("2023-12-27", "2024-12-05", freq="D"), n))
    times = days + pd.to_timedelta(rng.choice([0, 90, 150, 1439], n), "m")
    if zone is not None:
        times = times.tz_localize("UTC").tz_convert(zone)
    x = np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 5, n))
    return pd.DataFrame({"t": times, "k": rng.choice(["a", "b"], n), "x": x, "s": [chr(97 + i % 26) for i in range(n)]})


def start_of(time: pd.Timestamp, months: int) -> pd.Timestamp:
    """The same day and clock time before, by pandas' own arithmetic."""
    if time.tzinfo is None:
        return time - pd.DateOffset(months=months)
    moved = time.tz_localize(None) - pd.DateOffset(months=months)
    try:
        return moved.tz_localize(time.tz, ambiguous=True)
    except Exception:
        return (moved - pd.Timedelta("1D")).tz_localize(time.tz).tz_convert("UTC") + pd.Timedelta("1D")


def expected(frame: pd.DataFrame, months: int, closed: str) -> list[str | None]:
    """The texts of every window, by walking over all rows."""
    texts: list[str | None] = []
    for time, key in zip(frame["t"], frame["k"], strict=True):
        start = start_of(time, months)
        after = frame["t"] >= start if closed in ("left", "both") else frame["t"] > start
        before = frame["t"] <= time if closed in ("right", "both") else frame["t"] < time
        inside = frame[after & before & (frame["k"] == key)].sort_values("t", kind="stable")
        texts.append("".join(inside["s"]) or None)
    return texts


@pytest.mark.parametrize("zone", [None, "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
@pytest.mark.parametrize(("window", "months"), [("1mo", 1), ("1q", 3), ("1y", 12)])
@pytest.mark.parametrize("closed", ["right", "left", "both", "neither"])
def test_a_month_is_that_of_the_calendar(zone: Any, window: str, months: int, closed: Any) -> None:
    """Against brute force by pandas' offsets: short months, leap days, both changes of the clock; Arrow agrees."""
    frame = rows(zone, n=100)
    ours = sash.rolling(frame, by="k", on="t", window=window, closed=closed, **OVER)
    # Text without a value is None in pandas 2 and NaN in pandas 3.
    texts = [None if pd.isna(text) else text for text in ours["all"]]
    assert texts == expected(frame, months, closed)
    assert ours["n"].tolist() == [len(text or "") for text in texts]
    table = sash.rolling(pa.Table.from_pandas(frame), by="k", on="t", window=window, closed=closed, **OVER)
    for name in OVER:
        assert pd.Series(table[name].to_pylist()).equals(pd.Series(ours[name].tolist())), name


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_polars_has_the_same_months(zone: Any) -> None:
    """Its rolling by a column of times, where no start falls into a change of the clock."""
    frame = pl.from_pandas(rows(zone)).sort("t")
    frame = frame.filter(~pl.col("t").dt.hour().is_between(1, 4))
    theirs = frame.select(pl.col("x").fill_nan(0.0).rolling_sum_by("t", "1mo"))["x"]
    ours = sash.rolling(frame.with_columns(pl.col("x").fill_nan(0.0)), on="t", window="1mo", total=sash.Sum("x"))[
        "total"
    ]
    assert np.allclose(ours.to_numpy(), theirs.to_numpy())


def test_labels_conditions_and_arrival_have_months_too() -> None:
    """As other windows in time; empty frames keep their columns."""
    frame = rows(None).drop_duplicates("t")
    labels = pd.DataFrame({"t": pd.to_datetime(["2024-03-31 12:00", "2024-02-29 00:00"]), "k": ["a", "b"]})
    at = sash.rolling(
        frame, at=labels, by="k", on="t", window="1mo", all=sash.Concat("s"), z=sash.Count(where=sash.col("x") > 1)
    )
    for text, time, key in zip(at["all"], labels["t"], labels["k"], strict=True):
        inside = frame[(frame["k"] == key) & (frame["t"] <= time) & (frame["t"] > start_of(time, 1))]
        assert text == ("".join(inside.sort_values("t")["s"]) or None)
    seen = sash.rolling(frame, on="t", window="1mo", emit="arrival", n=sash.Count())["n"].tolist()
    for place, (time, count) in enumerate(zip(frame["t"], seen, strict=True)):
        known = frame["t"].iloc[: place + 1]
        assert count == int(((known <= time) & (known > start_of(time, 1))).sum())
    empty = sash.rolling(frame.iloc[:0], on="t", window=["1mo", "30d"], n=sash.Count())
    assert list(empty.columns[-2:]) == ["n_1mo", "n_30d"]


def test_what_has_no_calendar_is_refused() -> None:
    """Plain numbers, streams and Spark; the policy is written and read as others are."""
    with pytest.raises(sash.PlanError, match="which have no calendar"):
        sash.rolling({"t": np.array([1])}, on="t", window="1mo", n=sash.Count())
    with pytest.raises(sash.WindowSpecError, match="over frames alone"):
        sash.Sliding(sash.Count(), CalendarWindow("1mo")).push(pd.Timestamp("2024-01-01").to_pydatetime(), 1)
    with pytest.raises(sash.WindowSpecError, match="no length of the calendar"):
        CalendarWindow("1m")
    plan = sash.Plan(on="t", windows=["1mo", CalendarWindow("1y", closed="left")], aggregations={"n": sash.Count()})
    assert sash.Plan.from_toml(plan.to_toml()) == plan
    assert list(plan.outputs) == ["n_1mo", "n_1y"]
    assert "by the calendar" in plan.explain()


@pytest.mark.parametrize("written", ["1 fortnight", "1 month", "2h1q"])
def test_a_window_that_is_none_names_every_unit_that_one_may_have(written: str) -> None:
    """Those of a fixed length, and those of the calendar, each of which is taken; a length of time has the first
    alone."""
    with pytest.raises(sash.PlanError, match="alone mo q y"):
        sash.Plan(on="t", windows=[written], aggregations={"n": sash.Count()})
    with pytest.raises(sash.WindowSpecError) as refused:
        sash.TimeWindow(written)
    assert "mo q y" not in str(refused.value)
    for unit in ["w", "d", "h", "m", "s", "ms", "us", "ns", "mo", "q", "y"]:
        sash.Plan(on="t", windows=[f"1{unit}"], aggregations={"n": sash.Count()})
