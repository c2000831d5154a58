"""Streams behind joins: which watermark counts, and which rows are late."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

import sash
import sash.spark
from sash.spark.stream.watermark import Mark, input_watermark
from tests.spark.streams import batches, random_rows
from tests.spark.test_stream import rate, run, stream_of, write_files


def plan_of(**parts: Any) -> sash.Plan:
    """Counts over ten seconds, of a DataFrame that has a watermark."""
    parts = {"by": "card", "on": "time", "windows": "10s", "aggregations": {"n": sash.Count()}} | parts
    return sash.Plan(**parts)


def names(spark: Any) -> DataFrame:
    """A table at rest."""
    found: DataFrame = spark.sql("select 'a' c3, 'x' name union all select 'b', 'y'")
    return found


def first_names(spark: Any) -> DataFrame:
    """One at rest that is aggregated, joined and free of duplicates."""
    once = names(spark).groupBy("c3").agg(F.first("name").alias("name")).dropDuplicates(["c3"])
    return F.broadcast(once.join(names(spark).selectExpr("c3 c4"), F.expr("c3 = c4")))


def marked(spark: Any) -> DataFrame:
    """A stream with a watermark on its times."""
    return rate(spark).withWatermark("time", "5 seconds")


def other(df: DataFrame) -> DataFrame:
    """The rows as another stream, with a watermark of its own."""
    return df.selectExpr("row r2", "time t2", "amount a2").withWatermark("t2", "20 seconds")


def is_named() -> Any:
    """The condition of a join with the table at rest."""
    return F.expr("card = c3")


def same_row() -> Any:
    """The condition of a join of two streams."""
    return F.expr("row = r2 and t2 >= time and t2 <= time + interval 1 second")


def with_union(spark: Any) -> DataFrame:
    """One of two branches keeps rows."""
    return marked(spark).union(marked(spark).dropDuplicatesWithinWatermark(["row"]))


AT_REST = {
    "no join": marked,
    "a table": lambda spark: marked(spark).join(names(spark), is_named(), "left"),
    "a table first": lambda spark: names(spark).join(marked(spark), is_named(), "right"),
    "a table that is aggregated": lambda spark: marked(spark).join(first_names(spark), is_named(), "left"),
    "two tables": lambda spark: (
        marked(spark).join(names(spark), is_named()).join(first_names(spark).drop("c3"), "name")
    ),
    "a subquery": lambda spark: marked(spark).where("row > (select max(id) from range(5) group by id % 2 limit 1)"),
}
STREAMING = {
    "two streams": lambda spark: marked(spark).join(other(rate(spark)), same_row()),
    "two streams and a table": lambda spark: AT_REST["a table"](spark).join(other(rate(spark)), same_row()),
    "a table beside an aggregate": lambda spark: (
        marked(spark).groupBy("card", F.window("time", "4 seconds")).count().join(names(spark), is_named())
    ),
    "a table beside different rows": lambda spark: marked(spark).distinct().join(names(spark), is_named()),
    "a union": with_union,
    "windows of Sash": lambda spark: sash.spark.rolling(marked(spark), plan_of()),
}


@pytest.mark.parametrize("shape", [*AT_REST, *STREAMING])
def test_only_what_is_stateful_in_the_stream_keeps_rows_back(spark: Any, shape: str) -> None:
    """A join with a table at rest is none of these, whatever the table was made by."""
    df = (AT_REST | STREAMING)[shape](spark)
    mark = input_watermark(df)
    assert mark is not None
    assert mark.chained == (shape in STREAMING)


def test_the_plan_through_connect_is_the_analyzed_one() -> None:
    """The text has other plans before it and behind it: an unresolved join, and an operator that Spark has added."""
    lines = [
        "== Parsed Logical Plan ==",
        "'Join LeftOuter, ('card = 'c3)",
        ":- ~Join Inner",
        ":  +- ~EventTimeWatermark x, time#1: timestamp, 5 seconds",
        "+- 'Join Inner",
        "   +- ~Project",
        "",
        "== Analyzed Logical Plan ==",
        "time: timestamp, card: string",
        "~Join LeftOuter, (card#1 = c3#2)",
        ":- ~EventTimeWatermark x, time#1: timestamp, 5 seconds",
        ":  +- ~Project [time#1]",
        "+- Aggregate [c3#2]",
        "   +- Range (0, 5)",
        "",
        "== Optimized Logical Plan ==",
        "~Aggregate [card#1]",
    ]

    class Schema:
        fields = ()

    class Connect:
        schema = Schema()

        def _explain_string(self, extended: bool) -> str:
            assert extended
            return "\n".join(lines)

    df: Any = Connect()
    assert input_watermark(df) == Mark(None, 0, chained=False)


def test_late_rows_behind_a_join_with_a_table_are_those_of_the_stream(spark: Any, tmp_path: Path) -> None:
    """A row is late that is before the newest of the batches before, less the delay, with a join and without."""
    table = random_rows(random.Random(2), 300, disorder=0, nulls=False)
    write_files(tmp_path / "in", [table.slice(100), table.slice(0, 50), table.slice(50, 50)], closing=False)
    stream = stream_of(spark, tmp_path / "in").withWatermark("time", "5 seconds")
    joined = stream.join(names(spark), is_named(), "left")
    results, query = run(sash.spark.rolling(joined, plan_of(emit="update"), buckets=2), tmp_path)
    reports = [report for one in query.recentProgress if (report := sash.spark.report_of(one)) is not None]
    assert sum(report.metrics.late for report in reports) == 100
    assert sorted(results.column("row").to_pylist()) == list(range(100, 300))


def test_the_watermark_on_the_times_counts_wherever_its_column_is(spark: Any) -> None:
    """A join of two streams has two: the order of columns does not matter, and another column is still refused."""
    both = [marked(spark).join(other(rate(spark)), same_row()), other(rate(spark)).join(marked(spark), same_row())]
    for df in both:
        assert input_watermark(df, "time") == Mark("time", 5_000, chained=True)
        assert input_watermark(df, "t2") == Mark("t2", 20_000, chained=True)
        assert sash.spark.rolling(df, plan_of()).schema["time"].metadata == {"spark.watermarkDelayMs": 5_000}
        assert "stream: a row is emitted once" in sash.spark.explain(df, plan_of())
    with pytest.raises(sash.PlanError, match="a watermark on column 't2'"):
        sash.spark.rolling(both[1].withColumn("at", F.lit(0).cast("timestamp")), plan_of(on="at"))


def test_a_join_of_two_streams_gives_what_it_gives_at_rest(spark: Any, tmp_path: Path) -> None:
    """Also if the times of the plan come behind those of the other stream."""
    write_files(tmp_path / "in", batches(random_rows(random.Random(3), 200, nulls=False), 2))

    def joined(df: DataFrame) -> DataFrame:
        return sash.spark.rolling(other(df).join(df.withWatermark("time", "20 seconds"), same_row()), plan_of())

    results, _ = run(joined(stream_of(spark, tmp_path / "in")), tmp_path)
    wanted = joined(spark.read.parquet(str(tmp_path / "in"))).where("row >= 0").toArrow()
    found = [sorted(map(repr, table.select(["row", "n_10s"]).to_pylist())) for table in (results, wanted)]
    assert found[0] == found[1]
    assert results.num_rows == 200
