"""Rows into packs before the shuffle, results out of packs behind the state: the operator between sees few rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sash.spark.stream.job import Job
from sash.spark.stream.labels import bucket_labels
from sash.spark.stream.segments import pack, unpack

__all__ = ["BUCKET", "PACKS", "PACKS_SQL", "Packer", "unpacked"]

#: The column that has the number of a row's bucket.
BUCKET: Final = "sash_bucket"
#: A pack: its bucket, its newest time, where it came from, and its rows.
PACKS_SQL: Final = "bucket int, newest timestamp, source int, place int, rows binary"
PACKS: Final = pa.schema(
    [
        ("bucket", pa.int32()),
        ("newest", pa.timestamp("us", "UTC")),
        ("source", pa.int32()),
        ("place", pa.int32()),
        ("rows", pa.binary()),
    ]
)
#: How many rows are packed at once, at most.
_ROWS: Final = 1 << 18


class Packer:
    """Packs the rows of a partition by bucket: one pack a bucket, or several where there are very many rows."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The packs of the partition. Cost: O(n log n) for n rows, vectorised."""
        from pyspark import TaskContext

        context = TaskContext.get()
        source = context.partitionId() if context is not None else 0
        waiting: list[pa.RecordBatch] = []
        place, rows = 0, 0
        for batch in batches:
            waiting.append(batch)
            rows += batch.num_rows
            if rows >= _ROWS:
                yield self._packed(waiting, source, place)
                waiting, rows, place = [], 0, place + 1
        if rows:
            yield self._packed(waiting, source, place)

    def _packed(self, batches: list[pa.RecordBatch], source: int, place: int) -> pa.RecordBatch:
        # Columns come by number, the bucket last: PySpark reads a dot in a name as a path.
        table = pa.Table.from_batches(batches)
        buckets = table.column(table.num_columns - 1).to_numpy()
        if self._job.buckets <= 1 << 16:
            # Numbers of 16 bits are sorted by their digits, in O(n).
            buckets = buckets.astype(np.uint16)
        table = table.remove_column(table.num_columns - 1).rename_columns(self._job.schema.names)
        order = np.argsort(buckets, kind="stable")
        table = table.take(pa.array(order)).combine_chunks()
        numbers, starts = np.unique(buckets[order], return_index=True)
        labels = np.array(bucket_labels(self._job.buckets))[numbers]
        ends = [*starts[1:].tolist(), table.num_rows]
        parts = [table.slice(start, end - start) for start, end in zip(starts.tolist(), ends, strict=True)]
        columns = [
            pa.array(labels, pa.int32()),
            pa.array([self._newest(part) for part in parts], pa.timestamp("us", "UTC")),
            pa.array([source] * len(parts), pa.int32()),
            pa.array([place] * len(parts), pa.int32()),
            pa.array([pack(part) for part in parts], pa.binary()),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=PACKS)

    def _newest(self, part: pa.Table) -> int:
        """The newest time as microseconds for Spark's watermark; the beginning of time where there is none."""
        times = part.column(self._job.on).drop_null()
        if not len(times):
            return 0
        newest = pc.max(times)
        return self._job.clock.microseconds(newest)


def unpacked(packs: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows with their results, out of the packs that the state gave."""
    for batch in packs:
        for data in batch.column("rows"):
            if data.is_valid:
                yield from unpack(data.as_buffer()).to_batches()
