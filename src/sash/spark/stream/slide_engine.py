"""Windows of a bucket that slide by a time: a row for each key and end that the watermark has passed."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pyarrow as pa

from sash.batch.engine import Job as FrameJob
from sash.batch.slides import Slides, slides
from sash.plan import Plan
from sash.spark.stream.engine import NOTHING_REVISED, BucketEngine, Emitted
from sash.spark.stream.failures import failures, may_fail
from sash.spark.stream.job import Job
from sash.spark.stream.operator_engine import OperatorEngine
from sash.spark.stream.operator_slides import OperatorSlides
from sash.spark.stream.retained import Chunk
from sash.spark.stream.tree import by_operator
from sash.spark.typed import TypedFrame
from sash.windows.scale import Grid, Scale

__all__ = ["SlideEngine", "make_engine"]


class SlideEngine(BucketEngine):
    """Emits the ends between the watermark before and the watermark now, from the rows that windows hold. The cost of a
    batch grows with the retained rows and the ends that are due."""

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
        made = [self._job.result_schema.empty_table()]
        lost = 0
        if watermark is not None and rows.num_rows:
            start = time.perf_counter()
            keys = np.unique(codes)

            def attempt(first: int, end: int) -> None:
                whole = end - first == len(keys)
                wanted = rows if whole else rows.filter(pa.array(np.isin(codes, keys[first:end])))
                made.append(self._windows(wanted, watermark))

            for place, error in failures(len(keys), attempt):
                if self._job.on_error == "raise":
                    raise error
                lost += self._due(rows.filter(pa.array(codes == keys[place])), watermark)[1].ends.ticks.size
            self.native_seconds += time.perf_counter() - start
        return Emitted(pa.concat_tables(made), *NOTHING_REVISED, lost=lost)

    def _windows(self, rows: pa.Table, watermark: int) -> pa.Table:
        """The results of the windows of these rows that are due."""
        job, found = self._due(rows, watermark)
        return job.frame.made_of(job.at_slides(found, {}))

    def _due(self, rows: pa.Table, watermark: int) -> tuple[FrameJob, Slides]:
        """The windows that hold any of these rows and end between the watermark before and the watermark now."""
        job = FrameJob.of(TypedFrame(rows, self._job.types), self._job.plan)
        found = job.slides()
        due = found.ends.ticks < watermark
        if self.watermark is not None:
            due &= found.ends.ticks >= self.watermark
        return job, replace(found, ends=found.ends.only(due))

    def _check(self, chunk: Chunk) -> None:
        if self._risky is not None:
            job = FrameJob.of(TypedFrame(chunk.table, self._job.types), self._risky)
            job.at_slides(job.slides(), {})


def make_engine(job: Job) -> BucketEngine:
    """An engine without rows: one result a row, or one an end of a window that slides by a time."""
    if job.retract is not None:
        # Those engines are made of these.
        from sash.spark.stream.retracting import RetractingEngine, RetractingSlides

        return RetractingSlides(job) if slides(job.plan) else RetractingEngine(job)
    if by_operator(job):
        return OperatorSlides(job) if slides(job.plan) else OperatorEngine(job)
    return SlideEngine(job) if slides(job.plan) else BucketEngine(job)
