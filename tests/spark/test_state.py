"""A checkpoint, looked at while no stream runs, and with another number of buckets."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow as pa

import sash
import sash.spark
from tests.spark.streams import AGGREGATIONS, batches, by_row, expected, random_rows
from tests.spark.test_stream import run, stream_of, write_files

SOME = ("spent", "where", "words", "first")


def plan_of(emit: str, window: Any = "10s") -> sash.Plan:
    """Aggregations that depend on the order of rows, over a window."""
    some = {name: AGGREGATIONS[name] for name in SOME}
    return sash.Plan(by="card", on="time", windows=window, aggregations=some, lateness="20s", emit=emit)


def continued(spark: Any, folder: Path, plan: sash.Plan, table: pa.Table, after: int, **options: Any) -> pa.Table:
    """What a stream emits that has three buckets for half of the rows, and then so many."""
    half = table.num_rows // 2
    write_files(folder / "in", batches(table.slice(0, half), 2), closing=False)
    run(sash.spark.rolling(stream_of(spark, folder / "in"), plan, buckets=3, **options), folder)
    before = sash.spark.state(str(folder / "checkpoint"))
    made = before.with_buckets(after, str(folder / "other"))
    assert (made.rows, made.batch, made.watermark) == (before.rows, before.batch, before.watermark)
    assert (before.buckets, made.buckets, made.by, made.emit) == (3, after, ("card",), plan.emit)
    write_files(folder / "more", batches(table.slice(half), 2))
    for place, file in enumerate(sorted((folder / "more").iterdir())):
        file.rename(folder / "in" / f"more-{place}.parquet")
    return run(sash.spark.rolling(stream_of(spark, folder / "in"), plan, buckets=after, **options), folder, "other")[0]


@pytest.mark.parametrize(
    ("emit", "after"),
    [
        ("update", 5),
        pytest.param("final", 2, marks=pytest.mark.slow),
        pytest.param("arrival", 1, marks=pytest.mark.slow),
    ],
)
def test_a_stream_continues_with_other_buckets(spark: Any, tmp_path: Path, emit: str, after: int) -> None:
    """As if it had always had them: no row is lost, none is emitted twice, revisions go on counting."""
    table, plan = random_rows(random.Random(8), 120, keys=8), plan_of(emit)
    results = continued(spark, tmp_path, plan, table, after)
    rows = list(
        zip(*(results.column(name).to_pylist() for name in ("row", *["revision"] * (emit == "update"))), strict=True)
    )
    assert len(set(rows)) == len(rows)
    if emit == "update":
        results = results.sort_by([("row", "ascending"), ("revision", "ascending")])
    assert by_row(results, list(plan.outputs)) == expected(table, plan, "arrival" if emit == "arrival" else "final")


def test_a_checkpoint_says_what_it_holds(spark: Any, tmp_path: Path) -> None:
    """Its plan as far as it is fixed, its buckets, their rows and bytes, and its watermark."""
    table = random_rows(random.Random(9), 40)
    write_files(tmp_path / "in", [table], closing=False)
    run(sash.spark.rolling(stream_of(spark, tmp_path / "in"), plan_of("final"), buckets=3), tmp_path)
    found = sash.spark.state(str(tmp_path / "checkpoint"))
    assert (found.by, found.on, found.emit, found.retain) == (("card",), "time", "final", 10_000_000)
    assert found.columns == tuple(table.column_names)
    newest = max(table.column("time").to_pylist())
    assert found.watermark == int(newest.timestamp() * 1000) - 20_000
    assert 0 < found.rows <= table.num_rows
    assert found.bytes > 0
    assert len(str(found).splitlines()) == 3 + len(found.used)
    with pytest.raises(ValueError, match="buckets is a number, 1 or more, not 0"):
        found.with_buckets(0, str(tmp_path / "new"))
    with pytest.raises(sash.SashError, match="is not empty: give a folder that is not there yet"):
        found.with_buckets(2, str(tmp_path / "in"))


def test_what_is_no_checkpoint_of_a_stream_of_sash_is_refused(spark: Any, tmp_path: Path) -> None:
    """In one line, with what was found."""
    with pytest.raises(sash.SashError, match="is no checkpoint that has committed a micro-batch"):
        sash.spark.state(str(tmp_path))
    write_files(tmp_path / "in", [random_rows(random.Random(9), 4)], closing=False)
    counted = stream_of(spark, tmp_path / "in").groupBy("card").count().writeStream.format("noop")
    counted = counted.outputMode("complete").option("checkpointLocation", str(tmp_path / "checkpoint"))
    counted.trigger(availableNow=True).start().awaitTermination()
    with pytest.raises(sash.SashError, match=r"has not one operator with state, that of sash.spark.rolling"):
        sash.spark.state(str(tmp_path / "checkpoint"))
