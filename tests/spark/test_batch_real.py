"""The real streams of ../shared/data: what Spark gives is what a frame gives, row for row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pytest

import sash

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import sash.spark

STREAMS = {
    "nyc_flights_2013.csv.gz": ("dest", "sched_dep", "dep_delay", "flight"),
    "usgs_quakes.csv.gz": ("net", "time", "mag", "id"),
}


def read(path: Path, key: str, time: str, value: str, what: str) -> pa.Table:
    """Key, time, value and name of the first rows, in the order of arrival."""
    whole = pyarrow.csv.read_csv(path).slice(0, 30_000)
    times = pc.cast(whole[time], pa.timestamp("us", whole[time].type.tz))
    parts = {
        "k": whole[key],
        "t": times,
        "v": pc.cast(whole[value], pa.float64()),
        "what": pc.cast(whole[what], pa.string()),
    }
    return pa.table({"id": pa.array(range(whole.num_rows)), **parts})


@pytest.mark.parametrize("name", STREAMS)
def test_a_real_stream_gives_the_same_on_spark(spark: Any, shared: Path, name: str) -> None:
    """Late rows and ties as the world makes them, by key and over all of it."""
    table = read(shared / "data" / name, *STREAMS[name])
    some = {"n": sash.Count(), "max": sash.Max("v"), "which": sash.ArgMax("v", "what"), "last": sash.Last("what")}
    plan = sash.Plan(by="k", on="t", windows=["1h", "1d", 10], aggregations=some)
    made = sash.spark.rolling(spark.createDataFrame(table), plan).select("id", *plan.outputs).toArrow().sort_by("id")
    expected = sash.rolling(table, plan)
    for column in plan.outputs:
        assert made[column].to_pylist() == expected[column].to_pylist(), column
    whole = sash.Plan(on="t", windows="1d", aggregations=some)
    cut = sash.spark.rolling(spark.createDataFrame(table), whole, split_skewed_keys=7_000)
    made = cut.select("id", *whole.outputs).toArrow().sort_by("id")
    expected = sash.rolling(table, whole)
    for column in whole.outputs:
        assert made[column].to_pylist() == expected[column].to_pylist(), column
