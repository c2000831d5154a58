"""A checkpoint of this release, kept beside the tests: streams continue from it, with other columns and plans.

If its format changes on purpose, say so in CHANGELOG.md and write it anew:

    SASH_WRITE_GOLDEN=1 .venv/bin/python -m pytest tests/spark/test_stream_checkpoint.py
"""

from __future__ import annotations

import os
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow.parquet as pq

import sash
import sash.spark
from tests.spark.streams import AGGREGATIONS, batches, by_row, expected, random_rows
from tests.spark.test_stream import run, stream_of, write_files

#: Stands for the path of the checkpoint in its own files.
HERE = b"{CHECKPOINT}"
GOLDEN = Path(__file__).with_name("checkpoint.zip")
TABLE = random_rows(random.Random(4), 600)


def plan_of(names: str, windows: Any) -> sash.Plan:
    """A plan with some of the aggregations."""
    some = {name: AGGREGATIONS[name] for name in names.split()}
    return sash.Plan(by="card", on="time", windows=windows, aggregations=some, lateness="20s")


FIRST = plan_of("spent where words", ["10s", "1m"])


def run_on(spark: Any, folder: Path, plan: sash.Plan, *dropped: str) -> list[Any]:
    """What comes out until everything is read."""
    rows: list[Any] = []
    results = sash.spark.rolling(stream_of(spark, folder / "in").drop(*dropped), plan, buckets=3)
    writer = results.writeStream.foreachBatch(lambda df, _: rows.extend(df.collect()))
    checkpoint = str(folder / "checkpoint")
    writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()
    return rows


def written(spark: Any, folder: Path) -> None:
    """The checkpoint after the first half of the rows, without the paths of the machine that wrote it."""
    folder.mkdir()
    write_files(folder / "in", batches(TABLE.slice(0, 300), 3), closing=False)
    run_on(spark, folder, FIRST)
    checkpoint = folder / "checkpoint"
    with zipfile.ZipFile(GOLDEN, "w", zipfile.ZIP_DEFLATED) as made:
        for file in sorted(checkpoint.rglob("*")):
            if file.is_file() and not file.name.endswith(".crc"):
                data = file.read_bytes().replace(str(checkpoint).encode(), HERE).replace(str(folder).encode(), b"")
                made.writestr(zipfile.ZipInfo(file.relative_to(checkpoint).as_posix()), data)


@pytest.fixture
def folder(spark: Any, tmp_path: Path) -> Path:
    """A folder with the checkpoint, and rows that it has not seen."""
    if "SASH_WRITE_GOLDEN" in os.environ:
        written(spark, tmp_path / "written")
    checkpoint = tmp_path / "checkpoint"
    with zipfile.ZipFile(GOLDEN) as kept:
        for name in kept.namelist():
            (checkpoint / name).parent.mkdir(parents=True, exist_ok=True)
            (checkpoint / name).write_bytes(kept.read(name).replace(HERE, str(checkpoint).encode()))
    write_files(tmp_path / "in", [TABLE.slice(300, 200)], closing=False)
    return tmp_path


def test_a_checkpoint_of_this_release_continues(spark: Any, folder: Path) -> None:
    """With a column fewer, and others in another order; with windows and aggregations that it never had. What it cannot
    continue is refused in the first batch, whichever buckets have rows, and the checkpoint lives."""
    longer = plan_of("words", "2h")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    spark.conf.set("spark.sql.shuffle.partitions", "4")
    try:
        with pytest.raises(Exception, match="reaches back to rows that are dropped"):
            run_on(spark, folder, longer)
        other = plan_of("words first", ["30s", "7s"])
        rows = run_on(spark, folder, other, "share")
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "false")
        spark.conf.set("spark.sql.shuffle.partitions", "2")
    wanted = expected(TABLE.slice(0, 500), other)
    assert rows
    assert all((row.words_30s, row.first_30s, row.words_7s, row.first_7s) == wanted[row.row] for row in rows)
    pq.write_table(TABLE.slice(500), folder / "in" / "0009.parquet")
    rows = run_on(spark, folder, FIRST)
    wanted = expected(TABLE, FIRST)
    assert rows
    assert all(tuple(row[name] for name in FIRST.outputs) == wanted[row.row] for row in rows)


@pytest.mark.parametrize("buckets", [7, None])
def test_a_restart_keeps_its_number_of_shuffle_partitions(spark: Any, tmp_path: Path, buckets: int | None) -> None:
    """As streams of Spark do: that of the checkpoint counts, whatever the session says by then, more or fewer. So does
    the number of buckets, which is one for each partition where none is asked for."""
    parts = batches(TABLE.slice(0, 300), 3)
    numbers = []
    for place, partitions in enumerate(("3", "5", "1")):
        write_files(tmp_path / "in", parts[: place + 1], closing=place == 2)
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
        try:
            df = sash.spark.rolling(stream_of(spark, tmp_path / "in"), FIRST, buckets=buckets)
            rows, query = run(df, tmp_path)
        finally:
            spark.conf.set("spark.sql.shuffle.partitions", "2")
        numbers += [one["stateOperators"][0]["numShufflePartitions"] for one in query.recentProgress]
    assert set(numbers) == {3}
    assert sash.spark.state(str(tmp_path / "checkpoint")).buckets == (buckets or 3)
    assert by_row(rows, list(FIRST.outputs)) == expected(TABLE.slice(0, 300), FIRST)


@pytest.mark.slow
def test_other_buckets_are_refused_to_the_very_same_stream(spark: Any, tmp_path: Path) -> None:
    """One that goes on over a checkpoint with more buckets needs their number, and then emits what it would have."""
    parts = batches(TABLE.slice(0, 300), 3)
    write_files(tmp_path / "in", parts[:2], closing=False)
    df = sash.spark.rolling(stream_of(spark, tmp_path / "in"), FIRST)
    run(df, tmp_path)
    state = sash.spark.state(str(tmp_path / "checkpoint"))
    assert state.buckets == 2
    state.with_buckets(7, str(tmp_path / "wider"))
    write_files(tmp_path / "in", parts)
    with pytest.raises(Exception, match="buckets= was 7 and is 2"):
        run(df, tmp_path, "wider")
    rows, _ = run(sash.spark.rolling(stream_of(spark, tmp_path / "in"), FIRST, buckets=7), tmp_path, "wider")
    assert by_row(rows, list(FIRST.outputs)) == expected(TABLE.slice(0, 300), FIRST)
