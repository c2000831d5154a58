"""Windows of a bucket that speak at times of their own: a row for each key and end that the watermark has passed."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pyarrow as pa

from sash.batch.engine import Job as FrameJob
from sash.operator.scale import Grid, Scale
from sash.spark.stream.engine import BucketEngine, Told
from sash.spark.stream.job import Job
from sash.spark.typed import TypedFrame
from sash.windows import TimeWindow

__all__ = ["SlideEngine"]


class SlideEngine(BucketEngine):
    """Tells the ends between the watermark before and the watermark now, from the rows that windows hold: what a batch
    costs grows with the kept rows and the ends that are due."""

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

    def _finals(self, table: pa.Table, first: int, watermark: int | None) -> Told:
        self.absorb(table, first, silent=False)
        kept, _ = self._rows.joined()
        nothing = np.empty(0, np.int64), np.empty(0, np.int32)
        if watermark is None or not kept.num_rows:
            return Told(self._job.told_schema.empty_table(), *nothing)
        start = time.perf_counter()
        frame = TypedFrame(kept, self._job.types)
        job = FrameJob.of(frame, self._job.plan)
        slides = job.slides()
        due = slides.ends.ticks < watermark
        if self.watermark is not None:
            due &= slides.ends.ticks >= self.watermark
        made = frame.made_of(job.at_slides(replace(slides, ends=slides.ends.only(due)), {}))
        self.native_seconds += time.perf_counter() - start
        return Told(made, *nothing)
