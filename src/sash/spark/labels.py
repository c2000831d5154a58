"""Windows at the labels of another DataFrame: events and labels in one shuffle, each partition chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that PySpark's own documents use
from pyspark.sql.types import StructField, StructType

from sash.batch.engine import Job
from sash.batch.labels import At, LabelJob, column_problems_at, label_problems, offsets_of, plan_at
from sash.plan import Plan
from sash.spark.history import first_needed
from sash.spark.layout import Existing, laid_out, named
from sash.spark.opaque import in_plain_values
from sash.spark.partition import Partition, last_key, settled
from sash.spark.schema import Types, arrow_types, output_fields, settle
from sash.spark.typed import TypedFrame
from sash.times import Kind, earlier

__all__ = ["LabelChunks", "run_at"]

Batches: TypeAlias = Iterator[pa.RecordBatch]
#: An event, or None; a label, or None. Beside them are the columns of the key and the time of either.
_EVENT: Final = "__sash_event"
_LABEL: Final = "__sash_label"


def run_at(df: DataFrame, labels: DataFrame, plan: Plan, at: At, *, types: Types | None = None) -> DataFrame:
    """The labels with the results behind their columns, by `sash.spark.rolling`."""
    plan = plan_at(plan, at.known)
    fields = _fields(df, labels, plan, at, types)
    zone = df.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC"
    schema = StructType([*labels.schema.fields, *fields])
    both = _packed(df, labels.schema, plan, _EVENT).unionByName(_packed(labels, df.schema, plan, _LABEL))
    rows = laid_out(both, plan, Existing(partitioned=False, ordered=False))
    work = _worker(LabelChunks(in_plain_values(plan), arrow_types(fields, zone), at=at), rows.columns)
    numbered = (f"c{place}" for place in range(len(rows.columns)))
    return rows.toDF(*numbered).mapInArrow(work, schema)


def _fields(df: DataFrame, labels: DataFrame, plan: Plan, at: At, types: Types | None) -> list[StructField]:
    """The columns that come behind those of the labels; `PlanError` names all that does not fit."""
    offsets = offsets_of(at.offsets)
    made = [name + end for end in offsets for name in plan.outputs]
    problems = label_problems(plan, at.known) + column_problems_at(labels.columns, plan, made)
    if at.known is not None and at.known not in df.columns:
        problems.append(f"the frame has no column {at.known!r}: it has {', '.join(map(repr, df.columns))}")
    settle(problems)
    fields = output_fields(df.schema, plan, types, beside=False)
    return [StructField(field.name + end, field.dataType, field.nullable) for end in offsets for field in fields]


def _packed(df: DataFrame, other: StructType, plan: Plan, own: str) -> DataFrame:
    """The key, the time and the whole row, as the event or the label that it is."""
    beside = [named(name) for name in dict.fromkeys([*plan.by, str(plan.on)])]
    row, none = F.struct(*map(named, df.columns)), F.lit(None).cast(other)
    return df.select(*beside, *((row if name == own else none).alias(name) for name in (_EVENT, _LABEL)))


def _worker(chunks: LabelChunks, names: list[str]) -> Callable[[Batches], Batches]:
    """What runs in the executors: a function of the batches of a partition."""

    def work(batches: Batches) -> Batches:
        return replace(chunks).run(batch.rename_columns(names) for batch in batches)

    return work


@dataclass
class LabelChunks(Partition):
    """Gives the labels, with the results behind their columns."""

    at: At = At()  # noqa: RUF009  a frozen value
    #: How many rows at the front of the next table are events that are there for the windows of later labels.
    retained: int = 0

    def step(self, table: pa.Table) -> tuple[list[pa.RecordBatch], pa.Table]:
        """Emits the labels whose peers are here."""
        job = self.job(table)
        end = settled(job)
        if end <= self.retained:
            return [], table
        done = self._results(table.slice(0, end))
        needed = self._needed(job, table, end)
        self.retained = needed.num_rows
        return done, pa.concat_tables([needed, table.slice(end)])

    def end(self, table: pa.Table) -> list[pa.RecordBatch]:
        """Emits all labels."""
        return self._results(table)

    def _results(self, table: pa.Table) -> list[pa.RecordBatch]:
        labels = _rows(table, _LABEL)
        if not labels.num_rows:
            return []
        events, frame = TypedFrame(_rows(table, _EVENT), self.types), TypedFrame(labels, self.types)
        made: list[pa.Array] = frame.with_columns(LabelJob.of(events, frame, self.plan, self.at).results({}))
        for name, column in zip(self.types, made, strict=True):
            labels = labels.append_column(name, column)
        return list(labels.to_batches())

    def _needed(self, job: Job, table: pa.Table, end: int) -> pa.Table:
        """The events of the last key before the end that the windows of labels at or behind it may hold."""
        start = last_key(job)
        if start >= end:
            return table.slice(0, 0)
        events = table.slice(start, end - start)
        there = events.column(_EVENT).is_valid()
        assert job.kind is not None
        assert job.ticks is not None
        ticks = job.ticks[start:end]
        held = ticks[there.to_numpy().astype(bool)]
        return events.filter(there).slice(self._first(job.kind, held, int(ticks[-1])))

    def _first(self, kind: Kind, ticks: np.ndarray[tuple[int], np.dtype[np.int64]], newest: int) -> int:
        # The last events that were known may be any.
        if self.at.known is not None and not all(window.by_time for window in self.plan.windows):
            return 0
        ends = [newest if one is None else earlier(kind, newest, one) for one in offsets_of(self.at.offsets).values()]
        seen = int(np.searchsorted(ticks, min(ends), "right"))
        return first_needed(self.plan, kind, ticks[:seen], seen) if seen else 0


def _rows(table: pa.Table, own: str) -> pa.Table:
    """The events of a table, or its labels, with their own columns."""
    column = table.column(own)
    rows = column.filter(column.is_valid()).combine_chunks()
    array = rows.chunk(0) if isinstance(rows, pa.ChunkedArray) else rows
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(array)])
