"""Windows of a bucket that slide by a time: a row for each key and end that the watermark has passed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash._batch import Order
from sash.batch.engine import Job as FrameJob
from sash.batch.grid import Ends, ends_of
from sash.batch.slides import Slides, slides
from sash.plan import Plan
from sash.spark.stream.engine import NOTHING_REVISED, BucketEngine, Emitted
from sash.spark.stream.failures import failures, may_fail
from sash.spark.stream.job import Job
from sash.spark.stream.operator_engine import Given, OperatorEngine, Row, Subject, equal
from sash.spark.stream.operator_slides import OperatorSlides
from sash.spark.stream.retained import Chunk
from sash.spark.stream.tree import by_operator
from sash.spark.typed import TypedFrame
from sash.windows.scale import Grid, Scale

__all__ = ["SlideEngine", "SlidesOfStream", "make_engine"]

Marks: TypeAlias = npt.NDArray[np.bool_]


class SlideEngine(BucketEngine):
    """Emits the ends between the watermark before and the watermark now, from the rows that windows hold. The cost of a
    batch grows with the retained rows and the ends that are due.

    A window of rows that were there before the stream is none of its results: it is emitted if a row of the stream is
    in it too. So nothing depends on which rows of history are in one bucket, or came last.
    """

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        window = job.plan.windows[0]
        assert window.slide is not None
        risky = {name: one for name, one in job.plan.aggregations.items() if may_fail(one)}
        self._risky = Plan(**job.plan._parts() | {"aggregations": risky}) if risky else None
        self._grid = Grid(Scale(job.clock.kind), *window.slide)

    @property
    def _reads_rows(self) -> bool:
        return True

    @property
    def waiting(self) -> int | None:
        """The next end whose window may hold a row; None if there is none."""
        if not self._rows.chunks:
            return None
        oldest = min(int(chunk.ticks.min()) for chunk in self._rows.chunks)
        newest = max(chunk.newest for chunk in self._rows.chunks)
        following = self._grid.first(oldest if self.watermark is None else max(oldest, self.watermark))
        assert self._job.retain is not None
        return following if following <= newest + self._job.retain else None

    def _finals(self, table: pa.Table, first: int, watermark: int | None) -> Emitted:
        self._take(self._chunk(table, first))
        rows, codes = self._rows.joined()
        silent = self._silent()
        made = [self._job.result_schema.empty_table()]
        lost = 0
        if watermark is not None and rows.num_rows:
            start = time.perf_counter()
            keys = np.unique(codes)

            def attempt(first: int, end: int) -> None:
                if end - first == len(keys):
                    made.append(self._windows(rows, silent, watermark))
                else:
                    some = np.isin(codes, keys[first:end])
                    made.append(self._windows(rows.filter(pa.array(some)), silent[some], watermark))

            for place, error in failures(len(keys), attempt):
                if self._job.on_error == "raise":
                    raise error
                own = codes == keys[place]
                lost += self._due(rows.filter(pa.array(own)), silent[own], watermark)[1].ends.ticks.size
            self.native_seconds += time.perf_counter() - start
        return Emitted(pa.concat_tables(made), *NOTHING_REVISED, lost=lost)

    def _silent(self) -> Marks:
        """Which of the retained rows get no results."""
        return np.concatenate([np.empty(0, bool), *(np.full(len(chunk), chunk.silent) for chunk in self._rows.chunks)])

    def _windows(self, rows: pa.Table, silent: Marks, watermark: int) -> pa.Table:
        """The results of the windows of these rows that are due."""
        job, found = self._due(rows, silent, watermark)
        return job.frame.made_of(job.at_slides(found, {}))

    def _due(self, rows: pa.Table, silent: Marks, watermark: int) -> tuple[FrameJob, Slides]:
        """The windows that hold any of these rows, but for silent ones, and end between the watermark before and the
        watermark now."""
        job = FrameJob.of(TypedFrame(rows, self._job.types), self._job.plan)
        found = job.slides()
        due = found.ends.ticks < watermark
        if self.watermark is not None:
            due &= found.ends.ticks >= self.watermark
        if silent.any():
            due &= _among(found.ends, _ends_of(job, ~silent))
        return job, replace(found, ends=found.ends.only(due))

    def _check(self, chunk: Chunk) -> None:
        if self._risky is not None:
            job = FrameJob.of(TypedFrame(chunk.table, self._job.types), self._risky)
            job.at_slides(job.slides(), {})


class SlidesOfStream(OperatorSlides):
    """The same of what only the operator runs, where rows were there before the stream.

    What was emitted is open and holds a row of the stream. A window that is open for rows of history alone is emitted
    as soon as one comes into it.
    """

    @property
    def _has_silent(self) -> bool:
        return any(chunk.silent for chunk in self._rows.chunks)

    def _slides(self, rows: dict[Subject, Row]) -> pa.Table:
        if self._job.plan.emit != "update" and self._has_silent:
            shown = self._shown(self._rows.chunks)
            rows = {subject: row for subject, row in rows.items() if subject in shown}
        return super()._slides(rows)

    def _changes(self, emissions: list[Given], chunk: Chunk) -> Emitted:
        if not self._has_silent:
            return super()._changes(emissions, chunk)
        was = self._shown([one for one in self._rows.chunks if one is not chunk])
        before = {subject: list(row) for subject, row in self._open.items() if subject in was}
        self._note(emissions)
        changed = [subject for subject, row in before.items() if not equal(row, self._open[subject])]
        fresh = self._shown(self._rows.chunks) & self._open.keys() - before.keys()
        return self._revised(sorted(changed), sorted(fresh))

    def _shown(self, chunks: Sequence[Chunk]) -> set[Subject]:
        """The codes and the ends of the windows that hold a row of the stream. Cost: O(their rows and ends)."""
        own = [chunk for chunk in chunks if not chunk.silent]
        ticks, codes = (
            np.concatenate([np.empty(0, np.int64), *parts])
            for parts in ([chunk.ticks for chunk in own], [chunk.codes for chunk in own])
        )
        order = Order(len(ticks), ticks, codes.astype(np.uint32), self._codes.bound)
        spans = [span for window in self._job.plan.windows if (span := window.span) is not None]
        shown: set[Subject] = set()
        for every in {span.every for span in spans}:
            found = ends_of(order, self._job.clock.kind, [span for span in spans if span.every == every])
            shown.update(zip(found.codes.tolist(), found.ticks.tolist(), strict=True))
        return shown


def _ends_of(job: FrameJob, wanted: Marks) -> Ends:
    """The ends of the windows that hold any of the wanted rows, with the codes of all."""
    assert job.kind is not None
    assert job.ticks is not None
    codes, count = (None, 1) if job.codes is None else (job.codes.codes[wanted], job.codes.count)
    order = Order(int(wanted.sum()), job.ticks[wanted], codes, count)
    return Slides.of(job.frame, job.plan, job.kind, job.ticks, job.codes, order).ends


def _among(ends: Ends, others: Ends) -> Marks:
    """Which of the ends are among the others, of the same key."""
    moments, ranks = np.unique(np.concatenate([ends.ticks, others.ticks]), return_inverse=True)
    codes = np.concatenate([ends.codes, others.codes]).astype(np.int64)
    here, there = np.split(codes * len(moments) + ranks, [len(ends.ticks)])
    return np.isin(here, there)


def make_engine(job: Job) -> BucketEngine:
    """An engine without rows: one result a row, or one an end of a window that slides by a time."""
    if job.retract is not None:
        # Those engines are made of these.
        from sash.spark.stream.retracting import RetractingEngine, RetractingSlides

        return RetractingSlides(job) if slides(job.plan) else RetractingEngine(job)
    if by_operator(job):
        return SlidesOfStream(job) if slides(job.plan) else OperatorEngine(job)
    return SlideEngine(job) if slides(job.plan) else BucketEngine(job)
