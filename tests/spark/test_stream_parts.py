"""The parts of a stream, one by one: bucket ids, clocks, manifests, logs, caches."""

from __future__ import annotations

import random
from itertools import count
from typing import Any
from unittest.mock import patch

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.codec import dumps
from sash.errors import SnapshotError
from sash.spark import worker
from sash.spark.stream import manifest as manifests
from sash.spark.stream.cache import EngineCache
from sash.spark.stream.conform import conformed
from sash.spark.stream.engine import BucketEngine
from sash.spark.stream.job import Clock
from sash.spark.stream.key_codes import KeyCodes
from sash.spark.stream.manifest import HISTORY, Manifest
from sash.spark.stream.packing import bucket_ids, spark_hash, unpack
from sash.spark.stream.retained import Ticks
from sash.times import Kind
from tests.spark.streams import SCHEMA, SECOND, Driver, batches, make_job, random_rows

PLAN = sash.Plan(by="card", on="time", windows="1m", aggregations={"spent": sash.Sum("amount")}, lateness="20s")


def test_the_hash_is_that_of_spark(spark: Any) -> None:
    """The ids of buckets are chosen by it, so a wrong one would only be slow: nobody would notice."""
    numbers = [0, 1, -1, 7, 123456789, -(2**31), 2**31 - 1]
    df = spark.createDataFrame([(number,) for number in numbers], "n int")
    assert [row[0] for row in df.selectExpr("hash(n)").collect()] == [spark_hash(number) for number in numbers]


@given(st.integers(1, 60))
def test_bucket_ids_spread_evenly_where_partitions_divide_buckets(buckets: int) -> None:
    """Every partition gets equally many buckets."""
    ids = bucket_ids(buckets)
    assert len(set(ids)) == buckets
    for partitions in (part for part in range(1, buckets + 1) if buckets % part == 0):
        counts = [sum(spark_hash(number) % partitions == part for number in ids) for part in range(partitions)]
        assert set(counts) == {buckets // partitions}


@given(st.integers(1, 10**13), st.sampled_from([Kind("arrow", "us", "UTC"), Kind("date"), Kind("int")]))
def test_a_timer_fires_when_the_watermark_has_passed(ticks: int, kind: Kind) -> None:
    """At the timer a row is final, a millisecond earlier it is not."""
    clock = Clock(kind)
    timer = clock.timer(ticks)
    after, before = clock.watermark(timer), clock.watermark(timer - 1)
    assert after is not None
    assert after > ticks
    assert before is None or before <= ticks


def test_keys_keep_their_codes_and_give_them_back() -> None:
    """A code that is free again is used again; NaN is a null, and minus zero is zero."""
    codes = KeyCodes(["x", "y"])

    def of(*keys: tuple[Any, Any]) -> list[int]:
        xs, ys = zip(*keys, strict=True)
        return codes.of(pa.table({"x": pa.array(xs, pa.float64()), "y": pa.array(ys, pa.string())})).tolist()

    assert of((1.0, "a"), (2.0, "a"), (1.0, "a"), (None, "a"), (float("nan"), "a")) == [0, 1, 0, 2, 2]
    codes.keep({0, 2})
    assert of((2.0, "b"), (1.0, "a"), (0.0, "c"), (-0.0, "c")) == [1, 0, 3, 3]
    assert codes.bound == 4


@pytest.mark.parametrize("kind", [pa.int64(), pa.int8(), pa.uint64(), pa.float64()])
def test_keys_have_the_same_codes_however_they_are_looked_up(kind: pa.DataType) -> None:
    """Integers come in columns, and one by one beside nulls and where they do not fit; a restored key is the same."""
    codes, again = KeyCodes(["x"]), KeyCodes(["x"])

    def of(known: KeyCodes, *keys: int | None) -> list[int]:
        return known.of(pa.table({"x": pa.array(keys, kind)})).tolist()

    assert of(codes, 5, 7, 5) == [0, 1, 0]
    null, seven, nine = of(codes, None, 7, 9)
    assert (seven, {null, nine}) == (1, {2, 3})
    again.load(codes.saved())
    assert of(again, 9, 7, 5) == of(codes, 9, 7, 5) == [nine, 1, 0]
    assert [codes.key(code) for code in (0, 1, null, nine)] == [5, 7, None, 9]
    codes.keep({1, null})
    assert len(codes) == 2
    assert sorted(of(codes, 1, 2, 3)) == sorted([0, nine, 4])
    assert of(codes, None, 7) == [null, 1]
    assert len(codes) == 5
    with pytest.raises(IndexError, match="no key"):
        codes.key(5)


def test_integer_keys_take_few_bytes() -> None:
    """Whether they come one by one or by the million, and what is dropped makes room for others."""
    codes = KeyCodes(["x"])
    for first in range(0, 400_000, 100_000):
        taken = codes.of(pa.table({"x": np.arange(first, first + 100_000)}))
        codes.keep(taken)
    assert codes.bound == 200_000
    assert codes.memory() < 64 * codes.bound


def test_looking_for_keys_without_rows_costs_a_row_few_looks() -> None:
    """However many rows the windows hold and however few the keys are; and keys whose rows are gone go."""
    looked, real = 0, KeyCodes.keep

    def keep(codes: KeyCodes, live: Ticks) -> None:
        nonlocal looked
        looked += len(live)
        real(codes, live)

    engine = BucketEngine(make_job(sash.Plan(**PLAN._parts() | {"windows": sash.TimeWindow("1000s")})))
    with patch.object(KeyCodes, "keep", keep):
        for batch in range(40):
            ticks = [(batch * 100 + row / 12) * SECOND for row in range(1200)]
            times = pa.array([int(tick) for tick in ticks], pa.int64()).cast(SCHEMA.field("time").type)
            rows = pa.table({"card": [f"{batch}-{row % 4}" for row in range(1200)], "time": times})
            engine.step(conformed(rows, SCHEMA), batch * 1200, batch * 100 * SECOND)
    assert 0 < looked <= 2 * 40 * 1200
    assert engine.keys < 40 * 4 // 2


def test_a_damaged_or_foreign_state_is_an_error() -> None:
    """Never a crash, and never another stream's rows."""
    manifest = Manifest.new(make_job(PLAN))
    data = manifest.write()
    assert Manifest.read(data) is manifest, "what this process has written is not decoded again"
    with patch.dict(manifests._RECENT, clear=True):
        assert Manifest.read(data) == manifest
    cut = dumps((3, "job", b"", b"", b"a version is longer", b""))
    for data in (b"", b"nonsense", dumps((99,)), dumps(("x", 1)), manifest.write()[:-3], cut):
        with pytest.raises(SnapshotError):
            Manifest.read(data)
    with pytest.raises(SnapshotError):
        unpack(b"no rows")


def test_a_worker_catches_up_with_what_it_missed_and_reads_no_more() -> None:
    """Segments that it has seen are not read again; one that lags too far rebuilds."""
    table = random_rows(random.Random(1), 400)
    driver = Driver(make_job(PLAN))
    here, there = EngineCache(), EngineCache()
    parts = batches(table, 100)
    driver.engines = there
    driver.batch(parts[0])
    driver.engines = here
    for part in parts[1:4]:
        driver.batch(part)
    driver.engines, reads = there, driver.state.reads
    driver.batch(parts[4])
    assert driver.last is not None
    assert (driver.last.metrics.catch_ups, driver.state.reads - reads) == (1, 3)
    driver.engines = here
    for part in parts[5 : 8 + HISTORY]:
        driver.batch(part)
    driver.engines = there
    driver.batch(parts[8 + HISTORY])
    assert driver.last.metrics.rebuilds == 1


def test_a_cache_that_is_full_lets_the_least_used_go() -> None:
    """The engine of the bucket at hand stays, whatever it takes."""
    cache = EngineCache(most_bytes=1)
    job = make_job(PLAN)
    one, two = Manifest.new(job), Manifest.new(job)
    for manifest in (one, two):
        engine = BucketEngine(job)
        engine.absorb(random_rows(random.Random(1), 10), 0, silent=False)
        cache.put(job.name, manifest, engine)
    assert cache.take(job.name, one) is None
    assert cache.take(job.name, two) is not None
    assert cache.take(job.name, two) is None, "an engine that is taken is out"


@pytest.mark.parametrize(("in_worker", "wanted"), [(True, [0, 1, 1, 1]), (False, [0, 0, 0, 0])])
def test_what_is_loaded_is_frozen_once_and_only_in_workers(in_worker: bool, wanted: list[int]) -> None:
    """In the second task of a worker; the process of the user is left as it is."""
    context = object() if in_worker else None
    frozen = []
    with (
        patch.object(worker, "_TASKS", count()),
        patch("pyspark.TaskContext.get", return_value=context),
        patch("gc.freeze") as freeze,
    ):
        for _ in range(4):
            worker.note_task()
            frozen.append(freeze.call_count)
    assert frozen == wanted
