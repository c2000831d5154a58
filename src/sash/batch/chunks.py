"""Rolling in bounded memory: record batches in, record batches out, with the rows of one window between them.

    retained          new rows
    |-- emitted --|-- waiting --|--------------|
                                ^ watermark: the newest time less the lateness; rows before it are settled

A chunk has at least as many new rows as retained ones, so that no row is read more than twice, on average.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from sash.aggregations.of_row import looks_back
from sash.batch.derived import with_expressions
from sash.batch.engine import Job, frame_problems, settle
from sash.batch.slides import slides
from sash.frames.arrow import ArrowFrame
from sash.plan import Plan
from sash.progress import counted
from sash.times import Kind, decode, earlier

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["batches_of", "chunk_problems", "rolling_batches"]

#: How many new rows are run at once, at least, and how many a file gives at a time.
_CHUNK: Final = 1 << 18
_READ: Final = 1 << 16

Marks = npt.NDArray[np.bool_]


def batches_of(data: str | os.PathLike[str] | Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The record batches of an iterator, of a Parquet file, or of a folder of them in the order of their names."""
    return _parquet(Path(data)) if isinstance(data, (str, os.PathLike)) else data


def _parquet(path: Path) -> Iterator[pa.RecordBatch]:
    files = _files(path)
    if not files or not files[0].exists():
        raise FileNotFoundError(f"{path} is no Parquet file, and no folder of them")
    return (batch for file in files for batch in _file(file))


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.parquet")) if path.is_dir() else [path]


def _file(path: Path) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        # A reader holds on to what it has read of all its row groups, so each has a reader of its own.
        for group in range(file.num_row_groups):
            yield from file.iter_batches(_READ, row_groups=[group])


def chunk_problems(plan: Plan) -> list[str]:
    """What of a plan needs all rows at once."""
    problems = []
    if plan.on is None:
        problems.append("on: rows that are read in parts have times: name their column")
    problems += [
        f"{window!r} is neither a length of time nor a number of rows, which bound what is retained: read all rows, as"
        " a table"
        for window in plan.windows
        if window.reach is None and window.events is None
    ]
    problems += [
        f"{one!r} looks at the event before a window, however long ago: read all rows, as a table"
        for one in plan.aggregations.values()
        if looks_back(one)
    ]
    if plan.emit != "final":
        problems.append(f'emit={plan.emit!r} is not run in parts: use emit="final", or sash.Sliding')
    return problems


def rolling_batches(
    data: str | os.PathLike[str] | Iterator[pa.RecordBatch],
    plan: Plan,
    names: Mapping[str, str],
    threads: int = 1,
    rows: int = _CHUNK,
    progress: bool | None = False,
) -> Iterator[pa.RecordBatch]:
    """The same rows with their results behind them, as soon as these are final.

    Rows come by time, or late by no more than the plan's lateness; ValueError for one that is later. They leave in
    their order, late ones behind those that were settled before they came. Memory: twice the rows of the longest
    window and of the lateness, or the number of rows for each key, and a chunk.
    """
    settle(chunk_problems(plan))
    batches = counted(progress, "rows", batches_of(data), lambda batch: int(batch.num_rows), lambda: _rows_of(data))
    return _Chunks(plan, names, rows, threads).run(batches)


def _rows_of(data: str | os.PathLike[str] | Iterator[pa.RecordBatch]) -> int | None:
    """How many rows Parquet files say they have; of an iterator nobody knows."""
    if not isinstance(data, (str, os.PathLike)):
        return None
    import pyarrow.parquet as pq

    return sum(int(pq.read_metadata(file).num_rows) for file in _files(Path(data)))


class _Chunks:
    """The rows that are retained, and which of them are emitted."""

    def __init__(self, plan: Plan, names: Mapping[str, str], rows: int, threads: int = 1) -> None:
        self._plan = plan
        self._threads = threads
        self._names = names
        self._rows = rows
        lengths = [window.reach for window in plan.windows if window.reach is not None]
        self._longest = max(lengths, key=lambda one: one.amount, default=None)
        #: How many rows of each key windows hold, at most, before the one at which they end.
        self._most = max(window.events or 0 for window in plan.windows)
        self._emitted: Marks = np.zeros(0, np.bool_)
        self._watermark: int | None = None
        self._schema: pa.Schema | None = None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """All rows, chunk by chunk."""
        import pyarrow as pa

        waiting: list[pa.RecordBatch] = []
        pending, enough = 0, self._rows
        for batch in batches:
            waiting.append(batch)
            pending += batch.num_rows
            if pending >= enough:
                done, retained = self._step(pa.Table.from_batches(waiting), last=False)
                yield from done
                waiting, pending = retained.to_batches(), retained.num_rows
                enough = pending + max(self._rows, pending)
        if waiting:
            yield from self._step(pa.Table.from_batches(waiting), last=True)[0]

    def _step(self, table: pa.Table, *, last: bool) -> tuple[list[pa.RecordBatch], pa.Table]:
        """The rows that are settled, with their results, and the rows that those to come need."""
        frame = ArrowFrame(table)
        if self._schema is None:
            settle(frame_problems(frame, self._plan, self._names))
        job = Job.of(frame, self._plan, self._threads)
        assert job.kind is not None
        assert job.ticks is not None
        emitted = np.concatenate([self._emitted, np.zeros(table.num_rows - len(self._emitted), np.bool_)])
        self._refuse_late(job.kind, job.ticks)
        watermark = self._watermark_of(job.kind, job.ticks)
        due = ~emitted if last else ~emitted & (job.ticks < watermark)
        done = self._slides(job, None if last else watermark) if slides(self._plan) else self._settled(job, due)
        kept = self._kept(job, emitted | due, watermark)
        self._watermark, self._emitted = watermark, (emitted | due)[kept]
        return done, table.filter(kept).combine_chunks()

    def _settled(self, job: Job, due: Marks) -> list[pa.RecordBatch]:
        """The rows that are due, with their results."""
        results = with_expressions(self._plan, job.frame, job.results(self._names))
        made: pa.Table = job.frame.with_columns(results)
        return list(self._typed(made.filter(due)).to_batches())

    def _slides(self, job: Job, watermark: int | None) -> list[pa.RecordBatch]:
        """The ends of windows that slide by a time, between the watermark before and this one."""
        found = job.slides()
        due = np.ones(len(found.ends.ticks), np.bool_)
        if self._watermark is not None:
            due &= found.ends.ticks >= self._watermark
        if watermark is not None:
            due &= found.ends.ticks < watermark
        if not due.any():
            return []
        made: pa.Table = job.frame.made_of(job.at_slides(replace(found, ends=found.ends.only(due)), self._names))
        return list(self._typed(made).to_batches())

    def _kept(self, job: Job, emitted: Marks, watermark: int) -> Marks:
        """Marks the rows that are yet to be emitted, and those that the windows of later ones may hold."""
        assert job.kind is not None
        assert job.ticks is not None
        kept = ~emitted
        if self._longest is not None:
            kept |= job.ticks >= earlier(job.kind, watermark, self._longest)
        if self._most:
            kept[_last_of_keys(job, np.flatnonzero(emitted), self._most)] = True
        return kept

    def _watermark_of(self, kind: Kind, ticks: npt.NDArray[np.int64]) -> int:
        newest = int(ticks.max()) if len(ticks) else -(2**63)
        lateness = self._plan.lateness
        mark = earlier(kind, newest, lateness) if lateness else newest
        return mark if self._watermark is None else max(mark, self._watermark)

    def _refuse_late(self, kind: Kind, ticks: npt.NDArray[np.int64]) -> None:
        late = ticks[len(self._emitted) :] < (-(2**63) if self._watermark is None else self._watermark)
        if late.any():
            time = decode(kind, int(ticks[len(self._emitted) + int(late.argmax())]))
            allowed = f"at most {self._plan.lateness} late" if self._plan.lateness else "sorted by time"
            raise ValueError(
                f"column {self._plan.on!r}: {time} comes too late, and rows that are read in parts are {allowed}:"
                " sort them, or give a longer lateness="
            )

    def _typed(self, made: pa.Table) -> pa.Table:
        """The results in the types of the first chunk."""
        if self._schema is None:
            self._schema = made.schema
        return made if made.schema == self._schema else made.cast(self._schema)


def _last_of_keys(job: Job, rows: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    """Of some rows, the last of each key, so many at most."""
    assert job.ticks is not None
    codes = np.zeros(len(rows), np.uint32) if job.codes is None else job.codes.codes[rows]
    order = np.lexsort((rows, job.ticks[rows], codes))
    ends = np.searchsorted(codes[order], codes[order], "right")
    return rows[order[ends - np.arange(len(order)) <= most]]
