"""A plan over a DataFrame of Spark gives what it gives over a frame in this process."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

import sash

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import sash.spark
from tests.spark.comparing import by_id, same_rows

EPOCH = dt.datetime(2024, 3, 30, 22, tzinfo=dt.UTC)


def events(rows: int, seed: int = 7) -> pa.Table:
    """Rows in no order, with ties, nulls and keys of very different sizes; `id` identifies them."""
    rng = np.random.default_rng(seed)
    seconds = rng.integers(0, rows, rows)
    keys = [None if key == 5 else f"k{key}" for key in np.minimum(rng.geometric(0.4, rows), 6).tolist()]
    nulls = rng.random(rows) < 0.1
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "k": pa.array(keys, pa.string()),
            "t": pa.array([EPOCH + dt.timedelta(seconds=int(second)) for second in seconds], pa.timestamp("us", "UTC")),
            "x": pa.array(rng.normal(size=rows).round(3), mask=nulls),
            "i": pa.array(rng.integers(-3, 4, rows), pa.int32()),
            "s": [chr(97 + i % 26) for i in range(rows)],
        }
    )


EXACT = {
    "all": sash.Concat("s"),
    "first": sash.First("s"),
    "best": sash.ArgMax("i", "s"),
    "n": sash.Count(),
    "sum": sash.Sum("i"),
    "kinds": sash.CountDistinct("i"),
}
PLANS = {
    "time": {"windows": ["10s", "1m"]},
    "closed": {"windows": "20s", "closed": "both"},
    "count": {"windows": [1, 7]},
    "no peers": {"windows": "15s", "peers": False},
    "sessions": {"windows": [sash.SessionWindow("4s"), sash.TumblingWindow("30s"), sash.TumblingWindow(count=4)]},
    "landmark": {"windows": sash.LandmarkWindow(), "min_periods": 3},
    "policies": {"windows": [sash.DeltaWindow("id", 50), sash.PunctuatedWindow(lambda row: row["s"] == "q")]},
    "no key": {"windows": "10s", "by": None},
    "two keys": {"windows": "1m", "by": ["k", "i"]},
    "in order": {"windows": 3, "on": None},
    "where": {
        "windows": "20s",
        "aggregations": {
            "all": sash.Concat("s", where=sash.col("i") > 0),
            "n": sash.Count(where=sash.col("s").is_in(["a", "b"]) | sash.col("x").is_null()),
            "best": sash.ArgMax("i", "s", where=sash.col("x") / sash.col("i") > 0.5),
        },
    },
}


@pytest.mark.parametrize("name", PLANS)
def test_a_batch_is_what_a_frame_gives(spark: Any, name: str) -> None:
    """Row for row, for every kind of window, with aggregations that show the order of ties."""
    table = events(600)
    plan = sash.Plan(**{"by": "k", "on": "t", "aggregations": EXACT, **PLANS[name]})
    same_rows(sash.spark.rolling(spark.createDataFrame(table), plan), sash.rolling(table, plan))


@pytest.mark.parametrize("partitions", [1, 3, 8])
def test_the_number_of_partitions_changes_nothing(spark: Any, partitions: int) -> None:
    """Of the input, and of the shuffle; some of them empty."""
    table = events(300)
    plan = sash.Plan(by="k", on="t", windows=["10s", 5], aggregations=EXACT)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    try:
        df = spark.createDataFrame(table).repartition(partitions, "id").sortWithinPartitions("id")
        unordered = {name: one for name, one in EXACT.items() if name in ("n", "sum", "kinds")}
        plan = sash.Plan(by="k", on="t", windows=["10s"], aggregations=unordered)
        same_rows(sash.spark.rolling(df, plan), sash.rolling(table, plan))
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)


def test_every_built_in_aggregation_has_its_type_and_its_results(spark: Any) -> None:
    """All of them in one plan; objects to be asked come as bytes, and are read back."""
    from tests.rolling.test_every_aggregation import COLUMNS, OPTIONS

    table = events(200).append_column("v", pa.array([abs(x or 0.5) for x in events(200)["x"].to_pylist()]))
    table = table.append_column("b", pa.array([i % 2 == 0 for i in range(200)]))
    table = table.append_column("w", pa.array([i % 4 for i in range(200)]))
    columns = {"WeightedMean": ("v", "w")}
    made = {}
    for name, maker in sash.aggregations.built_ins().items():
        options = {"half_life": "5s"} if name == "DecayedSum" else OPTIONS.get(name, {})
        made[name] = maker(*columns.get(name, COLUMNS.get(name, ("v",))), **options)
    plan = sash.Plan(by="k", on="t", windows="30s", aggregations=made)
    ours = by_id(sash.spark.rolling(spark.createDataFrame(table), plan))
    pandas = sash.rolling(table.to_pandas(), plan)
    for name, aggregation in made.items():
        theirs = dict(zip(pandas["id"], pandas[f"{name}_30s"], strict=True))
        for i, row in ours.items():
            given, expected = row[f"{name}_30s"], theirs[i]
            if name in ("Bloom", "CountMin", "NaiveBayes"):
                given = aggregation.lower(aggregation.decode(bytes(given)))
                assert repr(given)[:60] == repr(expected)[:60], name
                continue
            assert same(given, expected), (name, given, expected)


def same(ours: Any, theirs: Any) -> bool:
    """Equal, part by part; NaN and None are nothing, a time is an instant."""
    nothing = [value is None or (isinstance(value, float) and math.isnan(value)) for value in (ours, theirs)]
    if any(nothing):
        return all(nothing)
    if isinstance(theirs, (float, np.floating)):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(theirs, dict):
        return all(same(ours[name], value) for name, value in theirs.items())
    if isinstance(theirs, (tuple, list)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, dt.datetime):
        return ours.astimezone(dt.UTC).replace(tzinfo=None) == theirs.astimezone(dt.UTC).replace(tzinfo=None)
    return bool(ours == theirs)


def test_spark_s_own_range_frame_agrees(spark: Any) -> None:
    """For the aggregations that it has, over the same intervals."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    df = spark.createDataFrame(events(500)).withColumn("second", F.expr("unix_seconds(t)")).drop("t")
    plan = sash.Plan(
        by="k",
        on="second",
        windows=sash.TimeWindow(60, closed="both"),
        aggregations={"max": sash.Max("x"), "sum": sash.Sum("i"), "dev": sash.Std("x"), "n": sash.Count("x")},
    )
    frame = Window.partitionBy("k").orderBy("second").rangeBetween(-60, 0)
    theirs = df.select("id", *(F.expr(f"{f}({c})").over(frame).alias(n) for n, f, c in SPARK_S))
    expected = {row.id: row for row in theirs.collect()}
    for i, row in by_id(sash.spark.rolling(df, plan)).items():
        for name, _, _ in SPARK_S:
            assert same(row[f"{name}_60"], expected[i][name]), (name, row, expected[i])


SPARK_S = [("max", "max", "x"), ("sum", "sum", "i"), ("dev", "stddev_samp", "x"), ("n", "count", "x")]


def test_spark_s_own_hop_windows_agree(spark: Any) -> None:
    """A slide with the end out is Spark's window(t, length, slide)."""
    from pyspark.sql import functions as F  # noqa: N812

    df = spark.createDataFrame(events(400))
    plan = sash.Plan(
        by="k",
        on="t",
        windows=sash.TimeWindow("1m", every="15s", closed="left"),
        aggregations={"n": sash.Count(), "max": sash.Max("x"), "sum": sash.Sum("i")},
    )
    ours = sash.spark.rolling(df, plan).collect()
    hops = df.groupBy("k", F.window("t", "1 minute", "15 seconds").alias("w")).agg(
        F.count("*").alias("n"), F.max("x").alias("max"), F.sum("i").alias("sum")
    )
    theirs = hops.select("k", "w.start", "w.end", "n", "max", "sum").collect()
    assert sorted(map(tuple, ours), key=repr) == sorted(map(tuple, theirs), key=repr)


def test_slides_are_those_of_a_frame(spark: Any) -> None:
    """Keys, ends and results, with keys that are null."""
    table = events(300)
    plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow("20s", every="3s"), aggregations=EXACT)
    df = sash.spark.rolling(spark.createDataFrame(table), plan)
    assert df.columns[:3] == ["k", "window_start", "window_end"]
    where = {(row.k, row.window_end.astimezone(dt.UTC)): tuple(row)[3:] for row in df.collect()}
    expected = sash.rolling(table, plan)
    assert len(where) == expected.num_rows
    for row in expected.to_pylist():
        assert where[row["k"], row["window_end"]] == tuple(row.values())[3:]


def test_times_of_every_kind(spark: Any) -> None:
    """Timestamps with a zone and without, dates, integers and floats: one job for each, the same results."""
    base = "id", "cast(id % 2 as int) k", "cast(id as int) x"
    kinds = {
        "timestamp_seconds(id * 3600)": "2h",
        "cast(timestamp_seconds(id * 3600) as timestamp_ntz)": "2h",
        "date_add(date'2024-02-27', cast(id as int))": "2d",
        "cast(id as int)": sash.TimeWindow(2),
        "cast(id as double)": sash.TimeWindow(2.0),
    }
    for kind, window in kinds.items():
        df = spark.range(6).selectExpr(*base, f"{kind} t")
        plan = sash.Plan(by="k", on="t", windows=window, aggregations={"all": sash.Collect("x"), "at": sash.Last("t")})
        rows = by_id(sash.spark.rolling(df, plan))
        label = plan.labels[0]
        assert [rows[i][f"all_{label}"] for i in range(6)] == [[i] for i in range(6)], kind
        assert all(row[f"at_{label}"] == row["t"] for row in rows.values()), kind


def test_an_hour_that_comes_twice_is_two_hours(spark: Any) -> None:
    """Instants are instants, whatever the zone of the session: the night in which summer time ends has 25 hours."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        start = dt.datetime(2024, 10, 26, 22, tzinfo=dt.UTC)
        hours = [(start + dt.timedelta(hours=i)).astimezone(ZoneInfo("Europe/Berlin")) for i in range(6)]
        df = spark.createDataFrame([(i, hour) for i, hour in enumerate(hours)], "id long, t timestamp")
        plan = sash.Plan(on="t", windows="2h", aggregations={"n": sash.Count(), "first": sash.First("t")})
        rows = by_id(sash.spark.rolling(df, plan))
        assert [rows[i]["n_2h"] for i in range(6)] == [1, 2, 2, 2, 2, 2]
        assert [rows[i]["first_2h"] for i in range(1, 6)] == [rows[i]["t"] for i in range(5)]
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_no_rows_and_no_values(spark: Any) -> None:
    """An empty DataFrame keeps its columns; a column of nulls has the results of an empty window."""
    plan = sash.Plan(
        by="k", on="t", windows=sash.TimeWindow(2), aggregations={"sum": sash.Sum("x"), "max": sash.Max("x")}
    )
    empty = spark.createDataFrame([], "k int, t long, x double")
    done = sash.spark.rolling(empty, plan)
    assert done.columns == ["k", "t", "x", "sum_2", "max_2"]
    assert done.collect() == []
    nulls = sash.spark.rolling(spark.sql("select 1 k, 2L t, cast(null as double) x"), plan)
    assert [tuple(row) for row in nulls.collect()] == [(1, 2, None, 0.0, None)]


def test_both_zeros_are_one_key_and_so_are_nan_and_null(spark: Any) -> None:
    """As in a frame: a key is compared by value, and what is no value is one key."""
    rows = [(0, 0.0, 1), (1, -0.0, 2), (2, math.nan, 1), (3, None, 2)]
    df = spark.createDataFrame(rows, "id long, k double, t long")
    plan = sash.Plan(by="k", on="t", windows=sash.LandmarkWindow(), aggregations={"n": sash.Count()})
    label = plan.labels[0]
    assert [row[f"n_{label}"] for _, row in sorted(by_id(sash.spark.rolling(df, plan)).items())] == [1, 2, 1, 2]


def longest(column: str) -> sash.Aggregation:
    """The longest run of letters so far, the oldest of equals: of one's own, known to this process alone."""

    class Longest(sash.Aggregation):
        identity = ""
        result = "str"

        def lift(self, value: str) -> str:
            return value

        def combine(self, older: str, newer: str) -> str:
            return newer if newer > older else older

        def lower(self, partial: str) -> str:
            return partial

    made = Longest()
    made.column = column
    return made


def test_an_aggregation_of_ones_own_is_shipped(spark: Any) -> None:
    """A class of the caller's, a function that closes over a value, and one that Numba compiles."""
    table = events(100)
    scale = 3
    tripled = sash.aggregation(combine=lambda a, b: a + b * scale, identity=0, lift=lambda v: v, column="i")
    plan = sash.Plan(by="k", on="t", windows="20s", aggregations={"long": longest("s"), "tripled": tripled})
    with pytest.raises(sash.PlanError, match=r'aggregation .tripled.*types=\{"tripled": "double"\}'):
        sash.spark.rolling(spark.createDataFrame(table), plan)
    done = sash.spark.rolling(spark.createDataFrame(table), plan, types={"tripled": "bigint"})
    same_rows(done, sash.rolling(table, plan))


def test_rows_keep_their_other_columns(spark: Any) -> None:
    """Arrays, maps, structs, decimals, and names with dots and spaces."""
    df = spark.sql(
        "select 1 as `a key`, 5L as `the.time`, array(1, 2) as list, map('a', 1) as map,"
        " named_struct('u', 1.5) as struct, cast(1.25 as decimal(9, 2)) as money"
    )
    plan = sash.Plan(
        by="a key",
        on="the.time",
        windows=sash.TimeWindow(2),
        aggregations={"m": sash.Last("money"), "l": sash.First("list")},
    )
    done = sash.spark.rolling(df, plan)
    assert done.schema["m_2"].dataType == df.schema["money"].dataType
    row = done.collect()[0]
    assert (row["list"], row["map"], row["struct"].u, row["money"], row["m_2"], row["l_2"]) == (
        *([1, 2], {"a": 1}, row["struct"].u, row["money"], row["money"], [1, 2]),
    )
