"""Decimals, times, intervals and texts on Spark: a batch and a stream give what a frame gives, in types of Spark."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from pyspark.sql import functions as F  # noqa: N812

import sash
import sash.spark
from tests.spark.test_stream import run, stream_of, write_files

START = dt.datetime(2024, 3, 30, 22, tzinfo=dt.UTC)
SCHEMA = pa.schema(
    {
        "card": pa.string(),
        "time": pa.timestamp("us", "UTC"),
        "row": pa.int64(),
        "paid": pa.decimal128(9, 2),
        "large": pa.decimal128(38, 4),
        "seen": pa.timestamp("us", "UTC"),
        "day": pa.date32(),
        "took": pa.duration("us"),
        "shop": pa.string(),
    }
)
TYPES = {
    "total": "decimal(38,2)",
    "sum": "decimal(38,4)",
    "top": "decimal(9,2)",
    "low": "decimal(38,4)",
    "mean": "double",
    "span": "interval day to second",
    "latest": "timestamp",
    "earliest": "date",
    "days": "interval day to second",
    "time_spent": "interval day to second",
    "longest": "interval day to second",
    "last_shop": "string",
    "often": "bigint",
    "where": "string",
    "tops": "array<decimal(9,2)>",
    "spread": "decimal(38,2)",
    "some": "decimal(38,2)",
}
AGGREGATIONS = {
    "total": sash.Sum("paid"),
    "sum": sash.Sum("large"),
    "top": sash.Max("paid"),
    "low": sash.Min("large"),
    "mean": sash.Mean("paid"),
    "span": sash.Range("seen"),
    "latest": sash.Max("seen"),
    "earliest": sash.Min("day"),
    "days": sash.Delta("day"),
    "time_spent": sash.Sum("took"),
    "longest": sash.Max("took"),
    "last_shop": sash.Max("shop"),
    "often": sash.MinCount("shop"),
    "where": sash.ArgMax("paid", "shop"),
    "tops": sash.TopK("paid", k=2),
    "spread": sash.Range("paid"),
    "some": sash.Sum("paid", where=sash.col("shop") != "café"),
}


def events(count: int = 240) -> pa.Table:
    """Rows in the order of time, with nulls, equal values and negative ones."""
    rng = np.random.default_rng(5)

    def some(value: Any) -> Any:
        return None if rng.random() < 0.2 else value

    rows = [
        {
            "card": f"c{rng.integers(4)}",
            "time": START + dt.timedelta(seconds=int(second)),
            "row": place,
            "paid": some(Decimal(int(rng.integers(-9, 9))) / 4),
            "large": some(Decimal(int(rng.integers(-4, 5))) * 10**26 + Decimal("0.0001")),
            "seen": some(START + dt.timedelta(minutes=int(rng.integers(300)))),
            "day": some(dt.date(2024, 3, 1) + dt.timedelta(days=int(rng.integers(50)))),
            "took": some(dt.timedelta(seconds=int(rng.integers(-50, 50)))),
            "shop": some(["bakery", "café", "Zoo", "\U0001f600", "ﬀ"][int(rng.integers(5))]),
        }
        for place, second in enumerate(np.sort(rng.integers(0, 300, count)))
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def plain(table: pa.Table, names: list[str]) -> list[Any]:
    rows = table.sort_by("row").select(names).to_pylist()
    return [{name: _instant(value) for name, value in row.items()} for row in rows]


def _instant(value: Any) -> Any:
    return value.astimezone(dt.UTC) if isinstance(value, dt.datetime) and value.tzinfo else value


def plan_of(**parts: Any) -> sash.Plan:
    return sash.Plan(**{"by": "card", "on": "time", "windows": ["20s", "1m"], "aggregations": AGGREGATIONS, **parts})


def test_a_batch_gives_what_a_frame_gives(spark: Any) -> None:
    """In the types that are declared; at labels and with slides too."""
    table, plan = events(), plan_of()
    df = spark.createDataFrame(table)
    out = sash.spark.rolling(df, plan)
    found = {field.name: field.dataType.simpleString() for field in out.schema.fields}
    assert {name: found[f"{name}_20s"] for name in TYPES} == TYPES
    names = list(plan.outputs)
    assert plain(out.toArrow(), names) == plain(sash.rolling(table, plan), names)
    labels = table.select(["card", "time", "row"])
    at = sash.spark.rolling(df, plan, at=spark.createDataFrame(labels)).toArrow()
    assert plain(at, names) == plain(sash.rolling(table, plan, at=labels), names)


@pytest.mark.parametrize("emit", ["final", "update", "arrival"])
def test_a_stream_gives_what_a_frame_gives(spark: Any, tmp_path: Path, emit: Any) -> None:
    """By passes, or by an operator of Python's members."""
    table, plan = events(), plan_of(lateness="20s", emit=emit)
    far = {"card": "the end", "time": dt.datetime(2040, 1, 1, tzinfo=dt.UTC), "row": -1}
    parts = [table.slice(0, 90), table.slice(90, 80), table.slice(170), pa.Table.from_pylist([far], SCHEMA)]
    write_files(tmp_path / "in", parts, closing=False)
    # Parquet has no durations: Spark reads microseconds.
    took = F.expr("make_dt_interval(0, 0, 0, cast(took / 1000000 as decimal(18, 6)))")
    stream = stream_of(spark, tmp_path / "in").withColumn("took", took)
    results, _ = run(sash.spark.rolling(stream, plan, buckets=3), tmp_path)
    names = list(plan.outputs)
    if emit == "update":
        last = {
            row["row"]: row for row in results.sort_by([("row", "ascending"), ("revision", "ascending")]).to_pylist()
        }
        results = pa.Table.from_pylist(list(last.values()), results.schema)
    wanted = sash.rolling(table, plan_of(emit="arrival" if emit == "arrival" else "final"))
    found, wanted_rows = plain(results, names), plain(wanted, names)
    for name in names:
        assert [row[name] for row in found] == [row[name] for row in wanted_rows], name


def test_texts_that_spark_compares_otherwise_are_refused(spark: Any) -> None:
    """Text has the order of its code points here."""
    df = spark.sql("select 1 as time, 'a' collate UTF8_LCASE as shop")
    with pytest.raises(sash.PlanError, match="text is compared by its bytes here"):
        sash.spark.rolling(df, on="time", window=5, top=sash.Max("shop"))


def test_a_sum_with_too_many_digits_fails_the_job(spark: Any) -> None:
    """In words."""
    df = spark.sql(
        "select id as time, cast(99999999999999999999999999999999999999 as decimal(38,0)) as x from range(3)"
    )
    with pytest.raises(Exception, match="more than 38 digits"):
        sash.spark.rolling(df, on="time", window=5, s=sash.Sum("x")).collect()
