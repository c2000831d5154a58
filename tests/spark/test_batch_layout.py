"""How rows come together: what is there is used, what is not is made; splitting skewed keys changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sash

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from pyspark.sql import functions as F  # noqa: N812

import sash.spark
from sash.spark import skew
from sash.spark.layout import existing
from tests.spark.comparing import by_id, same_rows
from tests.spark.test_batch import EXACT, events

PLAN = sash.Plan(by="k", on="t", windows=sash.TimeWindow(5), aggregations={"n": sash.Count(), "s": sash.Sum("x")})


def numbers(spark: Any) -> Any:
    return spark.range(200).selectExpr("id", "id % 7 k", "(id * 37) % 100 t", "id x")


def shuffles(df: Any) -> int:
    return df._jdf.queryExecution().executedPlan().toString().count(" Exchange ")


def sorts(df: Any) -> int:
    return df._jdf.queryExecution().executedPlan().toString().count("Sort [")


@pytest.mark.parametrize(
    ("prepare", "partitioned", "ordered"),
    [
        (lambda df: df, False, False),
        (lambda df: df.repartition("k"), True, False),
        (lambda df: df.repartition(3, "k").sortWithinPartitions("k", "t"), True, True),
        (lambda df: df.repartition("k").sortWithinPartitions("k", "t", "x").filter("x > 3"), True, True),
        (lambda df: df.repartition("k").sortWithinPartitions("k", df.t.desc()), True, False),
        (lambda df: df.repartition("k").sortWithinPartitions("t", "k"), True, False),
        (lambda df: df.repartition("k", "t"), False, False),
        (lambda df: df.repartition("x"), False, False),
        (lambda df: df.coalesce(1), True, False),
        (lambda df: df.groupBy("id", "k", "t").agg({"x": "sum"}).withColumnRenamed("sum(x)", "x"), False, False),
    ],
)
def test_what_a_data_frame_brings_along_is_seen(spark: Any, prepare: Any, partitioned: bool, ordered: bool) -> None:
    """Only what is certain: a shuffle that the user asked for, and a sort above it."""
    df = prepare(numbers(spark))
    found = existing(df, PLAN)
    assert (found.partitioned, found.ordered) == (partitioned, ordered)
    done = sash.spark.rolling(df, PLAN)
    # Of two shuffles or sorts in a row Spark drops the first, so there is never more than one.
    assert shuffles(done) == (shuffles(df) if partitioned else 1)
    assert sorts(done) == (sorts(df) if ordered else 1)


def test_a_cached_data_frame_is_not_shuffled_again(spark: Any) -> None:
    """It lies by key and time already; the results are those of one that does not."""
    df = numbers(spark).repartition("k").sortWithinPartitions("k", "t").cache()
    try:
        df.count()
        assert existing(df, PLAN).ordered
        ours = by_id(sash.spark.rolling(df, PLAN))
    finally:
        df.unpersist()
    assert ours == by_id(sash.spark.rolling(numbers(spark), PLAN))


@pytest.mark.parametrize("split", [40, "auto", {"k1": 4, None: 3, "k77": 2}])
def test_a_skewed_key_is_split_and_nothing_changes(spark: Any, split: Any) -> None:
    """By number of rows, or as asked; keys that are null, keys that are not there. Blocks of time have a length too."""
    table = events(500)
    some = {**EXACT, "row": sash.ArgMax("i")}
    windows = ["10s", "45s", sash.TumblingWindow("30s", closed="left")]
    plan = sash.Plan(by="k", on="t", windows=windows, closed="both", aggregations=some)
    same_rows(
        sash.spark.rolling(spark.createDataFrame(table), plan, split_skewed_keys=split), sash.rolling(table, plan)
    )


def test_auto_splits_only_where_it_can_pay(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tasks at a time win nothing by a count and a split: nothing runs. Eight do, for a key that holds one up."""
    monkeypatch.setattr(skew, "_LEAST_PART", 50)
    plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow(9), aggregations={"n": sash.Count()})
    df = spark.range(1_000).selectExpr("if(id < 900, null, id) k", "id t")
    assert skew._slots(spark) == 2
    fails = df.withColumn("k", F.expr("raise_error('counted')").cast("long"))
    assert skew.find_cuts(fails, plan, "auto") == {}
    monkeypatch.setattr(skew, "_slots", lambda spark: 8)
    cuts = skew.find_cuts(df, plan, "auto")
    assert {key: len(steps) for key, steps in cuts.items()} == {(None,): 14}


def test_one_window_over_all_rows_is_split_too(spark: Any) -> None:
    """Without a key, all rows are one key: split, they run in parallel."""
    table = events(300)
    plan = sash.Plan(on="t", windows="20s", peers=False, aggregations=EXACT)
    done = sash.spark.rolling(spark.createDataFrame(table), plan, split_skewed_keys=50)
    same_rows(done, sash.rolling(table, plan))


@pytest.mark.parametrize("kind", ["timestamp_seconds(s)", "timestamp_ntz", "date", "int", "double"])
def test_times_of_every_kind_are_split(spark: Any, kind: str) -> None:
    """Times become numbers for the cuts; the windows at a cut are whole."""
    times = {
        "timestamp_ntz": "cast(timestamp_seconds(s) as timestamp_ntz)",
        "date": "date_add(date'2024-01-01', s)",
        "int": "s",
        "double": "cast(s as double) / 4",
    }
    window = {"date": "3d", "int": sash.TimeWindow(4), "double": sash.TimeWindow(1.5)}.get(kind, "5s")
    df = spark.range(90).selectExpr("id", "cast((id * 7) % 30 as int) s").selectExpr("id", f"{times.get(kind, kind)} t")
    plan = sash.Plan(on="t", windows=window, aggregations={"n": sash.Count(), "ids": sash.CollectDistinct("id")})
    whole, cut = (sash.spark.rolling(df, plan, split_skewed_keys=split) for split in (None, 20))
    assert shuffles(cut) == 1
    assert by_id(cut) == by_id(whole)


def test_rows_in_any_order_give_the_same_parts(spark: Any) -> None:
    """Whatever way the rows lie, split or not: permutations of one DataFrame."""
    plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow(9), aggregations={"n": sash.Count(), "m": sash.Max("x")})
    df = numbers(spark)
    expected = by_id(sash.spark.rolling(df, plan))
    shuffled = df.orderBy(df.x * 7919 % 200).repartition(5)
    assert by_id(sash.spark.rolling(shuffled, plan, split_skewed_keys=7)) == expected


@pytest.mark.parametrize(
    ("windows", "split", "why"),
    [
        (5, 10, r"CountWindow\(5\) has no length in time"),
        (sash.TimeWindow(4, every=2), 10, "has no length in time for a part"),
        (sash.TimeWindow(4), 0, "not 0"),
        (sash.TimeWindow(4), "often", "not 'often'"),
        (sash.TimeWindow(4), {("a", 1): 2}, "has 2 columns, and that of the plan 1"),
        (sash.TimeWindow(4), {"a": 0}, "'a' is split into 1 part or more, not 0"),
    ],
)
def test_a_split_that_makes_no_sense_is_refused(spark: Any, windows: Any, split: Any, why: str) -> None:
    """Before anything runs."""
    plan = sash.Plan(by="k", on="t", windows=windows, aggregations={"n": sash.Count()})
    with pytest.raises(sash.PlanError, match=why):
        sash.spark.rolling(numbers(spark), plan, split_skewed_keys=split)


def test_ties_stand_as_they_stood(spark: Any) -> None:
    """Rows of one time are combined in the order of the input, partition after partition."""
    rng = np.random.default_rng(5)
    rows = [(i, int(rng.integers(0, 3)), int(rng.integers(0, 4)), chr(97 + i % 26)) for i in range(120)]
    df = spark.createDataFrame(rows, "id long, k int, t int, s string")
    plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow(2), aggregations={"all": sash.Concat("s")})
    for row in by_id(sash.spark.rolling(df, plan)).values():
        seen = [other for other in rows if other[1] == row.k and row.t - 2 < other[2] <= row.t]
        assert row.all_2 == "".join(other[3] for other in sorted(seen, key=lambda other: other[2]))
