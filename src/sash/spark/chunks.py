"""The rows of a sorted partition with their results: each chunk with what its windows hold of the rows before it."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from sash.batch.engine import Job
from sash.spark.partition import Partition, last_key, last_run

__all__ = ["Chunks"]


@dataclass
class Chunks(Partition):
    """Gives the same rows in the same order, with the results behind their columns."""

    #: How many rows at the front of the next table were told: they are there for the windows of those that follow.
    told: int = 0

    def step(self, table: pa.Table) -> tuple[list[pa.RecordBatch], pa.Table]:
        """All rows whose peers are here are told."""
        job = self.job(table)
        end = _settled(job)
        if end <= self.told:
            return [], table
        done = self._results(job, table, end)
        start = self.carried_from(job, end)
        self.told = end - start
        return done, table.slice(start)

    def end(self, table: pa.Table) -> list[pa.RecordBatch]:
        """All rows are told."""
        return self._results(self.job(table), table, table.num_rows) if table.num_rows > self.told else []

    def _results(self, job: Job, table: pa.Table, end: int) -> list[pa.RecordBatch]:
        # Rows at and behind the end are later than those before it, so these do not see them.
        results: list[pa.Array] = job.frame.with_columns(job.answers({}))
        fresh = table.slice(self.told, end - self.told)
        for name, column in zip(self.types, results, strict=True):
            fresh = fresh.append_column(name, column.slice(self.told, end - self.told))
        return list(fresh.to_batches())


def _settled(job: Job) -> int:
    """Where the rows end whose peers are all here: before those of the last key and time."""
    return job.frame.rows if job.ticks is None else max(last_run(job.ticks), last_key(job))
