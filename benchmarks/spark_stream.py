"""Streams on Spark: rows a second, what a full window costs, and slides against Spark's own hop windows.

    python benchmarks/spark_stream.py [rates] [windows] [slides] [small] [plans]

Local, two cores, in one session. A rate is that of the best micro-batch after the first two, which pay for the start
of workers; answers are compared with `sash.rolling` over the same rows before a time is printed.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import sash
import sash.spark

START = 1_700_000_000_000_000
SCHEMA = "card bigint, time timestamp, amount bigint"


def session() -> SparkSession:
    """Two cores, two shuffle partitions, whole Arrow batches."""
    builder = sash.spark.configure(SparkSession.builder.master("local[2]").appName("sash-bench"))
    settings = {
        "spark.driver.memory": "3g",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def rows(number: int, count: int, keys: int, step: int) -> pa.Table:
    """The rows of a micro-batch: `step` microseconds apart, one in twenty up to five seconds late."""
    rng = np.random.default_rng(number)
    times = START + (number * count + np.arange(count)) * step
    late = rng.random(count) < 0.05
    times = np.where(late, times - rng.integers(0, 5_000_000, count), times)
    return pa.table(
        {
            "card": rng.integers(0, keys, count),
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "amount": rng.integers(0, 1000, count),
        }
    )


@contextmanager
def files(tables: list[pa.Table]) -> Iterator[Path]:
    """Each table as two files, so that both cores read it."""
    folder = Path(tempfile.mkdtemp())
    for number, table in enumerate(tables):
        half = -(-table.num_rows // 2)
        for part in range(2):
            path = folder / f"{number:04}{part}.parquet"
            pq.write_table(table.slice(part * half, half), path)
            os.utime(path, (1000 + 2 * number + part,) * 2)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def stream(spark: SparkSession, folder: Path) -> DataFrame:
    """Two files a micro-batch."""
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 2).parquet(str(folder))


def run(df: DataFrame, sink: str = "noop", **options: str) -> list[Any]:
    """The progress of each micro-batch with rows."""
    checkpoint = tempfile.mkdtemp()
    writer = df.writeStream.format(sink).option("checkpointLocation", checkpoint).trigger(availableNow=True)
    for name, value in options.items():
        writer = writer.option(name, value)
    query = writer.start()
    query.awaitTermination()
    # The state store may still be writing there in the background.
    shutil.rmtree(checkpoint, ignore_errors=True)
    return [progress for progress in query.recentProgress if progress["numInputRows"]]


def rate(progress: list[Any]) -> float:
    """Rows a second of the best micro-batch after the first two."""
    return max(one["numInputRows"] / one["durationMs"]["triggerExecution"] * 1000 for one in progress[2:])


def plan(window: str | sash.TimeWindow, **more: Any) -> sash.Plan:
    """One window, three aggregations."""
    three = {"n": sash.Count(), "spent": sash.Sum("amount"), "peak": sash.Max("amount")}
    return sash.Plan(by="card", on="time", windows=window, aggregations=three, lateness="10s", **more)


FIVE = {
    "n": sash.Count(),
    "spent": sash.Sum("amount"),
    "mean": sash.Mean("amount"),
    "peak": sash.Max("amount"),
    "last": sash.Last("amount"),
}
#: Three windows, five aggregations.
THREE = sash.Plan(by="card", on="time", windows=["10s", "1m", "5m"], aggregations=FIVE, lateness="10s")


def check(spark: SparkSession, wanted_plan: sash.Plan) -> None:
    """What streams emit is what a frame gives."""
    tables = [rows(number, 20_000, 100, 1000) for number in range(3)]
    out = tempfile.mkdtemp()
    with files(tables) as folder:
        run(sash.spark.rolling(stream(spark, folder), wanted_plan, buckets=8), "parquet", path=out)
    written = spark.read.parquet(out).toArrow()
    frame = sash.rolling(pa.concat_tables(tables), wanted_plan)
    wanted = {tuple(row.values()) for row in frame.to_pylist()}
    assert written.num_rows > 40_000
    assert all(tuple(row.values()) in wanted for row in written.to_pylist())
    shutil.rmtree(out)


def rates(spark: SparkSession) -> None:
    """Rows a second by the number of keys and the size of micro-batches."""
    for count, batches, bar in ((250_000, 7, 150_000), (2_000_000, 4, 400_000)):
        for keys in (10, 1_000, 100_000):
            with files([rows(number, count, keys, 1000) for number in range(batches)]) as folder:
                for emit in ("arrival", "final"):
                    progress = run(sash.spark.rolling(stream(spark, folder), plan("1m", emit=emit), buckets=8))
                    shown = f"{rate(progress):>10,.0f} rows/s (bar {bar:,})"
                    print(f"{keys:>7} keys, batches of {count:>9,}, {emit:8} {shown}")


def windows(spark: SparkSession) -> None:
    """The time of a micro-batch when windows hold 10,000 events, and 10 million."""
    took = {}
    for events, window in ((10_000, "10s"), (10_000_000, "10000s")):
        fill = [rows(number, 2_000_000, 1_000, 1000) for number in range(5)]
        small = [rows(100 + number, 100_000, 1_000, 1000) for number in range(6)]
        with files([*fill, *small]) as folder:
            progress = run(sash.spark.rolling(stream(spark, folder), plan(window, emit="arrival"), buckets=8))
        took[events] = min(one["durationMs"]["triggerExecution"] for one in progress[-4:]) / 1000
        print(f"{events:>10,} events in the windows: {took[events]:.2f} s a micro-batch of 100,000 rows")
    print(f"ratio {took[10_000_000] / took[10_000]:.2f} (bar 1.3)")


def slides(spark: SparkSession) -> None:
    """A 1-hour window that slides every 10 seconds, against Spark's own: a micro-batch of a million rows after two
    small ones, then micro-batches of 250,000, where what Spark itself needs for a batch weighs more."""
    for keys in (10, 1_000):
        hop = plan(sash.TimeWindow("1h", every="10s", closed="left"))
        for count, full in ((1_000_000, 1), (250_000, 2)):
            with files(_growing(count, full, keys)) as folder:
                ours = run(sash.spark.rolling(stream(spark, folder), hop, buckets=8))
                late = stream(spark, folder).withWatermark("time", "10 seconds")
                grouped = late.groupBy("card", F.window("time", "1 hour", "10 seconds"))
                theirs = run(grouped.agg(F.count("*"), F.sum("amount"), F.max("amount")))
            mine, own = rate(ours), rate(theirs)
            shown = f"{mine:>9,.0f} rows/s, Spark's hop windows {own:>8,.0f}: {mine / own:.1f}x (bar 10)"
            print(f"{keys:>5} keys, batches of {count:>9,}: {shown}")


class Nothing(StatefulProcessor):
    """An operator that reads its rows and emits one: what Spark itself takes for a micro-batch."""

    def init(self, handle: Any) -> None:
        """Open the state."""
        self._state = handle.getValueState("n", "n bigint")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        """Count the rows."""
        count = sum(1 for _ in rows)
        self._state.update((count,))
        yield Row(n=count)

    def close(self) -> None:
        """Nothing is open."""


def small(spark: SparkSession) -> None:
    """Micro-batches of 2,000 rows beside an operator that does nothing: the median, and the first.

    They run in turns, each before the other as often as behind it. Java compiles for minutes what runs often: the ratio
    of the first round is shown by itself, and the medians are those of the rounds after the second.
    """
    four = {"n": sash.Count(), "spent": sash.Sum("amount"), "mean": sash.Mean("amount"), "peak": sash.Max("amount")}
    wanted = sash.Plan(by="card", on="time", windows="1m", aggregations=four, lateness="10s")
    took: dict[str, list[list[int]]] = {"sash": [], "nothing": []}
    with files([rows(number, 2_000, 280, 1000) for number in range(30)]) as folder:
        for turn in range(8):
            source = stream(spark, folder)
            grouped = source.selectExpr("int(card % 16) bucket", "time", "amount").groupBy("bucket")
            nothing = grouped.transformWithState(Nothing(), "n bigint", "Append", "None")
            both = [("sash", sash.spark.rolling(source, wanted)), ("nothing", nothing)]
            for name, df in both if turn % 2 else both[::-1]:
                took[name].append([one["durationMs"]["triggerExecution"] for one in run(df)])
    cold = {name: median(runs[0][3:]) for name, runs in took.items()}
    middle = {name: median(time for one in runs[2:] for time in one[3:]) for name, runs in took.items()}
    first = {name: median(one[0] for one in runs[2:]) for name, runs in took.items()}
    for what, found, bar in (
        ("2,000 rows, cold", cold, "no bar"),
        ("2,000 rows", middle, "bar 1.2"),
        ("the first", first, "bar 1.5"),
    ):
        ratio = found["sash"] / found["nothing"]
        print(f"{what}: {found['sash']:.0f} ms beside {found['nothing']:.0f}: {ratio:.2f}x ({bar})")


def plans(spark: SparkSession) -> None:
    """280 keys, three windows, five aggregations; and a million keys. How much of it Python takes, and its memory."""
    for count, keys, wanted, bar in (
        (100_000, 280, THREE, 170_000),
        (500_000, 280, THREE, 300_000),
        (500_000, 1_000_000, plan("1m"), 150_000),
    ):
        with files([rows(number, count, keys, 1000) for number in range(6)]) as folder, largest_worker() as most:
            progress = run(sash.spark.rolling(stream(spark, folder), wanted))
        reports = [report for one in progress[2:] if (report := sash.spark.report_of(one)) is not None]
        # Two tasks run at once.
        shares = [report.metrics.seconds / 2 / report.seconds for report in reports]
        native = sum(one.metrics.native_seconds for one in reports) / sum(one.metrics.seconds for one in reports)
        print(
            f"{keys:>9,} keys, batches of {count:,}: {rate(progress):>10,.0f} rows/s (bar {bar:,}); buckets take"
            f" {median(shares):.0%} of a batch, {native:.0%} of that in the core; a worker {most[0] >> 20:,} MB"
        )


@contextmanager
def largest_worker() -> Iterator[list[int]]:
    """The most bytes that a Python worker of this session has resident, while the block runs."""
    most, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            most[0] = max([most[0], *(_resident(pid) for pid in _workers())])

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield most
    finally:
        over.set()
        watcher.join()


def _workers() -> list[str]:
    """The processes that this one started, however indirectly, which run PySpark's daemon: it and its children."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[folder.name] = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
        except OSError:
            continue
    return [pid for pid in parents if _is_below(pid, parents) and b"pyspark.daemon" in _command(pid)]


def _is_below(pid: str, parents: dict[str, str]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == str(os.getpid()):
            return True
    return False


def _command(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _resident(pid: str) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _growing(count: int, full: int, keys: int) -> list[pa.Table]:
    """Two small micro-batches, and some of the full size."""
    sizes = [50_000, 50_000, *([count] * full)]
    whole = rows(0, sum(sizes), keys, 20_000)
    return [whole.slice(end - size, size) for size, end in zip(sizes, accumulate(sizes), strict=True)]


def main() -> None:
    """What is asked for, or all."""
    wanted = sys.argv[1:] or ["rates", "windows", "slides", "small", "plans"]
    spark = session()
    start = time.perf_counter()
    for one in (plan("1m"), THREE):
        check(spark, one)
    print(f"answers are right ({time.perf_counter() - start:.0f} s)")
    for name in wanted:
        {"rates": rates, "windows": windows, "slides": slides, "small": small, "plans": plans}[name](spark)


if __name__ == "__main__":
    main()
