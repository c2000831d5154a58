"""Revisions into targets: the last result of each row, exactly once, whatever is replayed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame

import sash
import sash.spark
from sash.spark.sinks import folder_log
from sash.spark.sinks.folder import ParquetFolder
from sash.spark.sinks.topic import records
from tests.spark.fault_job import SOME, plan_of
from tests.spark.streams import AGGREGATIONS, batches, by_row, expected, random_rows
from tests.spark.test_stream import stream_of, write_files
from tests.spark.upsert_job import MOMENTS

JOB = Path(__file__).with_name("upsert_job.py")
PLAN = sash.Plan(
    by="card",
    on="time",
    windows="10s",
    aggregations={name: AGGREGATIONS[name] for name in (*SOME, "first")},
    lateness="20s",
    emit="update",
)


class CrashError(Exception):
    """What stops a stream here."""


class Crashes:
    """Raises at moments of a plan, once each: before rows are written, when they are and the log is not, when the log
    is and Spark has not committed, and when merged rows are and the log is not."""

    def __init__(self, moments: list[str]) -> None:
        self.left = moments
        self._commit = folder_log.FolderLog.commit

    def at(self, moment: str) -> None:
        """The moment has come."""
        if self.left and self.left[0] == moment:
            self.left.pop(0)
            raise CrashError(moment)

    def commit(self, log: Any, state: Any) -> None:
        """In the place of the log's own."""
        self.at("merged" if any(part.level for part in state.parts) else "written")
        self._commit(log, state)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that merge two parts, and keep two entries of their log."""
    monkeypatch.setattr(sash.spark.sinks.folder, "_FAN", 2)
    monkeypatch.setattr(folder_log, "_KEPT", 2)


def run(df: DataFrame, folder: Path, take: Callable[[DataFrame, int], None]) -> None:
    """Run the stream to its end, from its checkpoint."""
    writer = df.writeStream.foreachBatch(take).option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()


def run_through(crashes: Crashes, spark: Any, folder: Path, target: ParquetFolder) -> int:
    """Start the stream again from its checkpoint until it ends; how often it crashed."""

    def take(df: DataFrame, number: int) -> None:
        crashes.at("before")
        sash.spark.upsert(df, target, key="row")
        crashes.at("taken")

    for number in range(20):
        try:
            run(sash.spark.rolling(stream_of(spark, folder / "in"), PLAN, buckets=2), folder, take)
        except StreamingQueryException:
            continue
        return number
    raise AssertionError("it crashes for ever")


def last_rows(spark: Any, path: str) -> dict[int, tuple[Any, ...]]:
    """The results in the folder, by the number of their row; no row is there twice."""
    table = sash.spark.latest(spark, path).where("row >= 0").toArrow()
    assert table.num_rows == len(set(table.column("row").to_pylist()))
    return by_row(table, list(PLAN.outputs))


@pytest.mark.parametrize(
    ("parts", "moments"),
    [
        (2, ["written", "taken"]),
        pytest.param(
            9, ["before", "written", "taken", "merged", "merged", "taken", "before", "merged"], marks=pytest.mark.slow
        ),
    ],
)
def test_a_folder_has_the_last_revision_of_every_row_whatever_crashes(
    spark: Any, tmp_path: Path, monkeypatch: Any, small: None, parts: int, moments: list[str]
) -> None:
    """A stream crashes while it writes and starts again from its checkpoint: the folder is as if it never had."""
    table = random_rows(random.Random(1), 80)
    write_files(tmp_path / "in", batches(table, parts))
    target = ParquetFolder(str(tmp_path / "out"))
    crashes, planned = Crashes(moments), len(moments)
    monkeypatch.setattr(folder_log.FolderLog, "commit", lambda log, state: crashes.commit(log, state))
    assert run_through(crashes, spark, tmp_path, target) == planned
    assert last_rows(spark, target.path) == expected(table, PLAN)


@pytest.mark.slow
def test_a_folder_is_whole_however_its_process_is_killed(spark: Any, tmp_path: Path) -> None:
    """kill -9 of driver, JVM and workers in the middle of an upsert, at each of its moments: every row is there once,
    with its last revision."""
    table, plan = random_rows(random.Random(4), 120), plan_of("update")
    write_files(tmp_path / "in", batches(table, 4))
    (tmp_path / "faults").mkdir()
    for _ in range(len(MOMENTS) + 1):
        job = subprocess.Popen([sys.executable, str(JOB), str(tmp_path)], start_new_session=True)
        assert job.wait(timeout=300) == -signal.SIGKILL
    assert {mark.name for mark in (tmp_path / "faults").iterdir()} == set(MOMENTS)
    assert (tmp_path / "done").exists()
    found = sash.spark.latest(spark, str(tmp_path / "out")).where("row >= 0").toArrow()
    assert sorted(found.column("row").to_pylist()) == list(range(120))
    assert by_row(found, list(plan.outputs)) == expected(table, plan)


def test_files_of_older_batches_are_merged_and_deleted(spark: Any, tmp_path: Path, small: None) -> None:
    """However many batches there were, few parts are left; who began to read may go on for a while."""
    target = ParquetFolder(str(tmp_path / "out"))
    for number in range(7):
        rows = spark.createDataFrame([(number % 3, number)], "row int, value int").coalesce(1)
        sash.spark.upsert(rows, target, key="row", query="q", batch=number)
        if number == 5:
            seen = sash.spark.latest(spark, target)
    assert sorted(seen.collect()) == [(0, 3), (1, 4), (2, 5)]
    assert sorted(sash.spark.latest(spark, target).collect()) == [(0, 6), (1, 4), (2, 5)]
    parts = [path for path in (tmp_path / "out").iterdir() if path.name[0] != "_"]
    assert len(parts) <= 5


def test_late_and_failed_rows_get_a_table_of_their_own(spark: Any, tmp_path: Path) -> None:
    """In one call: the results to the target, the rows without results to a folder, with their reasons and once."""
    plan = sash.Plan(
        by="card",
        on="time",
        windows="10s",
        lateness="1s",
        emit="update",
        aggregations={"spent": sash.Product("amount")},
    )
    write_files(tmp_path / "in", batches(random_rows(random.Random(3), 60, disorder=30), 2))
    results, rejected = (ParquetFolder(str(tmp_path / name)) for name in ("results", "rejected"))
    taken: list[Any] = []

    def take(df: DataFrame, number: int) -> None:
        sash.spark.upsert(df, results, key="row", rejected=rejected)
        sash.spark.upsert(df, results, key="row", rejected=rejected)
        taken.extend(df.select("row", "late").collect())

    stream = stream_of(spark, tmp_path / "in")
    run(sash.spark.rolling(stream, plan, on_late="keep", on_error="keep"), tmp_path, take)
    late = sorted((row.row, row.late) for row in taken if row.late is not None)
    assert late
    assert sorted((row.row, row.late) for row in sash.spark.latest(spark, rejected).collect()) == late
    assert sash.spark.latest(spark, results).columns == [*stream.columns, "spent_10s", "revision"]
    assert sash.spark.latest(spark, results).count() == len({row.row for row in taken if row.late is None})


def test_a_batch_that_was_persisted_stays_so(spark: Any, tmp_path: Path) -> None:
    """Who has cached a batch may read it after `upsert`; what `upsert` has cached is let go."""
    rows = spark.createDataFrame([("a", 1)], "card string, spent int")
    sash.spark.upsert(rows, ParquetFolder(str(tmp_path / "one")), key="card")
    assert not rows.storageLevel.useMemory
    rows.persist()
    try:
        sash.spark.upsert(rows, ParquetFolder(str(tmp_path / "two")), key="card")
        assert rows.storageLevel.useMemory
    finally:
        rows.unpersist()


def test_a_new_checkpoint_begins_again(spark: Any, tmp_path: Path) -> None:
    """Numbers of batches are those of a stream: another one into the same folder is not taken for it."""
    target = ParquetFolder(str(tmp_path / "out"))
    for query in ("one", "two"):
        rows = spark.createDataFrame([(query,)], "name string")
        sash.spark.upsert(rows, target, key="name", query=query, batch=0)
    assert sash.spark.latest(spark, target).count() == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"key": "card"}, "2 rows of one batch have card='a': add a column that tells them apart"),
        ({"key": "shop"}, "the rows have no column 'shop': card, spent"),
        ({"key": []}, "name the columns that tell one row from another"),
        ({"key": "spent", "rejected": ParquetFolder("x")}, "on_late='keep'"),
    ],
)
def test_what_cannot_be_put_is_refused_before_anything_is_written(
    spark: Any, tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    """With the rule, the value and the way out."""
    rows = spark.createDataFrame([("a", 1), ("a", 2)], "card string, spent int")
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        sash.spark.upsert(rows, ParquetFolder(str(tmp_path / "out")), **options)
    assert not (tmp_path / "out").exists()


def test_a_folder_keeps_its_key(spark: Any, tmp_path: Path) -> None:
    """Rows that are told apart in two ways have no last one."""
    target = ParquetFolder(str(tmp_path / "out"))
    rows = spark.createDataFrame([("a", 1)], "card string, spent int")
    sash.spark.upsert(rows, target, key="card")
    with pytest.raises(ValueError, match=r"is \('card',\), and not \('spent',\): use another folder"):
        sash.spark.upsert(rows, target, key="spent")
    with pytest.raises(FileNotFoundError, match="no batch has been put into"):
        sash.spark.latest(spark, str(tmp_path / "other"))


WIDER = [
    ("int", "bigint", "bigint"),
    ("array<struct<a:int>>", "array<struct<b:string,a:bigint>>", "array<struct<a:bigint,b:string>>"),
]
#: The same rule for other types.
WIDER_TOO = [
    ("bigint", "int", "bigint"),
    ("bigint", "double", "double"),
    ("float", "double", "double"),
    ("decimal(9,2)", "decimal(12,2)", "decimal(12,2)"),
    ("array<int>", "array<bigint>", "array<bigint>"),
    ("map<string,int>", "map<string,double>", "map<string,double>"),
    ("struct<a:int>", "struct<a:bigint,b:string>", "struct<a:bigint,b:string>"),
]


@pytest.mark.parametrize(
    ("old", "new", "wider"), [*WIDER, *(pytest.param(*case, marks=pytest.mark.slow) for case in WIDER_TOO)]
)
def test_a_folder_outlives_a_column_that_widens(
    spark: Any, tmp_path: Path, small: None, old: str, new: str, wider: str
) -> None:
    """What a stream can continue with, its folder can: it reads and merges rows of both types, in the wider one."""
    target = ParquetFolder(str(tmp_path / "out"))
    for number, kind in enumerate((old, new, new, old, new)):
        rows = spark.sql(f"select {number} row, from_json('{{\"v\": {_some(kind)}}}', 'v {kind}').v value").coalesce(1)
        sash.spark.upsert(rows, target, key="row", query="q", batch=number)
        found = sash.spark.latest(spark, target)
        assert [row.row for row in found.where("value is not null").sort("row").collect()] == [*range(number + 1)]
    assert found.schema["value"].dataType.simpleString() == wider


def _some(kind: str) -> str:
    """A value of the type in JSON: 7, or one that holds it."""
    if kind.startswith("array"):
        return f"[{_some(kind[6:-1])}]"
    return '{"a": 7, "b": null}' if kind.startswith("struct") else '{"a": 7}' if kind.startswith("map") else "7"


def test_a_folder_gets_columns_and_keeps_those_that_are_gone(spark: Any, tmp_path: Path, small: None) -> None:
    """Rows that came without a column have null there, in whatever case Spark sees its name."""
    target = ParquetFolder(str(tmp_path / "out"))
    for number, text in enumerate(("0 row, 1 a", "1 row, 2L A, 3 b", "2 row", "3 row, 4 b")):
        sash.spark.upsert(spark.sql(f"select {text}"), target, key="row", query="q", batch=number)
    found = sash.spark.latest(spark, target)
    assert found.columns == ["row", "a", "b"]
    assert sorted(map(tuple, found.collect())) == [(0, 1, None), (1, 2, 3), (2, None, None), (3, None, 4)]


def test_a_folder_refuses_a_type_that_it_cannot_hold(spark: Any, tmp_path: Path) -> None:
    """Before anything is written: what is there can still be read."""
    target = ParquetFolder(str(tmp_path / "out"))
    sash.spark.upsert(spark.sql("select 1 row, 2 value"), target, key="row")
    with pytest.raises(ValueError, match=r"out: column 'value' is int, and now string: cast it, or use another folder"):
        sash.spark.upsert(spark.sql("select 2 row, 'b' value"), target, key="row")
    assert sash.spark.latest(spark, target).collect() == [(1, 2)]


def test_a_folder_of_an_older_version_is_read_by_its_files(spark: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """Its log says nothing of types, and two of them may be there already."""
    target = ParquetFolder(str(tmp_path / "out"))
    write = folder_log.FolderState.write

    def without_schemas(state: folder_log.FolderState) -> str:
        found = json.loads(write(state))
        parts = [{name: part[name] for name in ("name", "level")} for part in found["parts"]]
        return json.dumps({name: one for name, one in found.items() if name != "schemas"} | {"parts": parts})

    with monkeypatch.context() as old:
        old.setattr(folder_log.FolderState, "write", without_schemas)
        for value in ("2", "3L"):
            sash.spark.upsert(spark.sql(f"select {value} row, {value} value"), target, key="row")
    sash.spark.upsert(spark.sql("select 4L row, 4.5D value"), target, key="row")
    assert sorted(map(tuple, sash.spark.latest(spark, target).collect())) == [(2, 2.0), (3, 3.0), (4, 4.5)]


def test_rows_that_remove_others_leave_nothing(spark: Any, tmp_path: Path, small: None) -> None:
    """In a folder, also after merges; in a topic the record has no value; in a table by DELETE."""
    target = ParquetFolder(str(tmp_path / "out"))
    for number, (word, card) in enumerate([("insert", "a"), ("insert", "b"), ("delete", "a"), ("-D", "c")]):
        rows = spark.createDataFrame([(card, word)], "card string, op string").coalesce(1)
        sash.spark.upsert(rows, target, key="card", retract="op", query="q", batch=number)
    assert sash.spark.latest(spark, target).collect() == [("b", "insert")]
    assert [row.value for row in records(rows, ["card"], "op").collect()] == [None]
    assert "THEN DELETE" in sash.spark.Table("t").merge("v", ["card"], "op")


def test_a_table_without_merge_is_refused_in_one_line(spark: Any) -> None:
    """A format that cannot merge says so, and names what can."""
    rows = spark.createDataFrame([("a", 1)], "card string, spent int")
    rows.write.format("parquet").mode("overwrite").saveAsTable("spent")
    try:
        with pytest.raises(
            sash.SashError, match=r"table spent takes no MERGE on Spark 4.*its format has no MERGE"
        ) as refused:
            sash.spark.upsert(rows, sash.spark.Table("spent"), key="card")
        assert "\n" not in str(refused.value)
    finally:
        spark.sql("DROP TABLE spent")


MERGES = """
import sys, sash.spark
from pyspark.sql import SparkSession
from tests.spark.conftest import configured
builder = configured(SparkSession.builder.master("local[2]")).config("spark.jars", sys.argv[1])
builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
spark = builder.config("spark.sql.catalog.spark_catalog", catalog).getOrCreate()
name = f"delta.`{sys.argv[2]}`"
make = lambda *rows: spark.createDataFrame(rows, "card string, spent int")
make(("a", 1), (None, 2), ("gone", 5)).write.format("delta").save(sys.argv[2])
table = sash.spark.Table(name)
for _ in range(2):
    sash.spark.upsert(make((None, 3), ("b", 4)), table, key="card", query="q", batch=0)
    sash.spark.upsert(make(("gone", -1), ("never", -1)), table, key="card", retract="spent", query="q", batch=1)
print(sorted(map(tuple, spark.table(name).collect()), key=str))
"""


@pytest.mark.slow
def test_a_delta_table_is_merged_into(tmp_path: Path) -> None:
    """Rows replace those of their key, also where it is null, and a batch that is replayed changes nothing. Needs the
    jars of Delta Lake for this Spark in SASH_DELTA_JARS, with commas between them."""
    jars = os.environ.get("SASH_DELTA_JARS")
    if not jars:
        pytest.skip("needs SASH_DELTA_JARS")
    command = [sys.executable, "-c", MERGES, jars, str(tmp_path / "table")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=Path(__file__).parents[2])
    assert "[('a', 1), ('b', 4), (None, 3)]" in done.stdout, done.stderr[-2000:]
