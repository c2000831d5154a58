"""What a plan over a DataFrame at rest costs on Spark, beside Spark's own window frames and hop windows, in one run.

    python benchmarks/spark_batch.py [rows] [part ...]

Parts: way, frames, shared, sketches, ready, slides, skew; all of them by default. Two cores, local[2], two shuffle
partitions; the shuffle and the sort are in every time, unless the input is said to be ready. A line is printed after
its answers were compared with Spark's. Where Spark takes minutes it runs over a sample, the first rows of two keys, one
in each partition; the sample is named, and rates are rows a second of whatever ran.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

import sash
import sash.spark

ROWS = 1_000_000
KEYS = 10
REPEATS = 3
#: Between two rows of all keys, in milliseconds.
STEP = 10
SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"

FIVE = {
    "max": (sash.Max("x"), "max(x)"),
    "sum": (sash.Sum("x"), "sum(x)"),
    "mean": (sash.Mean("x"), "avg(x)"),
    "dev": (sash.Std("x"), "stddev_samp(x)"),
    "n": (sash.Count(), "count(*)"),
}


@dataclass(frozen=True)
class Bench:
    """The session, the rows, and what all parts share."""

    spark: SparkSession
    rows: int

    def events(self, keys: int = KEYS) -> DataFrame:
        """Events of some keys in turn, one each STEP milliseconds, in memory."""
        made = self.spark.range(self.rows).selectExpr(
            "id", f"cast(pmod(id * 7919, {keys}) as int) k", f"timestamp_millis(id * {STEP}) t", "rand(7) * 100 x"
        )
        made = made.withColumn("kind", (F.col("x") * 50).cast("int")).cache()
        made.count()
        return made

    def sample(self, df: DataFrame, rows: int) -> DataFrame:
        """The first rows of two keys that lie in different partitions."""
        by_partition = df.select("k", F.pmod(F.hash("k"), F.lit(2)).alias("p")).distinct().collect()
        chosen = list({row.p: row.k for row in by_partition}.values())
        each = df.filter(F.col("k").isin(chosen)).withColumn(
            "r", F.row_number().over(Window.partitionBy("k").orderBy("t"))
        )
        made = each.filter(F.col("r") <= rows // len(chosen)).drop("r").cache()
        made.count()
        return made

    def rate(self, what: str, make: Callable[[], DataFrame], rows: int | None = None, repeats: int = REPEATS) -> float:
        """Run it some times to the end, print and return the rows a second of the best."""
        took = []
        for _ in range(repeats):
            start = perf_counter()
            make().write.format("noop").mode("overwrite").save()
            took.append(perf_counter() - start)
        rate = (rows or self.rows) / min(took)
        print(f"  {what:62} {rate:12,.0f} rows/s", flush=True)
        return rate


def length(rows: int, keys: int = KEYS) -> str:
    """The window that holds so many rows of a key."""
    return f"{rows * STEP * keys}ms"


def plan(windows: list[int], keys: int = KEYS, **aggregations: sash.Aggregation) -> sash.Plan:
    """Windows of so many rows, with both ends as Spark's range frames have them."""
    return sash.Plan(
        by="k", on="t", windows=[length(rows, keys) for rows in windows], closed="both", aggregations=aggregations
    )


def range_frame(df: DataFrame, windows: list[int], **expressions: str) -> DataFrame:
    """The same by Spark's own range frames."""
    ordered = Window.partitionBy("k").orderBy("ms")
    columns = [
        F.expr(text).over(ordered.rangeBetween(-rows * STEP * KEYS, 0)).alias(f"{name}_{length(rows)}")
        for rows in windows
        for name, text in expressions.items()
    ]
    return df.withColumn("ms", F.unix_millis("t")).select("id", "k", "t", "x", "kind", *columns)


def bare(df: DataFrame) -> DataFrame:
    """The shuffle, the sort and the way to Python and back, with nothing done there."""

    def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    return df.repartition("k").sortWithinPartitions("k", "t").mapInArrow(same, df.schema)


def agree(ours: DataFrame, theirs: DataFrame, tolerance: float = 1e-9) -> None:
    """Fail unless all results are the same, as far as floats are."""
    names = [name for name in theirs.columns if name not in ("id", "k", "t", "x", "kind")]
    renamed = theirs.select("id", *(F.col(name).alias(f"their_{name}") for name in names))
    pairs = ours.join(renamed, "id")
    bad = [
        F.sum(
            F.when(F.abs(F.col(name) - F.col(f"their_{name}")) > tolerance * (1 + F.abs(F.col(name))), 1).otherwise(0)
        )
        for name in names
    ]
    counted = pairs.agg(F.count("*"), *bad).collect()[0]
    if counted[0] != theirs.count() or any(counted[1:]):
        raise SystemExit(f"answers differ: {counted}")


def agree_in_rank(ours: DataFrame, events: DataFrame) -> None:
    """Fail unless as many values lie below each of the last medians as above, which Spark counts."""
    newest = ours.select("k", "t", F.col(ours.columns[-1]).alias("median")).sort(F.desc("t")).limit(20)
    window = (F.col("e.t") <= F.col("m.t")) & (
        F.col("e.t") >= F.col("m.t") - F.expr(f"interval {10_000 * STEP * KEYS} milliseconds")
    )
    pairs = newest.alias("m").join(events.alias("e"), window & (F.col("e.k") == F.col("m.k")))
    share = F.avg((F.col("x") <= F.col("median")).cast("double"))
    for row in pairs.groupBy("m.k", "m.t").agg(share.alias("share")).collect():
        if not 0.5 - 1e-3 <= row.share <= 0.5 + 1e-3:
            raise SystemExit(f"a median is none: {row}")


def ratio(what: str, value: float, goal: str) -> None:
    """One line of the summary."""
    print(f"  -> {what:60} {value:8.2f}x   (goal: {goal})", flush=True)


def frames(bench: Bench) -> None:
    """One window, one aggregation, from 100 to 100,000 rows; Spark's own range frame beside it."""
    df = bench.events()
    print("one window, one aggregation, shuffle and sort included")
    ours = {
        rows: bench.rate(
            f"sash, max over {rows:,} rows", lambda rows=rows: sash.spark.rolling(df, plan([rows], m=sash.Max("x")))
        )
        for rows in (100, 1_000, 10_000, 100_000)
    }
    deviation = bench.rate(
        "sash, standard deviation over 10,000 rows",
        lambda: sash.spark.rolling(df, plan([10_000], d=sash.Std("x"))),
    )
    few = bench.sample(df, 60_000)
    agree(
        sash.spark.rolling(few, plan([10_000], m=sash.Max("x"), d=sash.Std("x"))),
        range_frame(few, [10_000], m="max(x)", d="stddev_samp(x)"),
    )
    count = few.count()
    spark = {
        rows: bench.rate(
            f"Spark, max over {rows:,} rows, range frame (sample of {count:,})",
            lambda rows=rows: range_frame(few, [rows], m="max(x)"),
            count,
            1,
        )
        for rows in (1_000, 10_000)
    }
    slow = bench.rate(
        f"Spark, standard deviation over 10,000 rows (sample of {count:,})",
        lambda: range_frame(few, [10_000], d="stddev_samp(x)"),
        count,
        1,
    )
    ratio("max over 10,000 rows against Spark's range frame", ours[10_000] / spark[10_000], "8")
    ratio("max over 1,000 rows", ours[1_000] / spark[1_000], "1")
    ratio("standard deviation over 10,000 rows", deviation / slow, "20")
    ratio("slowest to fastest window", max(ours.values()) / min(ours.values()), "at most 1.5")


def way(bench: Bench) -> None:
    """One window, one aggregation, beside the way to Python and back with nothing done there."""
    df = bench.events()
    print("shuffle, sort, Python and back")
    few = bench.sample(df, 20_000)
    agree(sash.spark.rolling(few, plan([1_000], m=sash.Max("x"))), range_frame(few, [1_000], m="max(x)"))
    nothing = bench.rate("nothing done", lambda: bare(df))
    ours = bench.rate("sash, max over 10,000 rows", lambda: sash.spark.rolling(df, plan([10_000], m=sash.Max("x"))))
    ratio("max over 10,000 rows against nothing done", ours / nothing, "1.15")


def shared(bench: Bench) -> None:
    """Four windows and five aggregations in one plan; Spark's segment tree beside it."""
    df = bench.events()
    windows = [100, 1_000, 10_000, 50_000]
    print("four windows, five aggregations")
    one = bench.rate("sash, one window, max", lambda: sash.spark.rolling(df, plan([10_000], m=sash.Max("x"))))
    every = plan(windows, **{name: pair[0] for name, pair in FIVE.items()})
    all_of_them = bench.rate("sash, four windows, five aggregations", lambda: sash.spark.rolling(df, every))
    texts = {name: pair[1] for name, pair in FIVE.items()}
    bench.spark.conf.set(SEGMENT_TREE, "true")
    few = bench.sample(df, 60_000)
    agree(sash.spark.rolling(few, every), range_frame(few, windows, **texts), 1e-6)
    tree = bench.rate("Spark's segment tree, one window, max", lambda: range_frame(df, [10_000], m="max(x)"))
    trees = bench.rate(
        "Spark's segment tree, four windows, five aggregations", lambda: range_frame(df, windows, **texts), None, 1
    )
    bench.spark.conf.set(SEGMENT_TREE, "false")
    ratio("one window, max, against the segment tree", one / tree, "0.8")
    ratio("four windows, five aggregations, against the segment tree", all_of_them / trees, "3")
    ratio("four windows, five aggregations against one of each: time", one / all_of_them, "at most 2")


def sketches(bench: Bench) -> None:
    """Distinct counts and medians over 10,000 rows."""
    df = bench.events()
    print("distinct counts and medians over 10,000 rows")
    few = bench.sample(df, 30_000)
    count = few.count()
    sets = range_frame(few, [10_000], d="collect_set(kind)")
    counts = sets.withColumn(sets.columns[-1], F.size(sets.columns[-1]))
    agree(sash.spark.rolling(few, plan([10_000], d=sash.CountDistinct("kind"))), counts)
    distinct = bench.rate(
        "sash, distinct count, exact", lambda: sash.spark.rolling(df, plan([10_000], d=sash.CountDistinct("kind")))
    )
    medians = plan([10_000], q=sash.Median("x"))
    agree_in_rank(sash.spark.rolling(few, medians), few)
    sketch = bench.rate("sash, median, exact", lambda: sash.spark.rolling(df, medians))
    bench.spark.conf.set(SEGMENT_TREE, "true")
    theirs = bench.rate(
        f"Spark, approx_count_distinct, segment tree on (sample of {count:,})",
        lambda: range_frame(few, [10_000], d="approx_count_distinct(kind)"),
        count,
        1,
    )
    quantile = bench.rate(
        f"Spark, percentile_approx, segment tree on (sample of {count:,})",
        lambda: range_frame(few, [10_000], q="percentile_approx(x, 0.5)"),
        count,
        1,
    )
    bench.spark.conf.set(SEGMENT_TREE, "false")
    ratio("distinct count", distinct / theirs, "20")
    ratio("median, theirs by sketch", sketch / quantile, "20")


def ready(bench: Bench) -> None:
    """Input that lies by key and time already, in memory: nothing is shuffled or sorted."""
    df = bench.events().repartition("k").sortWithinPartitions("k", "t").cache()
    df.count()
    print("input that is partitioned and sorted already")
    print("  " + "\n  ".join(sash.spark.explain(df, plan([10_000], m=sash.Max("x"))).splitlines()[1:3]))
    ours = bench.rate("sash, max over 10,000 rows", lambda: sash.spark.rolling(df, plan([10_000], m=sash.Max("x"))))
    bench.spark.conf.set(SEGMENT_TREE, "true")
    tree = bench.rate("Spark's segment tree, max over 10,000 rows", lambda: range_frame(df, [10_000], m="max(x)"))
    bench.spark.conf.set(SEGMENT_TREE, "false")
    ratio("against the segment tree", ours / tree, "0.8")


def slides(bench: Bench) -> None:
    """A window of one hour that slides by 10 seconds."""
    print("one hour, every 10 seconds: max, sum, count")
    for keys in (10, 1_000):
        df = bench.events(keys)
        hop = sash.Plan(
            by="k",
            on="t",
            windows=sash.TimeWindow("1h", every="10s", closed="left"),
            aggregations={name: FIVE[name][0] for name in ("max", "sum", "n")},
        )
        ours = bench.rate(f"sash, {keys:,} keys", lambda df=df, hop=hop: sash.spark.rolling(df, hop))
        few = df.filter(F.col("id") < bench.rows // 10)
        count = few.count()
        theirs = bench.rate(
            f"Spark's window(), {keys:,} keys (sample of {count:,})", lambda few=few: hops(few), count, 1
        )
        small = few.filter(F.col("id") < 5_000)
        same_slides(sash.spark.rolling(small, hop), hops(small))
        ratio(f"{keys:,} keys", ours / theirs, "10")


def skew(bench: Bench) -> None:
    """Nine rows of ten in one key: with the search for skewed keys, and without."""
    hot = bench.events(1_000).withColumn("k", F.when(F.col("id") % 10 == 0, F.col("k")).otherwise(F.lit(0)))
    hot = hot.cache()
    hot.count()
    print("90% of the rows in one key")
    wanted = plan([1_000], m=sash.Max("x"), s=sash.Sum("x"))
    few = hot.filter(F.col("id") < 60_000)
    agree(sash.spark.rolling(few, wanted, split_skewed_keys="auto"), range_frame(few, [1_000], m="max(x)", s="sum(x)"))
    whole = bench.rate("as it is", lambda: sash.spark.rolling(hot, wanted))
    auto = bench.rate('split_skewed_keys="auto"', lambda: sash.spark.rolling(hot, wanted, split_skewed_keys="auto"))
    ratio('"auto" against as it is', auto / whole, "1")


def hops(df: DataFrame) -> DataFrame:
    """The slides by Spark's own hop windows."""
    grouped = df.groupBy("k", F.window("t", "1 hour", "10 seconds").alias("w"))
    made = grouped.agg(F.max("x").alias("max"), F.sum("x").alias("sum"), F.count("*").alias("n"))
    return made.select("k", "w.start", "w.end", "max", "sum", "n")


def same_slides(ours: DataFrame, theirs: DataFrame) -> None:
    """Fail unless both have the same windows with the same results."""
    left = ours.toDF("k", "start", "end", "max", "sum", "n").withColumn("sum", F.round("sum", 6))
    right = theirs.withColumn("sum", F.round("sum", 6))
    if left.count() != right.count() or left.exceptAll(right).count():
        raise SystemExit("slides differ")


def session() -> SparkSession:
    """Two cores, two partitions, no page to look at."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder: Any = SparkSession.builder.master("local[2]").appName("sash-batch")
    for name, value in {
        "spark.sql.shuffle.partitions": 2,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        "spark.driver.host": "127.0.0.1",
    }.items():
        builder = builder.config(name, value)
    made: SparkSession = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


PARTS = {
    "way": way,
    "frames": frames,
    "shared": shared,
    "sketches": sketches,
    "ready": ready,
    "slides": slides,
    "skew": skew,
}


def main(arguments: list[str]) -> None:
    """Run the parts that are named, or all of them."""
    rows = next((int(argument) for argument in arguments if argument.isdigit()), ROWS)
    chosen = [name for name in arguments if not name.isdigit()] or list(PARTS)
    bench = Bench(session(), rows)
    # The first runs of a session load and compile its code.
    warm = bench.events()
    for _ in range(2):
        sash.spark.rolling(warm, plan([100], m=sash.Max("x"))).write.format("noop").mode("overwrite").save()
    for name in chosen:
        bench.spark.catalog.clearCache()
        PARTS[name](bench)
    bench.spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
