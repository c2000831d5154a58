"""Spark's own sliding windows over the same trips: a window of an hour for every ten seconds.

Spark copies each trip into each of the 360 windows that hold it and groups the copies. Sash gives the same windows by
the same plan as ever, with `every="10s"`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import sash
from sash.demo.files import SCHEMA_SQL

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Hops", "compare"]

Sums: TypeAlias = tuple[Any, ...]

#: Seconds from one window to the next.
_EVERY: Final = 10
#: How many trips are timed, and before that how many are run, so that Spark has compiled what it runs.
_ROWS, _WARM = 4_000, 2_000
_SQL: Final = """
    SELECT station, count(*) AS count_1h, avg(seconds) AS mean_1h, max(seconds) AS longest_1h,
           max_by(bike, seconds) AS longest_bike_1h
    FROM {{trips}} GROUP BY station, window(ended, '1 hour', '{every} seconds')
"""
#: Every column is read, so that Spark leaves none of them out. Bikes are not compared: ties are for either to break.
_SUMS: Final = ("count(*)", "sum(count_1h)", "sum(longest_1h)", "round(sum(mean_1h), 1)", "sum(longest_bike_1h)")
_COMPARED: Final = 3
_WHAT: Final = {
    "count": sash.Count(),
    "mean": sash.Mean("seconds"),
    "longest": sash.Max("seconds"),
    "longest_bike": sash.ArgMax("seconds", "bike"),
}


@dataclass(frozen=True)
class Hops:
    """How many windows the first `rows` trips have, and the seconds that both took."""

    rows: int
    windows: int
    spark_seconds: float
    sash_seconds: float


def compare(session: SparkSession, folder: Path, trips: int, report: Callable[[str], None]) -> Hops:
    """Run both over the first 4,000 trips of the folder, if it has so many.

    Each is run before it is timed. `AssertionError` if their windows are not the same. Cost: about 12 seconds on two
    cores that have nothing else to do, nearly all of them Spark's.
    """
    read = session.read.schema(SCHEMA_SQL).parquet(str(folder))
    rows = min(trips, _ROWS)
    report(f"Spark's own hop windows: {rows:,} trips")
    theirs, spark_seconds = _warm(_of_spark, read, rows)
    report(f"The same windows by Sash: {rows:,} trips")
    ours, sash_seconds = _warm(_of_sash, read, rows)
    if ours[:_COMPARED] != theirs[:_COMPARED]:
        raise AssertionError(f"Spark and Sash must have the same windows, and their sums are {theirs} and {ours}")
    return Hops(rows, ours[0], spark_seconds, sash_seconds)


def _warm(way: Callable[[DataFrame], DataFrame], trips: DataFrame, rows: int) -> tuple[Sums, float]:
    _timed(way(_first(trips, _WARM)))
    return _timed(way(_first(trips, rows)))


def _first(trips: DataFrame, rows: int) -> DataFrame:
    return trips.where(f"trip < {rows}")


def _of_spark(trips: DataFrame) -> DataFrame:
    return trips.sparkSession.sql(_SQL.format(every=_EVERY), trips=trips)


def _of_sash(trips: DataFrame) -> DataFrame:
    import sash.spark

    # Spark's windows have their start in and their end out.
    window = sash.TimeWindow("1h", every=f"{_EVERY}s", closed="left")
    return sash.spark.rolling(trips, sash.Plan(by="station", on="ended", windows=window, aggregations=_WHAT))


def _timed(windows: DataFrame) -> tuple[Sums, float]:
    start = time.perf_counter()
    sums = windows.selectExpr(*_SUMS).collect()[0]
    return tuple(sums), time.perf_counter() - start
