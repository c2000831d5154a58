"""A sorted partition of a batch, chunk by chunk: each chunk with the rows before it that its windows hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.batch.engine import Job
from sash.batch.slides import Slides
from sash.plan import Plan
from sash.spark.history import first_needed
from sash.spark.stream.failures import named, restated
from sash.spark.typed import TypedFrame
from sash.spark.worker import note_task

__all__ = [
    "CHUNK",
    "OWN",
    "PART",
    "Partition",
    "RowChunks",
    "SlideChunks",
    "SplitKeyChunks",
    "last_key",
    "rows_at_once",
    "settled",
]

Made = TypeVar("Made")

#: How many new rows are run at once: enough that a call costs little, few enough for the memory of a task.
CHUNK: Final = 1 << 18
#: The columns of a split key: the part that a row is in, and whether the row is the part's own or its history.
PART: Final = "__sash_part"
OWN: Final = "__sash_own"

#: How far a partition has come.
_PROGRESS: Final = ("emitted", "retained")
_MOST_ENDS: Final = 1 << 22
_ROWS_OUT: Final = 1 << 16


@dataclass
class Partition(ABC):
    """Runs a plan over record batches that are sorted by key and time.

    Memory is that of a chunk and of the rows that the windows of the last key may still hold: not of the partition. A
    chunk has at least as many new rows as retained ones, so that no row is read more than twice, on average.
    """

    plan: Plan
    #: The types of the results.
    types: Mapping[str, pa.DataType]
    #: How many new rows are run at once, at least.
    rows: int = CHUNK
    #: The most rows that were retained from one chunk to the next.
    most_retained: int = 0

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The results, in the order of the rows."""
        note_task()
        waiting: list[pa.RecordBatch] = []
        pending, enough = 0, self.rows
        for batch in batches:
            if not batch.num_rows:
                continue
            waiting.append(batch)
            pending += batch.num_rows
            if pending >= enough:
                results, retained = self._named(self.step, pa.Table.from_batches(waiting))
                yield from results
                waiting, pending = retained.to_batches(), retained.num_rows
                enough = pending + max(self.rows, pending)
                self.most_retained = max(self.most_retained, pending)
        if pending:
            yield from self._named(self.end, pa.Table.from_batches(waiting))

    def _named(self, work: Callable[[pa.Table], Made], table: pa.Table) -> Made:
        """What the work gives; where it fails, the error names the row. Nobody knows chunks."""
        try:
            return work(table)
        except (TypeError, ValueError, ArithmeticError) as error:
            row = table.slice(self._first_failing(table), 1)
            known = [name for name in self.plan.columns if name in table.column_names]
            raise restated(error, named(row, known, error)) from error

    def _first_failing(self, table: pa.Table) -> int:
        """The first row that fails with those before it. Cost: O(n log n) rows, once."""
        begun: dict[str, Any] = {part.name: part.default for part in fields(self) if part.name in _PROGRESS}
        good, bad = 0, int(table.num_rows)
        while bad - good > 1:
            middle = (good + bad) // 2
            try:
                replace(self, **begun).end(table.slice(0, middle))
                good = middle
            except (TypeError, ValueError, ArithmeticError):
                bad = middle
        return bad - 1

    @abstractmethod
    def step(self, table: pa.Table) -> tuple[list[pa.RecordBatch], pa.Table]:
        """The results that are final, and the rows that those to come need."""

    @abstractmethod
    def end(self, table: pa.Table) -> list[pa.RecordBatch]:
        """The remaining results: no rows will come."""

    def job(self, table: pa.Table) -> Job:
        """The rows, read."""
        return Job.of(TypedFrame(table, self.types), self.plan)

    def retained_from(self, job: Job, end: int) -> int:
        """The first row that the windows of rows at or behind the end may hold: of their key, if it is the last."""
        start = last_key(job)
        if start >= end:
            return end
        ticks = None if job.ticks is None else job.ticks[start:end]
        return start + first_needed(self.plan, job.kind, ticks, end - start)


@dataclass
class RowChunks(Partition):
    """Gives the same rows in the same order, with the results behind their columns."""

    #: How many rows at the front of the next table have their results: they are there for the windows of later rows.
    emitted: int = 0

    def step(self, table: pa.Table) -> tuple[list[pa.RecordBatch], pa.Table]:
        """Emits all rows whose peers are here."""
        job = self.job(table)
        end = settled(job)
        if end <= self.emitted:
            return [], table
        done = self._results(job, table, end)
        start = self.retained_from(job, end)
        self.emitted = end - start
        return done, table.slice(start)

    def end(self, table: pa.Table) -> list[pa.RecordBatch]:
        """Emits all rows."""
        return self._results(self.job(table), table, table.num_rows) if table.num_rows > self.emitted else []

    def _results(self, job: Job, table: pa.Table, end: int) -> list[pa.RecordBatch]:
        # Rows at and behind the end are later than those before it, so these do not see them.
        results: list[pa.Array] = job.frame.with_columns(job.results({}))
        fresh = table.slice(self.emitted, end - self.emitted)
        for name, column in zip(self.types, results, strict=True):
            fresh = fresh.append_column(name, column.slice(self.emitted, end - self.emitted))
        return list(fresh.to_batches())


@dataclass
class SplitKeyChunks(RowChunks):
    """Runs each part of a split key as a key of its own. Rows that are its history have results too, of no use."""

    def job(self, table: pa.Table) -> Job:
        """The rows, read. The part belongs to the key, and no aggregation sees it."""
        by = (*self.plan.by, PART)
        return Job.of(TypedFrame(table, self.types, (PART,)), Plan(**self.plan._parts() | {"by": by}))


@dataclass
class SlideChunks(Partition):
    """Gives a row for each key and end of a window that holds an event, once all rows of that window are here."""

    #: Up to which end the first key of the next table has its results, in ticks; None if it has none.
    emitted: int | None = None

    def step(self, table: pa.Table) -> tuple[list[pa.RecordBatch], pa.Table]:
        """Emits, of the last key, the ends before its newest time: later rows cannot be in their windows."""
        job = self.job(table)
        assert job.ticks is not None
        newest = int(job.ticks[-1])
        done = self._results(job, newest)
        self.emitted = newest - 1
        return done, table.slice(self.retained_from(job, table.num_rows))

    def end(self, table: pa.Table) -> list[pa.RecordBatch]:
        """Emits all ends."""
        return self._results(self.job(table), None)

    def _results(self, job: Job, before: int | None) -> list[pa.RecordBatch]:
        slides = self._open(job, job.slides(), before)
        if not len(slides.ends.ticks):
            return []
        made: pa.Table = job.frame.made_of(job.at_slides(slides, {}))
        return list(made.combine_chunks().to_batches(_ROWS_OUT))

    def _open(self, job: Job, slides: Slides, before: int | None) -> Slides:
        """The slides without those that were emitted, and those that rows to come may change."""
        ends = slides.ends
        codes = np.zeros(1, np.uint32) if job.codes is None else job.codes.codes
        wanted = np.ones(len(ends.ticks), np.bool_)
        if self.emitted is not None:
            wanted &= (ends.codes != codes[0]) | (ends.ticks > self.emitted)
        if before is not None:
            wanted &= (ends.codes != codes[-1]) | (ends.ticks < before)
        return replace(slides, ends=ends.only(wanted))


def rows_at_once(plan: Plan) -> int:
    """How many rows to run at once, so that their slides stay few enough for memory.

    >>> import sash
    >>> rows_at_once(sash.Plan(on="t", windows=sash.TimeWindow("1h", every="10s"), aggregations={"n": sash.Count()}))
    11618
    """
    spans = [span for window in plan.windows if (span := window.span)]
    ends = max(span.length.amount // span.every.amount + 1 for span in spans if span.every is not None)
    return max(1024, min(CHUNK, int(_MOST_ENDS // ends)))


def settled(job: Job) -> int:
    """Where the rows end whose peers are all here: before those of the last key and time."""
    return job.frame.rows if job.ticks is None else max(_last_run(job.ticks), last_key(job))


def last_key(job: Job) -> int:
    """The first row of the last key."""
    return 0 if job.codes is None else _last_run(job.codes.codes)


def _last_run(values: npt.NDArray[Any]) -> int:
    """Where the run of equal values at the end begins.

    >>> _last_run(np.array([7, 7, 3, 3, 3]))
    2
    """
    changes = np.flatnonzero(values != values[-1])
    return int(changes[-1]) + 1 if len(changes) else 0
