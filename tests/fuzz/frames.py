"""Frames, beside brute force over their rows, and beside pandas, polars and DuckDB on their own ground."""

from __future__ import annotations

from random import Random
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
from rolling import brute

import sash
from sash.plan import Plan
from sash.testing import same

CLOSED = ["right", "left", "both", "neither"]


def draw_rows(random: Random, size: int = 40) -> list[dict[str, Any]]:
    """Keys, times that repeat and are not in order, integers, floats with nulls, and texts."""
    return [
        {
            "k": random.choice("abc"),
            "t": random.randrange(25),
            "n": random.randrange(-9, 9),
            "v": random.choice([None, 0.5, -1.25, 3.0]),
            "s": random.choice(["x", "y", "zz"]),
        }
        for _ in range(random.randrange(1, size))
    ]


def against_brute_force(random: Random) -> int:
    """A plan of several windows and aggregations over a frame of any kind, row by row."""
    rows = draw_rows(random)
    windows: list[Any] = list(dict.fromkeys(random.randrange(1, 12) for _ in range(2)))
    if random.random() < 0.7:
        windows = [sash.TimeWindow(length, closed=random.choice(CLOSED)) for length in windows]
    else:
        windows = [sash.CountWindow(count) for count in windows]
    plan = Plan(
        by="k",
        on="t",
        windows=windows,
        aggregations={
            "total": sash.Sum("n"),
            "product": sash.Product("n"),
            "peak": sash.Max("v"),
            "first": sash.First("s"),
            "where": sash.ArgMax("n", "s"),
            "mean": sash.Mean("v"),
            "kinds": sash.CountDistinct("s"),
        },
        min_periods=random.choice([None, 1, 3]),
        emit=random.choice(["final", "arrival"]),
    )
    make = random.choice([pd.DataFrame, pl.DataFrame, lambda rows: pl.DataFrame(rows).to_arrow()])
    table = columns_of(sash.rolling(make(rows), plan))
    for name, expected in brute.rolling(rows, plan).items():
        for got, wanted in zip(table[name], expected, strict=True):
            assert same(plain(got), plain(wanted), 1e-9, scale=10.0), (name, plan)
    return 1


def columns_of(frame: Any) -> dict[str, list[Any]]:
    """The columns of any frame as lists."""
    if isinstance(frame, pd.DataFrame):
        return {name: frame[name].tolist() for name in frame}
    table: dict[str, list[Any]] = frame.to_pydict() if hasattr(frame, "to_pydict") else frame.to_dict(as_series=False)
    return table


def plain(value: Any) -> Any:
    """Nulls of all frames as None."""
    if value is None or value is pd.NA or (isinstance(value, float) and value != value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def against_others(random: Random) -> int:
    """Sums, extremes and means of a time window in order: what pandas, polars and DuckDB say."""
    size, length = random.randrange(1, 60), random.randrange(1, 15)
    closed: Any = random.choice(CLOSED)
    rng = np.random.default_rng(random.randrange(2**32))
    seconds = np.cumsum(rng.integers(0, 4, size))
    frame = pd.DataFrame(
        {
            "t": np.datetime64("2024-01-01", "us") + seconds.astype("timedelta64[s]"),
            "v": np.where(rng.random(size) < 0.2, np.nan, rng.integers(-20, 20, size) / 4),
        }
    )
    ours = {"sum": sash.Sum("v"), "max": sash.Max("v"), "min": sash.Min("v"), "mean": sash.Mean("v")}
    window = f"{length}s"
    alone = sash.rolling(frame, on="t", window=window, closed=closed, min_periods=1, peers=False, **ours)
    peers = sash.rolling(frame, on="t", window=window, closed=closed, min_periods=1, **ours)
    theirs = frame.rolling(window, on="t", closed=closed, min_periods=1)["v"]
    polars = pl.from_pandas(frame, nan_to_null=True)
    for name in ours:
        close(alone[name], getattr(theirs, name)())
        rolled = getattr(pl.col("v"), f"rolling_{name}_by")(
            "t", window, closed=closed.replace("neither", "none"), min_samples=1
        )
        close(peers[name], polars.select(rolled)["v"].to_numpy())
    if closed == "right":
        close(peers["sum"], ranged(frame, length))
    return 1


def ranged(frame: pd.DataFrame, length: int) -> Any:
    """The sums of DuckDB: (T - L, T] is one microsecond shorter, with both ends in."""
    frame = frame.assign(row=np.arange(len(frame)), v=frame["v"].astype(object).where(frame["v"].notna(), None))
    span = length * 10**6 - 1
    query = f"""select sum(v::double) over (order by t range between interval '{span} microseconds' preceding
                and current row) as total from frame order by row"""
    return duckdb.sql(query).df()["total"]


def close(ours: Any, theirs: Any) -> None:
    """Equal but for rounding; nulls are nulls."""
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=1e-9, atol=1e-9)
