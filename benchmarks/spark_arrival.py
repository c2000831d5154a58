"""Rows a second through one bucket of a stream with emit="arrival", for every aggregation, without Spark.

    python benchmarks/spark_arrival.py [seconds of a window] [name ...]

280 keys, micro-batches of 50,000 rows, a millisecond apart, one in twenty up to five seconds late; windows of a minute
hold about 214 rows of a key. The rate is that of the best batch after the first two, by the CPU time of this process.
Before it is printed, results of some rows are compared with a frame of what had come by then of their windows.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.types import StructType

import sash
from sash.aggregations.base import Aggregation
from sash.spark.opaque import in_plain_values
from sash.spark.schema import arrow_types, output_fields
from sash.spark.stream.bucket import Bucket
from sash.spark.stream.cache import EngineCache
from sash.spark.stream.job import Clock, Job
from sash.times import encode_array

BAR = 200_000
START = 1_700_000_000_000_000
ROWS, BATCHES, KEYS = 50_000, 5, 280
SPARK = (
    StructType().add("card", "long").add("time", "timestamp").add("amount", "long").add("share", "double")
    .add("shop", "string").add("flag", "boolean")
)  # fmt: skip
EVERY: dict[str, Aggregation] = {
    "All": sash.All("flag"),
    "Any": sash.Any("flag"),
    "ApproxCountDistinct": sash.ApproxCountDistinct("amount"),
    "ApproxCountDistinct, cpc": sash.ApproxCountDistinct("amount", kind="cpc"),
    "ApproxCountDistinct, theta": sash.ApproxCountDistinct("amount", kind="theta"),
    "ApproxQuantiles": sash.ApproxQuantiles("share"),
    "ArgMax": sash.ArgMax("amount", "shop"),
    "ArgMax of several": sash.ArgMax("amount", ["shop", "share"]),
    "ArgMin": sash.ArgMin("amount", "shop"),
    "BitAnd": sash.BitAnd("amount"),
    "BitOr": sash.BitOr("amount"),
    "Bloom": sash.Bloom("shop", bits=256, hashes=3),
    "Bloom of 1,000": sash.Bloom("amount"),
    "BottomK": sash.BottomK("amount", k=3),
    "Collect": sash.Collect("amount"),
    "CollectDistinct": sash.CollectDistinct("shop"),
    "Concat": sash.Concat("shop"),
    "Correlation": sash.Correlation("amount", "share"),
    "Count": sash.Count(),
    "CountDistinct": sash.CountDistinct("shop"),
    "CountDistinct of 1,000": sash.CountDistinct("amount"),
    "CountMin": sash.CountMin("shop"),
    "CountMin of 1,000": sash.CountMin("amount", hashes=3, buckets=64),
    "CountMin of 40 KB": sash.CountMin("amount"),
    "Covariance": sash.Covariance("amount", "share"),
    "DecayedSum": sash.DecayedSum("amount", half_life="10s"),
    "Delta": sash.Delta("amount"),
    "First": sash.First("shop"),
    "FrequentItems": sash.FrequentItems("shop"),
    "FrequentItems of 1,000": sash.FrequentItems("amount"),
    "GeometricMean": sash.GeometricMean("share"),
    "HarmonicMean": sash.HarmonicMean("share"),
    "Histogram": sash.Histogram("amount", edges=[0, 10, 100, 500]),
    "IthYoungest": sash.IthYoungest("shop", i=2),
    "Kurtosis": sash.Kurtosis("share"),
    "Last": sash.Last("shop"),
    "LinearRegression": sash.LinearRegression("amount", "share"),
    "LongestIncreasingRun": sash.LongestIncreasingRun("amount"),
    "M4": sash.M4("amount"),
    "Max": sash.Max("share"),
    "MaxCount": sash.MaxCount("amount"),
    "Mean": sash.Mean("amount"),
    "Median": sash.Median("share"),
    "Min": sash.Min("share"),
    "MinCount": sash.MinCount("amount"),
    "Mode": sash.Mode("shop"),
    "Product": sash.Product("share"),
    "Quantile": sash.Quantile("share", 0.9),
    "Quantiles": sash.Quantiles("share", at=[0.1, 0.5, 0.9]),
    "Range": sash.Range("amount"),
    "Rank": sash.Rank("amount"),
    "Rate": sash.Rate(),
    "Skewness": sash.Skewness("share"),
    "Std": sash.Std("share"),
    "Sum": sash.Sum("amount"),
    "Sum where": sash.Sum("amount", where=sash.col("shop") != "a1"),
    "TimeWeightedMean": sash.TimeWeightedMean("share"),
    "TopK": sash.TopK("amount", k=3),
    "TopK by": sash.TopK("shop", by="amount", k=3),
    "Var": sash.Var("share"),
    "WeightedMean": sash.WeightedMean("share", "amount"),
}
#: What depends on the order in which partials are combined.
SKETCHES = {"ApproxQuantiles", "FrequentItems"}


class State:
    """The state of a bucket in a dictionary."""

    def __init__(self) -> None:
        self._data: dict[Any, bytes] = {}

    def manifest(self) -> bytes | None:
        """What was put last."""
        return self._data.get("manifest")

    def put_manifest(self, data: bytes) -> None:
        """Replace it."""
        self._data["manifest"] = data

    def segment(self, place: int) -> bytes:
        """The segment at a place."""
        return self._data[place]

    def put_segment(self, place: int, data: bytes) -> None:
        """A segment at a place."""
        self._data[place] = data

    def drop_segments(self, places: Iterable[int]) -> None:
        """Delete segments."""
        for place in places:
            del self._data[place]

    def clear(self) -> None:
        """Delete everything."""
        self._data.clear()

    def set_timer(self, old: int | None, new: int | None) -> None:
        """Nobody waits."""


def rows(number: int) -> pa.Table:
    """The rows of a micro-batch."""
    rng = np.random.default_rng(number)
    times = START + (number * ROWS + np.arange(ROWS)) * 1000
    times = np.where(rng.random(ROWS) < 0.05, times - rng.integers(0, 5_000_000, ROWS), times)
    return pa.table(
        {
            "card": rng.integers(0, KEYS, ROWS),
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "amount": rng.integers(0, 1000, ROWS),
            "share": rng.random(ROWS) + 0.5,
            "shop": [f"a{place}" for place in rng.integers(0, 20, ROWS)],
            "flag": rng.random(ROWS) < 0.9,
        }
    )


def job_of(aggregation: Aggregation, seconds: int) -> Job:
    """A stream of one aggregation over one window."""
    plan = sash.Plan(
        by="card", on="time", windows=f"{seconds}s", aggregations={"x": aggregation}, lateness="10s", emit="arrival"
    )
    types = arrow_types(output_fields(SPARK, plan, live=True))
    columns = pa.schema([pa.field(name, kind) for name, kind in arrow_types(SPARK.fields).items()])
    clock = Clock(encode_array(pa.array([], columns.field("time").type))[0])
    return Job("bench", in_plain_values(plan), columns, types, clock, "drop", 1, seconds * 1_000_000)


def known(table: pa.Table, place: int, aggregation: Aggregation, seconds: int) -> Any:
    """The fold of what had come when the row at the place came, in the order of times and then of arrival."""
    ticks = table.column("time").cast(pa.int64()).to_numpy()[: place + 1]
    cards = table.column("card").to_numpy()[: place + 1]
    mine = (cards == cards[place]) & (ticks <= ticks[place]) & (ticks > ticks[place] - seconds * 1_000_000)
    places = np.flatnonzero(mine)
    chosen = table.take(pa.array(places[np.argsort(ticks[places], kind="stable")]))
    plan = sash.Plan(on="time", windows=f"{seconds}s", aggregations={"x": aggregation})
    whole = sash.rolling(chosen, in_plain_values(plan))
    return whole.column(whole.num_columns - 1)[-1].as_py()


def same(one: Any, other: Any) -> bool:
    """Equal, as far as floats are."""
    if isinstance(one, dict):
        return bool(one.keys() == other.keys()) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    return bool(one == other)


def check(name: str, aggregation: Aggregation, results: pa.Table, table: pa.Table, seconds: int) -> None:
    """Fail unless rows have what was known when they came."""
    if name in SKETCHES:
        return
    rng = np.random.default_rng(1)
    last = table.num_rows - ROWS
    for place in rng.integers(last, table.num_rows, 20).tolist():
        found = results.column(results.num_columns - 1)[place - last].as_py()
        wanted = known(table, place, aggregation, seconds)
        if not same(found, wanted):
            raise SystemExit(f"{name}: row {place} has {found!r}, not {wanted!r}")


def measure(name: str, aggregation: Aggregation, seconds: int, tables: list[pa.Table]) -> float:
    """Rows a second."""
    job, state, engines = job_of(aggregation, seconds), State(), EngineCache()
    took = []
    for number, table in enumerate(tables):
        watermark = (START + number * ROWS * 1000) // 1000 - 10_000
        start = time.process_time()
        results = Bucket(job, state, engines).rows([table], watermark)
        took.append(time.process_time() - start)
        if took[-1] > 2:
            break
    check(name, aggregation, results, pa.concat_tables(tables[: len(took)]), seconds)
    return ROWS / min(took[2:] or took)


def main(arguments: list[str]) -> None:
    """What is named, or all."""
    seconds = next((int(argument) for argument in arguments if argument.isdigit()), 60)
    tables = [rows(number) for number in range(BATCHES)]
    for name in [argument for argument in arguments if not argument.isdigit()] or EVERY:
        rate = measure(name, EVERY[name], seconds, tables)
        print(f"{name:26} {rate:>12,.0f} rows/s {'' if rate >= BAR else f'  below {BAR:,}'}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
