"""The log written anew with the rows that are still needed, where the times alone do not say which those are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from sash.spark.history import first_needed
from sash.spark.stream.engine import BucketEngine
from sash.spark.stream.engines import make_engine
from sash.spark.stream.job import Job
from sash.spark.stream.kept import Ticks
from sash.spark.stream.log import Log
from sash.spark.stream.manifest import Manifest
from sash.spark.stream.state import BucketState

__all__ = ["Compactor"]

#: A log that has grown by fewer rows is left alone.
_FEW: Final = 4096


@dataclass(frozen=True)
class Compactor:
    """For windows that count rows, or that reach back to where a session or a landmark is."""

    job: Job
    state: BucketState
    log: Log

    def compacted(self, manifest: Manifest, engine: BucketEngine) -> tuple[Manifest, BucketEngine]:
        """The same windows over fewer rows, once rows have doubled: O(1) rows written a row, in all."""
        if manifest.watermark is None or manifest.live_rows < 2 * manifest.compacted + _FEW:
            return manifest, engine
        rows = engine.needed(self._needed)
        self.state.drop_segments(segment.place for segment in manifest.segments)
        fresh = replace(manifest, segments=(), versions=manifest.versions[-1:])
        for table, ticks, revisions, silent in rows:
            first = fresh.rows
            changed = np.flatnonzero(revisions)
            fresh = self.log.append(fresh, table, ticks, (first + changed, revisions[changed]), silent)
        fresh = replace(fresh, compacted=fresh.live_rows)
        again = make_engine(self.job)
        self.log.replay(fresh, again)
        return fresh, again

    def _needed(self, ticks: Ticks, codes: Ticks, watermark: int) -> npt.NDArray[np.bool_]:
        """Which rows a later row's window may hold, or are yet to be told."""
        needed = ticks >= watermark
        order = np.lexsort((np.arange(len(ticks)), ticks, codes))
        order = order[~needed[order]]
        bounds = np.flatnonzero(np.diff(codes[order], prepend=-1))
        for start, end in zip(bounds, [*bounds[1:], len(order)], strict=True):
            rows = order[start:end]
            since = first_needed(self.job.plan, self.job.clock.kind, ticks[rows], len(rows))
            needed[rows[since:]] = True
        return needed
