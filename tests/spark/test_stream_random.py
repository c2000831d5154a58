"""Random plans over random and real streams, through Spark: batch, "final", the last of "update" and a frame agree."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import sash
import sash.spark
from tests.spark.streams import batches, by_row, expected, random_rows
from tests.spark.test_batch_real import STREAMS, read
from tests.spark.test_stream import run, stream_of, write_files
from tests.spark.test_stream_bucket import plans


@contextmanager
def shuffled_into(spark: Any, partitions: int) -> Iterator[None]:
    """So many tasks behind a shuffle."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    try:
        yield
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)


def streamed(spark: Any, folder: Path, plan: sash.Plan, buckets: int) -> pa.Table:
    """What a stream over the files of the folder emits, by row and revision."""
    with tempfile.TemporaryDirectory() as out:
        results, _ = run(sash.spark.rolling(stream_of(spark, folder), plan, buckets=buckets), Path(out))
    return results.sort_by([("row", "ascending"), ("revision", "ascending")]) if plan.emit == "update" else results


def streams_agree(spark: Any, folder: Path, table: pa.Table, plan: sash.Plan, buckets: int) -> None:
    """A frame, a stream of final results over the files of the folder, and the last results of a stream of updates."""
    names = list(plan.outputs)
    wanted = expected(table, plan)
    final = streamed(spark, folder, plan, buckets)
    assert final.num_rows == table.num_rows
    assert by_row(final, names) == wanted
    update = sash.Plan(**plan._parts() | {"emit": "update"})
    assert by_row(streamed(spark, folder, update, buckets), names) == wanted


@pytest.mark.slow
# Each example is three queries: what fails is shown as it was drawn, and not made smaller.
@settings(
    deadline=None,
    max_examples=20,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    plan=plans("final"),
    seed=st.integers(0, 10**6),
    parts=st.sampled_from([1, 3, 17]),
    buckets=st.integers(1, 200),
    partitions=st.integers(1, 8),
)
def test_random_plans(spark: Any, plan: sash.Plan, seed: int, parts: int, buckets: int, partitions: int) -> None:
    """Any windows, any aggregations, with one, two or no key."""
    table = random_rows(random.Random(seed), 500)
    with shuffled_into(spark, partitions), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pq.write_table(table, folder / "rest.parquet")
        still = spark.read.parquet(str(folder / "rest.parquet"))
        batch = sash.spark.rolling(still, plan).toArrow()
        assert by_row(batch, list(plan.outputs)) == expected(table, plan)
        write_files(folder / "in", batches(table, parts))
        streams_agree(spark, folder / "in", table, plan, buckets)


@pytest.mark.slow
@pytest.mark.parametrize("parts", [1, 3, 17])
@pytest.mark.parametrize("name", STREAMS)
def test_a_real_stream(spark: Any, shared: Path, tmp_path: Path, name: str, parts: int) -> None:
    """Late rows and ties as the world makes them, the latest of them still in time."""
    table = read(shared / "data" / name, *STREAMS[name]).rename_columns(["row", "k", "t", "v", "what"])
    some = {"n": sash.Count(), "max": sash.Max("v"), "which": sash.ArgMax("v", "what"), "words": sash.Last("what")}
    plan = sash.Plan(by="k", on="t", windows=["1h", "1d", 10], aggregations=some, lateness="400d")
    far = pa.table({"t": [table["t"].cast(pa.int64()).to_numpy().max() + 10**15], "row": [-1]})
    end = pa.concat_tables(
        [table.slice(0, 0), far.cast(pa.schema([table.schema.field("t"), ("row", pa.int64())]))],
        promote_options="default",
    )
    write_files(tmp_path / "in", [*batches(table, parts), end], closing=False)
    streams_agree(spark, tmp_path / "in", table, plan, 16)
