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
#: Few rows show what a query takes before its first row, more rows what a row takes. From both follows how many rows
#: Spark does in so many seconds: those are run.
_FEW, _MORE, _SECONDS = 500, 4_000, 10.0
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
    """How many windows the first `rows` trips have, and the seconds that both took: for all, and for a few rows."""

    rows: int
    windows: int
    spark_seconds: float
    sash_seconds: float
    spark_start: float
    sash_start: float


def compare(session: SparkSession, folder: Path, rows: int, report: Callable[[str], None]) -> Hops:
    """Run both over the first `rows` trips of the folder, or over as many as Spark does in 10 seconds or so.

    Each is run before it is timed. `AssertionError` if their windows are not the same. Cost: about 20 seconds on two
    cores that have nothing else to do.
    """
    trips = session.read.schema(SCHEMA_SQL).parquet(str(folder))
    report("Spark's own hop windows: warming up")
    starts = [min(_timed(way(_first(trips, _FEW)))[1] for _ in range(2)) for way in (_of_spark, _of_sash)]
    more = min(rows, _MORE)
    theirs, spark_seconds = _timed(_of_spark(_first(trips, more)))
    some = _rows_in_time(more, spark_seconds, starts[0], rows)
    if some > more:
        report(f"Spark's own hop windows: {some:,} trips")
        theirs, spark_seconds = _timed(_of_spark(_first(trips, some)))
    report(f"The same windows by Sash: {some:,} trips")
    ours, sash_seconds = _timed(_of_sash(_first(trips, some)))
    if ours[:_COMPARED] != theirs[:_COMPARED]:
        raise AssertionError(f"Spark and Sash must have the same windows, and their sums are {theirs} and {ours}")
    return Hops(some, ours[0], spark_seconds, sash_seconds, *starts)


def _rows_in_time(measured: int, seconds: float, start: float, rows: int) -> int:
    """How many rows fit into the time, in thousands, if `measured` rows took so long; those at least, `rows` at most.

    >>> _rows_in_time(4_000, 5.5, 2.0, 200_000)
    8000
    >>> _rows_in_time(4_000, 50.0, 15.0, 200_000), _rows_in_time(4_000, 2.1, 2.0, 6_000)
    (4000, 6000)
    """
    each = max(seconds - start, 1e-3) / max(measured - _FEW, 1)
    return min(rows, max(measured, int((_SECONDS - start) / each) // 1000 * 1000))


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
