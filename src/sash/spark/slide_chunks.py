"""The slides of a sorted partition: each told once, when the rows of its window are all here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sash.batch.engine import Job
from sash.batch.slides import Slides
from sash.plan import Plan
from sash.spark.partition import CHUNK, Partition
from sash.windows import TimeWindow

__all__ = ["SlideChunks", "rows_at_once"]

_MOST_ENDS = 1 << 22
_ROWS_OUT = 1 << 16


def rows_at_once(plan: Plan) -> int:
    """How many rows to run at once, so that their slides stay few enough for memory.

    >>> import sash
    >>> rows_at_once(sash.Plan(on="t", windows=TimeWindow("1h", every="10s"), aggregations={"n": sash.Count()}))
    11618
    """
    windows = [window for window in plan.windows if isinstance(window, TimeWindow) and window.every is not None]
    ends = max(window.length.amount // window.every.amount + 1 for window in windows if window.every is not None)
    return max(1024, min(CHUNK, int(_MOST_ENDS // ends)))


@dataclass
class SlideChunks(Partition):
    """Gives a row for each key and end of a window that holds an event."""

    #: Up to which end the first key of the next table is told, in ticks; None if nothing of it is.
    told: int | None = None

    def step(self, table: pa.Table) -> tuple[list[pa.RecordBatch], pa.Table]:
        """Of the last key, the ends before its newest time are told: later rows cannot be in their windows."""
        job = self.job(table)
        assert job.ticks is not None
        newest = int(job.ticks[-1])
        done = self._results(job, newest)
        self.told = newest - 1
        return done, table.slice(self.carried_from(job, table.num_rows))

    def end(self, table: pa.Table) -> list[pa.RecordBatch]:
        """All ends are told."""
        return self._results(self.job(table), None)

    def _results(self, job: Job, before: int | None) -> list[pa.RecordBatch]:
        slides = self._open(job, job.slides(), before)
        if not len(slides.ends.ticks):
            return []
        made: pa.Table = job.frame.made_of(job.at_slides(slides, {}))
        return list(made.combine_chunks().to_batches(_ROWS_OUT))

    def _open(self, job: Job, slides: Slides, before: int | None) -> Slides:
        """The slides without those that are told, and those that rows to come may change."""
        ends = slides.ends
        codes = np.zeros(1, np.uint32) if job.codes is None else job.codes.codes
        wanted = np.ones(len(ends.ticks), np.bool_)
        if self.told is not None:
            wanted &= (ends.codes != codes[0]) | (ends.ticks > self.told)
        if before is not None:
            wanted &= (ends.codes != codes[-1]) | (ends.ticks < before)
        return replace(slides, ends=ends.only(wanted))
