"""A sorted partition, chunk by chunk: what every way of running it shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.batch.engine import Job
from sash.plan import Plan
from sash.spark.history import first_needed
from sash.spark.typed import TypedFrame

__all__ = ["CHUNK", "Partition", "last_key", "last_run"]

#: How many new rows are run at once: enough that a call costs little, few enough for the memory of a task.
CHUNK: Final = 1 << 18


@dataclass
class Partition(ABC):
    """Runs a plan over record batches that are sorted by key and time.

    Memory is that of a chunk and of the rows that the windows of the last key may still hold: not of the partition. A
    chunk has at least as many new rows as old ones, so that no row is looked at more than twice, on average.
    """

    plan: Plan
    #: The types of the results.
    types: Mapping[str, pa.DataType]
    #: How many new rows are run at once, at least.
    rows: int = CHUNK
    #: The most rows that were carried from one chunk to the next.
    most_carried: int = 0

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The results, in the order of the rows."""
        waiting: list[pa.RecordBatch] = []
        pending, enough = 0, self.rows
        for batch in batches:
            if not batch.num_rows:
                continue
            waiting.append(batch)
            pending += batch.num_rows
            if pending >= enough:
                told, kept = self.step(pa.Table.from_batches(waiting))
                yield from told
                waiting, pending = kept.to_batches(), kept.num_rows
                enough = pending + max(self.rows, pending)
                self.most_carried = max(self.most_carried, pending)
        if pending:
            yield from self.end(pa.Table.from_batches(waiting))

    @abstractmethod
    def step(self, table: pa.Table) -> tuple[list[pa.RecordBatch], pa.Table]:
        """What can be told of the rows, and the rows that those to come need."""

    @abstractmethod
    def end(self, table: pa.Table) -> list[pa.RecordBatch]:
        """What is left to tell: no rows will come."""

    def job(self, table: pa.Table) -> Job:
        """The rows, read."""
        return Job.of(TypedFrame(table, self.types), self.plan)

    def carried_from(self, job: Job, end: int) -> int:
        """The first row that the windows of rows at or behind the end may hold: of their key, if it is the last."""
        start = last_key(job)
        if start >= end:
            return end
        ticks = None if job.ticks is None else job.ticks[start:end]
        return start + first_needed(self.plan, job.kind, ticks, end - start)


def last_key(job: Job) -> int:
    """The first row of the last key."""
    return 0 if job.codes is None else last_run(job.codes.codes)


def last_run(values: npt.NDArray[Any]) -> int:
    """Where the run of equal values at the end begins.

    >>> last_run(np.array([7, 7, 3, 3, 3]))
    2
    """
    changes = np.flatnonzero(values != values[-1])
    return int(changes[-1]) + 1 if len(changes) else 0
