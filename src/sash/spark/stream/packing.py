"""Rows as bytes. Before the shuffle, rows go into packs by bucket; behind the state, results come out of packs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sash.errors import SnapshotError
from sash.spark.stream.buckets import buckets_of
from sash.spark.stream.job import Job
from sash.spark.worker import note_task

__all__ = [
    "CHUNK_BYTES",
    "PACKS",
    "PACKS_SQL",
    "Packer",
    "bucket_ids",
    "pack",
    "slices",
    "spark_hash",
    "unpack",
    "unpacked",
]

#: What a value of the state store should not exceed by much: larger ones are slow to read.
CHUNK_BYTES: Final = 256 * 1024
# A task has one core: to hand small buffers to other threads takes longer than to write them.
_PLAIN: Final = pa.ipc.IpcWriteOptions(use_threads=False)
_SMALL: Final = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
_READ: Final = pa.ipc.IpcReadOptions(use_threads=False)
_SEED: Final = 42
_WORD: Final = 0xFFFFFFFF

#: A pack: its bucket, of how many, its newest time, where it came from, and its rows.
PACKS_SQL: Final = "bucket int, buckets int, newest timestamp, source int, place int, rows binary"
PACKS: Final = pa.schema(
    [
        ("bucket", pa.int32()),
        ("buckets", pa.int32()),
        ("newest", pa.timestamp("us", "UTC")),
        ("source", pa.int32()),
        ("place", pa.int32()),
        ("rows", pa.binary()),
    ]
)
#: How many rows are packed at once, at most.
_ROWS: Final = 1 << 18


class Packer:
    """Packs the rows of a partition by bucket: one pack a bucket, or several where there are very many rows.

    In the first batch of a query, one that greets has an empty pack for every bucket before them."""

    def __init__(self, job: Job, greets: bool = True) -> None:
        self._job = job
        self._greets = greets

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The packs of the partition. Cost: O(n log n) for n rows, vectorised."""
        from pyspark import TaskContext

        note_task()
        context = TaskContext.get()
        self._buckets = buckets_of(self._job, context)
        source = context.partitionId() if context is not None else 0
        if self._greets and source == 0 and _is_new(self._job.name, context):
            yield self._greeting()
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

    def _greeting(self) -> pa.RecordBatch:
        """An empty pack for every bucket, so that a plan that cannot continue from the state of any is refused in the
        first batch."""
        ids = bucket_ids(self._buckets)
        rows = [pack(self._job.schema.empty_table())] * len(ids)
        columns = [ids, [len(ids)] * len(ids), [0] * len(ids), [-1] * len(ids), [0] * len(ids), rows]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, PACKS, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=PACKS)

    def _packed(self, batches: list[pa.RecordBatch], source: int, place: int) -> pa.RecordBatch:
        table = pa.Table.from_batches(batches)
        buckets = np.mod(table.column(table.num_columns - 1).to_numpy(), self._buckets)
        if self._buckets <= 1 << 16:
            # Numbers of 16 bits are sorted by their digits, in O(n).
            buckets = buckets.astype(np.uint16)
        table = table.remove_column(table.num_columns - 1).rename_columns(self._job.schema.names)
        order = np.argsort(buckets, kind="stable")
        table = table.take(pa.array(order)).combine_chunks()
        numbers, starts = np.unique(buckets[order], return_index=True)
        ids = np.array(bucket_ids(self._buckets))[numbers]
        ends = [*starts[1:].tolist(), table.num_rows]
        parts = [table.slice(start, end - start) for start, end in zip(starts.tolist(), ends, strict=True)]
        columns = [
            pa.array(ids, pa.int32()),
            pa.array([self._buckets] * len(parts), pa.int32()),
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


#: The jobs that this process has packed for, each with the run of its query.
_RUNS: Final[set[tuple[str, str | None]]] = set()


def _is_new(job: str, context: Any) -> bool:
    """Whether this process has not packed for the job in this run of the query yet. A thread of Connect, or of a user,
    knows no run: there a job is new once in a process."""
    if context is None:
        return False
    run = context.getLocalProperty("spark.jobGroup.id") if context.getLocalProperty("sql.streaming.queryId") else None
    if (job, run) in _RUNS:
        return False
    _RUNS.add((job, run))
    return True


def unpacked(packs: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows with their results, out of the packs that the state gave."""
    note_task()
    for batch in packs:
        for data in batch.column("rows"):
            if data.is_valid:
                yield from unpack(data.as_buffer()).to_batches()


def pack(table: pa.Table, *, compress: bool = False) -> bytes:
    """The table as one Arrow stream. Cost: O(bytes).

    >>> unpack(pack(pa.table({"x": [1, 2]}))).column("x").to_pylist()
    [1, 2]
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=_SMALL if compress else _PLAIN) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def unpack(data: bytes) -> pa.Table:
    """The table of a pack, without a copy; `SnapshotError` if it is none."""
    try:
        return pa.ipc.open_stream(pa.py_buffer(data), options=_READ).read_all()
    except (pa.ArrowInvalid, OSError) as error:
        raise SnapshotError(f"the rows of a bucket cannot be read: {error}") from error


def slices(table: pa.Table, size: int = CHUNK_BYTES) -> Iterator[pa.Table]:
    """The table in slices that take not much more bytes than the size.

    >>> [part.num_rows for part in slices(pa.table({"x": range(100)}), 400)]
    [50, 50]
    """
    wanted = max(1, -(-table.nbytes // size))
    rows = max(1, -(-table.num_rows // wanted))
    for start in range(0, table.num_rows, rows):
        yield table.slice(start, rows)


@cache
def bucket_ids(buckets: int) -> tuple[int, ...]:
    """An id for each bucket, so that Spark's shuffle spreads them evenly: the hash of id i is i modulo the buckets.

    Wherever the number of shuffle partitions divides the number of buckets, each partition gets equally many; with ids
    0, 1, 2 one of three partitions may well get none. Cost: O(n log n) hashes.

    >>> [spark_hash(number) % 4 for number in bucket_ids(4)]
    [0, 1, 2, 3]
    """
    ids: dict[int, int] = {}
    number = 0
    while len(ids) < buckets:
        ids.setdefault(spark_hash(number) % buckets, number)
        number += 1
    return tuple(ids[bucket] for bucket in range(buckets))


def spark_hash(value: int) -> int:
    """What Spark's `hash` gives for an INT: Murmur3, 32 bits, seed 42, signed.

    >>> spark_hash(1)
    -559580957
    """
    mixed = (value & _WORD) * 0xCC9E2D51 & _WORD
    mixed = _rotated(mixed, 15) * 0x1B873593 & _WORD
    result = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _WORD
    result ^= 4
    result = (result ^ result >> 16) * 0x85EBCA6B & _WORD
    result = (result ^ result >> 13) * 0xC2B2AE35 & _WORD
    result ^= result >> 16
    return result - (1 << 32) if result >> 31 else result


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & _WORD
