"""Spark's stateful operator without a session: packs in and out, by Spark's own tester with state in memory."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")
pytest.importorskip("pyspark.sql.streaming.tws_tester", reason="needs the tester of Spark 4.2 or newer")

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import Row
from pyspark.sql.streaming.tws_tester import TwsTester

import sash
from sash.errors import PlanError
from sash.spark.stream.cache import ENGINES
from sash.spark.stream.packing import Packer, pack, unpack
from sash.spark.stream.processor import BucketProcessor
from tests.spark.streams import AGGREGATIONS, END, batches, by_row, expected, make_job, random_rows

SOME = ("words", "where", "spent", "shops")
#: No pack is late for Spark: the stream itself tells which rows are.
NEVER = END * 1_000_000


def packs(part: pa.Table, *sources: int, buckets: int = 2) -> list[Row]:
    """The rows as packs of partitions of the source, which come in any order."""
    size = -(-part.num_rows // len(sources))
    slices = [(source, part.slice(place * size, size)) for place, source in enumerate(sources)]
    return [
        Row(bucket=0, buckets=buckets, source=source, place=0, rows=pack(rows)) for source, rows in reversed(slices)
    ]


def rows_of(results: list[Row]) -> list[pa.Table]:
    """The rows of the packs that come out."""
    return [unpack(bytes(one.rows_out)) for one in results if one.rows_out is not None]


def plan_of(emit: Any) -> sash.Plan:
    """Aggregations that depend on the order of rows."""
    some = {name: AGGREGATIONS[name] for name in SOME}
    return sash.Plan(by="card", on="time", windows=["10s", "1m"], aggregations=some, lateness="20s", emit=emit)


@pytest.mark.parametrize("emit", ["final", "update", "arrival"])
def test_two_buckets_after_history(emit: str) -> None:
    """Each bucket emits what a frame of its rows gives, from timers too; history is in the windows alone. Workers come
    without engines now and then."""
    plan, name = plan_of(emit), f"tester {emit}"
    tables = [random_rows(random.Random(seed), 240) for seed in range(2)]
    history = [(bucket, Row(buckets=2, rows=pack(table.slice(0, 60)))) for bucket, table in enumerate(tables)]
    processor = BucketProcessor(make_job(plan, name=name), timers=True)
    tester = TwsTester(processor, history, timeMode="EventTime", eventTimeExtractor=lambda row: NEVER)
    emitted: list[list[pa.Table]] = [[], []]
    for number, parts in enumerate(zip(*(batches(table.slice(60), 9) for table in tables), strict=True)):
        for bucket, part in enumerate(parts):
            emitted[bucket] += rows_of(tester.test(bucket, packs(part, 1, 2)))
        if number % 4 == 3:
            ENGINES.clear()
    # A timer does not say whose it is: cards and row numbers are those of both.
    ends = rows_of(tester.setWatermark(END * 1000))
    for bucket, table in enumerate(tables):
        own = [rows for rows in ends if rows.slice(0, 1).select(table.column_names).to_pylist()[0] in table.to_pylist()]
        wanted = expected(table, plan, "arrival" if emit == "arrival" else "final")
        found = by_row(pa.concat_tables([*emitted[bucket], *own]), list(plan.outputs))
        assert found == {row: wanted[row] for row in range(60, 240)}


def test_a_bucket_without_rows_only_finds_out_whether_it_can_continue() -> None:
    """The empty pack of a first batch writes nothing, and a plan that does not fit the state is refused."""
    job = make_job(plan_of("final"), name="tester greeting")
    tester = TwsTester(BucketProcessor(job, timers=True), timeMode="EventTime", eventTimeExtractor=lambda row: NEVER)
    greeting = packs(job.schema.empty_table(), -1)
    assert rows_of(tester.test(0, greeting)) == []
    assert tester.peekValueState("manifest", 0) is None
    tester.test(0, packs(random_rows(random.Random(1), 20), 1))
    tester.processor._job = make_job(plan_of("arrival"), name="another tester")
    with pytest.raises(sash.PlanError, match="emit was 'final' and is 'arrival'"):
        tester.test(0, greeting)


def test_rows_that_were_packed_for_other_buckets_are_refused() -> None:
    """By the job that has run so far, too: where a task knows another number of partitions, nothing is mixed up."""
    table = random_rows(random.Random(3), 40)
    processor = BucketProcessor(replace(make_job(plan_of("arrival"), name="divided"), buckets=None), timers=False)
    tester = TwsTester(processor)
    assert tester.test(0, packs(table.slice(0, 20), 1, buckets=2))
    with pytest.raises(PlanError, match=r"buckets= was 2 and is 5"):
        tester.test(0, packs(table.slice(20), 1, buckets=5))
    assert tester.test(0, packs(table.slice(20), 1, buckets=2))


@pytest.mark.parametrize("run", ["a run", None])
def test_every_stream_of_a_query_finds_out_whether_it_can_continue(run: str | None) -> None:
    """Each greets every bucket once in a run, whichever process packs for several of them; and once in a process where
    the run is not known."""
    properties = {"spark.jobGroup.id": run, "sql.streaming.queryId": run}
    context = SimpleNamespace(partitionId=lambda: 0, getLocalProperty=properties.get)
    found = []
    with patch.object(TaskContext, "get", return_value=context):
        for name in ("one", "other", "one"):
            job = replace(make_job(plan_of("final"), name=f"{name} of {run}"), buckets=3)
            found.append([batch.column("buckets").to_pylist() for batch in Packer(job)(iter([]))])
    assert found == [[[3, 3, 3]], [[3, 3, 3]], []]
