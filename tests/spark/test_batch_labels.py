"""Windows at labels on Spark: what `sash.rolling(events, at=labels)` gives over frames in this process."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sash

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import sash.spark
from sash.batch.labels import At
from sash.spark.labels import LabelChunks
from tests.spark.comparing import same_rows
from tests.spark.test_batch import EPOCH, EXACT, events


def known_events(rows: int) -> pa.Table:
    """Events with when each was known."""
    table = events(rows)
    late = np.random.default_rng(3).integers(0, 30, rows)
    known = [time + dt.timedelta(seconds=int(late[i])) for i, time in enumerate(table["t"].to_pylist())]
    return table.append_column("known", pa.array(known, pa.timestamp("us", "UTC")))


def labels(rows: int, span: int) -> pa.Table:
    """Labels in no order, of keys that have events and of one that has none."""
    rng = np.random.default_rng(9)
    keys = [None if key == 5 else f"k{key}" for key in rng.integers(1, 8, rows).tolist()]
    times = [EPOCH + dt.timedelta(seconds=int(second)) for second in rng.integers(-9, span + 20, rows)]
    return pa.table({"id": range(rows), "k": keys, "t": pa.array(times, pa.timestamp("us", "UTC")), "y": [1.5] * rows})


PLANS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "time": ({"windows": ["10s", "1m"]}, {}),
    "left": ({"windows": "20s", "closed": "left"}, {"offset": "5s"}),
    "offsets": ({"windows": ["10s", 4]}, {"offset": ["30s", 0]}),
    "known": ({"windows": ["40s", 5]}, {"known": "known"}),
    "known before": ({"windows": "1m", "min_periods": 2}, {"known": "known", "offset": "10s"}),
    "others": ({"windows": [sash.SessionWindow("4s"), sash.TumblingWindow("30s"), sash.TumblingWindow(count=3)]}, {}),
    "landmark": ({"windows": sash.LandmarkWindow()}, {}),
    "no key": ({"windows": "10s", "by": None}, {}),
}


@pytest.mark.parametrize("name", PLANS)
def test_labels_of_a_batch_are_those_of_a_frame(spark: Any, name: str) -> None:
    """Row for row, with aggregations that show the order of events."""
    parts, options = PLANS[name]
    plan = sash.Plan(**{"by": "k", "on": "t", "aggregations": EXACT, **parts})
    table, asked = known_events(300), labels(120, 300)
    ours = sash.spark.rolling(spark.createDataFrame(table), plan, at=spark.createDataFrame(asked), **options)
    same_rows(ours, sash.rolling(table, plan, at=asked, **options))


@pytest.mark.parametrize("name", [name for name in PLANS if name != "no key"])
@pytest.mark.parametrize("rows", [1, 7, 40])
def test_chunks_change_nothing_and_retain_little(name: str, rows: int) -> None:
    """A partition in chunks of a few rows, each with the events that its windows still hold."""
    parts, options = PLANS[name]
    plan = sash.Plan(**{"by": "k", "on": "t", "aggregations": EXACT, **parts})
    table, asked = known_events(200), labels(90, 200)
    expected = sash.rolling(table, plan, at=asked, **options)
    at = At(options.get("known"), options.get("offset", 0))
    types = {name: expected.schema.field(name).type for name in expected.column_names[asked.num_columns :]}
    chunks = LabelChunks(sash.batch.labels.plan_at(plan, at.known), types, rows, at=at)
    done = pa.Table.from_batches(chunks.run(packed(table, asked).to_batches(max_chunksize=3)))
    assert done.sort_by("id").to_pylist() == expected.sort_by("id").to_pylist()
    if name in ("time", "known before"):
        assert chunks.most_retained < 130


def packed(table: pa.Table, asked: pa.Table) -> pa.Table:
    """Events and labels in one table, as the shuffle and the sort lay them out."""
    parts = []
    for frame, own in ((table, "__sash_event"), (asked, "__sash_label")):
        row = pa.chunked_array([batch.to_struct_array() for batch in frame.to_batches()])
        parts.append(pa.table({"k": frame["k"], "t": frame["t"], own: row}))
    whole = pa.concat_tables(parts, promote_options="default")
    order = sorted(range(whole.num_rows), key=lambda i: (str(whole["k"][i]), whole["t"][i].value, i))
    return whole.take(order)


def test_what_does_not_fit_is_named_before_anything_runs(spark: Any) -> None:
    """Of the events, of the labels, and of the options."""
    df, asked = spark.createDataFrame(events(5)), spark.createDataFrame(labels(5, 5))
    plan = sash.Plan(by="k", on="t", windows="1m", aggregations={"n": sash.Count()})
    with pytest.raises(sash.PlanError, match="the labels have no column 't'"):
        sash.spark.rolling(df, plan, at=asked.drop("t"))
    with pytest.raises(sash.PlanError, match="no column 'seen'"):
        sash.spark.rolling(df, plan, at=asked, known="seen")
    with pytest.raises(sash.PlanError, match="split_skewed_keys"):
        sash.spark.rolling(df, plan, at=asked, split_skewed_keys=5)
    with pytest.raises(sash.PlanError, match="are about labels"):
        sash.spark.rolling(df, plan, known="t")
