"""The log of a bucket: what came, segment by segment. It is the state; everything else can be made from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.errors import AggregationError
from sash.spark.history import first_needed
from sash.spark.stream.conform import conformed, joined_tables
from sash.spark.stream.engine import BucketEngine
from sash.spark.stream.job import Job
from sash.spark.stream.manifest import HISTORY, Manifest, Segment
from sash.spark.stream.operator_engine import OperatorEngine
from sash.spark.stream.operator_slides import OperatorSlides
from sash.spark.stream.packing import CHUNK_BYTES, pack, slices, unpack
from sash.spark.stream.retained import Revisions, Ticks
from sash.spark.stream.slide_engine import make_engine

__all__ = ["BucketState", "Log", "revisions_of"]

#: Rows whose results were revised, or rows of keys; how often; and the ends of windows, where results are slides. There
#: are no ends if all of them are rows; where there are both, rows have `_NO_END`.
Revised: TypeAlias = tuple[Ticks, Revisions, Ticks]

_NUMBERS: Final = b"sash.revised"
_REVISIONS: Final = b"sash.revisions"
_ENDS: Final = b"sash.ends"
#: No window ends there.
_NO_END: Final = -(2**63)
#: How many small neighbours are merged at once: a row is written again as often as the number of segments can be
#: divided by it.
_FAN: Final = 8
#: A row of the log is about as long, where a snapshot takes its place.
_ROW_BYTES: Final = 64
#: A log that has grown by fewer rows is not compacted.
_FEW: Final = 4096


class BucketState(Protocol):
    """The state of one bucket. Calls are few: each costs a round trip to the JVM."""

    def manifest(self) -> bytes | None:
        """What was put last; None if nothing was."""

    def put_manifest(self, data: bytes) -> None:
        """Replace it."""

    def segment(self, place: int) -> bytes:
        """The segment at a place."""

    def put_segment(self, place: int, data: bytes) -> None:
        """A segment at a place that has none."""

    def drop_segments(self, places: Iterable[int]) -> None:
        """Delete segments."""

    def clear(self) -> None:
        """Delete everything."""

    def set_timer(self, old: int | None, new: int | None) -> None:
        """Be called when the watermark reaches the new time, in milliseconds, and not at the old one."""


class Log:
    """Appends, replays, prunes, merges and compacts. Manifests are values: a change counts when its manifest is put."""

    def __init__(self, state: BucketState) -> None:
        self._state = state

    def append(
        self,
        manifest: Manifest,
        table: pa.Table,
        ticks: Ticks,
        revised: Revised | None = None,
        silent: bool = False,
    ) -> Manifest:
        """Rows that came with the manifest's version: those of their columns that the log holds, in its types. Cost:
        O(bytes of the rows), whatever is there already."""
        held = manifest.contents.schema
        table = conformed(table, pa.schema([field for field in held if field.name in table.schema.names]))
        start = 0
        for part in slices(table):
            marked = _with_revisions(part, revised) if revised is not None and len(revised[0]) and not start else part
            newest = int(ticks[start : start + part.num_rows].max())
            manifest = self._put(manifest, marked, manifest.rows, newest, manifest.version.number, silent)
            start += part.num_rows
            manifest = replace(manifest, rows=manifest.rows + part.num_rows)
        return manifest

    def _put(
        self, manifest: Manifest, table: pa.Table, first: int, newest: int, version: int, silent: bool
    ) -> Manifest:
        data = pack(table, compress=True)
        self._state.put_segment(manifest.places, data)
        segment = Segment(manifest.places, first, table.num_rows, len(data), version, newest, silent)
        return replace(manifest, segments=(*manifest.segments, segment), places=manifest.places + 1)

    def replay(self, manifest: Manifest, engine: BucketEngine, after: int = -1) -> int:
        """Give an engine the rows that came after a version; how many segments it took. Cost: O(their rows)."""
        if manifest.snapshot and after < 0:
            after = self._restore(manifest, engine)
        missed = [segment for segment in manifest.segments if segment.version > after]
        for segment in missed:
            table = unpack(self._state.segment(segment.place))
            engine.absorb(table, segment.first, segment.silent)
            engine.revise(*_revisions_for(engine, table))
        engine.settle(manifest.watermark)
        return len(missed)

    def _restore(self, manifest: Manifest, engine: BucketEngine) -> int:
        """Give an engine the snapshot; the version that it is of."""
        assert isinstance(engine, OperatorEngine)
        data = b"".join(map(self._state.segment, manifest.snapshot))
        held = [one for one in manifest.segments if one.version <= manifest.snapshot_version]
        engine.restore(data, [(unpack(self._state.segment(one.place)), one.first, one.silent) for one in held])
        return manifest.snapshot_version

    def prune(self, manifest: Manifest, horizon: int) -> Manifest:
        """Drop the segments whose newest row is before the horizon: it has left every window."""
        dead = [segment for segment in manifest.segments if segment.newest < horizon]
        if not dead:
            return manifest
        self._state.drop_segments(segment.place for segment in dead)
        live = tuple(one for one in manifest.segments if one.newest >= horizon)
        return replace(manifest, segments=live, contents=manifest.contents.pruned_before(horizon))

    def merge(self, manifest: Manifest) -> Manifest:
        """Make one of small neighbours, where there are many. No worker that can catch up needs them separately."""
        old = manifest.version.number - HISTORY
        for run in _runs(manifest.segments, old):
            table = _concatenated([unpack(self._state.segment(segment.place)) for segment in run])
            newest = max(segment.newest for segment in run)
            longer = self._put(manifest, table, run[0].first, newest, run[-1].version, run[0].silent)
            self._state.drop_segments(segment.place for segment in run)
            merged = longer.segments[-1]
            others = [one for one in manifest.segments if one not in run]
            manifest = replace(longer, segments=tuple(sorted([*others, merged], key=lambda one: one.first)))
        return manifest

    def compact(self, manifest: Manifest, engine: BucketEngine, job: Job) -> tuple[Manifest, BucketEngine]:
        """The same windows over the rows that they need, once rows have doubled: O(1) rows written a row, in all.

        For windows that count rows, or that reach back to the start of a session or a landmark: there the times alone
        do not say which rows are needed.
        """
        if manifest.live_rows < 2 * manifest.compacted + _FEW:
            return manifest, engine
        if isinstance(engine, OperatorEngine):
            return self._snapshot(manifest, engine, job), engine
        if manifest.watermark is None:
            return manifest, engine
        rows = engine.needed(lambda ticks, codes, watermark: _needed(job, ticks, codes, watermark))
        self._state.drop_segments(segment.place for segment in manifest.segments)
        fresh = replace(manifest, segments=(), versions=manifest.versions[-1:])
        for table, ticks, revisions, silent in rows:
            changed = np.flatnonzero(revisions)
            revised = (fresh.rows + changed, revisions[changed], np.empty(0, np.int64))
            fresh = self.append(fresh, table, ticks, revised, silent)
        fresh = replace(fresh, compacted=fresh.live_rows, contents=manifest.contents.compacted_for(job))
        again = make_engine(job)
        self.replay(fresh, again)
        return fresh, again

    def _snapshot(self, manifest: Manifest, engine: OperatorEngine, job: Job) -> Manifest:
        """The state of the operators instead of the rows that they have taken, but for those that are still open."""
        try:
            data = engine.snapshot()
        except AggregationError:
            # Partials that are not plain cannot be written: the log is all there is.
            return replace(manifest, compacted=manifest.live_rows)
        since = manifest.watermark
        opened = [one for one in manifest.segments if since is None or one.newest >= since] * engine.holds_rows
        gone = [one.place for one in manifest.segments if one not in opened]
        self._state.drop_segments([*gone, *manifest.snapshot])
        places = range(manifest.places, manifest.places + -(-len(data) // CHUNK_BYTES))
        for part, place in enumerate(places):
            self._state.put_segment(place, data[part * CHUNK_BYTES : (part + 1) * CHUNK_BYTES])
        return replace(
            manifest,
            segments=tuple(opened),
            places=places.stop,
            versions=manifest.versions[-1:],
            compacted=sum(one.rows for one in opened) + len(data) // _ROW_BYTES,
            contents=manifest.contents.taken_by(job),
            snapshot=tuple(places),
            snapshot_version=manifest.version.number,
        )


def _needed(job: Job, ticks: Ticks, codes: Ticks, watermark: int) -> npt.NDArray[np.bool_]:
    """Which rows the window of a later row may hold, or are not emitted yet."""
    needed = ticks >= watermark
    order = np.lexsort((np.arange(len(ticks)), ticks, codes))
    order = order[~needed[order]]
    bounds = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for rows in np.split(order, bounds)[1:]:
        since = first_needed(job.plan, job.clock.kind, ticks[rows], len(rows))
        needed[rows[since:]] = True
    return needed


def _runs(segments: tuple[Segment, ...], old: int) -> Iterable[list[Segment]]:
    """Neighbours of about one size, as many as are merged at once, none of them large or young."""
    run: list[Segment] = []
    for segment in segments:
        if run and not _alike(run[-1], segment):
            run = []
        if segment.version <= old and segment.bytes < CHUNK_BYTES // 2:
            run.append(segment)
        else:
            run = []
        if len(run) == _FAN:
            yield run
            run = []


def _alike(left: Segment, right: Segment) -> bool:
    together = left.first + left.rows == right.first and left.silent == right.silent
    return together and max(left.bytes, right.bytes) < _FAN * min(left.bytes, right.bytes)


def _with_revisions(table: pa.Table, revised: Revised) -> pa.Table:
    numbers, revisions, ends = (part.tobytes() for part in revised)
    marks = {_NUMBERS: numbers, _REVISIONS: revisions} | ({_ENDS: ends} if ends else {})
    return table.replace_schema_metadata(marks)


def revisions_of(table: pa.Table) -> Revised:
    """What was revised before the rows of a segment came, and how often."""
    found = table.schema.metadata or {}
    numbers, ends = (np.frombuffer(found.get(name, b""), np.int64) for name in (_NUMBERS, _ENDS))
    return numbers, np.frombuffer(found.get(_REVISIONS, b""), np.int32), ends


def _revisions_for(engine: BucketEngine, table: pa.Table) -> Revised:
    """The revisions of a segment that are of slides, if those are what the engine emits, or else those of rows. A plan
    before this one may have emitted the others, and they say nothing about these."""
    numbers, revisions, ends = _in_step(revisions_of(table))
    own = (ends != _NO_END) == isinstance(engine, OperatorSlides)
    return numbers[own], revisions[own], ends[own]


def _in_step(revised: Revised) -> Revised:
    """With an end for each revision."""
    numbers, revisions, ends = revised
    return numbers, revisions, ends if len(ends) else np.full(len(numbers), _NO_END, np.int64)


def _concatenated(tables: list[pa.Table]) -> pa.Table:
    parts = [_in_step(revisions_of(table)) for table in tables]
    numbers, revisions, ends = (np.concatenate(column) for column in zip(*parts, strict=True))
    if (ends == _NO_END).all():
        ends = ends[:0]
    joined = joined_tables([table.replace_schema_metadata(None) for table in tables])
    return _with_revisions(joined, (numbers, revisions, ends)) if len(numbers) else joined
