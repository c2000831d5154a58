"""Expressions over results on Spark: what `sash.rolling` gives over frames in this process."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import sash

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import sash.spark
from tests.spark.comparing import same_rows
from tests.spark.streams import batches, by_row, random_rows
from tests.spark.test_batch import events
from tests.spark.test_batch_labels import labels
from tests.spark.test_stream import run, stream_of, write_files

PARTS: dict[str, Any] = {
    "on": "t",
    "by": "k",
    "window": ["10s", "1m"],
    "n": sash.Count(),
    "total": sash.Sum("i"),
    "share": sash.col("total_10s") / sash.col("total_1m"),
    "rest": sash.col("n_1m") - sash.col("n_10s"),
    "few": sash.col("rest") < 3,
}


def test_expressions_of_a_batch_are_those_of_a_frame(spark: Any) -> None:
    """Quotients, with null where nothing is divided; integers; a truth of an expression before it."""
    table = events(300)
    ours = sash.spark.rolling(spark.createDataFrame(table), **PARTS)
    assert [field.simpleString() for field in ours.schema.fields[-3:]] == ["share:double", "rest:bigint", "few:boolean"]
    same_rows(ours, sash.rolling(table, **PARTS))


def test_a_plan_carries_its_expressions(spark: Any) -> None:
    """Read from TOML, to frames and to a batch of Spark alike, slides included."""
    text = """
    on = "t"
    by = ["k"]
    windows = ["10s", "1m"]
    [aggregations]
    total = 'Sum("i")'
    [expressions]
    share = "total_10s / total_1m"
    small = "share < 0.5"
    """
    plan, table = sash.Plan.from_toml(text), events(200)
    same_rows(sash.spark.rolling(spark.createDataFrame(table), plan), sash.rolling(table, plan))
    slides: dict[str, Any] = {"on": "t", "by": "k", "window": "1m", "every": "20s", "n": sash.Count()}
    slides["half"] = sash.col("n") / 2
    ours = sash.spark.rolling(spark.createDataFrame(table), **slides).select("k", "n", "half").collect()
    theirs = sash.rolling(table, **slides).select(["k", "n", "half"]).to_pylist()
    assert sorted(map(str, map(tuple, ours))) == sorted(str(tuple(row.values())) for row in theirs)


def test_expressions_at_labels_too(spark: Any) -> None:
    """Over columns of the labels as well."""
    table, asked = events(200), labels(60, 200)
    parts = PARTS | {"scaled": sash.col("share") * sash.col("y")}
    ours = sash.spark.rolling(spark.createDataFrame(table), at=spark.createDataFrame(asked), **parts)
    same_rows(ours, sash.rolling(table, at=asked, **parts))


def test_every_is_that_of_each_window(spark: Any) -> None:
    """A row for each slide, as a frame gives."""
    table = events(100)
    parts: dict[str, Any] = {"on": "t", "by": "k", "window": "1m", "every": "20s", "n": sash.Count()}
    ours = sash.spark.rolling(spark.createDataFrame(table), **parts).select("k", "n").collect()
    theirs = sash.rolling(table, **parts)
    expected = zip(theirs["k"].to_pylist(), theirs["n"].to_pylist(), strict=True)
    assert sorted(map(str, map(tuple, ours))) == sorted(map(str, expected))


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"wrong": sash.col("total_2m") + 1}, "expression 'wrong': there is no result and no column 'total_2m'"),
        ({"n_1m": sash.col("total_1m")}, "the column 'n_1m' would be made twice"),
        ({"x": sash.col("total_1m")}, "a column 'x', and expression 'x' makes a column 'x': rename the expression"),
        ({"X": sash.col("total_1m")}, "a column 'x', and expression 'X' makes a column 'X': rename the expression"),
        ({"SHARE": sash.col("total_1m")}, "expression 'share' makes .*, and expression 'SHARE' makes .*: rename the"),
        ({"text": sash.col("k") + 1}, "the column 'k' is .*, and expressions over results are over numbers"),
    ],
)
def test_what_cannot_be_read_is_refused_before_anything_runs(spark: Any, more: Any, error: str) -> None:
    """With what there is."""
    with pytest.raises(sash.PlanError, match=error):
        sash.spark.rolling(spark.createDataFrame(events(3)), **PARTS | more)


@pytest.mark.slow
def test_expressions_of_a_stream_are_those_of_a_frame(spark: Any, tmp_path: Path) -> None:
    """Each row's own columns are enough."""
    table = random_rows(random.Random(3), 300, keys=3)
    write_files(tmp_path / "in", batches(table, 2))
    parts: dict[str, Any] = {
        "on": "time",
        "by": "card",
        "window": ["10s", "1m"],
        "spent": sash.Sum("amount"),
        "share_of_it": sash.col("spent_10s") / sash.col("spent_1m"),
    }
    stream = sash.spark.rolling(stream_of(spark, tmp_path / "in"), **parts, lateness="1h", emit="arrival", buckets=2)
    results, _ = run(stream, tmp_path)
    theirs = sash.rolling(table, **parts, emit="arrival")
    assert by_row(results, ["share_of_it"]) == by_row(theirs, ["share_of_it"])
