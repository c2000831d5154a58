"""Rolling against pandas, polars and DuckDB, each on its own ground."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sash
from sash.plan import Plan
from sash.rolling import rolling

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

CLOSED = ["right", "left", "both", "neither"]
OURS = {"sum": sash.Sum, "max": sash.Max, "min": sash.Min, "mean": sash.Mean, "std": sash.Std}


def stream(rows: int = 500, seed: int = 7) -> Any:
    """Times in order with some equal ones, values with some nulls, three keys."""
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(rows) < 0.1, np.nan, rng.integers(-50, 50, rows) / 4)
    times = np.datetime64("2024-02-28", "us") + np.cumsum(rng.integers(0, 4000, rows)).astype("timedelta64[s]")
    return pd.DataFrame({"t": times, "k": rng.integers(0, 3, rows), "v": values})


def close(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("min_periods", [1, 3])
@pytest.mark.parametrize("name", list(OURS))
def test_time_windows_are_those_of_pandas(name: str, closed: Any, min_periods: int) -> None:
    """With peers=False a row sees itself and the rows before it, as in pandas."""
    frame = stream()
    theirs = getattr(frame.rolling("6h", on="t", closed=closed, min_periods=min_periods)["v"], name)()
    # pandas has no standard deviation of one value, and neither have we.
    ours = rolling(frame, on="t", window="6h", closed=closed, min_periods=min_periods, peers=False, out=OURS[name]("v"))
    close(ours["out"], theirs)


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("name", list(OURS))
def test_count_windows_are_those_of_pandas(name: str, closed: Any) -> None:
    """A number is a number of rows, and `closed` moves its ends as in pandas."""
    frame = stream()
    theirs = getattr(frame["v"].rolling(10, closed=closed, min_periods=2), name)()
    close(rolling(frame, window=10, closed=closed, min_periods=2, out=OURS[name]("v"))["out"], theirs)


@pytest.mark.parametrize("name", list(OURS))
def test_groups_are_those_of_pandas(name: str) -> None:
    """A key has windows of its own."""
    frame = stream()
    grouped = frame.groupby("k").rolling("12h", on="t", min_periods=1)["v"]
    theirs = getattr(grouped, name)().droplevel(0)
    # pandas gives the rows key by key; those of one key keep their order.
    order = np.argsort(frame["k"], kind="stable")
    ours = rolling(frame, on="t", by="k", window="12h", min_periods=1, peers=False, out=OURS[name]("v"))
    close(ours["out"].to_numpy()[order], theirs)


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("name", ["sum", "max", "min", "mean"])
def test_time_windows_are_those_of_polars(name: str, closed: Any) -> None:
    """Rows of one time are peers, as in polars, in any order."""
    shuffled = stream().sample(frac=1, random_state=1)
    frame = pl.from_pandas(shuffled, nan_to_null=True)
    expression = getattr(pl.col("v"), f"rolling_{name}_by")(
        "t", "6h", closed=closed.replace("neither", "none"), min_samples=1
    )
    ours = rolling(frame, on="t", window="6h", closed=closed, min_periods=1, out=OURS[name]("v"))
    close(ours["out"].to_numpy(), frame.select(expression)["v"].to_numpy())


def test_range_frames_of_duckdb() -> None:
    """RANGE BETWEEN with partitions: (T - L, T] is an interval one step shorter, with both ends in."""
    frame = stream(2000)
    frame["v"] = frame["v"].fillna(0.0)
    frame["row"] = np.arange(len(frame))
    theirs = duckdb.sql(
        """
        select row, sum(v) over w as total, max(v) over w as peak, count(*) over w as n
        from frame
        window w as (partition by k order by t
                     range between interval '21599999999 microseconds' preceding and current row)
        order by row
        """
    ).df()
    ours = rolling(frame, on="t", by="k", window="6h", total=sash.Sum("v"), peak=sash.Max("v"), n=sash.Count())
    for name in ("total", "peak", "n"):
        close(ours[name], theirs[name])


@pytest.mark.parametrize(
    ("file", "time", "key", "value"),
    [("nyc_flights_2013.csv.gz", "sched_dep", "dest", "dep_delay"), ("usgs_quakes.csv.gz", "time", "net", "mag")],
)
def test_real_streams_in_their_order_of_arrival(shared: Path, file: str, time: str, key: str, value: str) -> None:
    """Late rows of real streams get the windows that pandas finds in the sorted stream."""
    frame = pd.read_csv(shared / "data" / file, nrows=60_000)
    frame[time] = pd.to_datetime(frame[time], format="ISO8601", utc=True)
    ours = rolling(
        frame, on=time, by=key, window="1d", min_periods=1, peers=False, total=sash.Sum(value), peak=sash.Max(value)
    )
    ordered = frame.reset_index().sort_values([key, time], kind="stable").set_index("index")
    grouped = ordered.groupby(key).rolling("1D", on=time, min_periods=1)[value]
    for name, theirs in (("total", grouped.sum()), ("peak", grouped.max())):
        close(ours[name].to_numpy()[ordered.index.to_numpy()], theirs)


def test_several_windows_are_those_of_one_by_one() -> None:
    """A plan of several windows and aggregations gives what each gives alone."""
    frame = stream()
    named = {"total": sash.Sum("v"), "first": sash.First("v"), "n": sash.Count("v")}
    whole = rolling(frame, Plan(by="k", on="t", windows=["1h", "6h", "2d", 25], aggregations=named))
    for window in ("1h", "6h", "2d", 25):
        alone = rolling(frame, by="k", on="t", window=window, **named)
        for name in named:
            pd.testing.assert_series_equal(whole[f"{name}_{window}"], alone[name], check_names=False)
