"""Windows of a bucket that slide by a time: a row for each key and end that the watermark has passed."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pyarrow as pa

from sash.batch.engine import Job as FrameJob
from sash.batch.slides import slides
from sash.spark.stream.engine import BucketEngine, Emitted
from sash.spark.stream.job import Job
from sash.spark.typed import TypedFrame
from sash.windows import TimeWindow
from sash.windows.scale import Grid, Scale

__all__ = ["SlideEngine", "make_engine"]


class SlideEngine(BucketEngine):
    """Emits the ends between the watermark before and the watermark now, from the rows that windows hold. The cost of a
    batch grows with the retained rows and the ends that are due."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        window = job.plan.windows[0]
        assert isinstance(window, TimeWindow)
        assert window.every is not None
        self._grid = Grid(Scale(job.clock.kind), window.every)

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
        self.absorb(table, first, silent=False)
        rows, _ = self._rows.joined()
        nothing = np.empty(0, np.int64), np.empty(0, np.int32)
        if watermark is None or not rows.num_rows:
            return Emitted(self._job.result_schema.empty_table(), *nothing)
        start = time.perf_counter()
        frame = TypedFrame(rows, self._job.types)
        job = FrameJob.of(frame, self._job.plan)
        found = job.slides()
        ends = found.ends
        due = ends.ticks < watermark
        if self.watermark is not None:
            due &= ends.ticks >= self.watermark
        made = frame.made_of(job.at_slides(replace(found, ends=ends.only(due)), {}))
        self.native_seconds += time.perf_counter() - start
        return Emitted(made, *nothing)


def make_engine(job: Job) -> BucketEngine:
    """An engine without rows: one result a row, or one an end of a window that slides by a time."""
    return SlideEngine(job) if slides(job.plan) else BucketEngine(job)
