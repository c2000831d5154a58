"""Streams on a real session: what comes out is what a frame gives, row for row."""

from __future__ import annotations

import datetime as dt
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import sash
import sash.spark
from sash.spark.session import SETTINGS
from sash.spark.stream.packing import unpack
from sash.spark.stream.pipeline import make_job, packed
from tests.spark.conftest import needs_java
from tests.spark.streams import AGGREGATIONS, SCHEMA, batches, by_row, expected, random_rows

PLAN = {"by": "card", "on": "time", "windows": ["10s", "1m"], "aggregations": AGGREGATIONS, "lateness": "20s"}


def write_files(folder: Path, tables: list[pa.Table], closing: bool = True) -> None:
    """One file for each micro-batch, in order; at the end a row far in the future, that lets all others be final."""
    folder.mkdir(exist_ok=True)
    if closing:
        far = {"card": "the end", "time": dt.datetime(2040, 1, 1, tzinfo=dt.UTC), "row": -1}
        tables = [*tables, pa.Table.from_pylist([far], SCHEMA)]
    for place, table in enumerate(tables):
        path = folder / f"{place:04}.parquet"
        pq.write_table(table, path)
        os.utime(path, (1000 + place, 1000 + place))


def stream_of(spark: Any, folder: Path) -> DataFrame:
    """The files as a stream, one a micro-batch."""
    schema = spark.read.parquet(str(folder)).schema
    stream: DataFrame = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))
    return stream


def run(df: DataFrame, folder: Path, checkpoint: str = "checkpoint") -> tuple[pa.Table, Any]:
    """What the stream writes until there is no more to read, without the closing row; and the query."""
    writer = df.writeStream.format("parquet").option("path", str(folder / "out"))
    query = writer.option("checkpointLocation", str(folder / checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()
    session = df.sparkSession
    table = session.read.parquet(str(folder / "out")).toArrow()
    return table.filter(pa.compute.not_equal(table.column("row"), -1)), query


@contextmanager
def monitored(spark: Any) -> Iterator[sash.spark.Monitor]:
    """A monitor that listens as long as the block runs."""
    monitor = sash.spark.Monitor()
    spark.streams.addListener(monitor)
    try:
        yield monitor
    finally:
        spark.streams.removeListener(monitor)


@pytest.mark.parametrize(("emit", "parts", "buckets"), [("final", 3, 5), ("update", 3, 50), ("arrival", 1, 1)])
def test_a_stream_gives_what_a_frame_gives(spark: Any, tmp_path: Path, emit: str, parts: int, buckets: int) -> None:
    """Ten aggregations over two windows, whatever the number of micro-batches and buckets; a monitor hears of each."""
    table = random_rows(random.Random(parts), 2_000, keys=8)
    write_files(tmp_path / "in", batches(table, parts))
    plan = sash.Plan(**PLAN, emit=emit)
    with monitored(spark) as monitor:
        results, query = run(sash.spark.rolling(stream_of(spark, tmp_path / "in"), plan, buckets=buckets), tmp_path)
        check_reports(monitor, query, table.num_rows + 1, results.num_rows + (emit != "final"))
    if emit == "update":
        results = results.sort_by([("row", "ascending"), ("revision", "ascending")])
    else:
        assert results.num_rows == table.num_rows
    wanted = expected(table, plan, "arrival" if emit == "arrival" else "final")
    assert by_row(results, list(plan.outputs)) == wanted


def check_reports(monitor: sash.spark.Monitor, query: Any, rows: int, results: int) -> None:
    """Rows in, results out, keys, seconds: batch by batch, by a listener and out of the progress of the query."""
    for _ in range(100):
        reports = [report for report in monitor.reports if report.query == str(query.id)]
        if sum(report.metrics.results for report in reports) == results:
            break
        time.sleep(0.1)
    assert sum(report.metrics.rows for report in reports) == rows
    assert sum(report.metrics.results for report in reports) == results
    assert max(report.metrics.keys for report in reports) >= 3
    assert all(report.metrics.native_seconds <= report.metrics.seconds for report in reports)
    assert sash.spark.report_of(query.recentProgress[0]) == reports[0]


@pytest.mark.slow
@pytest.mark.parametrize("emit", ["final", "update"])
@pytest.mark.parametrize("buckets", [1, 17, 200])
def test_seventeen_micro_batches(spark: Any, tmp_path: Path, emit: str, buckets: int) -> None:
    """The same with many small batches."""
    test_a_stream_gives_what_a_frame_gives(spark, tmp_path, emit, 17, buckets)


def test_a_stream_equals_the_batch(spark: Any, tmp_path: Path) -> None:
    """The same plan over the files at rest, with windows of rows, sessions and stretches of time."""
    table = random_rows(random.Random(5), 1_500, keys=5)
    write_files(tmp_path / "in", batches(table, 2))
    some = {name: AGGREGATIONS[name] for name in ("spent", "words", "where")}
    windows = [sash.CountWindow(5), sash.SessionWindow("3s"), sash.TumblingWindow("1m")]
    plan = sash.Plan(by="card", on="time", windows=windows, aggregations=some, lateness="20s")
    results, _ = run(sash.spark.rolling(stream_of(spark, tmp_path / "in"), plan, buckets=3), tmp_path)
    still = spark.createDataFrame(table.to_pandas())
    batch = sash.spark.rolling(still, plan).toArrow()
    assert by_row(results, list(plan.outputs)) == by_row(batch, list(plan.outputs)) == expected(table, plan)


def test_history_is_in_the_windows_and_gets_no_results(spark: Any, tmp_path: Path) -> None:
    """A stream that starts from a batch gives the results as if it had seen it, and emits only its own rows."""
    table = random_rows(random.Random(9), 1_000)
    (past, future) = batches(table, 2)
    write_files(tmp_path / "in", [future])
    write_files(tmp_path / "past", [past], closing=False)
    history = spark.read.parquet(str(tmp_path / "past"))
    plan = sash.Plan(**PLAN)
    results, _ = run(sash.spark.rolling(stream_of(spark, tmp_path / "in"), plan, initial=history, buckets=2), tmp_path)
    wanted = expected(table, plan)
    assert by_row(results, list(plan.outputs)) == {row: wanted[row] for row in range(500, 1_000)}


def test_late_rows_come_out_with_their_reason_and_are_counted(spark: Any, tmp_path: Path) -> None:
    """Nothing is lost silently: a wholly late file, and rows without a time."""
    table = random_rows(random.Random(2), 300, disorder=0)
    nowhen = table.slice(0, 3).set_column(1, SCHEMA.field("time"), pa.nulls(3, SCHEMA.field("time").type))
    write_files(tmp_path / "in", [table.slice(100), table.slice(0, 50), nowhen], closing=False)
    plan = sash.Plan(
        by="card", on="time", windows="10s", aggregations={"n": sash.Count()}, lateness="5s", emit="arrival"
    )
    results, query = run(
        sash.spark.rolling(stream_of(spark, tmp_path / "in"), plan, buckets=2, on_late="keep"), tmp_path
    )
    reasons = results.column("late").to_pylist()
    assert (reasons.count("late"), reasons.count("no time"), reasons.count(None)) == (50, 3, 200)
    reports = [sash.spark.report_of(progress) for progress in query.recentProgress]
    assert sum(report.metrics.late for report in reports if report) == 50
    assert sum(report.metrics.without_time for report in reports if report) == 3


def rate(spark: Any, *more: str) -> DataFrame:
    """A stream that has the columns, and never starts."""
    columns = ["string(value) card", "timestamp time", "value amount", "double(value) share", "string(value) shop"]
    stream: DataFrame = spark.readStream.format("rate").load().selectExpr(*columns, "value row", *more)
    return stream


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lateness": None}, "give the longest wait"),
        ({"lateness": 600}, "lateness: "),
        ({"on": "shop"}, "a time is a timestamp"),
        ({"by": "nobody"}, "no column 'nobody'"),
        ({"windows": sash.CalendarWindow("1mo")}, "a stream takes every other window"),
        ({"windows": sash.CountWindow(5, every=2)}, "does not emit at every row"),
        ({"windows": ["2m", sash.TimeWindow("1m", every="1s")]}, "give each kind its own plan"),
        ({"aggregations": {"x": sash.Sum("shop")}}, "reads numbers"),
    ],
)
def test_what_cannot_run_is_said_on_the_driver(spark: Any, change: dict[str, Any], words: str) -> None:
    """Before anything runs."""
    with pytest.raises(sash.PlanError, match=words):
        sash.spark.rolling(rate(spark), sash.Plan(**PLAN | change))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"buckets": 0}, "buckets is a number, 1 or more, not 0"),
        ({"buckets": 2.5}, "buckets is a number, 1 or more, not 2.5"),
        ({"on_late": "hide"}, "on_late is 'drop' or 'keep', not 'hide'"),
        ({"on_error": "hide"}, "on_error is 'raise' or 'drop' or 'keep', not 'hide'"),
        ({"retain": "1s"}, "retain: rows are retained for '1s', and the longest window is longer"),
        ({"retain": 9}, "retain: "),
        ({"initial": 3}, "initial= is a DataFrame of Spark, the rows from before the stream, not 3"),
    ],
)
def test_options_of_a_stream_are_checked_on_the_driver(spark: Any, options: dict[str, Any], words: str) -> None:
    """With the rule and the value."""
    with pytest.raises(sash.PlanError, match=words):
        sash.spark.rolling(rate(spark), sash.Plan(**PLAN), **options)


def test_a_watermark_that_windows_would_wait_for_in_vain_is_refused(spark: Any) -> None:
    """Spark moves a stream by one watermark: on another column, or on one that is gone, or another lateness."""
    plan = sash.Plan(**PLAN)
    other = rate(spark, "timestamp arrived").withWatermark("arrived", "20 seconds")
    with pytest.raises(sash.PlanError, match="a watermark on column 'arrived'"):
        sash.spark.rolling(other, plan)
    with pytest.raises(sash.PlanError, match="a watermark of a column that is no longer there"):
        sash.spark.rolling(other.drop("arrived"), plan)
    with pytest.raises(sash.PlanError, match="20000 ms behind the newest 'time', and the plan waits for 60000 ms"):
        sash.spark.rolling(rate(spark).withWatermark("time", "20 seconds"), sash.Plan(**PLAN | {"lateness": "1m"}))
    kept = rate(spark).withMetadata("shop", {"spark.watermarkDelayMs": 1})
    assert sash.spark.rolling(kept, plan).schema["time"].metadata == {"spark.watermarkDelayMs": 20_000}, "out of a file"


def test_a_session_that_streams_cannot_use_is_refused_with_the_line_to_add(spark: Any) -> None:
    """Spark would find out in a worker. Many idle tasks are one warning, with the number to set."""
    other = spark.newSession()
    other.conf.unset("spark.sql.streaming.stateStore.providerClass")
    other.conf.set("spark.sql.streaming.stateStore.providerClass", "org.example.HDFSBackedStateStoreProvider")
    with pytest.raises(
        sash.PlanError, match=r"RocksDB, and this session in HDFSBacked.*sash\.spark\.configure\(spark\)"
    ):
        sash.spark.rolling(rate(other), sash.Plan(**PLAN))
    sash.spark.configure(other).conf.set("spark.sql.shuffle.partitions", "200")
    with pytest.warns(UserWarning, match=r"200 shuffle partitions.*shuffle.partitions\", 2\)"):
        sash.spark.rolling(rate(other), sash.Plan(**PLAN))


def given(builder: Any) -> dict[str, Any]:
    """What `configure` adds to a builder."""
    before = dict(builder._options)
    return {name: value for name, value in sash.spark.configure(builder)._options.items() if before.get(name) != value}


def test_a_session_gets_the_settings_that_streams_need_and_no_others() -> None:
    """The state store, as many partitions as cores, and sockets that do not wait: the row counts of Spark's other
    queries stay as they are."""
    sockets = {"spark.python.unix.domain.socket.enabled": "true"}
    made = given(SparkSession.Builder().master("local[3]"))
    assert made == {**SETTINGS, **sockets, "spark.sql.shuffle.partitions": "3"}
    assert all("stateStore" in name for name in SETTINGS)


def test_a_cluster_gets_no_sockets_and_what_a_builder_says_stays() -> None:
    """The path of a socket may be too long on an executor; numbers and sockets of one's own are not replaced."""
    assert given(SparkSession.Builder().master("yarn")) == {**SETTINGS, "spark.sql.shuffle.partitions": "16"}
    own = {"spark.python.unix.domain.socket.enabled": "false", "spark.sql.shuffle.partitions": "7"}
    builder = SparkSession.Builder().master("local[3]")
    for name, value in own.items():
        builder.config(name, value)
    assert given(builder) == SETTINGS


def test_streams_chain_with_the_stateful_operators_of_spark(spark: Any, tmp_path: Path) -> None:
    """Duplicates are dropped, windows of Sash over windows of Sash, hops of Spark: the watermark passes through, and a
    batch gives the same."""
    table = random_rows(random.Random(3), 300, nulls=False)
    write_files(tmp_path / "in", [*batches(table, 2), table.slice(100, 100)])
    n, peak = {"n": sash.Count()}, {"peak": sash.Max("n_10s")}

    def chain(df: DataFrame) -> DataFrame:
        once = df.withWatermark("time", "20 seconds")
        once = once.dropDuplicatesWithinWatermark(["row"]) if df.isStreaming else once.dropDuplicates(["row"])
        counted = sash.spark.rolling(once, sash.Plan(by="card", on="time", windows="10s", aggregations=n))
        highest = sash.spark.rolling(counted, sash.Plan(by="card", on="time", windows="30s", aggregations=peak))
        hops = highest.groupBy("card", F.window("time", "30 seconds"))
        return hops.agg(F.count("*").alias("rows"), F.sum("n_10s").alias("n"), F.max("peak_30s").alias("peak"))

    rows: list[Any] = []
    writer = chain(stream_of(spark, tmp_path / "in")).writeStream.foreachBatch(lambda df, _: rows.extend(df.collect()))
    writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
    wanted = chain(spark.read.parquet(str(tmp_path / "in"))).where("card <> 'the end'").collect()
    assert sorted(map(repr, rows)) == sorted(map(repr, wanted))
    assert sum(row.rows for row in rows) == 300


def test_two_streams_of_sash_are_one_query(spark: Any, tmp_path: Path) -> None:
    """A union of two plans over one source: each row has the results of both, and the report adds up both."""
    table = random_rows(random.Random(4), 300, nulls=False)
    write_files(tmp_path / "in", batches(table, 3))
    plans = [
        sash.Plan(by=key, on="time", windows=window, aggregations={"n": sash.Count()}, lateness="20s")
        for key, window in (("card", "10s"), ("shop", "30s"))
    ]

    def both(df: DataFrame) -> DataFrame:
        one, other = (sash.spark.rolling(df, plan).withColumnRenamed(*plan.outputs, "n") for plan in plans)
        return one.withColumn("by", F.lit("card")).unionByName(other.withColumn("by", F.lit("shop")))

    results, query = run(both(stream_of(spark, tmp_path / "in")), tmp_path)
    wanted = both(spark.read.parquet(str(tmp_path / "in"))).where("card <> 'the end'").toArrow()
    found = [sorted(map(repr, one.select(["row", "by", "n"]).to_pylist())) for one in (results, wanted)]
    assert found[0] == found[1]
    assert results.num_rows == 600
    reports = [report for one in query.recentProgress if (report := sash.spark.report_of(one)) is not None]
    # The row that makes all others final came to both.
    assert sum(one.metrics.rows for one in reports) == 2 * 301


def test_both_zeros_are_in_one_bucket_and_so_are_nan_and_null(spark: Any) -> None:
    """A key is what it is in a frame: what is one key there is never split over buckets."""
    rows = [(0, 0.0), (1, -0.0), (2, math.nan), (3, None)]
    df = spark.createDataFrame(rows, "row long, k double").withColumn("time", F.lit(0).cast("timestamp"))
    plan = sash.Plan(by="k", on="time", windows="1m", aggregations={"n": sash.Count()}, lateness="1s")
    job, _ = make_job(df, plan, buckets=200)
    packs = [
        unpack(bytes(pack.rows)).column("row").to_pylist()
        for pack in packed(df.coalesce(1), job, greets=False).collect()
    ]
    assert sorted(packs) == [[0, 1], [2, 3]]


def test_slides_equal_those_of_spark(spark: Any, tmp_path: Path) -> None:
    """Windows that slide by four seconds, against Spark's own hop windows over the rows at rest."""
    table = random_rows(random.Random(8), 300, nulls=False)
    write_files(tmp_path / "in", batches(table, 2))
    plan = sash.Plan(
        by="card",
        on="time",
        windows=sash.TimeWindow("12s", every="4s", closed="left"),
        aggregations={"n": sash.Count(), "spent": sash.Sum("amount"), "peak": sash.Max("amount")},
        lateness="20s",
    )
    rows: list[Any] = []
    results = sash.spark.rolling(stream_of(spark, tmp_path / "in"), plan, buckets=2)
    writer = results.writeStream.foreachBatch(lambda df, number: rows.extend(df.collect()))
    writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
    hops = (
        spark.read.parquet(str(tmp_path / "in"))
        .where("row >= 0")
        .groupBy("card", F.window("time", "12 seconds", "4 seconds"))
    )
    theirs = hops.agg(F.count("*").alias("n"), F.sum("amount").alias("spent"), F.max("amount").alias("peak")).collect()
    wanted = {(row.card, row.window.start, row.window.end, row.n, row.spent, row.peak) for row in theirs}
    ours = [(row.card, row.window_start, row.window_end, row.n_12s, row.spent_12s, row.peak_12s) for row in rows]
    assert len(ours) == len(wanted)
    assert set(ours) == wanted


def in_a_process_of_its_own(tmp_path: Path, session: str) -> None:
    """A stream over a session that the code makes gives what a frame gives."""
    table = random_rows(random.Random(6), 600)
    write_files(tmp_path / "in", batches(table, 3))
    code = ELSEWHERE.format(root=str(Path(__file__).resolve().parents[2]), folder=str(tmp_path), session=session)
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)
    results = pq.read_table(tmp_path / "results.parquet")
    plan = sash.Plan(**PLAN)
    assert by_row(results, list(plan.outputs)) == expected(table, plan)


@pytest.mark.slow
def test_a_stream_on_executors_of_their_own(tmp_path: Path) -> None:
    """local-cluster: two executors in processes of their own, which get the package by `sash.spark.ship`."""
    needs_java()
    in_a_process_of_its_own(
        tmp_path,
        """
spark = configured(SparkSession.builder.master("local-cluster[2,1,1024]")).getOrCreate()
sash.spark.ship(spark)
""",
    )


@pytest.mark.slow
def test_a_stream_through_spark_connect(tmp_path: Path) -> None:
    """The client knows no JVM, and the plan is the same."""
    needs_java()
    for needed in ("grpc", "grpc_status", "zstandard", "google.rpc"):
        pytest.importorskip(needed, reason="needs pip install 'pyspark[connect]'")
    in_a_process_of_its_own(
        tmp_path,
        """
spark = configured(SparkSession.builder.remote("local[2]")).getOrCreate()
assert "connect" in type(spark).__module__
""",
    )


ELSEWHERE = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from pyspark.sql import SparkSession
import pyarrow as pa, pyarrow.parquet as pq
import sash, sash.spark
from tests.spark.conftest import configured
from tests.spark.test_stream import PLAN, run, stream_of
{session}
folder = Path({folder!r})
df = sash.spark.rolling(stream_of(spark, folder / "in"), sash.Plan(**PLAN), buckets=4)
results, query = run(df, folder)
pq.write_table(results, folder / "results.parquet")
assert sum(sash.spark.report_of(one).metrics.results for one in query.recentProgress) == results.num_rows
path = str(folder / "again")


def take(batch, number):
    batch.write.mode("append").parquet(path)


again = df.writeStream.foreachBatch(take).option("checkpointLocation", str(folder / "other"))
again.trigger(availableNow=True).start().awaitTermination()
assert spark.read.parquet(path).where("row >= 0").count() == results.num_rows
"""
