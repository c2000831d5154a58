"""Aggregations of a row and its window, and conditions, chunk by chunk as a task of Spark runs them."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

import sash

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from pyspark.sql.types import StructType

from sash.spark.partition import RowChunks
from sash.spark.schema import arrow_types, output_fields
from sash.spark.skew import split_problems
from sash.spark.stream.pipeline import _problems as stream_problems
from tests.spark.test_batch import events

AGGREGATIONS = {
    "all": sash.Concat("s", where=sash.col("i") > 0),
    "z": sash.ZScore("x"),
    "last": sash.TimeSince(),
    "changed": sash.TimeSince("i"),
    "changed_of_some": sash.TimeSince("i", where=sash.col("x") > 0),
}


@pytest.mark.parametrize("rows", [3, 20, 1000])
def test_chunks_know_what_was_before_a_window(rows: int) -> None:
    """A column changed, or not, at the first event of a window: the event before it is retained too."""
    plan = sash.Plan(by="k", on="t", windows=["20s", 3], aggregations=AGGREGATIONS)
    schema = StructType().add("id", "long").add("k", "string").add("t", "timestamp").add("x", "double")
    types = arrow_types(output_fields(schema.add("i", "integer").add("s", "string"), plan))
    table = events(300).sort_by([("k", "ascending"), ("t", "ascending"), ("id", "ascending")])
    ours = pa.Table.from_batches(RowChunks(plan, types, rows).run(table.to_batches(max_chunksize=7)))
    theirs = sash.rolling(table, plan)
    for name in plan.outputs:
        for one, two in zip(ours[name].to_pylist(), theirs[name].to_pylist(), strict=True):
            assert one == two or math.isclose(one, two, rel_tol=1e-9), name


def test_a_key_is_not_split_where_the_event_before_a_window_counts() -> None:
    """Its part may begin behind that event."""
    plan = sash.Plan(by="k", on="t", windows="20s", aggregations=AGGREGATIONS)
    assert len([why for why in split_problems(plan, "auto") if "looks at the event before" in why]) == 2


def test_a_stream_says_that_it_has_no_row() -> None:
    """Before it starts."""
    plan = sash.Plan(by="k", on="t", windows="20s", aggregations=AGGREGATIONS, emit="arrival")
    assert len([why for why in stream_problems(plan, None) if "of a row and its window" in why]) == 4
