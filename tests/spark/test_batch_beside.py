"""Only the columns that a plan reads go through Python, and nothing that is asked of the results moves below them."""

from __future__ import annotations

from typing import Any

import pytest

import sash

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from pyspark.sql.types import StructType

import sash.spark
from sash.spark.session import SparkFailure
from tests.spark.comparing import by_id, plain, plain_table_row, same_rows
from tests.spark.test_batch import events

#: Rows of one time are in each other's windows, so that those behind a limit count too.
PLAN = sash.Plan(by="k", on="t", windows="45s", aggregations={"n": sash.Count(), "s": sash.Sum("i")})
#: What is asked of the results, and which rows of the frame it leaves; None where any will do.
QUESTIONS = {
    "filter of a value": (lambda df: df.where("i % 3 = 0"), lambda row: row["i"] is not None and row["i"] % 3 == 0),
    "filter of the key": (lambda df: df.where("k = 'k1'"), lambda row: row["k"] == "k1"),
    "filter of the time": (lambda df: df.where("second(t) > 20"), lambda row: row["t"].second > 20),
    "limit": (lambda df: df.limit(17), None),
    "join": (lambda df: df.join(df.sparkSession.range(0, 200, 2), "id"), lambda row: row["id"] in range(0, 200, 2)),
    "sample": (lambda df: df.sample(0.3, 7), None),
    "shuffle": (lambda df: df.repartition(3), lambda row: True),
    "dropped duplicates": (lambda df: df.dropDuplicates(["id"]), lambda row: True),
}


@pytest.mark.parametrize(
    ("question", "split"), [*((question, None) for question in QUESTIONS), ("filter of a value", 40), ("limit", 40)]
)
def test_what_is_asked_of_results_does_not_change_them(spark: Any, question: str, split: int | None) -> None:
    """Spark would filter the rows of a function before it is called, and forget an order that it does not need."""
    asked, leaves = QUESTIONS[question]
    table = events(400)
    found = by_id(asked(sash.spark.rolling(spark.createDataFrame(table), PLAN, split_skewed_keys=split)))
    wanted = {row["id"]: plain_table_row(row) for row in sash.rolling(table, PLAN).to_pylist()}
    assert found
    assert all(plain(row) == wanted[i] for i, row in found.items())
    assert leaves is None or found.keys() == {i for i, row in wanted.items() if leaves(row)}


def test_only_what_is_read_goes_to_python(spark: Any) -> None:
    """The key, the time and one value of nine columns go there; results alone come back."""
    plan = sash.Plan(by="k", on="t", windows="10s", aggregations={"m": sash.Max("i")})
    done = sash.spark.rolling(spark.createDataFrame(events(50)), plan)
    (node,) = [
        line for line in done._jdf.queryExecution().executedPlan().toString().splitlines() if "EvalPython" in line
    ]
    arguments = node.partition("udf(")[2].partition(")")[0]
    assert [name.partition("#")[0].strip() for name in arguments.split(",")] == ["k", "t", "i"]


@pytest.mark.parametrize(
    ("window", "aggregation"),
    [(sash.DeltaWindow("id", 50), sash.Count()), ("20s", sash.ArgMax("i", where=sash.col("x") > 0))],
    ids=["a measure", "the row of a maximum under a condition"],
)
def test_what_is_read_beside_values_goes_to_python_too(spark: Any, window: Any, aggregation: Any) -> None:
    """Windows may read columns that no aggregation names, and an aggregation may give whole rows."""
    table = events(120)
    plan = sash.Plan(by="k", on="t", windows=window, aggregations={"made": aggregation})
    same_rows(sash.spark.rolling(spark.createDataFrame(table), plan), sash.rolling(table, plan))


def test_a_plan_that_reads_no_column_runs(spark: Any) -> None:
    """It counts rows."""
    plan = sash.Plan(windows=3, aggregations={"n": sash.Count()})
    done = sash.spark.rolling(spark.range(5), plan)
    assert sorted(row["n_3"] for row in done.collect()) == [1, 2, 3, 3, 3]


def test_results_that_are_never_null_are_said_to_be_so(spark: Any) -> None:
    """Numbers, arrays, bytes and structs, as the schema promises them; columns of rows stay as they are."""
    some = {
        "n": sash.Count(),
        "x": sash.Sum("x"),
        "any": sash.Any("b"),
        "top": sash.TopK("x"),
        "seen": sash.Bloom("x"),
        "approx": sash.ApproxCountDistinct("x"),
        "histogram": sash.Histogram("x"),
        "both": sash.Composite(n=sash.Count(), last=sash.Last("d")),
        "max": sash.Max("x"),
    }
    df = spark.range(3).selectExpr("id t", "double(id) x", "id > 1 b", "date'2024-01-01' d")
    plan = sash.Plan(on="t", windows=sash.TimeWindow(2), aggregations=some)
    done = sash.spark.rolling(df, plan)
    promised = sash.spark.schema.output_fields(df.schema, plan)
    assert done.schema == StructType([*df.schema.fields, *promised])
    assert [field.nullable for field in promised] == [False] * 8 + [True]
    assert [row.n_2 for row in done.sort("t").collect()] == [1, 2, 2]


def test_a_count_of_results_fails_where_they_fail(spark: Any) -> None:
    """Though no result is looked at."""
    df = spark.sql("select 1 k, cast(null as timestamp) t")
    plan = sash.Plan(by="k", on="t", windows="1h", aggregations={"n": sash.Count()})
    with pytest.raises(SparkFailure, match="null"):
        sash.spark.rolling(df, plan).count()
